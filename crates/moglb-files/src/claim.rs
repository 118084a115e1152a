//! A file that only one process at a time can have open for writing.

use crate::error::{FilesError, at};
use crate::identity::is_same;
use crate::place::kind_of;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A regular file that is open and locked. The system releases the lock when the process ends, even
/// if it is killed. The file may be in a folder that other users write into: a link, a FIFO or a
/// file with a second name is rejected.
///
/// ```
/// use moglb_files::{Claim, FilesError};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("log");
/// let claim = Claim::now(&path)?;
/// assert!(matches!(Claim::now(&path), Err(FilesError::Locked { .. })));
/// claim.remove()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    file: File,
    /// False on a file system without locks.
    locked: bool,
}

impl Claim {
    /// Claims a file. The file is created if it does not exist.
    ///
    /// # Errors
    ///
    /// [`FilesError::Locked`] if another process has claimed it, [`FilesError::Kind`] or
    /// [`FilesError::System`].
    pub fn now(path: &Path) -> Result<Self, FilesError> {
        Self::new(path, |file| match file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(FilesError::Locked { path: path.into() }),
            Err(TryLockError::Error(error)) => Err(at(path)(error)),
        })
    }

    /// Claims a file, and waits for that while another process has claimed it.
    ///
    /// # Errors
    ///
    /// [`FilesError::Kind`] or [`FilesError::System`].
    pub fn wait(path: &Path) -> Result<Self, FilesError> {
        Self::new(path, |file| file.lock().map_err(at(path)))
    }

    /// Opens and locks a file until the locked file is the one at the path.
    fn new(path: &Path, lock: impl Fn(&File) -> Result<(), FilesError>) -> Result<Self, FilesError> {
        loop {
            let file = open(path)?;
            let locked = match lock(&file) {
                Ok(()) => true,
                Err(FilesError::System { reason, .. }) if knows_no_locks(&reason) => false,
                Err(error) => return Err(error),
            };
            let claim = Self { path: path.into(), file, locked };
            // The process that had claimed the file before may have removed it in between.
            if claim.check().is_ok() {
                return Ok(claim);
            }
        }
    }

    /// Returns the open file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Returns true if the file is locked. Some file systems have no locks.
    pub(crate) fn is_locked(&self) -> bool {
        self.locked
    }

    /// Checks that the path still leads to the open file.
    ///
    /// # Errors
    ///
    /// [`FilesError::Gone`] if the file or its folder was removed, moved or replaced.
    pub fn check(&self) -> Result<(), FilesError> {
        let now = fs::symlink_metadata(&self.path);
        match (now, self.file.metadata()) {
            (Ok(now), Ok(open)) if is_same(&now, &open) => Ok(()),
            _ => Err(FilesError::Gone { path: self.path.clone() }),
        }
    }

    /// Removes the claimed file.
    ///
    /// # Errors
    ///
    /// [`FilesError::Gone`] or [`FilesError::System`].
    pub fn remove(&self) -> Result<(), FilesError> {
        self.check()?;
        fs::remove_file(&self.path).map_err(at(&self.path))
    }
}

/// Opens a regular file, or creates it. Rejects everything else.
fn open(path: &Path) -> Result<File, FilesError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => check_kind(path, &metadata)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(at(path)(error)),
    }
    // Not in append mode: a file that was opened to append cannot be truncated on every system.
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    no_links(&mut options);
    // The file that was checked by name may have been replaced since; the open file is checked
    // again.
    let file = options.open(path).map_err(at(path))?;
    check_kind(path, &file.metadata().map_err(at(path))?)?;
    Ok(file)
}

/// Rejects everything except a regular file with one name.
fn check_kind(path: &Path, metadata: &Metadata) -> Result<(), FilesError> {
    let wrong = |expected, got| Err(FilesError::Kind { path: path.into(), expected, got });
    match () {
        () if !metadata.is_file() => wrong("a regular file", kind_of(metadata)),
        () if has_several_names(metadata) => wrong("a file with one name", "one with several (hard links)"),
        () => Ok(()),
    }
}

/// Makes the opening fail for a link, and not wait for the other end of a FIFO.
#[cfg(unix)]
fn no_links(options: &mut OpenOptions) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
}

#[cfg(not(unix))]
fn no_links(_: &mut OpenOptions) {}

#[cfg(unix)]
fn has_several_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_several_names(_: &Metadata) -> bool {
    false
}

/// Returns true if the file system has no locks. There the user must not run two processes at a
/// time.
fn knows_no_locks(error: &io::Error) -> bool {
    // ENOLCK of network file systems has no `ErrorKind`.
    const NO_LOCKS: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };
    error.kind() == ErrorKind::Unsupported || cfg!(unix) && error.raw_os_error() == Some(NO_LOCKS)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn links_fifos_and_folders_are_refused_and_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("victim"), "precious").unwrap();
        symlink(path("victim"), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        fs::hard_link(path("victim"), path("twin")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        for (name, kind) in [
            ("link", "a symbolic link"),
            ("dangling", "a symbolic link"),
            ("twin", "one with several (hard links)"),
            ("folder", "a folder"),
            ("fifo", "a FIFO"),
        ] {
            let refused = Claim::now(&path(name));
            assert!(
                matches!(&refused, Err(FilesError::Kind { got, .. }) if *got == kind),
                "{name}: {refused:?}"
            );
        }
        assert_eq!(fs::read(path("victim")).unwrap(), b"precious");
        assert!(!path("nowhere").exists());
    }

    #[test]
    fn a_claim_whose_folder_was_replaced_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let [here, away] = ["here", "away"].map(|name| folder.path().join(name));
        fs::create_dir(&here).unwrap();
        let claim = Claim::now(&here.join("log")).unwrap();
        claim.check().unwrap();
        fs::rename(&here, &away).unwrap();
        assert!(matches!(claim.check(), Err(FilesError::Gone { .. })));
        fs::create_dir(&here).unwrap();
        fs::write(here.join("log"), "of another run").unwrap();
        assert!(matches!(claim.remove(), Err(FilesError::Gone { .. })));
        assert!(here.join("log").exists());
    }

    #[test]
    fn a_file_is_claimed_once_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let first = Claim::now(&path).unwrap();
        assert!(matches!(Claim::now(&path), Err(FilesError::Locked { .. })));
        let second = std::thread::scope(|scope| {
            let second = scope.spawn(|| Claim::wait(&path).unwrap());
            first.remove().unwrap();
            drop(first);
            second.join().unwrap()
        });
        second.check().expect("the second claim has made the file again");
    }
}
