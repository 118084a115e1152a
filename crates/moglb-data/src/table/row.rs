//! Rows as the readers of the formats return them.

use crate::findings::Fault;

/// A row: its number in the file and its cells, as text that reads back to the same numbers.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) row: u64,
    pub(crate) cells: csv::StringRecord,
}

/// The rows of a table in order, or the faults of rows that cannot be read.
pub(super) type Rows = Box<dyn Iterator<Item = Result<Row, (u64, Fault)>>>;
