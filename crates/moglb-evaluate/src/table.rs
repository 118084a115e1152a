//! Tables of rows that the crate has made itself.

use moglb::Matrix;

/// Returns rows of one length as a table.
pub(crate) fn of_rows(rows: &[Vec<f64>]) -> Matrix {
    Matrix::from_rows(rows).expect("rows of one length")
}
