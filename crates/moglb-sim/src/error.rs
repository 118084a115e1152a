//! Errors of experiments.

use moglb::{Echo, EchoMessage};
use moglb_files::FilesError;
use std::path::PathBuf;

/// The error for an experiment that is refused or stops.
///
/// ```
/// use moglb_sim::{Plan, SimError};
///
/// let error = Plan::from_toml("trials = 0\nenvironments = []\npolicies = []").unwrap_err();
/// assert!(matches!(error, SimError::Bounds { name: "trials", .. }));
/// assert_eq!(error.code(), "bounds");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A policy or a problem was refused by the core.
    #[error(transparent)]
    Core(#[from] moglb::Error),
    /// The text of an experiment cannot be read.
    #[error("the experiment cannot be read: {}", EchoMessage(.0))]
    Syntax(String),
    /// An entry of an experiment is wrong.
    #[error("{}: {reason}", Echo(entry))]
    Entry {
        /// The name or the position of the entry.
        entry: String,
        /// The reason, in which values from the caller are shown as by [`moglb::Echo`].
        reason: String,
    },
    /// A number of the experiment is out of its bounds.
    #[error("{name} must lie between {least} and {most}, got {got}")]
    Bounds {
        /// The name of the number.
        name: &'static str,
        /// The least value that is allowed.
        least: u64,
        /// The largest value that is allowed.
        most: u64,
        /// The value that was received.
        got: u64,
    },
    /// No arm set with a small enough front was drawn.
    #[error("no arm set with a front of at most {max_front} of {n_arms} arms in {tries} tries")]
    FrontTooLarge {
        /// The bound on the size of the front.
        max_front: usize,
        /// The number of arms.
        n_arms: usize,
        /// The number of arm sets that were drawn.
        tries: usize,
    },
    /// The run was interrupted. The finished cells are in its log, if it has one.
    #[error("interrupted with {done} of {total} cells done")]
    Interrupted {
        /// The number of finished cells.
        done: usize,
        /// The number of all cells.
        total: usize,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {}", EchoMessage(reason))]
    Threads {
        /// The number of threads asked for.
        threads: usize,
        /// The reason, as text.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", Echo(&path.to_string_lossy()))]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The log of finished cells is open in another process, or a second time in this one.
    #[error("another run is writing into {}", Echo(&path.to_string_lossy()))]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A file of a run cannot be used safely, or was removed while it was in use.
    #[error(transparent)]
    Files(FilesError),
    /// The data was refused.
    #[error(transparent)]
    Data(#[from] moglb_data::DataError),
    /// A round after the last one of the data was requested. Each round of replayed data is played once.
    #[error(
        "the data has {available} rounds to play, got round {asked}: use a shorter horizon or fitted rewards"
    )]
    RoundsUsedUp {
        /// The number of rounds that can be played.
        available: u64,
        /// The round that was asked for.
        asked: u64,
    },
    /// The log of finished cells belongs to another experiment or another version, or the file is not a
    /// log.
    #[error(
        "{} belongs to another experiment or version: start without --resume, or in another folder",
        Echo(&path.to_string_lossy())
    )]
    OtherExperiment {
        /// The file.
        path: PathBuf,
    },
}

impl SimError {
    /// A name for the kind of error that stays the same when messages change, for other languages, logs and
    /// tests.
    pub fn code(&self) -> &'static str {
        match self {
            SimError::Core(error) => error.code(),
            SimError::Syntax(_) => "syntax",
            SimError::Entry { .. } => "entry",
            SimError::Bounds { .. } => "bounds",
            SimError::FrontTooLarge { .. } => "front-too-large",
            SimError::Interrupted { .. } => "interrupted",
            SimError::Threads { .. } => "threads",
            SimError::File { .. } => "file",
            SimError::Locked { .. } => "locked",
            SimError::Files(error) => error.code(),
            SimError::Data(_) => "data",
            SimError::RoundsUsedUp { .. } => "rounds-used-up",
            SimError::OtherExperiment { .. } => "other-experiment",
        }
    }
}

impl From<FilesError> for SimError {
    fn from(error: FilesError) -> Self {
        match error {
            FilesError::System { path, reason } => SimError::File { path, source: reason },
            FilesError::Locked { path } => SimError::Locked { path },
            other => SimError::Files(other),
        }
    }
}
