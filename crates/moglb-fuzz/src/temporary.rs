//! Files for functions that read paths. There is one folder per thread, in which the next input
//! overwrites the files of the previous one.

use std::path::{Path, PathBuf};

thread_local! {
    static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("a temporary folder can be made");
}

/// Writes files into the folder of this thread, and calls a function with the folder.
pub fn with_files<T>(files: &[(&str, &[u8])], then: impl FnOnce(&Path) -> T) -> T {
    let folder: PathBuf = FOLDER.with(|folder| folder.path().to_path_buf());
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("a temporary file can be written");
    }
    then(&folder)
}
