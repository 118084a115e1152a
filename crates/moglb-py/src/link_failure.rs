//! The last exception that a link written in Python raised in this thread.
//!
//! The engine sees only that such a link returned no number. The code that called the engine takes the
//! exception from here and raises it.

use pyo3::PyErr;
use std::cell::RefCell;

thread_local! {
    static FAILURE: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Keeps an exception for [`take_failure`], in place of an earlier one.
pub(crate) fn keep_failure(error: PyErr) {
    FAILURE.with(|failure| *failure.borrow_mut() = Some(error));
}

/// Takes the exception out, if there is one.
pub(crate) fn take_failure() -> Option<PyErr> {
    FAILURE.with(|failure| failure.borrow_mut().take())
}
