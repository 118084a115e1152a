//! Files with a JSON object on every line.

use crate::EvaluateError;
use moglb::{Echo, EchoMessage};
use moglb_data::read::{Lines, ReadError};
use serde_json::{Map, Value};
use std::path::Path;
use std::rc::Rc;

/// A JSON object of a file, with its place for error messages.
pub(super) struct Line {
    file: Rc<str>,
    number: u64,
    pub(super) object: Map<String, Value>,
}

impl Line {
    /// An error about this line.
    pub(super) fn wrong(&self, reason: impl Into<String>) -> EvaluateError {
        EvaluateError::File { file: self.file.to_string(), line: Some(self.number), reason: reason.into() }
    }

    /// The number with this name, if there is a value with this name.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, EvaluateError> {
        match self.object.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.as_number(name, value).map(Some),
        }
    }

    /// The list of numbers with this name, if there is a value with this name.
    pub(super) fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>, EvaluateError> {
        match self.object.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(values)) => {
                values.iter().map(|value| self.as_number(name, value)).collect::<Result<_, _>>().map(Some)
            }
            Some(other) => {
                Err(self
                    .wrong(format!("`{name}`: expected a list of numbers, got {}", Echo(&other.to_string()))))
            }
        }
    }

    pub(super) fn as_number(&self, name: &str, value: &Value) -> Result<f64, EvaluateError> {
        let wrong = || format!("`{}`: expected a number, got {}", Echo(name), Echo(&value.to_string()));
        value.as_f64().ok_or_else(|| self.wrong(wrong()))
    }
}

/// The objects of a file; blank lines are skipped.
pub(super) fn lines(path: &Path) -> Result<impl Iterator<Item = Result<Line, EvaluateError>>, EvaluateError> {
    let file: Rc<str> = path.display().to_string().into();
    let wrong = |file: &Rc<str>, line, reason| EvaluateError::File { file: file.to_string(), line, reason };
    let texts = Lines::open(path).map_err(|error| wrong(&file, None, error.to_string()))?;
    Ok(texts.filter_map(move |(number, text)| {
        let text = match &text {
            Ok(text) => text.trim_start_matches('\u{feff}').trim(),
            // This error already names the line.
            Err(error @ ReadError::LongLine { .. }) => {
                return Some(Err(wrong(&file, None, error.to_string())));
            }
            Err(error) => return Some(Err(wrong(&file, Some(number), error.to_string()))),
        };
        if text.is_empty() {
            return None;
        }
        Some(match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(object)) => Ok(Line { file: Rc::clone(&file), number, object }),
            Ok(_) => Err(wrong(&file, Some(number), "expected a JSON object".into())),
            Err(error) => Err(wrong(
                &file,
                Some(number),
                format!("expected a JSON object: {}", EchoMessage(&error.to_string())),
            )),
        })
    }))
}
