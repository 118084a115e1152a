//! A check of nested lists before NumPy reads them.
//!
//! NumPy follows nested lists to any depth, which never ends if lists contain each other. It also requests
//! the length and the items of every object in them, which may have no end. Lists of numbers of Python and
//! NumPy are safe; all other lists are read by `moglb._arrays`.

use crate::errors::raised;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyTuple, PyType};

/// The largest number of numbers in nested lists: their array would have 2 GiB.
const SIZE: usize = 1 << 28;

/// The largest number of items in lists that are nested deeper than the array has axes. Such lists are wrong,
/// but up to this number NumPy finds the error and describes it.
const BELOW: usize = 1 << 12;

/// The largest number of lists inside each other.
const DEPTH: usize = 32;

/// The check of one argument.
pub(crate) struct Plain<'a> {
    /// The name of the argument in error messages.
    what: &'a str,
    /// The number of axes of the array.
    n_axes: usize,
    /// The number of numbers that may still follow.
    numbers: usize,
    /// The number of items below the axes that may still follow.
    below: usize,
}

impl<'a> Plain<'a> {
    /// Returns true if an object consists only of lists of numbers. Refuses lists that are nested too deeply
    /// or have too many items.
    pub(crate) fn check(object: &Bound<'_, PyAny>, what: &'a str, n_axes: usize) -> PyResult<bool> {
        Self { what, n_axes, numbers: SIZE, below: BELOW }.is_plain(object, 0)
    }

    /// Checks an object that is inside of `depth` lists.
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

    /// Checks all items of a list.
    fn all_plain<'py>(
        &mut self,
        mut items: impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> PyResult<bool> {
        // After an item that is not plain the others are still checked: they may be nested too deeply.
        items.try_fold(true, |plain, item| Ok(self.is_plain(&item, depth)? && plain))
    }

    /// Counts the items of a list, and refuses too many.
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

/// True if an object is a number of Python or NumPy.
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
    // The type, not `__class__`: an instance may claim any class there.
    let kind = object.get_type();
    scalar.is_ok_and(|scalar| {
        scalar.bind(py).cast::<PyType>().is_ok_and(|scalar| kind.is_subclass(scalar).unwrap_or(false))
    })
}
