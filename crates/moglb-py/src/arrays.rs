//! Arrays in and out.
//!
//! A C-contiguous, aligned array of float64 is read where it is. Anything else goes through `moglb._arrays`, which makes one of it or
//! says why it cannot.

use crate::errors::{kind_of, raised, refused};
use moglb::{Error, Matrix, Rows};
use numpy::ndarray::Dimension;
use numpy::{
    PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Whether it is an array and nothing more: subclasses may mean something else by their numbers, such as those behind a mask.
fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.get_type().is(object.py().get_type::<PyUntypedArray>())
}

/// A table of rows.
pub(crate) fn table<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<PyReadonlyArray2<'py, f64>> {
    read(object, what, 2)
}

/// A vector.
pub(crate) fn vector<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<PyReadonlyArray1<'py, f64>> {
    read(object, what, 1)
}

/// Several tables of one shape.
pub(crate) fn cube<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<PyReadonlyArray3<'py, f64>> {
    read(object, what, 3)
}

fn read<'py, D: Dimension>(
    object: &Bound<'py, PyAny>,
    what: &str,
    n_axes: usize,
) -> PyResult<PyReadonlyArray<'py, f64, D>> {
    if is_plain(object)
        && let Ok(array) = object.cast::<PyArray<f64, D>>()
        && array.is_c_contiguous()
        && array.data().is_aligned()
        && let Ok(array) = array.try_readonly()
    {
        return Ok(array);
    }
    made(object, what, n_axes)?.extract()
}

/// An array of `n_axes` axes out of anything that can be one.
fn made<'py>(object: &Bound<'py, PyAny>, what: &str, n_axes: usize) -> PyResult<Bound<'py, PyAny>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let make = MAKE
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("float_array")?.unbind()))?;
    make.bind(py).call1((object, what, n_axes))
}

/// A matrix as an array.
pub(crate) fn to_array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_slice(py, matrix.as_slice()).reshape([matrix.n_rows(), matrix.n_cols()])
}

/// A table read where it is.
pub(crate) fn rows<'a>(array: &'a PyReadonlyArray2<'_, f64>) -> PyResult<Rows<'a>> {
    let rows = Rows::new(array.as_array().ncols(), array.as_slice()?);
    rows.map_err(|_| refused(array.py(), &Error::NoPoints { what: "a front" }))
}

/// An array as a matrix.
pub(crate) fn to_matrix(array: &PyReadonlyArray2<'_, f64>) -> Matrix {
    let (rows, columns) = (array.as_array().nrows(), array.as_array().ncols());
    let data = array.as_slice().expect("contiguous").to_vec();
    if columns == 0 {
        let none: Vec<Vec<f64>> = vec![Vec::new(); rows];
        return Matrix::from_rows(&none).expect("rows of nothing");
    }
    Matrix::new(columns, data).expect("rows of one length")
}

/// The position of an arm.
pub(crate) fn position(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let py = object.py();
    match object.extract::<i128>() {
        Ok(number) => usize::try_from(number).map_err(|_| {
            raised(py, "unknown-arm", &format!("the position of an arm counts from 0, got {number}"))
        }),
        Err(_) => {
            let message = format!("the position of an arm is a whole number, got {}", kind_of(object));
            Err(raised(py, "input-type", &message))
        }
    }
}

/// The positions of some arms: whole numbers, or a mask.
pub(crate) fn positions(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<usize>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let make = MAKE
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("positions")?.unbind()))?;
    make.bind(py).call1((object, what))?.extract()
}
