//! Rows of a CSV as `moglb front` reads them: cell by cell, and with their text byte for byte.

#[allow(dead_code, missing_docs)]
#[path = "../../moglb-cli/src/front/rows.rs"]
mod rows;

use rows::Rows;
use std::io::Read;

/// Cells are those that the crate `csv` finds, and the text of a row has the same cells when it is read behind
/// another row: only a whole table loses the byte order mark that it may begin with.
pub fn run(bytes: &[u8]) {
    let mut rows = Rows::new(bytes);
    let mut plain = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let (mut expected, mut is_begin) = (plain.byte_records(), true);
    while let Ok(Some(row)) = rows.next() {
        let record = expected.next().expect("as many rows").expect("a row that can be read");
        assert_eq!(*row.cells, record);
        let is_first = std::mem::take(&mut is_begin) && bytes.starts_with(row.text);
        let before: &[u8] = if is_first { b"" } else { b"0\n" };
        // A small buffer, because making one takes most of the time.
        let mut reader = csv::ReaderBuilder::new();
        reader.has_headers(false).flexible(true).buffer_capacity(64);
        let mut alone = reader.from_reader(before.chain(row.text));
        let mut again = alone.byte_records().skip(usize::from(!is_first));
        let again = again.next().expect("a row").expect("a row that can be read");
        assert_eq!(again, record, "the text of a row is the row");
    }
}
