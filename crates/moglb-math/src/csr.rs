//! Tables of which most entries are zero, in compressed sparse row form (CSR).
//!
//! A table has exactly one representation: columns ascend within a row, no column occurs twice, and no stored
//! value is zero. So equal tables have equal parts, and a sum over the entries of a row has one order, that
//! of the columns.

use crate::Error;
use crate::kernel::{LANES, Lanes};
use crate::matrix::check_finite;
use std::borrow::Cow;

/// A sparse table: for each row, the columns and values of the entries that are not zero.
///
/// The entries of a row may be in any order. Values of the same column are added in the order of the input,
/// as SciPy does, and zeros are removed.
///
/// ```
/// use moglb::Csr;
/// let table = Csr::new(5, vec![0, 2, 4], vec![4, 1, 2, 2], vec![0.5, 0.1, 0.3, 0.4])?;
/// assert_eq!(table.row(0).columns(), [1, 4]);
/// assert_eq!(table.row(1).to_dense(), [0.0, 0.0, 0.7, 0.0, 0.0]);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    /// The number of columns, stored or not.
    n_columns: usize,
    /// The offset at which each row begins, then the offset at which the last row ends.
    starts: Vec<usize>,
    /// The columns of all entries, row after row.
    columns: Vec<usize>,
    /// The values of all entries, row after row; none is zero.
    values: Vec<f64>,
}

/// One row of a [`Csr`], borrowed from the table.
///
/// Example: [`Csr`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseRow<'a> {
    n_columns: usize,
    columns: &'a [usize],
    values: &'a [f64],
}

/// The numbers of one row, dense or sparse.
///
/// ```
/// use moglb::{Csr, Numbers};
/// let table = Csr::new(3, vec![0, 1], vec![2], vec![0.5])?;
/// assert_eq!(Numbers::from(table.row(0)).to_dense(), Numbers::from(&[0.0, 0.0, 0.5][..]).to_dense());
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numbers<'a> {
    /// One number for every column.
    Dense(&'a [f64]),
    /// The entries that are not zero.
    Sparse(SparseRow<'a>),
}

impl Csr {
    /// Builds a table from its parts: row k has the entries `starts[k]..starts[k + 1]` of `columns` and
    /// `values`.
    ///
    /// # Errors
    ///
    /// [`Error::Entries`] if `columns` and `values` differ in length, [`Error::RowStarts`],
    /// [`Error::Column`], or [`Error::NotFinite`] for a value or a sum of values of one column.
    pub fn new(
        n_columns: usize,
        starts: Vec<usize>,
        columns: Vec<usize>,
        values: Vec<f64>,
    ) -> Result<Self, Error> {
        if columns.len() != values.len() {
            return Err(Error::Entries { name: "columns", expected: values.len(), got: columns.len() });
        }
        let rises = starts.first() == Some(&0) && starts.is_sorted();
        if !rises || starts.last() != Some(&values.len()) {
            return Err(Error::RowStarts { values: values.len() });
        }
        let mut table = Self::empty(n_columns);
        let mut entries = Vec::new();
        for (row, bounds) in starts.windows(2).enumerate() {
            let range = bounds[0]..bounds[1];
            if let Some(&column) = columns[range.clone()].iter().find(|&&column| column >= n_columns) {
                return Err(Error::Column { row, column, n_columns });
            }
            entries.clear();
            entries.extend(columns[range.clone()].iter().copied().zip(values[range].iter().copied()));
            table.push(&mut entries)?;
        }
        Ok(table)
    }

    /// Returns a table without rows.
    #[doc(hidden)]
    pub fn empty(n_columns: usize) -> Self {
        Self { n_columns, starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Passes the columns and values of each row to `change`, which may overwrite the values. Values that
    /// become zero are removed.
    ///
    /// # Errors
    ///
    /// The error of `change`. Rows before it are changed then.
    #[doc(hidden)]
    pub fn change_rows(
        &mut self,
        mut change: impl FnMut(&[usize], &mut [f64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Self { starts, columns, values, .. } = self;
        for bounds in starts.windows(2) {
            let range = bounds[0]..bounds[1];
            change(&columns[range.clone()], &mut values[range])?;
        }
        if values.contains(&0.0) {
            *self = Self::new(
                self.n_columns,
                std::mem::take(starts),
                std::mem::take(columns),
                std::mem::take(values),
            )?;
        }
        Ok(())
    }

    /// Appends a row. The entries may be in any order, and their columns must exist.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`]. The table is inconsistent then and must be dropped.
    #[doc(hidden)]
    pub fn push(&mut self, entries: &mut [(usize, f64)]) -> Result<(), Error> {
        // The sort is stable, so values of one column are added in the order of the input.
        entries.sort_by_key(|&(column, _)| column);
        let first = self.values.len();
        for same in entries.chunk_by(|a, b| a.0 == b.0) {
            let value: f64 = same.iter().map(|&(_, value)| value).sum();
            if value != 0.0 {
                self.columns.push(same[0].0);
                self.values.push(value);
            }
        }
        check_finite("a row", &self.values[first..])?;
        self.starts.push(self.values.len());
        Ok(())
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns, stored or not.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The offset at which each row begins, then the offset at which the last row ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of all entries, row after row.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The values of all entries, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns one row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn row(&self, index: usize) -> SparseRow<'_> {
        let range = self.starts[index]..self.starts[index + 1];
        SparseRow {
            n_columns: self.n_columns,
            columns: &self.columns[range.clone()],
            values: &self.values[range],
        }
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = SparseRow<'_>> {
        (0..self.n_rows()).map(|index| self.row(index))
    }
}

impl<'a> SparseRow<'a> {
    /// The number of columns, stored or not.
    pub fn n_columns(self) -> usize {
        self.n_columns
    }

    /// The columns whose entries are not zero, ascending.
    pub fn columns(self) -> &'a [usize] {
        self.columns
    }

    /// The entries, in the order of the columns.
    pub fn values(self) -> &'a [f64] {
        self.values
    }

    /// The pairs of a column and its value, by column.
    pub fn iter(self) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.columns.iter().copied().zip(self.values.iter().copied())
    }

    /// The row as one number per column, zeros included.
    pub fn to_dense(self) -> Vec<f64> {
        let mut dense = vec![0.0; self.n_columns];
        self.iter().for_each(|(column, value)| dense[column] = value);
        dense
    }
}

impl<'a> From<&'a [f64]> for Numbers<'a> {
    fn from(numbers: &'a [f64]) -> Self {
        Self::Dense(numbers)
    }
}

impl<'a> From<SparseRow<'a>> for Numbers<'a> {
    fn from(row: SparseRow<'a>) -> Self {
        Self::Sparse(row)
    }
}

impl Default for Numbers<'_> {
    fn default() -> Self {
        Self::Dense(&[])
    }
}

impl<'a> Numbers<'a> {
    /// The number of columns, stored or not.
    pub fn len(self) -> usize {
        match self {
            Self::Dense(numbers) => numbers.len(),
            Self::Sparse(row) => row.n_columns(),
        }
    }

    /// Returns true if there are no columns.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The row as one number per column, zeros included. Copies only a sparse row.
    pub fn to_dense(self) -> Cow<'a, [f64]> {
        match self {
            Self::Dense(numbers) => numbers.into(),
            Self::Sparse(row) => row.to_dense().into(),
        }
    }

    /// Writes the row, zeros included, over a vector in blocks. For a dense row, the padding of the last
    /// block is not written.
    #[inline(always)]
    #[doc(hidden)]
    pub fn fill(self, vector: &mut [Lanes]) {
        match self {
            Self::Dense(numbers) => crate::kernel::fill(vector, numbers),
            Self::Sparse(row) => {
                vector.fill(Lanes::ZERO);
                for (column, value) in row.iter() {
                    vector[column / LANES][column % LANES] = value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_do_not_make_a_table_are_refused() {
        let table = |starts: &[usize], columns: &[usize], values: &[f64]| {
            Csr::new(3, starts.to_vec(), columns.to_vec(), values.to_vec())
        };
        for starts in [&[][..], &[1][..], &[0, 2][..], &[0, 1, 0, 1][..], &[1, 1][..]] {
            assert_eq!(table(starts, &[0], &[0.1]), Err(Error::RowStarts { values: 1 }), "{starts:?}");
        }
        assert!(matches!(table(&[0, 1], &[0, 1], &[0.1]), Err(Error::Entries { expected: 1, got: 2, .. })));
        let beyond = table(&[0, 0, 1], &[3], &[0.1]);
        assert_eq!(beyond, Err(Error::Column { row: 1, column: 3, n_columns: 3 }));
        assert!(matches!(table(&[0, 1], &[0], &[f64::NAN]), Err(Error::NotFinite { .. })));
        assert!(matches!(table(&[0, 2], &[0, 0], &[f64::MAX, f64::MAX]), Err(Error::NotFinite { .. })));
    }

    #[test]
    fn a_table_has_one_form_in_whatever_order_its_entries_came() {
        let mixed = Csr::new(4, vec![0, 5, 5], vec![3, 0, 2, 0, 1], vec![0.3, 0.1, 0.0, -0.1, 0.2]).unwrap();
        let sorted = Csr::new(4, vec![0, 2, 2], vec![1, 3], vec![0.2, 0.3]).unwrap();
        assert_eq!(mixed, sorted);
        assert_eq!((mixed.n_rows(), mixed.row(1).columns().len()), (2, 0));
        assert_eq!(mixed.row(0).to_dense(), [0.0, 0.2, 0.0, 0.3]);
    }
}
