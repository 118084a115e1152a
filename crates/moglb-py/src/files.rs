//! Writing of complete files: each file of a set is either written completely or not at all.

use crate::errors::raised;
use moglb_files::{FileSet, FilesError};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// Writes texts to files of a folder, each a name and a text. Either all files are written or none.
#[pyfunction]
pub(crate) fn write_files(py: Python<'_>, folder: PathBuf, files: Vec<(String, String)>) -> PyResult<()> {
    let written = py.detach(|| write(&folder, &files));
    written.map_err(|error| raised(py, error.code(), &error.to_string()))
}

/// Writes the files under temporary names first, and then puts all of them in place.
fn write(folder: &Path, files: &[(String, String)]) -> Result<(), FilesError> {
    let set = FileSet::new(folder)?;
    files.iter().try_for_each(|(name, text)| set.write(name, text.as_bytes()))?;
    set.put_in_place()
}
