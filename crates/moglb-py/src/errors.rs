//! Errors of the engine as Python exceptions: the class for a code is looked up in `moglb.errors`.

use crate::link_failure::take_failure;
use moglb::Error;
use moglb_sim::SimError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The exception for an error of the core.
pub(crate) fn refused(py: Python<'_>, error: &Error) -> PyErr {
    // What a link written in Python raised says more than that it gave no number.
    let of_link = matches!(error, Error::LinkMean { .. } | Error::LinkSlope { .. } | Error::Curvature { .. });
    if let Some(failure) = take_failure().filter(|_| of_link) {
        return failure;
    }
    raised(py, error.code(), &error.to_string())
}

/// A refusal that was found with the interpreter's lock released; raised once it is held again.
pub(crate) enum Refusal {
    /// By the engine.
    Engine(Error),
    /// By this crate.
    Call {
        /// The code.
        code: &'static str,
        /// The message.
        message: &'static str,
    },
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl Refusal {
    /// The exception for it.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Engine(error) => refused(py, &error),
            Self::Call { code, message } => raised(py, code, message),
        }
    }
}

/// The exception for an error of the simulator.
pub(crate) fn stopped(py: Python<'_>, error: &SimError) -> PyErr {
    if let SimError::Core(error) = error {
        return refused(py, error);
    }
    raised(py, error.code(), &error.to_string())
}

/// The exception for a code.
pub(crate) fn raised(py: Python<'_>, code: &str, message: &str) -> PyErr {
    static CLASSES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let classes =
        CLASSES.get_or_try_init(py, || PyResult::Ok(py.import("moglb.errors")?.getattr("BY_CODE")?.unbind()));
    let message = brief(message);
    let exception = classes.and_then(|classes| classes.bind(py).get_item(code)?.call1((&message,)));
    match exception {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyRuntimeError::new_err(format!("{code}: {message}")),
    }
}

/// What an object is, for people.
pub(crate) fn kind_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().qualname().map_or_else(|_| "an object".into(), |kind| kind.to_string())
}

/// A piece of input as a message shows it: at most 200 characters, without control characters.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// The most characters of a piece of input in a message.
const SHOWN: usize = 200;

/// The most characters of a message. A longer one repeats input, and keeps its beginning and its end.
const MESSAGE: usize = 2000;

/// A message without control characters, except ends of lines, and of bounded length.
fn brief(message: &str) -> String {
    let n_chars = message.chars().count();
    let escaped = |c: char| if c == '\n' { vec![c] } else { escaped(c).collect() };
    if n_chars <= MESSAGE {
        return message.chars().flat_map(escaped).collect();
    }
    let (head, tail) = (message.chars().take(SHOWN), message.chars().skip(n_chars - SHOWN));
    head.chain(" … ".chars()).chain(tail).flat_map(escaped).collect()
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    let (kept, replaced) = if c.is_control() { (None, Some(c.escape_default())) } else { (Some(c), None) };
    kept.into_iter().chain(replaced.into_iter().flatten())
}
