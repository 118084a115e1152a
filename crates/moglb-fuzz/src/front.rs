//! Rows of a CSV as `moglb front` reads them: cell by cell, and with their text byte for byte.

#[allow(dead_code, missing_docs)]
#[path = "../../moglb-cli/src/front/rows.rs"]
mod rows;

use rows::Rows;

/// Cells are those that the crate `csv` finds, and the text of a row has the same cells when it is read
/// alone.
pub fn run(bytes: &[u8]) {
    let mut rows = Rows::new(bytes);
    let mut plain = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let mut expected = plain.byte_records();
    while let Ok(Some(row)) = rows.next() {
        let record = expected.next().expect("as many rows").expect("a row that can be read");
        assert_eq!(*row.cells, record);
        // A small buffer, because making one takes most of the time.
        let mut alone =
            csv::ReaderBuilder::new().has_headers(false).buffer_capacity(64).from_reader(row.text);
        let again = alone.byte_records().next().expect("a row").expect("a row that can be read");
        assert_eq!(again, record, "the text of a row is the row");
    }
}
