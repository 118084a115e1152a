//! Rows of a CSV file: their cells, and their text byte for byte.

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use moglb_data::read::LONGEST_LINE;
use std::io::Read;

/// The number of bytes read at a time. About as many bytes of older text are kept.
const BUFFER: usize = 1 << 18;

/// An error of a table.
#[derive(Debug)]
pub enum Trouble {
    /// A row is malformed.
    Table {
        /// The line at which the row begins, from 1.
        line: u64,
        /// The description of the error.
        what: String,
    },
    /// The source cannot be read.
    Reading(std::io::Error),
}

/// A reader that returns row after row.
pub struct Rows<R: Read> {
    reader: Reader<Remembering<R>>,
    record: ByteRecord,
}

impl<R: Read> Rows<R> {
    /// Creates the reader; nothing is read yet.
    pub fn new(source: R) -> Self {
        let source = Remembering { source, text: Vec::new(), start: 0, row: 0 };
        let reader = ReaderBuilder::new().has_headers(false).buffer_capacity(BUFFER).from_reader(source);
        Self { reader, record: ByteRecord::new() }
    }

    /// Returns the next row, or `None` at the end. All rows have as many cells as the first.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read, a row has another number of cells, or a row is too long.
    pub fn next(&mut self) -> Result<Option<Row<'_>>, Trouble> {
        let (start, line) = (self.reader.position().byte(), self.reader.position().line());
        self.reader.get_mut().forget(start);
        let more = self.reader.read_byte_record(&mut self.record);
        let end = self.reader.position().byte();
        let whole = self.reader.get_ref().text(start, end);
        let (skipped, text) = split(whole);
        // In this case the line ending of the text belongs to a quoted cell that is never closed.
        let is_first = start == 0 && skipped.is_empty();
        let open = ends_with_line_end(&self.record) && !has_cells(text, is_first, &self.record);
        let text = if open { &whole[skipped.len()..] } else { text };
        let line = line + skipped.iter().filter(|&&byte| byte == b'\n').count() as u64;
        match more {
            Ok(more) => Ok(more.then_some(Row { cells: &self.record, text, line, end })),
            Err(error) => Err(trouble(error, line)),
        }
    }

    /// The line ending of the last row that was read.
    pub fn line_end(&self) -> &'static [u8] {
        let end = self.reader.position().byte();
        let source = self.reader.get_ref();
        // The reader is after the first byte of the line ending, or after both.
        match (source.text(end.saturating_sub(2), end), source.text(end, end + 1)) {
            (b"\r\n", _) | ([_, b'\r'], b"\n") => b"\r\n",
            ([_, b'\r'], _) => b"\r",
            _ => b"\n",
        }
    }
}

/// A row as cells and as text.
pub struct Row<'a> {
    /// The cells, without quotes.
    pub cells: &'a ByteRecord,
    /// The text as it is in the table, without the line ending.
    pub text: &'a [u8],
    /// The line at which the row begins, from 1.
    pub line: u64,
    /// The number of bytes read so far.
    pub end: u64,
}

/// The error of the CSV reader, with the line of its row.
fn trouble(error: csv::Error, line: u64) -> Trouble {
    let what = match error.into_kind() {
        ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => error.to_string(),
        ErrorKind::Io(error) => return Trouble::Reading(error),
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("expected {expected_len} cells as in the header, got {len}")
        }
        other => format!("{other:?}"),
    };
    Trouble::Table { line, what }
}

/// Splits the text of a row into the line ending and the empty lines before it, and the row without its own
/// line ending: the CSV reader counts the former as the beginning of the row.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let start = text.iter().position(|byte| !is_end(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_end(byte)).map_or(start, |last| last + 1);
    (&text[..start], &text[start..end])
}

/// Returns true if the last cell ends with a byte of a line ending, as only a quoted cell can.
fn ends_with_line_end(record: &ByteRecord) -> bool {
    record.iter().next_back().and_then(<[u8]>::last).is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
}

/// Returns true if a text, read alone, has these cells. The CSV reader removes a byte order mark only at the
/// beginning of a table, so a text that is not the first is read after a row that is put in front of it.
fn has_cells(text: &[u8], is_first: bool, record: &ByteRecord) -> bool {
    let before: &[u8] = if is_first { b"" } else { b"0\n" };
    let mut alone = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(before.chain(text));
    let mut rows = alone.byte_records().skip(usize::from(!is_first));
    rows.next().is_some_and(|row| row.is_ok_and(|row| row == *record))
}

/// A source that keeps the recent text that was read through it.
struct Remembering<R> {
    source: R,
    /// The recent text.
    text: Vec<u8>,
    /// The position in the source at which `text` begins.
    start: u64,
    /// The position in the source at which the current row begins.
    row: u64,
}

impl<R> Remembering<R> {
    /// The bytes of the source from `start` to `end`, as far as they are kept.
    fn text(&self, start: u64, end: u64) -> &[u8] {
        let place = |byte: u64| {
            usize::try_from(byte.saturating_sub(self.start)).unwrap_or(usize::MAX).min(self.text.len())
        };
        &self.text[place(start)..place(end)]
    }

    /// Marks the beginning of a row: the text before it is no longer needed. It is dropped only when it is
    /// long, so that little is moved.
    fn forget(&mut self, before: u64) {
        self.row = before;
        let old = usize::try_from(before - self.start).unwrap_or(usize::MAX).min(self.text.len());
        if old > 4 * BUFFER {
            self.text.drain(..old);
            self.start = before;
        }
    }
}

impl<R: Read> Read for Remembering<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // All text after the beginning of the row belongs to it: otherwise the CSV reader would not read
        // more.
        if self.start + self.text.len() as u64 - self.row > LONGEST_LINE as u64 {
            let what = format!("the row is longer than {} MiB, the most that is read", LONGEST_LINE >> 20);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, what));
        }
        let n = self.source.read(buffer)?;
        self.text.extend_from_slice(&buffer[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte order mark in the middle of a table is a part of its cell.
    #[test]
    fn a_row_behind_a_byte_order_mark_ends_where_its_line_does() {
        let table = b"x,y\n\xef\xbb\xbf1,\"2\n\"\n3,4\n";
        let mut rows = Rows::new(&table[..]);
        let mut texts = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            texts.push(row.text.to_vec());
        }
        assert_eq!(texts, [&b"x,y"[..], b"\xef\xbb\xbf1,\"2\n\"", b"3,4"]);
    }
}
