//! Conversion of the engine's errors to Python exceptions. The class of a code is looked up in
//! `moglb.errors`.

use crate::link_failure::take_failure;
use moglb::Error;
use moglb_sim::SimError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The exception for an error of the core. If a link written in Python raised it, this is the link's
/// exception.
pub(crate) fn refused(py: Python<'_>, error: &Error) -> PyErr {
    // The exception of a link written in Python is more useful than the fact that the link gave no number.
    let of_link = matches!(error, Error::LinkMean { .. } | Error::LinkSlope { .. } | Error::Curvature { .. });
    if let Some(failure) = take_failure().filter(|_| of_link) {
        return failure;
    }
    raised(py, error.code(), &error.to_string())
}

/// An error that is found while the GIL is released, and raised as an exception when the GIL is held again.
pub(crate) enum Refusal {
    /// An error of the engine.
    Engine(Error),
    /// An error of this crate, about the arguments of a call.
    Call {
        /// The code of the error, which selects the class of the exception.
        code: &'static str,
        /// The message of the exception.
        message: &'static str,
    },
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl Refusal {
    /// The exception for the refusal.
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

/// The exception of the class for a code. The message is shortened and cleaned by [`brief`]. If
/// `moglb.errors` cannot be imported, as at the shutdown of the interpreter, it is a `RuntimeError` with the
/// code.
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

/// The name of an object's type, for messages.
pub(crate) fn kind_of(object: &Bound<'_, PyAny>) -> String {
    object.get_type().qualname().map_or_else(|_| "an object".into(), |kind| kind.to_string())
}

/// A piece of input for a message: at most [`SHOWN`] characters, with control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// The largest number of characters of a piece of input in a message.
const SHOWN: usize = 200;

/// The largest number of characters of a message. A longer message repeats input, so only its beginning and
/// its end are shown.
const MESSAGE: usize = 2000;

/// A message of bounded length, with all control characters escaped except ends of lines.
fn brief(message: &str) -> String {
    let n_chars = message.chars().count();
    let escaped = |c: char| if c == '\n' { vec![c] } else { escaped(c).collect() };
    if n_chars <= MESSAGE {
        return message.chars().flat_map(escaped).collect();
    }
    let (head, tail) = (message.chars().take(SHOWN), message.chars().skip(n_chars - SHOWN));
    head.chain(" … ".chars()).chain(tail).flat_map(escaped).collect()
}

/// The character itself, or the escape sequence of a control character.
fn escaped(c: char) -> impl Iterator<Item = char> {
    let (kept, replaced) = if c.is_control() { (None, Some(c.escape_default())) } else { (Some(c), None) };
    kept.into_iter().chain(replaced.into_iter().flatten())
}
