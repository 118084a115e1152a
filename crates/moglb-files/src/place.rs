//! The place of new content: the given path, the file that a link leads to, or a device.

use crate::error::{FilesError, at};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The number of links that Linux follows on the way to a file.
const MOST_LINKS: usize = 40;

/// The place of new content.
#[derive(Debug)]
pub(crate) enum Place {
    /// A path whose regular file is replaced, or where there is none yet.
    Replaced { path: PathBuf, old: Option<Metadata> },
    /// A device, a FIFO or an open descriptor, into which the content is written.
    Through(PathBuf),
}

/// Checks whether a file could be written at a path, as far as this can be checked without writing.
///
/// # Errors
///
/// The [`FilesError`] that [`crate::write`] would return.
pub fn check(path: &Path) -> Result<(), FilesError> {
    find(path).map(drop)
}

/// Returns true if a path is a name of this process's standard output, such as `/dev/stdout`.
pub fn is_standard_output(path: &Path) -> bool {
    let own = |path: &Path| {
        let folder = fs::canonicalize(folder_of(path)).ok();
        let of_this_process = Path::new("/proc").join(std::process::id().to_string()).join("fd");
        folder == Some(of_this_process) && path.file_name() == Some("1".as_ref())
    };
    match find(path) {
        Ok(Place::Through(path)) => own(&path) || path == Path::new("/dev/fd/1"),
        _ => false,
    }
}

/// Finds the place of the content of a file. Links are followed one by one; the owner of each is
/// checked first.
pub(crate) fn find(path: &Path) -> Result<Place, FilesError> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return nothing(path),
            Err(error) => return Err(at(&path)(error)),
        };
        if !metadata.is_symlink() {
            return existing(path, metadata);
        }
        check_owner(&path, &metadata)?;
        if is_descriptor(&path) {
            return Ok(Place::Through(path));
        }
        let target = fs::read_link(&path).map_err(at(&path))?;
        path = folder_of(&path).join(target);
    }
    Err(at(&path)(io::Error::other("too many levels of symbolic links")))
}

/// Returns the place at a path where there is no file.
fn nothing(path: PathBuf) -> Result<Place, FilesError> {
    match path.file_name() {
        Some(_) => Ok(Place::Replaced { path, old: None }),
        None => Err(at(&path)(io::Error::new(io::ErrorKind::InvalidInput, "expected the name of a file"))),
    }
}

/// Returns the place at a path with a file that is not a link.
fn existing(path: PathBuf, metadata: Metadata) -> Result<Place, FilesError> {
    if metadata.is_dir() {
        return Err(FilesError::Kind { path, expected: "a file", got: "a folder" });
    }
    if !metadata.is_file() {
        check_owner(&path, &metadata)?;
        return Ok(Place::Through(path));
    }
    if metadata.permissions().readonly() {
        return Err(FilesError::Protected { path });
    }
    Ok(Place::Replaced { path, old: Some(metadata) })
}

/// Rejects a link or a FIFO of another user: in a shared folder its name may have been chosen as a
/// trap. Devices are not checked, since only root can create them.
#[cfg(unix)]
fn check_owner(path: &Path, metadata: &Metadata) -> Result<(), FilesError> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let kind = metadata.file_type();
    let is_device = kind.is_char_device() || kind.is_block_device();
    let user = rustix::process::geteuid().as_raw();
    if is_device || metadata.uid() == user || metadata.uid() == 0 {
        return Ok(());
    }
    Err(FilesError::OtherOwner { path: path.into(), got: kind_of(metadata) })
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &Metadata) -> Result<(), FilesError> {
    Ok(())
}

/// Returns true if a link represents an open descriptor of a process: its text is a description,
/// not a path.
fn is_descriptor(link: &Path) -> bool {
    cfg!(target_os = "linux")
        && fs::canonicalize(folder_of(link)).is_ok_and(|folder| folder.starts_with("/proc"))
}

/// Returns the folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    or_current(path.parent().unwrap_or(path))
}

/// Returns a folder, or the current one for an empty path.
pub(crate) fn or_current(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Returns the kind of a file in words.
pub(crate) fn kind_of(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    match () {
        () if kind.is_symlink() => "a symbolic link",
        () if kind.is_dir() => "a folder",
        () if kind.is_file() => "a regular file",
        () => "a device",
    }
}
