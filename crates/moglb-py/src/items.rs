//! Lists that callers hand over, of any kind that Python can iterate over.

use crate::errors::raised;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUnicodeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};

/// The items of a list. A list or a tuple is read where it is stored; `moglb._arrays.listed` reads anything
/// else, and refuses what has no end. (A `Vec` would take memory for as many items as an object says that it
/// has.)
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

/// A number or text; a typed error where Python could not convert it, and what the object itself raised
/// otherwise.
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

/// The items of something that is neither a list nor a tuple.
fn listed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    static LISTED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let listed = LISTED
        .get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("listed")?.unbind()))?;
    Ok(listed.bind(py).call1((object, "a list"))?.cast_into::<PyList>()?)
}
