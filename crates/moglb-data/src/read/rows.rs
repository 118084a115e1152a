//! Lines and rows of bounded length.

use super::file::{LARGEST_TABLE, LONGEST_LINE, ReadError, open};
use csv::{Reader, ReaderBuilder, StringRecord};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The number of bytes that are read at once.
const BUFFER: usize = 1 << 18;

/// Reads a table of at most [`LARGEST_TABLE`] bytes, none of its lines longer than [`LONGEST_LINE`].
///
/// # Errors
///
/// As [`open`], and [`ReadError::LongLine`].
pub fn table(path: &Path) -> Result<Vec<u8>, ReadError> {
    whole(open(path, LARGEST_TABLE)?.take(LARGEST_TABLE + 1))
}

/// Reads a source to its end, unless one of its lines is too long.
fn whole(source: impl Read) -> Result<Vec<u8>, ReadError> {
    let (mut source, mut bytes) = (BufReader::with_capacity(BUFFER, source), Vec::new());
    let (mut line, mut start) = (1, 0);
    loop {
        let block = source.fill_buf()?;
        let n = block.len();
        if n == 0 {
            return Ok(bytes);
        }
        for (place, _) in block.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            check_length(bytes.len() + place - start, line)?;
            (line, start) = (line + 1, bytes.len() + place + 1);
        }
        bytes.extend_from_slice(block);
        source.consume(n);
        check_length(bytes.len() - start, line)?;
        if bytes.len() as u64 > LARGEST_TABLE {
            return Err(ReadError::TooLarge { most: LARGEST_TABLE });
        }
    }
}

fn check_length(length: usize, line: u64) -> Result<(), ReadError> {
    if length > LONGEST_LINE { Err(ReadError::LongLine { line }) } else { Ok(()) }
}

/// The lines of a log with their numbers from 1, without line ends.
///
/// ```
/// use moglb_data::read::Lines;
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("log.jsonl");
/// std::fs::write(&path, "one\ntwo\n").unwrap();
/// let lines: Vec<_> = Lines::open(&path).unwrap().map(|(number, line)| (number, line.unwrap())).collect();
/// assert_eq!(lines, [(1, "one".to_owned()), (2, "two".to_owned())]);
/// ```
pub struct Lines {
    source: BufReader<File>,
    number: u64,
    /// The number of bytes read so far.
    read: u64,
}

impl Lines {
    /// Opens a log.
    ///
    /// # Errors
    ///
    /// As [`open`].
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let source = BufReader::with_capacity(BUFFER, open(path, LARGEST_TABLE)?);
        Ok(Self { source, number: 0, read: 0 })
    }

    fn line(&mut self) -> Result<Option<String>, ReadError> {
        let mut line = Vec::new();
        // Read one byte more than the longest line and its end.
        let n = (&mut self.source).take(LONGEST_LINE as u64 + 2).read_until(b'\n', &mut line)?;
        self.read += n as u64;
        if n == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        check_length(line.len(), self.number)?;
        if self.read > LARGEST_TABLE {
            return Err(ReadError::TooLarge { most: LARGEST_TABLE });
        }
        String::from_utf8(line).map(Some).map_err(|_| ReadError::NotUtf8)
    }
}

impl Iterator for Lines {
    type Item = (u64, Result<String, ReadError>);

    fn next(&mut self) -> Option<Self::Item> {
        self.number += 1;
        Some((self.number, self.line().transpose()?))
    }
}

/// The rows of a table in CSV. The length of each row is bounded, even if a quote is never closed.
///
/// Example: [`Lines`].
pub struct CsvRows<R> {
    reader: Reader<OneRow<R>>,
}

impl CsvRows<File> {
    /// Opens a table with a header.
    ///
    /// # Errors
    ///
    /// As [`open`].
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        Ok(Self::new(open(path, LARGEST_TABLE)?, false))
    }
}

impl<R: Read> CsvRows<R> {
    /// The rows of a source with a header. Unless `flexible` is set, rows whose length differs from that of
    /// the header are refused.
    pub fn new(source: R, flexible: bool) -> Self {
        let source = OneRow { source, read: 0, start: 0, line: 1 };
        Self { reader: ReaderBuilder::new().flexible(flexible).buffer_capacity(BUFFER).from_reader(source) }
    }

    /// The header.
    ///
    /// # Errors
    ///
    /// The errors of the reader; a [`ReadError`] is wrapped in them.
    pub fn headers(&mut self) -> Result<&StringRecord, csv::Error> {
        self.reader.headers()
    }

    /// The next row; none at the end.
    ///
    /// # Errors
    ///
    /// As [`CsvRows::headers`].
    pub fn next_row(&mut self) -> Option<Result<StringRecord, csv::Error>> {
        let (start, line) = (self.reader.position().byte(), self.reader.position().line());
        let source = self.reader.get_mut();
        (source.start, source.line) = (start, line);
        let mut row = StringRecord::new();
        self.reader.read_record(&mut row).map(|more| more.then_some(row)).transpose()
    }
}

/// A source that returns an error if the current row is too long.
struct OneRow<R> {
    source: R,
    /// The number of bytes read so far.
    read: u64,
    /// The byte at which the current row begins.
    start: u64,
    /// The line at which the current row begins.
    line: u64,
}

impl<R: Read> Read for OneRow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // All bytes after `start` belong to the current row, because otherwise the reader would not need
        // more.
        if self.read - self.start > LONGEST_LINE as u64 {
            return Err(ReadError::LongLine { line: self.line }.into());
        }
        let n = self.source.read(buffer)?;
        self.read += n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_table_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let long = vec![b'x'; LONGEST_LINE];
        std::fs::write(&path, [b"a\n", &long[..], b"\nb\n"].concat()).unwrap();
        assert_eq!(table(&path).unwrap().len(), LONGEST_LINE + 5);
        std::fs::write(&path, [b"a\n", &long[..], b"x\nb\n"].concat()).unwrap();
        let told = table(&path).unwrap_err().to_string();
        assert_eq!(told, "line 2 is longer than 16 MiB, the most that is read");
    }

    #[test]
    fn a_quote_that_is_never_closed_ends_at_the_limit() {
        let text = b"a,b\n1,2\n3,\"".to_vec();
        let lines = b"x\n".repeat(LONGEST_LINE);
        let mut rows = CsvRows::new(text.chain(&lines[..]), true);
        assert_eq!(rows.headers().unwrap().len(), 2);
        assert_eq!(&rows.next_row().unwrap().unwrap()[1], "2");
        let told = rows.next_row().unwrap().unwrap_err().to_string();
        assert_eq!(told, "line 3 is longer than 16 MiB, the most that is read");
        assert!(rows.next_row().is_none_or(|row| row.is_err()));
    }

    #[test]
    fn lines_have_numbers_and_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let long = vec![b'x'; LONGEST_LINE + 1];
        std::fs::write(&path, [b"one\n\r\n", &long[1..], b"\n", &long[..], b"\n"].concat()).unwrap();
        let lines: Vec<(u64, Result<usize, String>)> = Lines::open(&path)
            .unwrap()
            .map(|(number, line)| (number, line.map(|line| line.len()).map_err(|error| error.to_string())))
            .take(4)
            .collect();
        let told = "line 4 is longer than 16 MiB, the most that is read".into();
        assert_eq!(lines, [(1, Ok(3)), (2, Ok(1)), (3, Ok(LONGEST_LINE)), (4, Err(told))]);
    }
}
