//! Records of measurements: contestant, case, measured quantity, and its numbers.
//!
//! A record is a line of JSON, so a run can be saved and its report made again with `--from`.

use moglb::FrontPath;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The names of the contestants in records and tables.
pub mod who {
    /// This project.
    pub const OURS: &str = "moglb";
    /// The plain C reference of `bench/reference`.
    pub const C: &str = "C";
    /// The limit of the machine for a case, measured next to it.
    pub const FLOOR: &str = "floor";
    /// NumPy as an expert writes it: cached scores, pivots, moocore.
    pub const NUMPY_EXPERT: &str = "NumPy expert";
    /// NumPy with fresh arms: BLAS for the widths, moocore.
    pub const NUMPY_GOOD: &str = "NumPy good";
    /// NumPy as a direct translation of the formulas.
    pub const NUMPY_NAIVE: &str = "NumPy straightforward";
    /// moocore, the C library.
    pub const MOOCORE: &str = "moocore";
    /// paretoset, compiled by numba.
    pub const PARETOSET: &str = "paretoset";
}

/// A line of the record file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The section.
    pub section: String,
    /// The case within it, such as `K=40, d=10`.
    pub case: String,
    /// The contestant: one of [`who`].
    pub who: String,
    /// The measured quantity, such as `round`.
    pub what: String,
    /// The unit: `s`, `B`, `B/s` or `flop/s`.
    pub unit: String,
    /// The number of the repeat, from 0. Contestants take turns within a repeat.
    pub repeat: usize,
    /// The result.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The result of a measurement. The C reference and the peers print it in this form.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The numbers; `None` if nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// The reason why nothing was measured, or a remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Further numbers: projections per round, size of the front, …
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, f64>,
}

/// Quantiles of samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub p90: f64,
    pub samples: usize,
}

impl Spread {
    /// Computes the quantiles, by the same rule as the C reference.
    ///
    /// # Panics
    ///
    /// Panics if there are no samples.
    pub fn of(mut samples: Vec<f64>) -> Self {
        assert!(!samples.is_empty(), "at least one sample");
        samples.sort_by(f64::total_cmp);
        let n = samples.len();
        Self { median: samples[n / 2], min: samples[0], p90: samples[n * 9 / 10], samples: n }
    }

    /// A number that does not vary.
    pub fn exact(value: f64) -> Self {
        Self { median: value, min: value, p90: value, samples: 1 }
    }

    /// The quantiles times a factor, such as for another amount of work.
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            median: self.median * factor,
            min: self.min * factor,
            p90: self.p90 * factor,
            samples: self.samples,
        }
    }
}

/// The beginning of the note of an outcome that took too long.
const STOPPED: &str = "stopped";

impl From<Spread> for Outcome {
    fn from(spread: Spread) -> Self {
        Self { spread: Some(spread), ..Self::default() }
    }
}

impl Outcome {
    /// An outcome without numbers, with the reason.
    pub fn not_run(reason: impl Into<String>) -> Self {
        Self { note: Some(reason.into()), ..Self::default() }
    }

    /// An outcome that was stopped, or not started, because it takes too long.
    pub fn stopped(why: impl std::fmt::Display) -> Self {
        Self::not_run(format!("{STOPPED}: {why}"))
    }

    /// Returns true if the measurement took too long.
    pub fn is_stopped(&self) -> bool {
        self.note.as_deref().is_some_and(|note| note.starts_with(STOPPED))
    }

    /// Returns the outcome with a note on the path by which a front was found.
    pub fn by(mut self, path: Option<FrontPath>) -> Self {
        self.note = path.map(|path| format!("by {}", path.name()));
        self
    }

    /// Returns the outcome with one more number.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.extra.insert(name.into(), value);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_the_reference_is_read() {
        let line = r#"{"what":"round","spread":{"median":2e-6,"min":1e-6,"p90":3e-6,"samples":9},
            "extra":{"front":7.5}}"#;
        let outcome: Outcome = serde_json::from_str(line).unwrap();
        let spread = Spread { median: 2e-6, min: 1e-6, p90: 3e-6, samples: 9 };
        assert_eq!(outcome, Outcome::from(spread).with("front", 7.5));
    }

    #[test]
    fn a_record_comes_back_as_it_was_written() {
        for outcome in [Outcome::not_run("no C compiler"), Spread::of(vec![3.0, 1.0, 2.0]).into()] {
            let record = Record {
                section: "windows".into(),
                case: "K=40, d=10".into(),
                who: who::C.into(),
                what: "round".into(),
                unit: "s".into(),
                repeat: 1,
                outcome,
            };
            let line = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record, "{line}");
        }
    }
}
