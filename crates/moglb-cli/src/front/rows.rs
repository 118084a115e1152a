//! Rows of a CSV: their cells, and their text byte for byte.

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use moglb_data::read::LONGEST_LINE;
use std::io::Read;

/// Bytes that are read at a time, and about as many are kept.
const BUFFER: usize = 1 << 18;

/// What can be wrong with a table.
#[derive(Debug)]
pub enum Trouble {
    /// A line is not as it should be.
    Table {
        /// The line at which the row begins.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// It cannot be read.
    Reading(std::io::Error),
}

/// Reads row after row.
pub struct Rows<R: Read> {
    reader: Reader<Remembering<R>>,
    record: ByteRecord,
}

impl<R: Read> Rows<R> {
    /// Nothing is read yet.
    pub fn new(source: R) -> Self {
        let source = Remembering { source, text: Vec::new(), start: 0, row: 0 };
        let reader = ReaderBuilder::new().has_headers(false).buffer_capacity(BUFFER).from_reader(source);
        Self { reader, record: ByteRecord::new() }
    }

    /// The next row, or none at the end. All have as many cells as the first.
    pub fn next(&mut self) -> Result<Option<Row<'_>>, Trouble> {
        let (start, line) = (self.reader.position().byte(), self.reader.position().line());
        self.reader.get_mut().forget(start);
        let more = self.reader.read_byte_record(&mut self.record);
        let end = self.reader.position().byte();
        let whole = self.reader.get_ref().text(start, end);
        let (skipped, text) = split(whole);
        // The end of the text belongs to a quoted cell that is never closed.
        let is_first = start == 0 && skipped.is_empty();
        let open = ends_with_line_end(&self.record) && !has_cells(text, is_first, &self.record);
        let text = if open { &whole[skipped.len()..] } else { text };
        let line = line + skipped.iter().filter(|&&byte| byte == b'\n').count() as u64;
        match more {
            Ok(more) => Ok(more.then_some(Row { cells: &self.record, text, line, end })),
            Err(error) => Err(trouble(error, line)),
        }
    }

    /// How lines end, as the last row shows.
    pub fn line_end(&self) -> &'static [u8] {
        let end = self.reader.position().byte();
        let source = self.reader.get_ref();
        // The reader stands after the first byte of the line's end, or after both.
        match (source.text(end.saturating_sub(2), end), source.text(end, end + 1)) {
            (b"\r\n", _) | ([_, b'\r'], b"\n") => b"\r\n",
            ([_, b'\r'], _) => b"\r",
            _ => b"\n",
        }
    }
}

/// A row as cells and as text, without the end of its line.
pub struct Row<'a> {
    pub cells: &'a ByteRecord,
    pub text: &'a [u8],
    /// The line at which it begins.
    pub line: u64,
    /// Bytes read so far.
    pub end: u64,
}

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

/// The reader of rows begins a row with the end of the line before it and with the empty lines that it skips:
/// these, and the row without the end of its line.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let start = text.iter().position(|byte| !is_end(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_end(byte)).map_or(start, |last| last + 1);
    (&text[..start], &text[start..end])
}

fn ends_with_line_end(record: &ByteRecord) -> bool {
    record.iter().next_back().and_then(<[u8]>::last).is_some_and(|byte| matches!(byte, b'\r' | b'\n'))
}

/// Whether a text read alone has these cells. Only the first text of a table loses the byte order mark it may begin with, so
/// any other is read behind a row of its own.
fn has_cells(text: &[u8], is_first: bool, record: &ByteRecord) -> bool {
    let before: &[u8] = if is_first { b"" } else { b"0\n" };
    let mut alone = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(before.chain(text));
    let mut rows = alone.byte_records().skip(usize::from(!is_first));
    rows.next().is_some_and(|row| row.is_ok_and(|row| row == *record))
}

/// A source that remembers the text which went through it lately.
struct Remembering<R> {
    source: R,
    text: Vec<u8>,
    /// Where in the source the text begins.
    start: u64,
    /// Where in the source the row begins that is being read.
    row: u64,
}

impl<R> Remembering<R> {
    fn text(&self, start: u64, end: u64) -> &[u8] {
        let place = |byte: u64| {
            usize::try_from(byte.saturating_sub(self.start)).unwrap_or(usize::MAX).min(self.text.len())
        };
        &self.text[place(start)..place(end)]
    }

    /// A row begins here, and what lies before it will not be asked for. It goes when it is much, so that little is moved.
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
        // All that was read since then belongs to the row, or the reader would not ask for more.
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
