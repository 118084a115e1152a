//! The state while a problem is read: its folder, its description and the findings so far.

use crate::Measures;
use crate::findings::Findings;
use crate::meta::ProblemMeta;
use moglb::Matrix;
use std::collections::BTreeMap;
use std::path::Path;

/// The number of rows of each table that was read.
pub(super) type Counts = BTreeMap<String, u64>;

/// A problem that is being read.
pub(super) struct Reading<'a> {
    pub(super) folder: &'a Path,
    pub(super) meta: &'a ProblemMeta,
    pub(super) findings: &'a mut Findings,
    pub(super) counts: &'a mut Counts,
    /// The measures next to the rewards, once the rewards are read.
    pub(super) measures: Measures,
}

/// A matrix of rows that are given one after the other; a table without columns is empty.
pub(super) fn matrix(n_cols: usize, values: Vec<f64>) -> Matrix {
    if n_cols == 0 { Matrix::default() } else { Matrix::new(n_cols, values).expect("whole rows") }
}
