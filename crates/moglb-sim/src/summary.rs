//! What an experiment leaves behind: the document `summary.json`.
//!
//! The format is a promise to the outside (`moglb.summary/1`); everything a reader needs to draw the figures
//! again is in it, so `moglb report` works from this file alone.
//!
//! `outcome` is its part about real data, and `outcome_rows` lays that part out as a table.

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

/// The whole outcome of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Always [`SUMMARY_FORMAT`].
    pub format: String,
    /// The version of moglb that ran the experiment.
    pub moglb_version: String,
    /// What was asked for.
    pub experiment: ExperimentInfo,
    /// One entry per environment size and policy, in the order of the experiment.
    pub runs: Vec<Run>,
    /// What the paper says beside what was measured; empty when the experiment has nothing to say about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// What runs on data are held against, one entry per environment; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<Comparison>,
}

/// The ways in which a written summary is not whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// It is no JSON of this form.
    #[error("{0}")]
    Syntax(String),
    /// It has another format.
    #[error("expected format {SUMMARY_FORMAT}, got {got}")]
    Format {
        /// The name of its format.
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
    /// Reads a summary and checks that it is whole: every list has the length that the others call for.
    ///
    /// # Errors
    ///
    /// What is not whole.
    pub fn from_json(text: &str) -> Result<Self, SummaryError> {
        let summary: Self =
            serde_json::from_str(text).map_err(|error| SummaryError::Syntax(error.to_string()))?;
        summary.check()?;
        Ok(summary)
    }

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
    fn is_whole(&self) -> bool {
        let optional = [&self.jaccard, &self.precision, &self.recall, &self.front_size];
        let mut curves = optional.into_iter().flatten().chain([&self.pareto_regret]);
        !self.t.is_empty() && curves.all(|curve| curve.has_length(self.t.len()))
    }
}

impl Comparison {
    /// Whether a run is on this environment.
    pub fn is_about(&self, run: &Run) -> bool {
        (&self.environment, &self.environment_params) == (&run.environment, &run.environment_params)
    }
}

/// Whether a comparison and the outcomes of its runs have as many numbers as they speak of.
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

/// The head of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentInfo {
    /// A short name; `paper` for the paper's experiment.
    pub name: String,
    /// The seed all random streams derive from.
    pub seed: u64,
    /// The number of rounds T.
    pub horizon: u64,
    /// The number of trials.
    pub trials: usize,
}

/// All trials of one policy on one environment size.
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
    /// The policy's parameters, chosen ones included.
    pub params: BTreeMap<String, serde_json::Value>,
    /// The rounds at which the curves are given.
    pub t: Vec<u64>,
    /// Cumulative Pareto regret PR(t).
    pub pareto_regret: Curve,
    /// Jaccard index of O_t and O*; absent for a policy without a front, as are the three after it.
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
    /// What the run came to in the units of its data; absent where the environment is not data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<DataOutcome>,
    /// What monitors say about the assumptions, one entry per trial; absent unless the experiment asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<Vec<Health>>,
    /// How a parameter was chosen, where one was.
    pub tuning: Option<Tuning>,
    /// The rounds played, over all trials.
    pub rounds: u64,
    /// The seconds they took, added over threads.
    pub seconds: f64,
}

/// The state of affairs after the last round, a value per trial.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Last {
    /// Pareto regret PR(T).
    pub pareto_regret: Vec<f64>,
    /// Jaccard index in round T; absent for a policy without a front.
    pub jaccard: Option<Vec<f64>>,
    /// The mean of the Jaccard index over all rounds.
    pub jaccard_mean: Option<Vec<f64>>,
    /// Normalized entropy of the pulls on O*: 1 is perfectly even. With fresh arms, where pulls of an arm mean nothing,
    /// that of the probabilities on O* in each round, averaged over rounds.
    pub exposure_entropy: Vec<f64>,
    /// The least share of the pulls on O* that an arm of O* had, times |O*|: 1 is perfectly even, 0 leaves an arm out. With fresh arms
    /// as the entropy. Empty in summaries of earlier versions, as are the two below.
    #[serde(default)]
    pub exposure_least: Vec<f64>,
    /// Gini's coefficient of the pulls on O*: 0 is perfectly even. With fresh arms as the entropy.
    #[serde(default)]
    pub exposure_gini: Vec<f64>,
    /// How unevenly objectives were served: with ρᵢ = (best − mean)/(best − worst), the share of its range over the arms that objective i
    /// went without on average, max ρᵢ − min ρᵢ.
    #[serde(default)]
    pub envy: Vec<f64>,
    /// The share of all pulls that fell on O*.
    pub share_on_front: Vec<f64>,
    /// The size of O*, in the last round.
    pub true_front_size: Vec<u64>,
    /// Volume dominated by the mean reward vector of the played mix, relative to that of O*. With fresh arms, that of the
    /// played arm alone, averaged over the rounds of the curves.
    pub hypervolume_mix: Vec<f64>,
    /// Volume dominated by the true means of O_T, relative to that of O*; absent without a front.
    pub hypervolume_front: Option<Vec<f64>>,
    /// How often an estimate had to be projected back onto the ball of radius D.
    pub projection_hits: Vec<u64>,
}

/// A parameter searched on a grid, on seeds that the reported trials never see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// The parameter's name.
    pub parameter: String,
    /// The values tried.
    pub grid: Vec<f64>,
    /// Mean Pareto regret at T of each.
    pub pareto_regret: Vec<f64>,
    /// Mean Jaccard index at T of each, where the policy has a front.
    pub jaccard: Option<Vec<f64>>,
    /// The value chosen: the one with the smallest mean Pareto regret.
    pub chosen: f64,
    /// The number of tuning trials per value.
    pub trials: usize,
    /// Always `disjoint`: the tuning seeds are not the reported ones.
    pub seeds: String,
}

/// One sentence of the paper held against the measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Where the paper says it.
    pub place: String,
    /// What it says, in our words.
    pub paper: String,
    /// What was measured.
    pub measured: String,
    /// Whether the measurement agrees, by its 95 % interval; absent where it cannot decide.
    pub holds: Option<bool>,
}
