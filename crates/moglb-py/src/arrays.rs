//! Arrays in and out.
//!
//! A C-contiguous, aligned array of float64 is read where it is, or copied if it is small. Anything else goes through
//! `moglb._arrays`, which makes one of it or says why it cannot.
//!
//! Another thread may write to an array that is read where it is. So only decisions and fronts borrow arrays, and what comes of it
//! is checked ([`crate::lent`]); whatever is kept, fixed arms and what is learned from, is copied first and checked then.

use crate::errors::{kind_of, raised, refused};
use crate::plain::Plain;
use moglb::{Error, Matrix, Rows};
use numpy::ndarray::{Dimension, Ix1};
use numpy::{
    PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Tables of more numbers are read where they are.
const COPIED_NUMBERS_MAX: usize = 1024;

/// The numbers of an array, for work that goes on without the interpreter.
pub(crate) enum Held<'py, D: Dimension> {
    /// Few numbers are copied: that takes less time than to borrow them, and nobody can write to them meanwhile.
    Copied(Vec<f64>),
    Borrowed(PyReadonlyArray<'py, f64, D>),
}

impl<'py, D: Dimension> Held<'py, D> {
    /// The numbers and the shape of an array that can be read as it is.
    pub(crate) fn at_hand(object: &Bound<'py, PyAny>) -> PyResult<Option<(Self, D)>> {
        let Some(array) = at_hand(object) else { return Ok(None) };
        let shape = array.dims();
        if array.len() <= COPIED_NUMBERS_MAX {
            return Ok(array.to_vec().ok().map(|numbers| (Self::Copied(numbers), shape)));
        }
        let Ok(array) = array.try_readonly() else { return Ok(None) };
        Ok(Some((Self::borrowed(array)?, shape)))
    }

    /// The numbers and the shape of anything that can be an array.
    pub(crate) fn read(object: &Bound<'py, PyAny>, what: &str, n_axes: usize) -> PyResult<(Self, D)> {
        if let Some(held) = Self::at_hand(object)? {
            return Ok(held);
        }
        let array: PyReadonlyArray<'py, f64, D> = made(object, what, n_axes)?.extract()?;
        let shape = array.dims();
        Ok((Self::borrowed(array)?, shape))
    }

    /// An array where it is; a vector is copied, whatever its length: to learn from it costs far more.
    fn borrowed(array: PyReadonlyArray<'py, f64, D>) -> PyResult<Self> {
        if D::NDIM == Some(1) { Ok(Self::Copied(copied(&array)?)) } else { Ok(Self::Borrowed(array)) }
    }

    /// The same numbers, which nobody else can write to.
    pub(crate) fn owned(self) -> PyResult<Vec<f64>> {
        match self {
            Self::Copied(numbers) => Ok(numbers),
            Self::Borrowed(array) => copied(&array),
        }
    }

    /// Whether somebody else can write to the numbers.
    pub(crate) fn is_lent(&self) -> bool {
        matches!(self, Self::Borrowed(_))
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

/// The numbers of an array in memory of their own.
fn copied<D: Dimension>(array: &PyReadonlyArray<'_, f64, D>) -> PyResult<Vec<f64>> {
    let (numbers, mut copy) = (array.as_slice()?, Vec::new());
    if copy.try_reserve_exact(numbers.len()).is_err() {
        let error = Error::TooLarge { rows: 1, columns: numbers.len() };
        return Err(refused(array.py(), &error));
    }
    copy.extend_from_slice(numbers);
    Ok(copy)
}

/// An array of `n_axes` axes out of anything that can be one.
fn made<'py>(object: &Bound<'py, PyAny>, what: &str, n_axes: usize) -> PyResult<Bound<'py, PyAny>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let make = MAKE
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("float_array")?.unbind()))?;
    let plain = Plain::check(object, what, n_axes)?;
    make.bind(py).call1((object, what, n_axes, plain))
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
pub(crate) fn to_matrix(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Matrix> {
    let (rows, columns) = (array.as_array().nrows(), array.as_array().ncols());
    if columns == 0 {
        let none: Vec<Vec<f64>> = vec![Vec::new(); rows];
        return Ok(Matrix::from_rows(&none).expect("rows of nothing"));
    }
    Ok(Matrix::new(columns, copied(array)?).expect("rows of one length"))
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
    let positions: PyReadonlyArray1<'_, i64> =
        make.bind(py).call1((object, what, Plain::check(object, what, 1)?))?.extract()?;
    Ok(positions.as_slice()?.iter().map(|&position| position as usize).collect())
}
