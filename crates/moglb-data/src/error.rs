//! What can go wrong with data.

use crate::findings::Finding;
use moglb::{Echo, EchoList};

/// Every way in which data is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Something in the files is wrong.
    #[error("{first}{}", others(*more))]
    Findings {
        /// The first thing that is wrong.
        first: Box<Finding>,
        /// How many more there are.
        more: u64,
    },
    /// A problem that the data set does not have.
    #[error("{}, there are: {}", missing(got), EchoList(known))]
    UnknownProblem {
        /// The id that came.
        got: String,
        /// The ids there are.
        known: Vec<String>,
    },
}

impl DataError {
    /// A name for the kind of error that stays the same when messages change.
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
