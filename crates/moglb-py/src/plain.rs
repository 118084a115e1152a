//! Nested lists, looked at before NumPy reads them.
//!
//! NumPy goes as deep as lists go, which takes for ever where lists hold each other, and asks every object in
//! them for its length and its items, which may have no end. Lists of numbers of Python and NumPy are safe;
//! everything else is read by `moglb._arrays`.

use crate::errors::raised;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyTuple, PyType};

/// The most numbers in nested lists: their array would have 2 GiB.
const SIZE: usize = 1 << 28;

/// The most items below the axes that an array has. NumPy says what is wrong with them.
const BELOW: usize = 1 << 12;

/// The most lists inside each other.
const DEPTH: usize = 32;

/// Looks through nested lists.
pub(crate) struct Plain<'a> {
    what: &'a str,
    n_axes: usize,
    numbers: usize,
    below: usize,
}

impl<'a> Plain<'a> {
    /// Whether an object is lists of numbers and nothing else. Refuses lists that are nested too deep, or
    /// hold too much.
    pub(crate) fn check(object: &Bound<'_, PyAny>, what: &'a str, n_axes: usize) -> PyResult<bool> {
        Self { what, n_axes, numbers: SIZE, below: BELOW }.is_plain(object, 0)
    }

    fn is_plain(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<bool> {
        if is_number(object) {
            return Ok(true);
        }
        let (lists, tuples) = (object.cast_exact::<PyList>(), object.cast_exact::<PyTuple>());
        let n_items = match (&lists, &tuples) {
            (Ok(list), _) => list.len(),
            (_, Ok(list)) => list.len(),
            _ => return Ok(false),
        };
        self.count(object.py(), n_items, depth)?;
        match (lists, tuples) {
            (Ok(list), _) => self.all_plain(list.iter(), depth + 1),
            (_, Ok(list)) => self.all_plain(list.iter(), depth + 1),
            _ => Ok(false),
        }
    }

    fn all_plain<'py>(
        &mut self,
        mut items: impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> PyResult<bool> {
        // Even where one is not plain the others are looked at: they may be nested too deep.
        items.try_fold(true, |plain, item| Ok(self.is_plain(&item, depth)? && plain))
    }

    /// Counts the items of a list.
    fn count(&mut self, py: Python<'_>, n_items: usize, depth: usize) -> PyResult<()> {
        let what = self.what;
        if depth >= self.n_axes {
            let left = self.below.checked_sub(n_items).filter(|_| depth < DEPTH);
            let message = || format!("{what} must have {} axes, got lists nested deeper", self.n_axes);
            self.below = left.ok_or_else(|| raised(py, "shape", &message()))?;
            return Ok(());
        }
        let message = || format!("{what} holds more than {SIZE} numbers: pass an array");
        self.numbers =
            self.numbers.checked_sub(n_items).ok_or_else(|| raised(py, "too-large", &message()))?;
        Ok(())
    }
}

/// Whether an object is one of the numbers of Python or NumPy.
fn is_number(object: &Bound<'_, PyAny>) -> bool {
    static SCALAR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyBool>()
    {
        return true;
    }
    let py = object.py();
    let scalar =
        SCALAR.get_or_try_init(py, || PyResult::Ok(py.import("numpy")?.getattr("generic")?.unbind()));
    // Of the type: an instance may pretend any class.
    let kind = object.get_type();
    scalar.is_ok_and(|scalar| {
        scalar.bind(py).cast::<PyType>().is_ok_and(|scalar| kind.is_subclass(scalar).unwrap_or(false))
    })
}
