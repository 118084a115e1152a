//! Reads the rows of a table.

use super::reading::Reading;
use crate::findings::{Fault, Findings};
use crate::table::{Row, Table};
use moglb::Matrix;
use std::collections::BTreeMap;

/// The range of rewards.
const REWARDS: (f64, f64) = (0.0, 1.0);
/// The range of context features.
pub(super) const CONTEXTS: (f64, f64) = (-1.0, 1.0);
/// The range of measures: any finite number.
pub(super) const MEASURES: (f64, f64) = (f64::MIN, f64::MAX);
/// The range of arm features.
pub(super) const ARMS: (f64, f64) = (0.0, 1.0);

impl Reading<'_> {
    pub(super) fn open(&mut self, file: &str) -> Option<Table> {
        let table = Table::open(self.folder, file, self.findings);
        if table.is_none() {
            self.counts.entry(file.into()).or_insert(0);
        }
        table
    }

    /// The positions of the columns of rewards; none if one is missing.
    pub(super) fn reward_columns(&mut self, table: &Table) -> Option<Vec<usize>> {
        let places: Vec<Option<usize>> =
            self.meta.objectives.iter().map(|o| table.column(&o.column, self.findings)).collect();
        places.into_iter().collect()
    }

    /// The positions and names of the context features; none if there are no context features.
    pub(super) fn context_columns(&mut self, table: &Table) -> Option<(Vec<usize>, Vec<String>)> {
        let (places, names) = table.prefixed("x_");
        if places.is_empty() {
            self.findings.add_to_file(table.file(), Some("x_*"), Fault::NoFeatures);
            return None;
        }
        Some((places, names))
    }

    /// Calls `work` for every complete row, and counts the rows. A table without rows is a fault.
    pub(super) fn each_row(&mut self, table: &mut Table, mut work: impl FnMut(&Table, &Row, &mut Findings)) {
        while let Some(row) = table.next(self.findings) {
            work(table, &row, self.findings);
        }
        if table.n_rows() == 0 {
            self.findings.add_to_file(table.file(), None, Fault::Empty { expected: "a row" });
        }
        self.counts.insert(table.file().into(), table.n_rows());
    }
}

/// Appends the numbers of some cells.
pub(super) fn push_numbers(
    (table, row): (&Table, &Row),
    columns: &[usize],
    range: (f64, f64),
    values: &mut Vec<f64>,
    findings: &mut Findings,
) {
    values.extend(columns.iter().map(|&column| table.number(row, column, range, findings)));
}

/// Appends rewards.
pub(super) fn push_rewards(
    at: (&Table, &Row),
    columns: &[usize],
    values: &mut Vec<f64>,
    findings: &mut Findings,
) {
    push_numbers(at, columns, REWARDS, values, findings);
}

/// The smallest propensity of a log. Weights are then at most 1e40, so squares of weighted rewards up to
/// 1e100 stay finite. A round with a smaller propensity does not occur in a log of real draws.
pub const LEAST_PROPENSITY: f64 = 1e-40;

/// The propensity in a cell. Reports a fault if it is out of its range.
pub(super) fn propensity((table, row): (&Table, &Row), column: usize, findings: &mut Findings) -> f64 {
    let got = table.number(row, column, (f64::MIN, f64::MAX), findings);
    // NaN marks a cell whose fault is already reported.
    if !got.is_nan() && !(LEAST_PROPENSITY..=1.0).contains(&got) {
        table.tell(row, column, Fault::Propensity { got }, findings);
    }
    got
}

/// The position of an arm by its id. Reports a fault if there is no such arm.
pub(super) fn arm(
    (table, row): (&Table, &Row),
    column: usize,
    positions: &BTreeMap<String, usize>,
    findings: &mut Findings,
) -> Option<usize> {
    let got = row.cells[column].trim();
    let found = positions.get(got).copied();
    if found.is_none() {
        table.tell(row, column, Fault::UnknownArm { got: got.into() }, findings);
    }
    found
}

/// The largest norm of a row.
pub(super) fn longest(rows: &Matrix) -> f64 {
    rows.rows().map(|row| row.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max)
}
