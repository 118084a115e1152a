//! The errors of writing files.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file was not written.
///
/// Example: [`Claim`].
///
/// [`Claim`]: crate::Claim
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilesError {
    /// The system rejected an operation on a file.
    #[error("{path}: {reason}")]
    System {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// The path has another kind of file than expected.
    #[error("{path}: expected {expected}, got {got}")]
    Kind {
        /// The path.
        path: PathBuf,
        /// The kind of file that was expected.
        expected: &'static str,
        /// The kind of file at the path.
        got: &'static str,
    },
    /// A link or a FIFO belongs to another user, who could redirect the content to any place.
    #[error("{path} is {got} of another user: expected one of the user who runs this, or of root")]
    OtherOwner {
        /// The path.
        path: PathBuf,
        /// The kind of file at the path.
        got: &'static str,
    },
    /// The file is write-protected: its mode allows no user to write.
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
    /// A file or a folder was removed, moved or replaced while it was in use.
    #[error("{path} was removed, moved or replaced while it was in use")]
    Gone {
        /// The path where it was.
        path: PathBuf,
    },
    /// Some files of a set are new, the others are still old.
    #[error("{folder} has new and old files side by side, because the last step of writing failed: {reason}")]
    Mixed {
        /// The folder.
        folder: PathBuf,
        /// The failure.
        reason: Box<FilesError>,
    },
}

impl FilesError {
    /// Returns a name for the kind of error: for other languages, logs and tests. It stays the same
    /// when messages change.
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

    /// Returns true if the output was a pipe and its reader has closed it.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, FilesError::System { reason, .. } if reason.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Returns a function that adds the path to an error of the system.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FilesError {
    let path = path.to_path_buf();
    move |reason| FilesError::System { path, reason }
}
