//! The outcome of an experiment: the document `summary.json`.
//!
//! The format (`moglb.summary/1`) is stable. It has everything that is needed to draw the figures again, so
//! `moglb report` works from this file alone.
//!
//! `outcome` is its part about real data, and `outcome_rows` writes that part as a table.

mod outcome;
mod outcome_rows;

pub use outcome::{Baseline, Column, Comparison, DataOutcome, Plays, Together};
pub use outcome_rows::OutcomeRow;

use crate::Curve;
use moglb::Health;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name and version of the format.
pub const SUMMARY_FORMAT: &str = "moglb.summary/1";

/// The outcome of an experiment.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Always [`SUMMARY_FORMAT`].
    pub format: String,
    /// The version of moglb that ran the experiment.
    pub moglb_version: String,
    /// The numbers of the experiment.
    pub experiment: ExperimentInfo,
    /// One entry per environment, size and policy, in the order of the experiment.
    pub runs: Vec<Run>,
    /// Claims of the paper next to measurements; empty if the experiment can check none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// The values that runs on data are compared with, one entry per environment; empty if no environment
    /// is data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<Comparison>,
}

/// The error for a written summary that is incomplete or inconsistent.
///
/// ```
/// use moglb_sim::{Summary, SummaryError};
///
/// assert!(matches!(Summary::from_json("{}"), Err(SummaryError::Syntax(_))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The text is not the JSON of a summary.
    #[error("{0}")]
    Syntax(String),
    /// The summary has another format.
    #[error("expected format {SUMMARY_FORMAT}, got {got}")]
    Format {
        /// The name of the format in the text.
        got: String,
    },
    /// The curves of a run differ in length.
    #[error("the curves of {policy} at d = {dim} are not of one length")]
    Curves {
        /// The policy's id.
        policy: String,
        /// The dimension d.
        dim: usize,
    },
    /// The outcomes on an environment differ in their numbers of objectives, measures, weights or rounds.
    #[error("the outcomes on {environment} do not fit together")]
    Outcomes {
        /// The environment's name.
        environment: String,
    },
}

impl Summary {
    /// Reads a summary and checks that it is complete: every list has the length that the other lists
    /// require.
    ///
    /// # Errors
    ///
    /// The first [`SummaryError`] that is found.
    pub fn from_json(text: &str) -> Result<Self, SummaryError> {
        let summary: Self =
            serde_json::from_str(text).map_err(|error| SummaryError::Syntax(error.to_string()))?;
        summary.check()?;
        Ok(summary)
    }

    /// Checks the format and the lengths of all lists.
    fn check(&self) -> Result<(), SummaryError> {
        if self.format != SUMMARY_FORMAT {
            return Err(SummaryError::Format { got: self.format.clone() });
        }
        if let Some(run) = self.runs.iter().find(|run| !run.is_whole()) {
            return Err(SummaryError::Curves { policy: run.policy.clone(), dim: run.dim });
        }
        match self.comparisons.iter().find(|comparison| !fits(comparison, &self.runs)) {
            Some(comparison) => Err(SummaryError::Outcomes { environment: comparison.environment.clone() }),
            None => Ok(()),
        }
    }
}

impl Run {
    /// Returns true if all curves have one point for each round of `t`.
    fn is_whole(&self) -> bool {
        let optional = [&self.jaccard, &self.precision, &self.recall, &self.front_size];
        let mut curves = optional.into_iter().flatten().chain([&self.pareto_regret]);
        !self.t.is_empty() && curves.all(|curve| curve.has_length(self.t.len()))
    }
}

impl Comparison {
    /// Returns true if a run is on the environment of this comparison.
    pub fn is_about(&self, run: &Run) -> bool {
        (&self.environment, &self.environment_params) == (&run.environment, &run.environment_params)
    }
}

/// Returns true if the lists of a comparison and of the outcomes of its runs have consistent lengths.
fn fits(comparison: &Comparison, runs: &[Run]) -> bool {
    let Comparison { objectives, measures, weights, .. } = comparison;
    let (m, n) = (objectives.len(), weights.len());
    let baseline = |one: &Baseline| {
        (one.objectives.len(), one.measures.len(), one.regret.len()) == (m, measures.len(), n)
    };
    let outcome = |run: &Run| {
        run.outcome.as_ref().is_none_or(|one| {
            let counts = (one.objectives.len(), one.measures.len());
            counts == (m, measures.len())
                && one.regret.has_length(n)
                && one.hypervolume.has_length(run.t.len())
        })
    };
    m > 0
        && weights.iter().all(|weights| weights.len() == m)
        && comparison.baselines.iter().all(baseline)
        && runs.iter().filter(|run| comparison.is_about(run)).all(outcome)
        && comparison
            .together
            .iter()
            .flat_map(|together| &together.runs)
            .all(|&run| runs.get(run).is_some_and(|run| comparison.is_about(run)))
}

/// The numbers that describe an experiment.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentInfo {
    /// A short name; `paper` for the paper's experiment.
    pub name: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// The number of rounds T.
    pub horizon: u64,
    /// The number of trials.
    pub trials: usize,
}

/// All trials of one policy on one environment of one size.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The environment's name, such as `paper`.
    pub environment: String,
    /// The environment's parameters.
    #[serde(default)]
    pub environment_params: BTreeMap<String, serde_json::Value>,
    /// The dimension d of the contexts.
    pub dim: usize,
    /// The number of arms K.
    pub arms: usize,
    /// The number of objectives m.
    pub objectives: usize,
    /// The policy's id.
    pub policy: String,
    /// The policy's parameters, with the chosen values of tuned ones.
    pub params: BTreeMap<String, serde_json::Value>,
    /// The rounds at which the curves are given.
    pub t: Vec<u64>,
    /// Cumulative Pareto regret PR(t).
    pub pareto_regret: Curve,
    /// Jaccard index of O_t and O*. Absent for a policy without a front, as are the next three curves.
    pub jaccard: Option<Curve>,
    /// The share of O_t that is on O*.
    pub precision: Option<Curve>,
    /// The share of O* that is on O_t.
    pub recall: Option<Curve>,
    /// The size of O_t.
    pub front_size: Option<Curve>,
    /// One value per trial, in the order of the trials.
    #[serde(rename = "final")]
    pub last: Last,
    /// The outcome in the units of the data; absent if the environment is not data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<DataOutcome>,
    /// The findings of the monitors about the assumptions, one entry per trial; absent unless the
    /// experiment monitors them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Vec<Health>>,
    /// The tuning of a parameter, if one was tuned.
    pub tuning: Option<Tuning>,
    /// The rounds played, over all trials.
    pub rounds: u64,
    /// The time of all trials in seconds, added over threads.
    pub seconds: f64,
}

/// The values after the last round, one per trial.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Last {
    /// Pareto regret PR(T).
    pub pareto_regret: Vec<f64>,
    /// Jaccard index in round T; absent for a policy without a front.
    pub jaccard: Option<Vec<f64>>,
    /// The mean of the Jaccard index over all rounds.
    pub jaccard_mean: Option<Vec<f64>>,
    /// Normalized entropy of the pulls on O*: 1 is perfectly even. With fresh arms, where a pull count
    /// means nothing, that of the probabilities on O* in each round, averaged over rounds.
    pub exposure_entropy: Vec<f64>,
    /// The least share of the pulls on O* that an arm of O* had, times |O*|: 1 is perfectly even, 0 leaves
    /// an arm out. With fresh arms computed as the entropy is. Empty in summaries of earlier versions, as
    /// are the next two lists.
    #[serde(default)]
    pub exposure_least: Vec<f64>,
    /// Gini coefficient of the pulls on O*: 0 is perfectly even. With fresh arms computed as the entropy
    /// is.
    #[serde(default)]
    pub exposure_gini: Vec<f64>,
    /// The unevenness of the rewards over the objectives, max ρᵢ − min ρᵢ. Here ρᵢ = (best − mean)/(best −
    /// worst) is the average shortfall of objective i, as a share of the range of its means over the arms.
    #[serde(default)]
    pub envy: Vec<f64>,
    /// The share of all pulls that fell on O*.
    pub share_on_front: Vec<f64>,
    /// The size of O*, in the last round.
    pub true_front_size: Vec<u64>,
    /// The volume dominated by the mean reward vector of the played arms, relative to that of O*. With
    /// fresh arms that of the single played arm, averaged over the rounds of the curves.
    pub hypervolume_mix: Vec<f64>,
    /// The volume dominated by the true means of O_T, relative to that of O*; absent without a front.
    pub hypervolume_front: Option<Vec<f64>>,
    /// The number of times that an estimate was projected back onto the ball of radius D.
    pub projection_hits: Vec<u64>,
}

/// The search of a parameter on a grid, on seeds that the reported trials never use.
///
/// Example: [`Experiment`].
///
/// [`Experiment`]: crate::Experiment
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The parameter's name.
    pub parameter: String,
    /// The values that were tried.
    pub grid: Vec<f64>,
    /// The mean Pareto regret at T of each value.
    pub pareto_regret: Vec<f64>,
    /// The mean Jaccard index at T of each value, if the policy has a front.
    pub jaccard: Option<Vec<f64>>,
    /// The chosen value: the one with the smallest mean Pareto regret.
    pub chosen: f64,
    /// The number of tuning trials per value.
    pub trials: usize,
    /// Always `disjoint`: the tuning seeds are not the reported ones.
    pub seeds: String,
}

/// A sentence of the paper, compared with the measurement.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The place in the paper.
    pub place: String,
    /// The claim of the paper, in our words.
    pub paper: String,
    /// The measured values.
    pub measured: String,
    /// True if the measurement agrees, by its 95 % interval; absent if the interval cannot decide.
    pub holds: Option<bool>,
}
