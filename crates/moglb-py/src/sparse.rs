//! Conversion of sparse matrices between SciPy and the engine, without their zeros.
//!
//! Only `moglb._arrays` uses SciPy. This module exchanges the three arrays of a CSR matrix with it: row
//! starts, columns and values.

use crate::arrays::{table, to_matrix};
use crate::errors::refused;
use moglb::{Csr, Matrix, Numbers};
use numpy::{PyArray1, PyReadonlyArray1, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// True if an object is a sparse matrix of SciPy, or has the same interface (`nnz` and `tocsr`).
pub(crate) fn is_sparse(object: &Bound<'_, PyAny>) -> bool {
    // The lookup of an attribute may raise any exception.
    let has = |name: &str| object.hasattr(name).unwrap_or(false);
    object.cast::<PyUntypedArray>().is_err() && has("nnz") && has("tocsr")
}

/// The rows of a sparse matrix; a vector (`n_axes` 1) is one row.
pub(crate) fn csr(object: &Bound<'_, PyAny>, what: &str, n_axes: usize) -> PyResult<Csr> {
    static PARTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let parts = PARTS
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("csr_parts")?.unbind()))?;
    let (n_columns, starts, columns, values): (usize, Indices<'_>, Indices<'_>, PyReadonlyArray1<'_, f64>) =
        parts.bind(py).call1((object, what, n_axes))?.extract()?;
    // A negative index becomes an index that no table has, so that the check of the table rejects it.
    let whole = |indices: &Indices<'_>| -> PyResult<Vec<usize>> {
        Ok(indices.as_slice()?.iter().map(|&index| usize::try_from(index).unwrap_or(usize::MAX)).collect())
    };
    Csr::new(n_columns, whole(&starts)?, whole(&columns)?, values.as_slice()?.to_vec())
        .map_err(|error| refused(py, &error))
}

/// Row starts or columns, as SciPy stores them.
type Indices<'py> = PyReadonlyArray1<'py, i64>;

/// Copies a table into a CSR matrix of SciPy.
pub(crate) fn to_scipy<'py>(py: Python<'py>, table: &Csr) -> PyResult<Bound<'py, PyAny>> {
    let make = py.import("moglb._arrays")?.getattr("csr_array")?;
    let whole = |indices: &[usize]| PyArray1::from_iter(py, indices.iter().map(|&index| index as i64));
    let values = PyArray1::from_slice(py, table.values());
    make.call1((values, whole(table.columns()), whole(table.starts()), (table.n_rows(), table.n_columns())))
}

/// A dense or sparse table that a caller passed.
pub(crate) enum Table {
    /// A copy, which no other thread can write to.
    Dense(Matrix),
    Sparse(Csr),
}

impl Table {
    /// Reads a table. `what` is the name of the argument in error messages.
    pub(crate) fn read(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        if is_sparse(object) {
            return Ok(Self::Sparse(csr(object, what, 2)?));
        }
        Ok(Self::Dense(to_matrix(&table(object, what)?)?))
    }

    /// The rows, which can be read with the GIL released.
    pub(crate) fn rows(&self) -> Vec<Numbers<'_>> {
        match self {
            Self::Dense(table) => (0..table.n_rows()).map(|k| Numbers::from(table.row(k))).collect(),
            Self::Sparse(table) => table.rows().map(Numbers::from).collect(),
        }
    }
}
