//! Arrays in and out.
//!
//! A C-contiguous, aligned array of float64 is read where it is, or copied if it is small. Anything else goes through
//! `moglb._arrays`, which makes one of it or says why it cannot.

use crate::errors::{kind_of, raised, refused};
use moglb::{Error, Matrix, Rows};
use numpy::ndarray::{Dimension, Ix1};
use numpy::{
    PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyReadonlyArray2, PyReadonlyArray3,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Arrays of more numbers are read where they are.
const FEW: usize = 128;

/// The numbers of an array, for work that goes on without the interpreter.
pub(crate) enum Held<'py, D: Dimension> {
    /// Few numbers are copied: that takes less time than to borrow them, and nobody can write to them meanwhile.
    Copied(Vec<f64>),
    Borrowed(PyReadonlyArray<'py, f64, D>),
}

impl<'py, D: Dimension> Held<'py, D> {
    /// The numbers and the shape of an array that can be read as it is.
    pub(crate) fn at_hand(object: &Bound<'py, PyAny>) -> Option<(Self, D)> {
        let array = at_hand(object)?;
        let shape = array.dims();
        if array.len() > FEW {
            return Some((Self::Borrowed(array.try_readonly().ok()?), shape));
        }
        Some((Self::Copied(array.to_vec().ok()?), shape))
    }

    /// The numbers and the shape of anything that can be an array.
    pub(crate) fn read(object: &Bound<'py, PyAny>, what: &str, n_axes: usize) -> PyResult<(Self, D)> {
        if let Some(held) = Self::at_hand(object) {
            return Ok(held);
        }
        let array: PyReadonlyArray<'py, f64, D> = made(object, what, n_axes)?.extract()?;
        let shape = array.dims();
        Ok((Self::Borrowed(array), shape))
    }

    pub(crate) fn as_slice(&self) -> PyResult<&[f64]> {
        match self {
            Self::Copied(numbers) => Ok(numbers),
            Self::Borrowed(array) => Ok(array.as_slice()?),
        }
    }
}

/// An array that can be read as it is, and nothing more: subclasses may mean something else by their numbers, such as those
/// behind a mask.
fn at_hand<'a, 'py, D: Dimension>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyArray<f64, D>>> {
    if !object.is_exact_instance_of::<PyUntypedArray>() {
        return None;
    }
    let array = object.cast::<PyArray<f64, D>>().ok()?;
    (array.is_c_contiguous() && array.data().is_aligned()).then_some(array)
}

/// A table of rows.
pub(crate) fn table<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<PyReadonlyArray2<'py, f64>> {
    read(object, what, 2)
}

/// A vector.
pub(crate) fn vector<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<Held<'py, Ix1>> {
    Ok(Held::read(object, what, 1)?.0)
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
    if let Some(Ok(array)) = at_hand(object).map(|array| array.try_readonly()) {
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
