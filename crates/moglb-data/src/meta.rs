//! `meta.json`: the description of a folder's tables.

use crate::dataset::{DataObjective, Kind};
use crate::findings::{Fault, Finding, Findings};
use crate::read::{self, LARGEST_DOCUMENT};
use moglb::EchoMessage;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The content of `meta.json`. Other keys are for human readers and are ignored.
#[derive(Debug, Deserialize)]
pub(crate) struct Meta {
    pub(crate) format: String,
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) problems: Vec<ProblemMeta>,
    #[serde(default)]
    pub(crate) files: Vec<FileMeta>,
}

/// One problem: its tables, and numbers that are compared with the tables if they are present.
#[derive(Debug, Deserialize)]
pub(crate) struct ProblemMeta {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) objectives: Vec<DataObjective>,
    pub(crate) rounds: Option<String>,
    pub(crate) rewards: Option<String>,
    pub(crate) arms: Option<String>,
    pub(crate) logged: Option<String>,
    pub(crate) candidates: Option<String>,
    pub(crate) arm_features: Option<String>,
    pub(crate) arm_ids: Option<Vec<serde_json::Value>>,
    pub(crate) n_rounds: Option<usize>,
    pub(crate) n_arms: Option<usize>,
    pub(crate) context_dim: Option<usize>,
    pub(crate) x_max_norm: Option<f64>,
}

impl ProblemMeta {
    /// The ids of the arms as text: `3` and `"3"` are equal.
    pub(crate) fn arm_ids(&self) -> Option<Vec<String>> {
        let text = |id: &serde_json::Value| id.as_str().map_or_else(|| id.to_string(), Into::into);
        self.arm_ids.as_ref().map(|ids| ids.iter().map(text).collect())
    }
}

/// The expected size and digest of a file.
#[derive(Debug, Deserialize)]
pub(crate) struct FileMeta {
    pub(crate) path: String,
    pub(crate) rows: Option<u64>,
    pub(crate) bytes: Option<u64>,
    pub(crate) sha256: Option<String>,
}

/// The name of the file that describes a folder.
pub(crate) const META: &str = "meta.json";

/// The folder of a path, and the content of its `meta.json`.
pub(crate) fn read(path: &Path, findings: &mut Findings) -> Option<(PathBuf, Meta)> {
    let (folder, file) = match path.is_dir() {
        true => (path.to_owned(), path.join(META)),
        false => (path.parent().map(Path::to_owned).unwrap_or_default(), path.to_owned()),
    };
    let shown = file.display().to_string();
    let bytes = match read::bytes(&file, LARGEST_DOCUMENT) {
        Ok(bytes) => bytes,
        Err(error) => {
            findings.add_to_file(&shown, None, Fault::Unreadable { reason: error.to_string() });
            return None;
        }
    };
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match serde_json::from_slice::<Meta>(text) {
        Ok(meta) => Some((folder, meta)),
        Err(error) => {
            let fault = Fault::Meta { reason: EchoMessage(&error.to_string()).to_string() };
            let row = Some(error.line() as u64).filter(|&line| line > 0);
            findings.add(Finding { file: shown, row, column: None, fault });
            None
        }
    }
}
