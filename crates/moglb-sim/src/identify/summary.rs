//! The summary of an experiment in finding the front, as it is written to `summary.json`.

use super::runner::{Identified, IdentifiedRun, IdentifiedTrial};
use crate::json;
use crate::stats::wilson95;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name and version of the format of the summary.
pub const IDENTIFY_FORMAT: &str = "moglb.identify/1";

/// The summary of an experiment in finding the front.
///
/// Example: [`identify`].
///
/// [`identify`]: crate::identify()
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IdentificationSummary {
    /// Always [`IDENTIFY_FORMAT`].
    pub format: String,
    /// The version of moglb that ran the experiment.
    pub moglb_version: String,
    /// The experiment.
    pub experiment: IdentificationInfo,
    /// The runs, in the order of the plan.
    pub runs: Vec<IdentificationRun>,
}

/// The numbers of an experiment.
///
/// Example: [`identify`].
///
/// [`identify`]: crate::identify()
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IdentificationInfo {
    /// The name of the experiment.
    pub name: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// The number of trials.
    pub trials: usize,
    /// The largest number of samples of a trial, at which it is cut off.
    pub most_samples: u64,
}

/// The results of one identifier on one environment.
///
/// Example: [`identify`].
///
/// [`identify`]: crate::identify()
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IdentificationRun {
    /// The id of the environment.
    pub environment: String,
    /// The parameters of the environment.
    pub environment_params: BTreeMap<String, serde_json::Value>,
    /// The number of features d.
    pub dim: usize,
    /// The number of arms K.
    pub arms: usize,
    /// The number of objectives m.
    pub objectives: usize,
    /// The id of the identifier.
    pub identifier: String,
    /// The parameters of the identifier, with every default filled in.
    pub params: BTreeMap<String, serde_json::Value>,
    /// The share of trials in which it stopped with an answer that satisfies its goal.
    pub success: Success,
    /// The share of trials in which it stopped before it was cut off.
    pub stopped: f64,
    /// The number of samples until it stopped or was cut off.
    pub samples: Samples,
    /// The mean number of arms of the true front that the answer lacks.
    pub missed: f64,
    /// The mean number of arms of the answer that are off the true front.
    pub wrong: f64,
    /// The mean Jaccard index of the answer and the true front.
    pub jaccard: f64,
    /// The mean number of arms in the answer.
    pub answer_size: f64,
    /// The mean number of arms on the true front.
    pub front_size: f64,
}

/// A rate with its 95 % interval (Wilson).
///
/// Example: [`identify`].
///
/// [`identify`]: crate::identify()
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Success {
    /// The rate.
    pub rate: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The distribution of the number of samples over trials.
///
/// Example: [`identify`].
///
/// [`identify`]: crate::identify()
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: u64,
    /// The 10 % quantile.
    pub q10: u64,
    /// The 90 % quantile.
    pub q90: u64,
    /// The largest number of any trial.
    pub most: u64,
}

impl Samples {
    /// The distribution over some trials. Quantiles are numbers of samples that were observed.
    fn of(trials: &[IdentifiedTrial]) -> Self {
        let mut sorted: Vec<u64> = trials.iter().map(|trial| trial.samples).collect();
        sorted.sort_unstable();
        // The smallest number that this share of the trials does not exceed.
        let quantile = |tenths: usize| sorted[(sorted.len() * tenths).div_ceil(10).max(1) - 1];
        let mean = mean(trials, |trial| trial.samples as f64);
        Self { mean, median: quantile(5), q10: quantile(1), q90: quantile(9), most: quantile(10) }
    }
}

/// The mean of a value over trials.
fn mean(trials: &[IdentifiedTrial], value: impl Fn(&IdentifiedTrial) -> f64) -> f64 {
    trials.iter().map(value).sum::<f64>() / trials.len() as f64
}

impl Identified {
    /// Summarizes all runs.
    pub fn summary(&self) -> IdentificationSummary {
        let experiment = &self.experiment;
        IdentificationSummary {
            format: IDENTIFY_FORMAT.into(),
            moglb_version: env!("CARGO_PKG_VERSION").into(),
            experiment: IdentificationInfo {
                name: experiment.name.clone(),
                seed: experiment.seed,
                trials: experiment.trials,
                most_samples: experiment.most_samples,
            },
            runs: self.runs.iter().map(summarize).collect(),
        }
    }
}

/// Summarizes the trials of one run.
fn summarize(run: &IdentifiedRun) -> IdentificationRun {
    let (trials, environment) = (&run.trials[..], &run.planned.environment);
    let successes = trials.iter().filter(|trial| trial.success).count();
    let (low, high) = wilson95(successes, trials.len());
    IdentificationRun {
        environment: environment.name().into(),
        environment_params: environment.params(),
        dim: environment.dim(),
        arms: environment.n_arms(),
        objectives: environment.problem().map_or(0, |problem| problem.n_objectives()),
        identifier: run.planned.identifier.id().into(),
        params: json::params(&run.planned.identifier),
        success: Success { rate: successes as f64 / trials.len() as f64, low, high },
        stopped: mean(trials, |trial| f64::from(u8::from(trial.stopped))),
        samples: Samples::of(trials),
        missed: mean(trials, |trial| trial.missed as f64),
        wrong: mean(trials, |trial| trial.wrong as f64),
        jaccard: mean(trials, |trial| trial.jaccard),
        answer_size: mean(trials, |trial| trial.answer_size as f64),
        front_size: mean(trials, |trial| trial.front_size as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_numbers_of_samples_that_were_seen() {
        let trial = |samples: u64| IdentifiedTrial {
            samples,
            stopped: true,
            success: true,
            front_size: 1,
            answer_size: 1,
            missed: 0,
            wrong: 0,
            jaccard: 1.0,
        };
        let trials: Vec<_> = [9, 1, 3, 7, 5, 2, 8, 4, 6, 10].map(trial).to_vec();
        let expected = Samples { mean: 5.5, median: 5, q10: 1, q90: 9, most: 10 };
        assert_eq!(Samples::of(&trials), expected);
        assert_eq!(Samples::of(&trials[..1]).q10, 9);
    }
}
