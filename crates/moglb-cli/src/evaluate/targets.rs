//! The policies to evaluate, as the command line names them.

use crate::failure::Failure;
use moglb::{Echo, EchoMessage, Matrix, PlayConfig};
use moglb_data::Layout;
use moglb_data::read::{self, CsvRows, LARGEST_STATE};
use moglb_evaluate::{EvaluateError, Log, Snapshot, Target};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// A policy on the command line: `[NAME=]KIND[:WHAT]`. Without a name, the text is the name.
pub struct Wish<'a> {
    name: &'a str,
    kind: &'a str,
    what: Option<&'a str>,
}

/// A saved policy with its preferences and its layout of contexts: the object form of `snapshot:FILE`. The
/// snapshot is the object itself, or the name of a file in the same folder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapped {
    snapshot: Value,
    play: Option<PlayConfig>,
    layout: Option<Layout>,
    scale: Option<f64>,
}

/// The kinds of policies, for messages.
const KINDS: &str = "arm:ID, uniform, logged, table:FILE.csv, greedy:W,.., snapshot:FILE.json";

impl<'a> Wish<'a> {
    /// Parses the text. An `=` after the kind belongs to the rest, such as the name of a file.
    pub fn new(text: &'a str) -> Self {
        let (name, rest) = match text.split_once('=') {
            Some((name, rest)) if !name.contains(':') => (name, rest),
            _ => (text, text),
        };
        let (kind, what) = rest.split_once(':').map_or((rest, None), |(kind, what)| (kind, Some(what)));
        Self { name, kind, what }
    }

    /// Returns true if the policy needs the features of the log.
    pub fn needs_features(&self) -> bool {
        matches!(self.kind, "greedy" | "snapshot")
    }

    /// Reads the policy and returns it with its name.
    ///
    /// # Errors
    ///
    /// Fails if the kind or the arm is unknown, or if a file or a weight cannot be read.
    pub fn target(&self, log: &Log) -> Result<(String, Target), Failure> {
        let target = match (self.kind, self.what) {
            ("uniform", None) => Target::Uniform,
            ("logged", None) => Target::Logged,
            ("arm", Some(arm)) => Target::Arm(find_arm(log, arm)?),
            ("greedy", Some(weights)) => Target::Greedy(self.weights(weights)?),
            ("table", Some(file)) => Target::Table(read_table(Path::new(file))?),
            ("snapshot", Some(file)) => Target::Snapshot(Box::new(self.snapshot(Path::new(file))?)),
            _ => {
                let got = self.name.into();
                return Err(EvaluateError::Unknown { what: "policy", got, known: KINDS }.into());
            }
        };
        Ok((self.name.into(), target))
    }

    /// Parses weights between commas.
    fn weights(&self, text: &str) -> Result<Vec<f64>, Failure> {
        let number = |cell: &str| cell.trim().parse::<f64>();
        let read: Result<_, _> = text.split(',').map(number).collect();
        read.map_err(|_| {
            let (name, got) = (Echo(self.name), Echo(text));
            Failure::bad_input(format!("`{name}`: expected weights between commas, got `{got}`"))
        })
    }

    /// Reads a saved policy, alone or wrapped with its preferences and its layout.
    fn snapshot(&self, file: &Path) -> Result<Snapshot, Failure> {
        let wrong = |reason: String| Failure::in_file(file, EchoMessage(&reason));
        let read = |file: &Path| read::text(file, LARGEST_STATE).map_err(|error| wrong(error.to_string()));
        let text = read(file)?;
        let value: Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if value.get("snapshot").is_none() {
            return Ok(Snapshot::from_json(self.name, &text, None)?);
        }
        let wrapped: Wrapped = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        let text = match &wrapped.snapshot {
            Value::String(other) => read(&file.with_file_name(other))?,
            snapshot => snapshot.to_string(),
        };
        let snapshot = Snapshot::from_json(self.name, &text, wrapped.play.as_ref())?;
        Ok(match wrapped.layout {
            Some(layout) => snapshot.with_layout(layout, wrapped.scale),
            None => snapshot,
        })
    }
}

/// The index of an arm by its name, or else by its position from 0.
fn find_arm(log: &Log, arm: &str) -> Result<usize, Failure> {
    let named = log.arms().iter().position(|name| name == arm);
    let placed = arm.parse::<usize>().ok().filter(|&place| place < log.n_arms());
    let missing =
        || EvaluateError::UnknownArm { place: "--policy".into(), n_arms: log.n_arms(), arm: arm.into() };
    named.or(placed).ok_or_else(|| missing().into())
}

/// Reads the probability of every arm (columns) in every round (rows) from a CSV file with a header.
fn read_table(file: &Path) -> Result<Matrix, Failure> {
    let wrong = |reason: String| Failure::in_file(file, EchoMessage(&reason));
    let mut table = CsvRows::open(file).map_err(|error| wrong(error.to_string()))?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (line, record) in (2..).zip(std::iter::from_fn(|| table.next_row())) {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let row: Result<_, _> = record.iter().map(|cell| cell.trim().parse::<f64>()).collect();
        rows.push(row.map_err(|_| wrong(format!("line {line}: expected numbers between commas")))?);
    }
    Matrix::from_rows(&rows).map_err(|error| wrong(error.to_string()))
}
