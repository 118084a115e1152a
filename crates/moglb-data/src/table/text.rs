//! Text: the part that CSV and JSON lines share, and CSV.

use super::row::{Row, Rows};
use crate::findings::{Fault, Findings};
use crate::read::{self, CsvRows};
use std::path::Path;

/// The text of a file.
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    /// True if the file ends with a line end.
    pub(super) ended: bool,
}

/// Reads a whole file: a data set is kept in memory in any case.
pub(super) fn read(path: &Path, file: &str, findings: &mut Findings) -> Result<Text, Fault> {
    let mut bytes = read::table(path).map_err(|error| Fault::Unreadable { reason: error.to_string() })?;
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
        findings.add_to_file(file, None, Fault::ByteOrderMark);
    }
    if bytes.windows(2).any(|pair| pair == b"\r\n") {
        findings.add_to_file(file, None, Fault::CarriageReturn);
        // A CSV reader takes the LF of CRLF for the beginning of the next row, and counts lines wrongly.
        bytes = without_carriage_returns(&bytes);
    }
    let ended = bytes.last().is_none_or(|&last| last == b'\n');
    if !ended {
        findings.add_to_file(file, None, Fault::NoFinalNewline);
    }
    Ok(Text { bytes, ended })
}

/// The text with each CRLF replaced by LF.
fn without_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let followed = |k: usize| bytes[k] == b'\r' && bytes.get(k + 1) == Some(&b'\n');
    (0..bytes.len()).filter(|&k| !followed(k)).map(|k| bytes[k]).collect()
}

/// The rows of a table in CSV, after its header.
pub(super) fn csv(text: Text) -> Result<(Vec<String>, Rows, bool), Fault> {
    let ended = text.ended;
    let mut rows = CsvRows::new(std::io::Cursor::new(text.bytes), true);
    let header = rows.headers().map_err(|error| fault(&error).1)?;
    let header: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    if header.iter().all(String::is_empty) {
        return Err(Fault::Empty { expected: "a header" });
    }
    let row = |read: Result<csv::StringRecord, csv::Error>| {
        let cells = read.map_err(|error| fault(&error))?;
        Ok(Row { row: cells.position().map_or(0, csv::Position::line), cells })
    };
    Ok((header, Box::new(std::iter::from_fn(move || rows.next_row()).map(row)), ended))
}

fn fault(error: &csv::Error) -> (u64, Fault) {
    let row = error.position().map_or(0, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => (row, Fault::NotUtf8),
        _ => (row, Fault::Unreadable { reason: error.to_string() }),
    }
}
