//! Files that are written whole or not at all, for what the package writes itself.

use crate::errors::raised;
use moglb_files::{FileSet, FilesError};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// Writes texts to files of a folder, each a name and a text: all of them, or none.
#[pyfunction]
pub(crate) fn write_files(py: Python<'_>, folder: PathBuf, files: Vec<(String, String)>) -> PyResult<()> {
    let written = py.detach(|| write(&folder, &files));
    written.map_err(|error| raised(py, error.code(), &error.to_string()))
}

fn write(folder: &Path, files: &[(String, String)]) -> Result<(), FilesError> {
    let set = FileSet::new(folder)?;
    files.iter().try_for_each(|(name, text)| set.write(name, text.as_bytes()))?;
    set.put_in_place()
}
