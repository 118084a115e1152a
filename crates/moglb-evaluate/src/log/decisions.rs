//! Decision logs as JSON lines, `moglb.decisions/1`: a line for each decision, and optionally a line before
//! them that describes them.
//!
//! ```json
//! {"format": "moglb.decisions/1", "objectives": [{"name": "click", "link": "logit"}], "arms": ["a", "b"]}
//! {"id": "7", "context": [0.2], "arms": [[1], [0]], "arm": 1, "probabilities": [0.3, 0.7], "rewards": [1.0]}
//! ```
//!
//! `version` names the version of the policy that decided: a change of it is a sign that the policy learned.
//! `context` and the entries of `arms` are lists or objects of features; both may be left out. `arm` is a
//! position, or a name of the first line. `probabilities` has all arms, `probability` the played one.
//! `rewards` is a list, or an object by objective.

use super::features::Features;
use super::lines::{Line, lines};
use super::trail::Trail;
use super::{ArmFeatures, LogParts, MOST_ARMS};
use crate::{EvaluateError, table};
use moglb::{Echo, EchoMessage, Link, Matrix, Objective};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The name and version of the format.
pub(super) const FORMAT: &str = "moglb.decisions/1";

/// The data that has been read so far.
#[derive(Default)]
struct DecisionsReading {
    parts: LogParts,
    trail: Trail,
    ids: BTreeSet<String>,
    contexts: Features,
    arms: Features,
    n_arms: usize,
    /// The number of arms with features in each round so far.
    offered: Option<usize>,
    propensities: Vec<Option<f64>>,
    probabilities: Vec<Option<Vec<f64>>>,
    rewards: Vec<Vec<f64>>,
}

pub(super) fn read(
    path: &Path,
    with_features: bool,
    n_arms: Option<usize>,
) -> Result<LogParts, EvaluateError> {
    let mut reading = DecisionsReading { n_arms: n_arms.unwrap_or(0), ..DecisionsReading::default() };
    for line in lines(path)? {
        let line = line?;
        match line.object.get("format") {
            Some(format) if format == FORMAT && reading.rewards.is_empty() => reading.head(&line),
            Some(format) => {
                let got = format.to_string();
                Err(line
                    .wrong(format!("expected a decision, or `{FORMAT}` first, got format {}", Echo(&got))))
            }
            None => reading.decision(&line, with_features),
        }?;
    }
    reading.finish(&path.display().to_string(), with_features)
}

impl DecisionsReading {
    fn head(&mut self, line: &Line) -> Result<(), EvaluateError> {
        if let Some(objectives) = line.object.get("objectives") {
            let read = serde_json::from_value(objectives.clone());
            self.parts.objectives = read
                .map_err(|error| line.wrong(format!("`objectives`: {}", EchoMessage(&error.to_string()))))?;
        }
        if let Some(arms) = line.object.get("arms") {
            let read = serde_json::from_value::<Vec<String>>(arms.clone());
            self.parts.arms = read.map_err(|error| {
                line.wrong(format!("`arms`: expected names: {}", EchoMessage(&error.to_string())))
            })?;
            self.n_arms = self.parts.arms.len();
        }
        Ok(())
    }

    fn decision(&mut self, line: &Line, with_features: bool) -> Result<(), EvaluateError> {
        if let Some(id) = line.object.get("id")
            && !self.ids.insert(id.to_string())
        {
            return Err(line.wrong(format!("the decision {} came before", Echo(&id.to_string()))));
        }
        if with_features {
            self.contexts.push(line.object.get("context")).map_err(|reason| line.wrong(reason))?;
            self.offered(line)?;
        }
        let seen = ["context", "arms"].map(|name| line.object.get(name));
        self.trail.push(&seen, line.object.get("version"));
        let arm = self.arm(line)?;
        let probabilities = line.numbers("probabilities")?;
        self.n_arms = self.n_arms.max(arm + 1).max(probabilities.as_ref().map_or(0, Vec::len));
        self.propensities
            .push(line.number("probability")?.or_else(|| probabilities.as_ref()?.get(arm).copied()));
        self.probabilities.push(probabilities);
        self.parts.played.push(arm);
        self.rewards(line)
    }

    fn offered(&mut self, line: &Line) -> Result<(), EvaluateError> {
        let none = Vec::new();
        let arms = match line.object.get("arms") {
            None => &none,
            Some(Value::Array(arms)) => arms,
            Some(other) => {
                return Err(line.wrong(format!("`arms`: expected a list, got {}", Echo(&other.to_string()))));
            }
        };
        let expected = *self.offered.get_or_insert(arms.len());
        if arms.len() != expected {
            let got = arms.len();
            return Err(line.wrong(format!("expected {expected} arms as in the decisions before, got {got}")));
        }
        self.n_arms = self.n_arms.max(expected);
        arms.iter().try_for_each(|arm| self.arms.push(Some(arm)).map_err(|reason| line.wrong(reason)))
    }

    fn arm(&self, line: &Line) -> Result<usize, EvaluateError> {
        let arm = line.object.get("arm").unwrap_or(&Value::Null);
        let named = |name: &str| self.parts.arms.iter().position(|arm| arm == name);
        let place = arm.as_u64().and_then(|arm| usize::try_from(arm).ok()).filter(|&arm| arm < MOST_ARMS);
        let found = place.or_else(|| arm.as_str().and_then(named));
        found.ok_or_else(|| {
            line.wrong(format!(
                "`arm`: expected a position or one of the names of arms, got {}",
                Echo(&arm.to_string())
            ))
        })
    }

    fn rewards(&mut self, line: &Line) -> Result<(), EvaluateError> {
        let rewards = line.object.get("rewards").unwrap_or(&Value::Null);
        if self.parts.objectives.is_empty() {
            let names: Vec<String> = match rewards {
                Value::Array(values) => (0..values.len()).map(|k| k.to_string()).collect(),
                Value::Object(values) => values.keys().cloned().collect(),
                _ => Vec::new(),
            };
            self.parts.objectives =
                names.into_iter().map(|name| Objective::new(name, Link::Identity)).collect();
        }
        let objectives = &self.parts.objectives;
        let row = match rewards {
            Value::Array(_) => line.numbers("rewards")?.unwrap_or_default(),
            Value::Object(values) => {
                let value = |one: &Objective| {
                    line.as_number(&one.name, values.get(&one.name).unwrap_or(&Value::Null))
                };
                objectives.iter().map(value).collect::<Result<_, _>>()?
            }
            other => {
                let got = other.to_string();
                return Err(
                    line.wrong(format!("`rewards`: expected a list or an object, got {}", Echo(&got)))
                );
            }
        };
        if row.len() != objectives.len() {
            let (expected, got) = (objectives.len(), row.len());
            return Err(line.wrong(format!("`rewards`: expected {expected}, got {got}")));
        }
        self.rewards.push(row);
        Ok(())
    }

    fn finish(self, file: &str, with_features: bool) -> Result<LogParts, EvaluateError> {
        let (mut parts, n_arms, n_rounds) = (self.parts, self.n_arms, self.rewards.len());
        if parts.arms.is_empty() {
            parts.arms = LogParts::numbered(n_arms)?;
        }
        parts.contexts = match with_features {
            true => self.contexts.table(file)?,
            false => Matrix::from_fn(n_rounds, 0, |_, _| 0.0),
        };
        if self.offered.is_some_and(|offered| offered > 0) {
            parts.arm_features = ArmFeatures::PerRound(self.arms.table(file)?);
        }
        parts.propensities = self.propensities.into_iter().collect();
        let whole: Option<Vec<Vec<f64>>> = self.probabilities.into_iter().collect();
        let ragged = |_| EvaluateError::File {
            file: file.into(),
            line: None,
            reason: "`probabilities` differ in length".into(),
        };
        parts.probabilities = whole
            .filter(|rows| !rows.is_empty())
            .map(|rows| Matrix::from_rows(&rows))
            .transpose()
            .map_err(ragged)?;
        parts.rewards = table::of_rows(&self.rewards);
        self.trail.finish(&mut parts);
        Ok(parts)
    }
}
