//! Conversion of arrays between Python and the engine.
//!
//! A C-contiguous, aligned array of float64 is read in place, or copied if it is small. Any other object is
//! converted by `moglb._arrays`, which makes such an array or raises an error with the reason.
//!
//! Another thread may write to an array while it is read in place. So only decisions and fronts borrow
//! arrays, and their results are checked ([`crate::lent`]). Numbers that stay in a policy, fixed arms and
//! learned rewards, are copied first and checked after that.

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

/// The largest number of entries of a table that is copied; larger tables are read in place.
const COPIED_NUMBERS_MAX: usize = 1024;

/// The numbers of an array, for work with the GIL released.
pub(crate) enum Held<'py, D: Dimension> {
    /// A copy, for small arrays: copying takes less time than borrowing, and no other thread can write to it.
    Copied(Vec<f64>),
    /// The array in place, for large tables. Other threads can write to it.
    Borrowed(PyReadonlyArray<'py, f64, D>),
}

impl<'py, D: Dimension> Held<'py, D> {
    /// The numbers and the shape of an object that is already a suitable array; none for any other object,
    /// which needs a conversion.
    pub(crate) fn at_hand(object: &Bound<'py, PyAny>) -> PyResult<Option<(Self, D)>> {
        let Some(array) = at_hand(object) else { return Ok(None) };
        let shape = array.dims();
        if array.len() <= COPIED_NUMBERS_MAX {
            return Ok(array.to_vec().ok().map(|numbers| (Self::Copied(numbers), shape)));
        }
        let Ok(array) = array.try_readonly() else { return Ok(None) };
        Ok(Some((Self::borrowed(array)?, shape)))
    }

    /// The numbers and the shape of any object that can be converted to an array of `n_axes` axes. `what` is
    /// the name of the argument in error messages.
    pub(crate) fn read(object: &Bound<'py, PyAny>, what: &str, n_axes: usize) -> PyResult<(Self, D)> {
        if let Some(held) = Self::at_hand(object)? {
            return Ok(held);
        }
        let array: PyReadonlyArray<'py, f64, D> = made(object, what, n_axes)?.extract()?;
        let shape = array.dims();
        Ok((Self::borrowed(array)?, shape))
    }

    /// Borrows a table; copies a vector of any length, because learning from it costs far more than the copy.
    fn borrowed(array: PyReadonlyArray<'py, f64, D>) -> PyResult<Self> {
        if D::NDIM == Some(1) { Ok(Self::Copied(copied(&array)?)) } else { Ok(Self::Borrowed(array)) }
    }

    /// The numbers in memory that no other thread can write to.
    pub(crate) fn owned(self) -> PyResult<Vec<f64>> {
        match self {
            Self::Copied(numbers) => Ok(numbers),
            Self::Borrowed(array) => copied(&array),
        }
    }

    /// True if other threads can write to the numbers.
    pub(crate) fn is_lent(&self) -> bool {
        matches!(self, Self::Borrowed(_))
    }

    /// The numbers, row by row.
    pub(crate) fn as_slice(&self) -> PyResult<&[f64]> {
        match self {
            Self::Copied(numbers) => Ok(numbers),
            Self::Borrowed(array) => Ok(array.as_slice()?),
        }
    }
}

/// Returns the object as an array if it can be read in place: exactly a NumPy array of float64, C-contiguous
/// and aligned. Subclasses are excluded because their numbers may have another meaning, such as those of a
/// masked array.
fn at_hand<'a, 'py, D: Dimension>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyArray<f64, D>>> {
    if !object.is_exact_instance_of::<PyUntypedArray>() {
        return None;
    }
    let array = object.cast::<PyArray<f64, D>>().ok()?;
    (array.is_c_contiguous() && array.data().is_aligned()).then_some(array)
}

/// Reads a table of rows; borrows it if possible. `what` is the name of the argument in error messages.
pub(crate) fn table<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<PyReadonlyArray2<'py, f64>> {
    read(object, what, 2)
}

/// Reads a vector; always a copy.
pub(crate) fn vector<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<Held<'py, Ix1>> {
    Ok(Held::read(object, what, 1)?.0)
}

/// Reads several tables of one shape, an array with three axes.
pub(crate) fn cube<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<PyReadonlyArray3<'py, f64>> {
    read(object, what, 3)
}

/// Borrows an array with `n_axes` axes, or converts another object to one.
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

/// Copies the numbers of an array. If there is no memory for the copy, this is a typed error, not an abort.
fn copied<D: Dimension>(array: &PyReadonlyArray<'_, f64, D>) -> PyResult<Vec<f64>> {
    let (numbers, mut copy) = (array.as_slice()?, Vec::new());
    if copy.try_reserve_exact(numbers.len()).is_err() {
        let error = Error::TooLarge { rows: 1, columns: numbers.len() };
        return Err(refused(array.py(), &error));
    }
    copy.extend_from_slice(numbers);
    Ok(copy)
}

/// Converts an object to an array of `n_axes` axes with `moglb._arrays.float_array`.
fn made<'py>(object: &Bound<'py, PyAny>, what: &str, n_axes: usize) -> PyResult<Bound<'py, PyAny>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let make = MAKE
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("float_array")?.unbind()))?;
    let plain = Plain::check(object, what, n_axes)?;
    make.bind(py).call1((object, what, n_axes, plain))
}

/// Copies a matrix of the engine into a NumPy array.
pub(crate) fn to_array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_slice(py, matrix.as_slice()).reshape([matrix.n_rows(), matrix.n_cols()])
}

/// The rows of a borrowed table, without a copy.
pub(crate) fn rows<'a>(array: &'a PyReadonlyArray2<'_, f64>) -> PyResult<Rows<'a>> {
    let rows = Rows::new(array.as_array().ncols(), array.as_slice()?);
    rows.map_err(|_| refused(array.py(), &Error::NoPoints { what: "a front" }))
}

/// Copies an array into a matrix of the engine.
pub(crate) fn to_matrix(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Matrix> {
    let (rows, columns) = (array.as_array().nrows(), array.as_array().ncols());
    if columns == 0 {
        return Ok(Matrix::from_fn(rows, 0, |_, _| 0.0));
    }
    Ok(Matrix::new(columns, copied(array)?).expect("rows of one length"))
}

/// Reads the position of an arm, a whole number from 0. A negative one is `unknown-arm`: positions do not
/// count from the end, as indices of Python lists do.
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

/// Reads the positions of some arms: whole numbers, or a mask with one boolean per arm.
pub(crate) fn positions(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<usize>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let make = MAKE
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("positions")?.unbind()))?;
    let positions: PyReadonlyArray1<'_, i64> =
        make.bind(py).call1((object, what, Plain::check(object, what, 1)?))?.extract()?;
    Ok(positions.as_slice()?.iter().map(|&position| position as usize).collect())
}
