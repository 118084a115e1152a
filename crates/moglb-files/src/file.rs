//! Writes one file. Its content is complete on the disk before it gets its name.

use crate::error::{FilesError, at};
use crate::place::{Place, find, folder_of};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// The prefix of the temporary name of a single file.
const SINGLE: &str = ".moglb-";

/// Writes a file. A regular file is replaced as a whole; it keeps its mode and, where the system
/// allows it, its owner. A new file gets the usual mode. For a symbolic link, the file that it
/// leads to is replaced. For a device or a FIFO, the content is written into it.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("results.json");
/// moglb_files::write(&path, b"{}")?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`FilesError`]. On an error the old content is unchanged; only a device or a FIFO may have
/// received a part of the new content.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FilesError> {
    match find(path)? {
        Place::Through(path) => write_into(&path, bytes),
        Place::Replaced { path, old } => {
            let temporary = stage(&path, old.as_ref(), SINGLE, bytes)?;
            rename(temporary, &path)?;
            sync_folder(folder_of(&path))
        }
    }
}

/// Writes content to a new file with a unique name in the folder of `path`, and syncs it to the
/// disk. The file is removed again if it is never moved to its place.
pub(crate) fn stage(
    path: &Path,
    old: Option<&Metadata>,
    prefix: &str,
    bytes: &[u8],
) -> Result<TempPath, FilesError> {
    let made = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(".tmp")
        .make_in(folder_of(path), |name| create(name, old));
    let mut temporary: NamedTempFile = made.map_err(at(path))?;
    let file = temporary.as_file_mut();
    let written = file.write_all(bytes).and_then(|()| keep_access(file, old)).and_then(|()| sync(file));
    written.map_err(at(path))?;
    Ok(temporary.into_temp_path())
}

/// Moves a staged file to its place.
pub(crate) fn rename(temporary: TempPath, path: &Path) -> Result<(), FilesError> {
    temporary.persist(path).map_err(|failed| at(path)(failed.error))
}

/// Creates a file that does not exist yet, without following a link. A user who may not read the
/// old file may not read the new one either.
fn create(name: &Path, old: Option<&Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        options.mode(old.map_or(0o666, |old| old.mode() & 0o600));
    }
    #[cfg(not(unix))]
    let _ = old;
    options.open(name)
}

/// Gives a new file the owner and the mode of the one that it replaces.
#[cfg(unix)]
fn keep_access(file: &File, old: Option<&Metadata>) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let Some(old) = old else { return Ok(()) };
    let new = file.metadata()?;
    // Only root can change the owner of a file. Other users keep the group if they are members of
    // it.
    if new.uid() != old.uid() {
        let _ = fchown(file, Some(old.uid()), None);
    }
    let has_group = new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let mode = old.mode() & 0o777;
    // A group that is not the old one gets only the rights that all users have.
    let everybody = (mode & 0o007) << 3;
    file.set_permissions(Permissions::from_mode(if has_group { mode } else { mode & (!0o070 | everybody) }))
}

#[cfg(not(unix))]
fn keep_access(_: &File, _: Option<&Metadata>) -> io::Result<()> {
    Ok(())
}

/// Writes content into a device, a FIFO or an open descriptor.
pub(crate) fn write_into(path: &Path, bytes: &[u8]) -> Result<(), FilesError> {
    let mut options = OpenOptions::new();
    if std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        // A descriptor may belong to a regular file that other processes write to as well.
        // Appending overwrites nothing.
        options.append(true);
    } else {
        options.write(true);
        no_links(&mut options);
    }
    options.open(path).and_then(|mut file| file.write_all(bytes)).map_err(at(path))
}

/// Makes the opening fail for a link that has replaced the checked file.
fn no_links(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// Syncs a file to the disk, where the file system supports it.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    file.sync_all().or_else(|error| if cannot_sync(&error) { Ok(()) } else { Err(error) })
}

/// Syncs a folder, so that the renames in it last. Does nothing for folders that cannot be read,
/// and on systems that cannot sync folders.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> Result<(), FilesError> {
    match File::open(folder) {
        Ok(opened) => sync(&opened).map_err(at(folder)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(at(folder)(error)),
    }
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> Result<(), FilesError> {
    Ok(())
}

/// Returns true if the file system does not support syncing.
fn cannot_sync(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}

/// Returns the path of a file that may be removed; `None` if there is no file.
pub(crate) fn removable(path: &Path) -> Result<Option<PathBuf>, FilesError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
        Ok(metadata) if metadata.is_dir() => {
            Err(FilesError::Kind { path: path.into(), expected: "a file", got: "a folder" })
        }
        Ok(metadata) if metadata.is_file() && metadata.permissions().readonly() => {
            Err(FilesError::Protected { path: path.into() })
        }
        Ok(_) => Ok(Some(path.into())),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_new_one_gets_the_usual_mode() {
        let folder = tempfile::tempdir().unwrap();
        let [usual, path] = ["usual", "path"].map(|name| folder.path().join(name));
        fs::write(&usual, "").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(mode(&path), mode(&usual));
        for kept in [0o600, 0o640, 0o755] {
            fs::set_permissions(&path, Permissions::from_mode(kept)).unwrap();
            write(&path, b"newer").unwrap();
            assert_eq!(mode(&path), kept);
        }
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file stays");
    }

    #[test]
    fn a_write_protected_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("path");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        assert!(matches!(write(&path, b"new"), Err(FilesError::Protected { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn a_link_stays_and_leads_to_the_new_content() {
        let folder = tempfile::tempdir().unwrap();
        let [link, target, far] = ["link", "far/target", "far"].map(|name| folder.path().join(name));
        fs::create_dir(far).unwrap();
        symlink("far/target", &link).unwrap();
        for text in ["made", "replaced"] {
            write(&link, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        let circle = folder.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(write(&circle, b"").unwrap_err().to_string().contains("too many levels"));
    }

    #[test]
    fn a_link_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [link, target] = ["link", "target"].map(|name| folder.path().join(name));
        fs::write(&target, "old").unwrap();
        symlink(&target, &link).unwrap();
        // Only root can give a link to another user.
        if std::os::unix::fs::lchown(&link, Some(12345), None).is_err() {
            return;
        }
        assert!(matches!(write(&link, b"new"), Err(FilesError::OtherOwner { got: "a symbolic link", .. })));
        assert_eq!(fs::read(&target).unwrap(), b"old");
    }

    #[test]
    fn devices_are_written_into() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/null", &link).unwrap();
        write(&link, b"gone").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn long_names_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x".repeat(255));
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn names_that_stand_for_no_file_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (path, expected) in [
            (folder.path().to_path_buf(), "expected a file, got a folder"),
            (PathBuf::new(), "expected the name of a file"),
            (folder.path().join("no/such"), "No such file"),
        ] {
            let error = write(&path, b"").unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains(".moglb-"), "{error}");
        }
    }
}
