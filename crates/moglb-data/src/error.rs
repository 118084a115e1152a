//! The errors of loading data.

use crate::findings::Finding;
use moglb::{Echo, EchoList};

/// An error of loading data.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The files have faults.
    #[error("{first}{}", others(*more))]
    Findings {
        /// The first error.
        first: Box<Finding>,
        /// The number of further errors.
        more: u64,
    },
    /// A problem that the data set does not have.
    #[error("{}, there are: {}", missing(got), EchoList(known))]
    UnknownProblem {
        /// The requested id.
        got: String,
        /// The ids of the problems.
        known: Vec<String>,
    },
}

impl DataError {
    /// The name of the kind of error. It stays the same when messages change.
    pub fn code(&self) -> &'static str {
        match self {
            DataError::Findings { .. } => "data-findings",
            DataError::UnknownProblem { .. } => "data-unknown-problem",
        }
    }
}

fn others(more: u64) -> String {
    match more {
        0 => String::new(),
        more => format!(" (and {more} more; moglb data check shows them)"),
    }
}

fn missing(problem: &str) -> String {
    if problem.is_empty() {
        "name the problem".into()
    } else {
        format!("there is no problem `{}`", Echo(problem))
    }
}
