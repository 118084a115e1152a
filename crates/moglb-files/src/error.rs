//! What can go wrong while files are written.

use std::io;
use std::path::{Path, PathBuf};

/// Every way in which a file is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilesError {
    /// The system refused an operation on a file.
    #[error("{path}: {reason}")]
    System {
        /// The file.
        path: PathBuf,
        /// The answer of the system.
        reason: io::Error,
    },
    /// Another kind of file than expected has the name.
    #[error("{path}: expected {expected}, got {got}")]
    Kind {
        /// The name.
        path: PathBuf,
        /// The kind of file that was expected.
        expected: &'static str,
        /// The kind of file that has the name.
        got: &'static str,
    },
    /// A link or a FIFO of another user, who could lead the writing anywhere.
    #[error("{path} is {got} of another user: expected one of the user who runs this, or of root")]
    OtherOwner {
        /// The name.
        path: PathBuf,
        /// The kind of file that has the name.
        got: &'static str,
    },
    /// A file whose mode lets nobody write.
    #[error("{path} is write-protected: expected a file that its owner may write, or none")]
    Protected {
        /// The file.
        path: PathBuf,
    },
    /// Another process has claimed the file.
    #[error("another run is writing into {path}")]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A file or a folder that was removed, moved or replaced while it was in use.
    #[error("{path} was removed, moved or replaced while it was in use")]
    Gone {
        /// The path at which it was.
        path: PathBuf,
    },
    /// Some files of a set are new, the others are still the old ones.
    #[error("{folder} has new and old files side by side, because the last step of writing failed: {reason}")]
    Mixed {
        /// The folder.
        folder: PathBuf,
        /// The failure.
        reason: Box<FilesError>,
    },
}

impl FilesError {
    /// A name for the kind of error that stays the same when messages change: for other languages, logs and
    /// tests.
    pub fn code(&self) -> &'static str {
        match self {
            FilesError::System { .. } => "file",
            FilesError::Kind { .. } => "file-kind",
            FilesError::OtherOwner { .. } => "file-owner",
            FilesError::Protected { .. } => "file-protected",
            FilesError::Locked { .. } => "locked",
            FilesError::Gone { .. } => "file-gone",
            FilesError::Mixed { .. } => "files-mixed",
        }
    }

    /// Whether a reader closed the pipe that was written to.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, FilesError::System { reason, .. } if reason.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Adds the path to an error of the system.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FilesError {
    let path = path.to_path_buf();
    move |reason| FilesError::System { path, reason }
}
