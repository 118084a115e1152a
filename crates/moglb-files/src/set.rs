//! A set of files in a folder that replaces an older set: completely, or not at all.
//!
//! All new files are first written under temporary names. Then they are moved to their places in
//! one short pass. During that pass there is a marker in the folder. So a set whose pass was
//! interrupted (by a kill or a power cut) is recognized. Writing the same set again completes the
//! folder and removes the marker.

use crate::claim::Claim;
use crate::error::{FilesError, at};
use crate::file::{removable, rename, stage, sync, sync_folder, write_into};
use crate::place::{Place, find, folder_of, kind_of, or_current};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempPath;

/// The name of the marker. While it has content, the files that it lists may belong to two runs.
pub const UNFINISHED: &str = ".moglb-unfinished";

/// The prefix of the temporary names of a set.
const TEMPORARY: &str = ".moglb-set-";

/// The largest number of bytes that are read from a marker; markers are smaller.
const MOST_BYTES: u64 = 1 << 16;

/// The first line of a marker, for users who find it.
const EXPLANATION: &str =
    "# These files may be of two runs. The command that wrote them makes them whole when it is run again.\n";

/// New files for a folder, and old files to remove. Nothing changes before
/// [`FileSet::put_in_place`].
///
/// ```
/// use moglb_files::{FileSet, unfinished};
///
/// let folder = tempfile::tempdir()?;
/// let set = FileSet::new(folder.path())?;
/// set.write("results.json", b"{}")?;
/// assert!(!folder.path().join("results.json").exists());
/// set.put_in_place()?;
/// assert!(folder.path().join("results.json").exists());
/// assert!(unfinished(folder.path())?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileSet {
    folder: PathBuf,
    /// The marker. Only the process that has claimed it writes a set into the folder.
    marker: Claim,
    /// True if only a part of an older set is in its place.
    is_mixed: bool,
    /// The changes that [`FileSet::put_in_place`] will make, with the names of the files.
    changes: Mutex<Vec<(String, Change)>>,
}

/// One change of the folder.
#[derive(Debug)]
enum Change {
    Replace(TempPath, PathBuf),
    Remove(PathBuf),
    WriteInto(PathBuf, Vec<u8>),
}

impl FileSet {
    /// Begins a set. Waits while another process writes a set into the folder.
    ///
    /// # Errors
    ///
    /// [`FilesError`] if the folder cannot be written to.
    pub fn new(folder: &Path) -> Result<Self, FilesError> {
        let folder = or_current(folder);
        let path = folder.join(UNFINISHED);
        let mut marker = Claim::wait(&path)?;
        let is_mixed = marker.file().metadata().map_err(at(&path))?.len() > 0;
        let set = Self { folder: folder.into(), marker, is_mixed, changes: Mutex::default() };
        if set.marker.is_locked() {
            set.sweep();
        }
        Ok(set)
    }

    /// Writes the new content of a file under a temporary name.
    ///
    /// # Errors
    ///
    /// [`FilesError`]. On an error the folder is unchanged.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FilesError> {
        let change = match find(&self.folder.join(name))? {
            Place::Through(path) => Change::WriteInto(path, bytes.into()),
            Place::Replaced { path, old } => {
                Change::Replace(stage(&path, old.as_ref(), TEMPORARY, bytes)?, path)
            }
        };
        self.add(name, change);
        Ok(())
    }

    /// Removes a file at the time when the others are replaced. Does nothing if the file does not
    /// exist.
    ///
    /// # Errors
    ///
    /// [`FilesError`] if the file cannot be removed. On an error the folder is unchanged.
    pub fn remove(&self, name: &str) -> Result<(), FilesError> {
        if let Some(path) = removable(&self.folder.join(name))? {
            self.add(name, Change::Remove(path));
        }
        Ok(())
    }

    fn add(&self, name: &str, change: Change) {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner).push((name.into(), change));
    }

    /// Moves all files to their places.
    ///
    /// # Errors
    ///
    /// [`FilesError::Mixed`] if only some of the files could be moved. On any other error the
    /// folder is unchanged.
    pub fn put_in_place(mut self) -> Result<(), FilesError> {
        let changes = std::mem::take(self.changes.get_mut().unwrap_or_else(PoisonError::into_inner));
        let names: Vec<String> = changes.iter().map(|(name, _)| name.clone()).collect();
        // Devices come first: writing to them can fail at any time, and no file has been moved
        // then.
        let (into, moves): (Vec<Change>, Vec<Change>) = (changes.into_iter().map(|(_, change)| change))
            .partition(|change| matches!(change, Change::WriteInto(..)));
        into.into_iter().try_for_each(Change::make)?;
        self.mark(&names)?;
        let mut folders = BTreeSet::from([self.folder.clone()]);
        for (done, change) in moves.into_iter().enumerate() {
            folders.extend(change.folder());
            change.make().map_err(|reason| self.stopped(done, reason))?;
        }
        folders.iter().try_for_each(|folder| sync_folder(folder))?;
        self.is_mixed = false;
        self.marker.remove()?;
        sync_folder(&self.folder)
    }

    /// Appends the names of the files to the marker, and syncs it to the disk.
    fn mark(&mut self, names: &[String]) -> Result<(), FilesError> {
        let path = self.folder.join(UNFINISHED);
        let text = EXPLANATION.to_owned() + &names.join("\n") + "\n";
        let file = self.marker.file();
        // The names of an older, incomplete set stay.
        let written = file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(text.as_bytes()));
        written.and_then(|()| sync(file)).map_err(at(&path))?;
        sync_folder(&self.folder)
    }

    /// Returns the error of a change that failed after `done` other changes.
    fn stopped(&mut self, done: usize, reason: FilesError) -> FilesError {
        if done == 0 {
            return reason;
        }
        self.is_mixed = true;
        FilesError::Mixed { folder: self.folder.clone(), reason: Box::new(reason) }
    }

    /// Removes temporary files of sets whose process was killed. While this process has the marker,
    /// no other process writes a set.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let names = entries.flatten().map(|entry| entry.file_name());
        let old = names.filter(|name| name.to_str().is_some_and(is_temporary));
        old.for_each(|name| drop(fs::remove_file(self.folder.join(name))));
    }
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY) && name.ends_with(".tmp")
}

impl Drop for FileSet {
    fn drop(&mut self) {
        if !self.is_mixed {
            // The files are complete, all old or all new. If the marker was removed already, this
            // fails.
            let _ = self.marker.remove();
        }
    }
}

impl Change {
    fn make(self) -> Result<(), FilesError> {
        match self {
            Change::Replace(temporary, path) => rename(temporary, &path),
            Change::WriteInto(path, bytes) => write_into(&path, &bytes),
            Change::Remove(path) => match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(at(&path)(error)),
                _ => Ok(()),
            },
        }
    }

    /// Returns the folder whose list of names changes.
    fn folder(&self) -> Option<PathBuf> {
        match self {
            Change::Replace(_, path) | Change::Remove(path) => Some(folder_of(path).into()),
            Change::WriteInto(..) => None,
        }
    }
}

/// Returns the names of the files in a folder that may belong to two runs; none if the folder is
/// complete.
///
/// # Errors
///
/// [`FilesError::System`] or [`FilesError::Kind`] if there is a marker that cannot be read.
pub fn unfinished(folder: &Path) -> Result<Vec<String>, FilesError> {
    let path = folder.join(UNFINISHED);
    let metadata = match fs::symlink_metadata(&path) {
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            return Ok(Vec::new());
        }
        found => found.map_err(at(&path))?,
    };
    if !metadata.is_file() {
        return Err(FilesError::Kind { path, expected: "a regular file", got: kind_of(&metadata) });
    }
    let mut text = String::new();
    let read = File::open(&path).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text));
    read.map_err(at(&path))?;
    Ok(text.lines().filter(|line| !line.starts_with('#')).map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn set(folder: &Path, files: &[(&str, &str)]) -> FileSet {
        let set = FileSet::new(folder).unwrap();
        files.iter().for_each(|(name, text)| set.write(name, text.as_bytes()).unwrap());
        set
    }

    #[test]
    fn files_change_and_go_together() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        set(folder, &[("a", "old"), ("b", "old")]).put_in_place().unwrap();
        assert_eq!(names(folder), ["a", "b"]);
        let next = set(folder, &[("a", "new"), ("c", "new")]);
        next.remove("b").unwrap();
        next.remove("never there").unwrap();
        assert_eq!(
            (fs::read_to_string(folder.join("a")).unwrap(), folder.join("b").exists()),
            ("old".into(), true)
        );
        next.put_in_place().unwrap();
        assert_eq!(names(folder), ["a", "c"]);
        assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "new");
    }

    #[test]
    fn a_set_that_is_given_up_leaves_the_folder_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        set(folder, &[("a", "old")]).put_in_place().unwrap();
        let given_up = set(folder, &[("a", "new"), ("b", "new")]);
        fs::create_dir(folder.join("folder")).unwrap();
        for refused in [given_up.write("folder", b""), given_up.remove("folder")] {
            assert!(matches!(refused, Err(FilesError::Kind { got: "a folder", .. })), "{refused:?}");
        }
        drop(given_up);
        assert_eq!(names(folder), ["a", "folder"]);
        assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "old");
    }

    #[test]
    fn a_pass_that_stopped_half_way_is_recognized_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let stopped = set(folder, &[("a", "new"), ("b", "new"), ("c", "new")]);
        // A folder that keeps the second file from its place.
        fs::create_dir(folder.join("b")).unwrap();
        let error = stopped.put_in_place().unwrap_err();
        assert!(matches!(error, FilesError::Mixed { .. }), "{error}");
        assert_eq!(unfinished(folder).unwrap(), ["a", "b", "c"]);
        assert_eq!(names(folder), [UNFINISHED, "a", "b"]);
        fs::remove_dir(folder.join("b")).unwrap();
        drop(set(folder, &[("a", "newer")]));
        assert_eq!(unfinished(folder).unwrap(), ["a", "b", "c"], "a set that is given up fixes nothing");
        set(folder, &[("a", "newer"), ("b", "newer"), ("c", "newer")]).put_in_place().unwrap();
        assert_eq!(names(folder), ["a", "b", "c"]);
        assert!(unfinished(folder).unwrap().is_empty());
    }

    #[test]
    fn a_pass_that_cannot_begin_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let stopped = set(folder, &[("a", "new"), ("b", "new")]);
        fs::create_dir(folder.join("a")).unwrap();
        assert!(matches!(stopped.put_in_place(), Err(FilesError::System { .. })));
        assert_eq!(names(folder), ["a"]);
    }

    #[test]
    fn temporary_files_of_a_process_that_was_killed_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let left = [".moglb-set-abcdef.tmp", ".moglb-single.tmp", "mine.tmp"];
        left.iter().for_each(|name| fs::write(folder.path().join(name), "").unwrap());
        set(folder.path(), &[("a", "")]).put_in_place().unwrap();
        assert_eq!(names(folder.path()), [".moglb-single.tmp", "a", "mine.tmp"]);
    }
}
