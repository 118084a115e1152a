//! Reads logs from files of any format.

use super::{LogParts, decisions, dsjson, obd};
use crate::EvaluateError;
use moglb::Echo;
use std::path::Path;
use std::str::FromStr;

/// The formats of logs that can be read.
///
/// Example: [`read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A folder in the format `mob-data/1`, or its `meta.json`.
    MobData,
    /// Decisions as JSON lines, `moglb.decisions/1`.
    Decisions,
    /// Decision logs of VW.
    Dsjson,
    /// A table with the columns of the Open Bandit Dataset.
    Obd,
}

impl FromStr for Form {
    type Err = EvaluateError;

    fn from_str(text: &str) -> Result<Self, EvaluateError> {
        Ok(match text {
            "mob-data" => Form::MobData,
            "decisions" => Form::Decisions,
            "dsjson" => Form::Dsjson,
            "obd" => Form::Obd,
            _ => {
                let known = "mob-data, decisions, dsjson, obd";
                return Err(EvaluateError::Unknown { what: "form of logs", got: text.into(), known });
            }
        })
    }
}

/// Options for reading a log.
///
/// Example: [`read`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// The format, if it is not to be guessed.
    pub form: Option<Form>,
    /// The problem, if a folder has several.
    pub problem: Option<String>,
    /// True to read features too. They are not needed without a model and without policies that decide.
    pub features: bool,
    /// The number of arms, if the last ones may never have been played.
    pub n_arms: Option<usize>,
}

/// Reads the parts of a log. Missing propensities are left out, and [`Log::new`](crate::Log::new) refuses
/// them.
///
/// ```
/// use moglb_evaluate::{Log, ReadOptions, read};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("log.jsonl");
/// let line = r#"{"arm": 0, "probability": 0.5, "rewards": {"click": 1}}"#;
/// std::fs::write(&path, line).unwrap();
/// let log = Log::new(read(&path, &ReadOptions::default()).unwrap()).unwrap();
/// assert_eq!((log.n_rounds(), log.objectives()[0].name.as_str()), (1, "click"));
/// ```
///
/// # Errors
///
/// [`EvaluateError::File`] with file and line, [`EvaluateError::Data`] or [`EvaluateError::NotLogged`].
pub fn read(path: &Path, options: &ReadOptions) -> Result<LogParts, EvaluateError> {
    match options.form.map_or_else(|| guess(path), Ok)? {
        Form::MobData => {
            let data = moglb_data::load(path)?;
            LogParts::of_problem(data.problem(options.problem.as_deref())?)
        }
        Form::Decisions => decisions::read(path, options.features, options.n_arms),
        Form::Dsjson => dsjson::read(path, options.features),
        Form::Obd => obd::read(path, options.features, options.n_arms),
    }
}

/// Guesses the format from the kind of path, the ending of its name and, for JSON lines, the first line.
fn guess(path: &Path) -> Result<Form, EvaluateError> {
    let ending = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    if path.is_dir() || path.ends_with("meta.json") {
        return Ok(Form::MobData);
    }
    match ending.as_str() {
        "csv" => Ok(Form::Obd),
        "dsjson" => Ok(Form::Dsjson),
        "json" | "jsonl" | "ndjson" | "log" => {
            let first = super::lines::lines(path)?.next().transpose()?;
            let labels = first.is_some_and(|line| line.object.keys().any(|name| name.starts_with("_label")));
            Ok(if labels { Form::Dsjson } else { Form::Decisions })
        }
        _ => {
            let reason =
                format!("cannot tell the form of a log from the ending `{}`: name the form", Echo(&ending));
            Err(EvaluateError::File { file: path.display().to_string(), line: None, reason })
        }
    }
}
