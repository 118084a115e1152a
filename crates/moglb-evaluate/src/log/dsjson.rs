//! Decision logs of VW, `dsjson`: a line for each decision.
//!
//! ```json
//! {"_label_cost": -1.0, "_label_probability": 0.8, "_labelIndex": 1, "a": [2, 1], "p": [0.8, 0.2],
//!  "c": {"User": {"age": 0.3}, "_multi": [{"Item": {"id": "x"}}, {"Item": {"id": "y"}}]}}
//! ```
//!
//! `a` has the actions, numbered from 1, in the order of `p`. Arms are the positions in `c._multi`, of which
//! a decision may have any number. The objective is `cost`, smaller is better. An extension for several
//! objectives is `"_label_rewards": {"click": 1.0, "revenue": 0.2}`, larger is better, which replaces
//! `_label_cost`.

use super::features::Features;
use super::lines::{Line, lines};
use super::trail::Trail;
use super::{ArmFeatures, LogParts, MOST_ARMS};
use crate::{EvaluateError, table};
use moglb::{EchoNumber, Link, Matrix, Objective};
use serde_json::{Map, Value};
use std::path::Path;

#[derive(Default)]
struct DsjsonReading {
    parts: LogParts,
    trail: Trail,
    contexts: Features,
    arms: Features,
    /// The number of actions of each decision.
    offered: Vec<usize>,
    propensities: Vec<Option<f64>>,
    probabilities: Vec<Vec<f64>>,
    rewards: Vec<Vec<f64>>,
}

pub(super) fn read(path: &Path, with_features: bool) -> Result<LogParts, EvaluateError> {
    let mut reading = DsjsonReading::default();
    for line in lines(path)? {
        reading.decision(&line?, with_features)?;
    }
    let (mut parts, n_rounds) = (reading.parts, reading.rewards.len());
    let file = path.display().to_string();
    let n_arms = reading.offered.iter().copied().max().unwrap_or(0);
    parts.arms = LogParts::numbered(n_arms)?;
    EvaluateError::check_memory("the actions of all decisions", n_rounds, n_arms)?;
    match with_features {
        true => {
            parts.contexts = reading.contexts.table(&file)?;
            let table = reading.arms.table(&file)?;
            parts.arm_features = match table.n_cols() {
                0 => ArmFeatures::None,
                n_columns => {
                    let rows = n_rounds.saturating_mul(n_arms);
                    EvaluateError::check_memory("the features of all actions", rows, n_columns)?;
                    ArmFeatures::PerRound(padded(&table, &reading.offered, n_arms))
                }
            };
        }
        false => parts.contexts = Matrix::from_fn(n_rounds, 0, |_, _| 0.0),
    }
    parts.propensities = reading.propensities.into_iter().collect();
    if n_rounds > 0 && reading.probabilities.iter().all(|row| !row.is_empty()) {
        reading.probabilities.iter_mut().for_each(|row| row.resize(n_arms, 0.0));
        parts.probabilities = Some(table::of_rows(&reading.probabilities));
    }
    parts.offered = Some(reading.offered);
    parts.rewards = table::of_rows(&reading.rewards);
    reading.trail.finish(&mut parts);
    Ok(parts)
}

/// The table with rows of zeros for actions that a decision did not have.
fn padded(table: &Matrix, offered: &[usize], n_arms: usize) -> Matrix {
    let (mut data, mut first, dim) = (Vec::new(), 0, table.n_cols());
    for &n in offered {
        data.extend_from_slice(&table.as_slice()[first * dim..(first + n) * dim]);
        data.resize(data.len() + (n_arms - n) * dim, 0.0);
        first += n;
    }
    Matrix::new(dim, data).expect("whole rows")
}

impl DsjsonReading {
    fn decision(&mut self, line: &Line, with_features: bool) -> Result<(), EvaluateError> {
        if line.number("pdrop")?.unwrap_or(0.0) > 0.0 {
            return Err(line.wrong("rounds were dropped (`pdrop`), so the log is not complete"));
        }
        let none = Map::new();
        let context = match line.object.get("c") {
            Some(Value::Object(context)) => context,
            _ => &none,
        };
        let multi = context.get("_multi").and_then(Value::as_array);
        let actions = line.numbers("a")?.unwrap_or_default();
        let n_arms = multi.map_or(actions.len(), Vec::len);
        if n_arms == 0 || n_arms > MOST_ARMS {
            return Err(line.wrong(format!("expected actions in `c._multi` or `a`, got {n_arms}")));
        }
        self.offered.push(n_arms);
        // VW writes the id of the model that decided into `VWState.m`.
        let version = line.object.get("VWState").and_then(|state| state.get("m"));
        self.trail.push(&[line.object.get("c")], version);
        if with_features {
            self.contexts.push(line.object.get("c")).map_err(|reason| line.wrong(reason))?;
            for arm in 0..n_arms {
                self.arms.push(multi.map(|arms| &arms[arm])).map_err(|reason| line.wrong(reason))?;
            }
        }
        let played = self.played(line, &actions, n_arms)?;
        self.chances(line, &actions, played, n_arms)?;
        self.parts.played.push(played);
        let rewards = self.labels(line)?;
        self.rewards.push(rewards);
        Ok(())
    }

    /// The played action: `_labelIndex`, counted from 0; without it `_label_Action`, and without that the
    /// first of `a`, counted from 1.
    fn played(&self, line: &Line, actions: &[f64], n_arms: usize) -> Result<usize, EvaluateError> {
        let index = line.number("_labelIndex")?;
        let action = line.number("_label_Action")?.or(actions.first().copied()).map(|action| action - 1.0);
        if let (Some(index), Some(action)) = (index, action)
            && index != action
        {
            return Err(line.wrong(format!(
                "`_labelIndex` is {}, the action that was played is {}",
                EchoNumber(index),
                EchoNumber(action + 1.0)
            )));
        }
        let place =
            index.or(action).ok_or_else(|| line.wrong("expected `_labelIndex`, `_label_Action` or `a`"))?;
        place_of(line, place, n_arms)
    }

    fn chances(
        &mut self,
        line: &Line,
        actions: &[f64],
        played: usize,
        n_arms: usize,
    ) -> Result<(), EvaluateError> {
        let chances = line.numbers("p")?.unwrap_or_default();
        let mut row = Vec::new();
        if !chances.is_empty() {
            if chances.len() != actions.len() {
                let (expected, got) = (actions.len(), chances.len());
                return Err(line.wrong(format!("`p`: expected {expected} as in `a`, got {got}")));
            }
            row = vec![0.0; n_arms];
            for (&action, p) in actions.iter().zip(chances) {
                row[place_of(line, action - 1.0, n_arms)?] += p;
            }
        }
        let label = line.number("_label_probability")?;
        if let (Some(label), Some(&listed)) = (label, row.get(played))
            && (label - listed).abs() > 1e-5
        {
            return Err(line.wrong(format!(
                "`_label_probability` is {}, `p` has {}",
                EchoNumber(label),
                EchoNumber(listed)
            )));
        }
        self.propensities.push(label.or(row.get(played).copied()));
        self.probabilities.push(row);
        Ok(())
    }

    fn labels(&mut self, line: &Line) -> Result<Vec<f64>, EvaluateError> {
        let vector = line.object.get("_label_rewards");
        if self.parts.objectives.is_empty() {
            let names = vector
                .and_then(Value::as_object)
                .map(|all| all.keys().map(|name| Objective::new(name, Link::Identity)));
            let cost = || vec![Objective::new("cost", Link::Identity).minimize()];
            self.parts.objectives = names.map_or_else(cost, Iterator::collect);
        }
        match vector {
            Some(Value::Object(values)) if values.len() == self.parts.objectives.len() => {
                let value = |one: &Objective| {
                    line.as_number(&one.name, values.get(&one.name).unwrap_or(&Value::Null))
                };
                self.parts.objectives.iter().map(value).collect()
            }
            None if self.parts.objectives[0].name == "cost" => {
                let cost = line.number("_label_cost")?.ok_or_else(|| line.wrong("expected `_label_cost`"))?;
                Ok(vec![cost])
            }
            _ => Err(line.wrong("expected the rewards of the decisions before in `_label_rewards`")),
        }
    }
}

/// The position of an action.
fn place_of(line: &Line, place: f64, n_arms: usize) -> Result<usize, EvaluateError> {
    if place >= 0.0 && place < n_arms as f64 && place == place.floor() {
        return Ok(place as usize);
    }
    Err(line.wrong(format!("there are {n_arms} actions, got {}", EchoNumber(place + 1.0))))
}
