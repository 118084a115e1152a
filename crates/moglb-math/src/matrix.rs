//! Tables of numbers by rows: one row per arm or point, one column per objective.

use crate::Error;
use crate::kernel::widened;

/// A row-major matrix.
///
/// ```
/// let points = moglb::Matrix::from_rows(&[[1.0, 0.0], [0.0, 0.5]])?;
/// assert_eq!((points.n_rows(), points.row(1)), (2, &[0.0, 0.5][..]));
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matrix {
    n_rows: usize,
    n_cols: usize,
    data: Vec<f64>,
}

/// A borrowed table: a view of a [`Matrix`], or of numbers that lie end to end.
///
/// Example: [`Rows::new`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rows<'a> {
    n_rows: usize,
    n_cols: usize,
    data: &'a [f64],
}

impl<'a> Rows<'a> {
    /// Returns a view of a table whose rows lie end to end.
    ///
    /// ```
    /// let points = [1.0, 0.0, 0.0, 1.0, 0.0, 0.5];
    /// assert_eq!(moglb::front(moglb::Rows::new(2, &points)?)?.len(), 2);
    /// # Ok::<(), moglb::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the values do not divide into rows of `n_cols`.
    pub fn new(n_cols: usize, data: &'a [f64]) -> Result<Self, Error> {
        if n_cols == 0 || !data.len().is_multiple_of(n_cols) {
            return Err(Error::Shape { columns: n_cols, got: data.len() });
        }
        Ok(Self { n_rows: data.len() / n_cols, n_cols, data })
    }

    /// The number of rows.
    #[inline(always)]
    pub fn n_rows(self) -> usize {
        self.n_rows
    }

    /// The number of columns.
    #[inline(always)]
    pub fn n_cols(self) -> usize {
        self.n_cols
    }

    /// Returns one row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline(always)]
    pub fn row(self, index: usize) -> &'a [f64] {
        &self.data[index * self.n_cols..(index + 1) * self.n_cols]
    }

    /// The rows, in order.
    pub fn rows(self) -> impl Iterator<Item = &'a [f64]> {
        (0..self.n_rows).map(move |index| self.row(index))
    }

    /// All values, row after row.
    #[inline(always)]
    pub fn as_slice(self) -> &'a [f64] {
        self.data
    }

    /// Rejects NaN and infinities.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`], with `what` as the name of the table.
    #[doc(hidden)]
    pub fn check_finite(self, what: &'static str) -> Result<(), Error> {
        check_finite(what, self.data)
    }
}

impl<'a> From<&'a Matrix> for Rows<'a> {
    fn from(matrix: &'a Matrix) -> Self {
        Self { n_rows: matrix.n_rows, n_cols: matrix.n_cols, data: &matrix.data }
    }
}

impl Matrix {
    /// Returns a matrix from its rows laid end to end.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the values do not divide into rows of `n_cols`.
    pub fn new(n_cols: usize, data: Vec<f64>) -> Result<Self, Error> {
        if n_cols == 0 || !data.len().is_multiple_of(n_cols) {
            return Err(Error::Shape { columns: n_cols, got: data.len() });
        }
        Ok(Self { n_rows: data.len() / n_cols, n_cols, data })
    }

    /// Returns a matrix of a given size, from the value at each row and column. It cannot fail, since its
    /// rows cannot differ in length.
    pub fn from_fn(n_rows: usize, n_cols: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let value = &value;
        let data = (0..n_rows).flat_map(|row| (0..n_cols).map(move |column| value(row, column))).collect();
        Self { n_rows, n_cols, data }
    }

    /// Returns a matrix from separate rows.
    ///
    /// # Errors
    ///
    /// [`Error::Ragged`] if the rows differ in length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, Error> {
        let n_cols = rows.first().map_or(0, |row| row.as_ref().len());
        let mut data = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != n_cols {
                return Err(Error::Ragged { row: index, expected: n_cols, got: row.len() });
            }
            data.extend_from_slice(row);
        }
        Ok(Self { n_rows: rows.len(), n_cols, data })
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Returns one row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.data[index * self.n_cols..(index + 1) * self.n_cols]
    }

    /// Returns one row for writing.
    #[doc(hidden)]
    pub fn row_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.data[index * self.n_cols..(index + 1) * self.n_cols]
    }

    /// Returns A + νI for a square A.
    #[doc(hidden)]
    pub fn lifted(mut self, nu: f64) -> Self {
        (0..self.n_rows).for_each(|k| self.row_mut(k)[k] += nu);
        self
    }

    /// Sets all entries to zero, keeping the size and the allocation.
    #[doc(hidden)]
    pub fn of_zeros(mut self) -> Self {
        self.data.fill(0.0);
        self
    }

    /// The sum of the diagonal of a square matrix.
    #[doc(hidden)]
    pub fn trace(&self) -> f64 {
        (0..self.n_rows).map(|k| self.row(k)[k]).sum()
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.n_rows).map(|index| self.row(index))
    }

    /// All values, row after row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// Takes all values out, row after row.
    pub fn into_vec(self) -> Vec<f64> {
        self.data
    }

    /// All values, row after row, for writing.
    #[doc(hidden)]
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Changes the size, keeping the allocation. The caller overwrites the values.
    #[doc(hidden)]
    pub fn reshape(&mut self, n_rows: usize, n_cols: usize) {
        self.n_rows = n_rows;
        self.n_cols = n_cols;
        self.data.resize(n_rows * n_cols, 0.0);
    }

    /// Removes all columns but one.
    #[doc(hidden)]
    pub fn keep_column(&mut self, column: usize) {
        for row in 0..self.n_rows {
            self.data[row] = self.data[row * self.n_cols + column];
        }
        self.reshape(self.n_rows, 1);
    }

    /// Rejects NaN and infinities.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`], with `what` as the name of the matrix.
    #[doc(hidden)]
    pub fn check_finite(&self, what: &'static str) -> Result<(), Error> {
        check_finite(what, &self.data)
    }
}

/// Rejects NaN and infinities.
///
/// # Errors
///
/// [`Error::NotFinite`] for the first such value, with `what` as the name of the input.
pub fn check_finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    let all_finite = widened(
        #[inline(always)]
        || all_finite(values),
    );
    if all_finite {
        return Ok(());
    }
    let index = values.iter().position(|v| !v.is_finite()).expect("a value that is not finite");
    Err(Error::NotFinite { what, index, value: values[index] })
}

/// Returns true if no value is NaN or infinite. Each block is tested to its end, since an early exit would
/// keep the loop from being vectorized.
#[inline(always)]
pub fn all_finite(values: &[f64]) -> bool {
    values.chunks(1024).all(
        #[inline(always)]
        |block| block.iter().fold(true, |finite, value| finite & value.is_finite()),
    )
}
