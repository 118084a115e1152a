//! The exception that a link written in Python raised last in this thread.
//!
//! The engine sees only that such a link gave no number; whoever called the engine raises what the link
//! raised.

use pyo3::PyErr;
use std::cell::RefCell;

thread_local! {
    static FAILURE: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Keeps an exception.
pub(crate) fn keep_failure(error: PyErr) {
    FAILURE.with(|failure| *failure.borrow_mut() = Some(error));
}

/// Takes the exception, if there is one.
pub(crate) fn take_failure() -> Option<PyErr> {
    FAILURE.with(|failure| failure.borrow_mut().take())
}
