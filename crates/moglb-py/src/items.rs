//! Lists from callers: any object that Python can iterate over.

use crate::errors::raised;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUnicodeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};

/// The items of a list. A list or a tuple is read directly. Any other object is read by
/// `moglb._arrays.listed`, which refuses iterators without an end. (Extracting a `Vec` would reserve memory
/// for the length that an object claims to have.)
pub(crate) struct Items<T>(pub(crate) Vec<T>);

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Items<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(list) = object.cast_exact::<PyList>() {
            return list.iter().map(|item| read(&item)).collect::<PyResult<_>>().map(Self);
        }
        if let Ok(list) = object.cast_exact::<PyTuple>() {
            return list.iter().map(|item| read(&item)).collect::<PyResult<_>>().map(Self);
        }
        let list = listed(&object)?;
        list.iter().map(|item| read(&item)).collect::<PyResult<_>>().map(Self)
    }
}

/// Converts an object to a number or text. If Python cannot convert it, this is a typed error; an exception
/// that the object's own methods raise is passed on.
pub(crate) fn read<'py, T: FromPyObjectOwned<'py>>(item: &Bound<'py, PyAny>) -> PyResult<T> {
    let py = item.py();
    item.extract().map_err(|error: T::Error| {
        let error: PyErr = error.into();
        let kinds =
            [py.get_type::<PyTypeError>(), py.get_type::<PyOverflowError>(), py.get_type::<PyUnicodeError>()];
        if kinds.iter().any(|kind| error.is_instance(py, kind)) {
            return raised(py, "input-type", &error.value(py).to_string());
        }
        error
    })
}

/// The items of an object that is neither a list nor a tuple.
fn listed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    static LISTED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let listed = LISTED
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("listed")?.unbind()))?;
    Ok(listed.bind(py).call1((object, "a list"))?.cast_into::<PyList>()?)
}
