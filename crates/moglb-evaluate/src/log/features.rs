//! From features by name to a table: sparse rows while the names are not known yet, then a column for each name.

use crate::EvaluateError;
use moglb::{Echo, Matrix};
use serde_json::Value;
use std::collections::BTreeMap;

/// A table whose columns are found on the way.
#[derive(Debug, Default)]
pub(super) struct Features {
    /// The number of each name, by their coming.
    names: BTreeMap<String, usize>,
    rows: Vec<Vec<(usize, f64)>>,
}

/// More numbers than this are refused: 2 GiB.
const MOST_NUMBERS: usize = 1 << 28;

impl Features {
    /// Adds a row: a list, or an object whose parts may be objects. Text becomes a column `name=text` of zeros and ones, names
    /// that begin with `_` are left out.
    pub(super) fn push(&mut self, value: Option<&Value>) -> Result<(), String> {
        let mut row = Vec::new();
        value.map_or(Ok(()), |value| self.flatten(String::new(), value, &mut row))?;
        self.rows.push(row);
        Ok(())
    }

    /// Adds a row of one text.
    pub(super) fn push_texts(&mut self, texts: &[(&str, &str)]) {
        let row = texts.iter().map(|(name, text)| (self.number(format!("{name}={text}")), 1.0)).collect();
        self.rows.push(row);
    }

    fn flatten(&mut self, name: String, value: &Value, row: &mut Vec<(usize, f64)>) -> Result<(), String> {
        let within = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") };
        match value {
            Value::Null => {}
            Value::Bool(is) => row.push((self.number(name), f64::from(u8::from(*is)))),
            Value::Number(number) => {
                let number = number.as_f64().ok_or_else(|| {
                    format!("`{}`: {} is too large", Echo(&name), Echo(&number.to_string()))
                })?;
                row.push((self.number(name), number));
            }
            Value::String(text) => row.push((self.number(format!("{name}={text}")), 1.0)),
            Value::Array(values) => {
                for (k, value) in values.iter().enumerate() {
                    // With zeros in front, names are in the order of places.
                    self.flatten(within(&format!("{k:06}")), value, row)?;
                }
            }
            Value::Object(values) => {
                for (part, value) in values.iter().filter(|(part, _)| !part.starts_with('_')) {
                    self.flatten(within(part), value, row)?;
                }
            }
        }
        Ok(())
    }

    fn number(&mut self, name: String) -> usize {
        let next = self.names.len();
        *self.names.entry(name).or_insert(next)
    }

    /// The table, with columns in the order of their names.
    pub(super) fn table(self, file: &str) -> Result<Matrix, EvaluateError> {
        let (n_rows, n_columns) = (self.rows.len(), self.names.len());
        if n_rows.saturating_mul(n_columns) > MOST_NUMBERS {
            let reason = format!("{n_rows} rows of {n_columns} features are too many for a model");
            return Err(EvaluateError::File { file: file.into(), line: None, reason });
        }
        EvaluateError::check_memory("the features of a log", n_rows, n_columns)?;
        let mut places = vec![0; n_columns];
        self.names.values().enumerate().for_each(|(place, &number)| places[number] = place);
        let mut rows = vec![vec![0.0; n_columns]; n_rows];
        for (row, entries) in rows.iter_mut().zip(&self.rows) {
            entries.iter().for_each(|&(number, value)| row[places[number]] += value);
        }
        Ok(Matrix::from_rows(&rows).expect("rows of one length"))
    }
}
