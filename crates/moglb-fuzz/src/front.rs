//! Rows of a CSV as `moglb front` reads them: cell by cell, and with their exact text.

#[allow(dead_code, missing_docs)]
#[path = "../../moglb-cli/src/front/rows.rs"]
mod rows;

use crate::promise::Promised;
use rows::Rows;

/// Compares the reader with the crate `csv`: the cells are equal, and the texts of all rows, one
/// per line, are the same table again.
pub fn run(bytes: &[u8]) {
    let mut rows = Rows::new(bytes);
    let mut plain = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let mut expected = plain.byte_records();
    let (mut texts, mut records) = (Vec::new(), Vec::new());
    while let Ok(Some(row)) = rows.next() {
        let record = expected.next().expect("as many rows").promised("a row that can be read");
        assert_eq!(*row.cells, record);
        if texts.is_empty() && !bytes.starts_with(row.text) {
            // This line comes first, because a table that begins with a byte order mark would lose
            // the mark.
            texts.extend_from_slice(b"0\n");
            records.push(csv::ByteRecord::from(vec!["0"]));
        }
        texts.extend_from_slice(row.text);
        texts.push(b'\n');
        records.push(record);
    }
    // The line end after the last row would become a part of a quoted cell that is never closed.
    texts.pop();
    let mut again = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&texts[..]);
    let again: Vec<_> = again.byte_records().map(|row| row.promised("a row that can be read")).collect();
    assert_eq!(again, records, "the texts of the rows are the table");
}
