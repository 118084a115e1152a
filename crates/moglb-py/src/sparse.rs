//! SciPy's sparse matrices in and out, without their zeros.
//!
//! `moglb._arrays` knows SciPy; here are only the parts of a CSR matrix.

use crate::arrays::{table, to_matrix};
use crate::errors::refused;
use moglb::{Csr, Matrix, Numbers};
use numpy::{PyArray1, PyReadonlyArray1, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Whether it is a sparse matrix of SciPy, or works like one.
pub(crate) fn is_sparse(object: &Bound<'_, PyAny>) -> bool {
    // An object may raise whatever it likes when it is asked.
    let has = |name: &str| object.hasattr(name).unwrap_or(false);
    object.cast::<PyUntypedArray>().is_err() && has("nnz") && has("tocsr")
}

/// The rows of a sparse matrix; a single one if it is a vector.
pub(crate) fn csr(object: &Bound<'_, PyAny>, what: &str, n_axes: usize) -> PyResult<Csr> {
    static PARTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let parts = PARTS
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("csr_parts")?.unbind()))?;
    let (n_columns, starts, columns, values): (usize, Indices<'_>, Indices<'_>, PyReadonlyArray1<'_, f64>) =
        parts.bind(py).call1((object, what, n_axes))?.extract()?;
    // A negative index becomes one that no table has.
    let whole = |indices: &Indices<'_>| -> PyResult<Vec<usize>> {
        Ok(indices.as_slice()?.iter().map(|&index| usize::try_from(index).unwrap_or(usize::MAX)).collect())
    };
    Csr::new(n_columns, whole(&starts)?, whole(&columns)?, values.as_slice()?.to_vec())
        .map_err(|error| refused(py, &error))
}

type Indices<'py> = PyReadonlyArray1<'py, i64>;

/// A table as a matrix of SciPy.
pub(crate) fn to_scipy<'py>(py: Python<'py>, table: &Csr) -> PyResult<Bound<'py, PyAny>> {
    let make = py.import("moglb._arrays")?.getattr("csr_array")?;
    let whole = |indices: &[usize]| PyArray1::from_iter(py, indices.iter().map(|&index| index as i64));
    let values = PyArray1::from_slice(py, table.values());
    make.call1((values, whole(table.columns()), whole(table.starts()), (table.n_rows(), table.n_columns())))
}

/// Rows of numbers as they were given.
pub(crate) enum Table {
    /// A copy, which nobody else can write to.
    Dense(Matrix),
    Sparse(Csr),
}

impl Table {
    pub(crate) fn read(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        if is_sparse(object) {
            return Ok(Self::Sparse(csr(object, what, 2)?));
        }
        Ok(Self::Dense(to_matrix(&table(object, what)?)?))
    }

    /// Rows that can be read without the interpreter.
    pub(crate) fn rows(&self) -> Vec<Numbers<'_>> {
        match self {
            Self::Dense(table) => (0..table.n_rows()).map(|k| Numbers::from(table.row(k))).collect(),
            Self::Sparse(table) => table.rows().map(Numbers::from).collect(),
        }
    }
}
