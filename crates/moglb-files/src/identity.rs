//! Whether a path still leads to the file or folder that it led to before.

use crate::error::{FilesError, at};
use crate::place::or_current;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// A folder as it was when a run began.
#[derive(Debug)]
pub struct FolderIdentity {
    path: PathBuf,
    metadata: Metadata,
}

impl FolderIdentity {
    /// Remembers a folder.
    ///
    /// # Errors
    ///
    /// [`FilesError::System`] if there is none.
    pub fn new(path: &Path) -> Result<Self, FilesError> {
        let path = or_current(path);
        Ok(Self { path: path.into(), metadata: fs::metadata(path).map_err(at(path))? })
    }

    /// Checks that the path still leads to the folder.
    ///
    /// # Errors
    ///
    /// [`FilesError::Gone`].
    pub fn check(&self) -> Result<(), FilesError> {
        match fs::metadata(&self.path) {
            Ok(now) if is_same(&now, &self.metadata) => Ok(()),
            _ => Err(FilesError::Gone { path: self.path.clone() }),
        }
    }
}

/// Whether two descriptions are of one file.
#[cfg(unix)]
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Without numbers of files the kind has to do.
#[cfg(not(unix))]
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.file_type() == other.file_type()
}
