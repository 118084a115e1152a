//! Checks that a path still leads to the file or folder that it led to before.

use crate::error::{FilesError, at};
use crate::place::or_current;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// The identity of a folder at the time when a run began.
///
/// ```
/// use moglb_files::FolderIdentity;
///
/// let folder = tempfile::tempdir()?;
/// let identity = FolderIdentity::new(folder.path())?;
/// identity.check()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FolderIdentity {
    path: PathBuf,
    metadata: Metadata,
}

impl FolderIdentity {
    /// Records the identity of a folder.
    ///
    /// # Errors
    ///
    /// [`FilesError::System`] if the folder does not exist.
    pub fn new(path: &Path) -> Result<Self, FilesError> {
        let path = or_current(path);
        Ok(Self { path: path.into(), metadata: fs::metadata(path).map_err(at(path))? })
    }

    /// Checks that the path still leads to the folder.
    ///
    /// # Errors
    ///
    /// [`FilesError::Gone`] if it leads to another folder, or to none.
    pub fn check(&self) -> Result<(), FilesError> {
        match fs::metadata(&self.path) {
            Ok(now) if is_same(&now, &self.metadata) => Ok(()),
            _ => Err(FilesError::Gone { path: self.path.clone() }),
        }
    }
}

/// Returns true if two descriptions belong to the same file.
#[cfg(unix)]
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Compares the kinds of the files, because this system has no file numbers.
#[cfg(not(unix))]
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.file_type() == other.file_type()
}
