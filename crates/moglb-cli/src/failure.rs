//! Failures and their exit codes: the one place where errors of the crates become messages and exit codes.
//!
//! Bad usage and bad input have code 2, because a repetition would fail again. Failures of the system, such
//! as a full disk, and interruptions have code 1.

use clap::error::ContextValue;
use moglb::{Echo, EchoLine};
use moglb_evaluate::EvaluateError;
use moglb_files::FilesError;
use moglb_sim::SimError;
use std::fmt::{Display, Formatter};
use std::path::Path;

/// The reason why the command stops: a line for people and an exit code for programs.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// A request of the user that cannot be fulfilled: exit code 2.
    pub fn bad_input(message: impl Display) -> Self {
        Self { code: 2, message: message.to_string() }
    }

    /// A file, named by the user, that cannot be used: exit code 2.
    pub fn in_file(path: &Path, reason: impl Display) -> Self {
        Self::bad_input(format!("{}: {reason}", Echo(&path.to_string_lossy())))
    }

    /// A failure while the command was running: exit code 1.
    pub fn running(message: impl Display) -> Self {
        Self { code: 1, message: message.to_string() }
    }

    /// A mistake on the command line, in one line: exit code 2. Usage and hints of clap are cut off, and
    /// values from the command line are escaped.
    pub fn usage(mut error: clap::Error) -> Self {
        let given: Vec<_> = error
            .context()
            .filter_map(|(kind, value)| match value {
                ContextValue::String(text) => Some((kind, ContextValue::String(Echo(text).to_string()))),
                _ => None,
            })
            .collect();
        given.into_iter().for_each(|(kind, value)| drop(error.insert(kind, value)));
        let text = error.render().to_string();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let told = lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
        let line = told.collect::<Vec<_>>().join(" ");
        Self::bad_input(format!("{} (see moglb --help)", line.strip_prefix("error: ").unwrap_or(&line)))
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        self.code
    }
}

/// Formats the failure as one line, whatever names and ids the input contains.
impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "moglb: {}", EchoLine(&self.message))
    }
}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        match error {
            SimError::Interrupted { .. } => {
                Self::running(format!("{error}; the same command with --resume goes on from there"))
            }
            SimError::File { .. }
            | SimError::Locked { .. }
            | SimError::Files(_)
            | SimError::Threads { .. } => Self::running(error),
            other => Self::bad_input(other),
        }
    }
}

impl From<EvaluateError> for Failure {
    fn from(error: EvaluateError) -> Self {
        match error {
            EvaluateError::Threads { .. } => Self::running(error),
            other => Self::bad_input(other),
        }
    }
}

impl From<FilesError> for Failure {
    fn from(error: FilesError) -> Self {
        Self::running(error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::running(format!("{error:#}"))
    }
}
