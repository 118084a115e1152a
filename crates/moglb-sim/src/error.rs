//! What can go wrong with an experiment.

use moglb::{Echo, EchoMessage};
use moglb_files::FilesError;
use std::path::PathBuf;

/// Every way in which an experiment is refused or stops.
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
        /// Which entry.
        entry: String,
        /// What is wrong with it, with values from outside as [`moglb::Echo`] shows them.
        reason: String,
    },
    /// A number of the experiment is out of its bounds.
    #[error("{name} must lie between {least} and {most}, got {got}")]
    Bounds {
        /// The name of the number.
        name: &'static str,
        /// The least value.
        least: u64,
        /// The largest value.
        most: u64,
        /// The value that came.
        got: u64,
    },
    /// No arm set with a small enough front was found.
    #[error("no arm set with a front of at most {max_front} of {n_arms} arms in {tries} tries")]
    FrontTooLarge {
        /// The bound on the size of the front.
        max_front: usize,
        /// The number of arms.
        n_arms: usize,
        /// How many arm sets were drawn.
        tries: usize,
    },
    /// The run was interrupted; what is finished is kept.
    #[error("interrupted with {done} of {total} cells done")]
    Interrupted {
        /// Finished cells.
        done: usize,
        /// All cells.
        total: usize,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {}", EchoMessage(reason))]
    Threads {
        /// The number of threads asked for.
        threads: usize,
        /// Why not.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", Echo(&path.to_string_lossy()))]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The log of finished cells is open elsewhere.
    #[error("another run is writing into {}", Echo(&path.to_string_lossy()))]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A file of a run cannot be used safely, or was removed while it was in use.
    #[error(transparent)]
    Files(FilesError),
    /// Data that is refused.
    #[error(transparent)]
    Data(#[from] moglb_data::DataError),
    /// A round beyond those of the data, each of which is played once.
    #[error(
        "the data has {available} rounds to play, round {asked} was asked for: a shorter horizon, or fitted rewards"
    )]
    RoundsUsedUp {
        /// How many there are.
        available: u64,
        /// The round that was asked for.
        asked: u64,
    },
    /// The log of finished cells belongs to another experiment or another version, or is no log.
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
    /// A name for the kind of error that stays the same when messages change: for other languages, logs and tests.
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
