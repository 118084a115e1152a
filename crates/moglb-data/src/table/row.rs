//! Rows as the formats give them.

use crate::findings::Fault;

/// A row: where it stands and its cells, as text that reads back to the same numbers.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) row: u64,
    pub(crate) cells: csv::StringRecord,
}

/// Rows as they come, or what hides one.
pub(super) type Rows = Box<dyn Iterator<Item = Result<Row, (u64, Fault)>>>;
