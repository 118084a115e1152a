//! The results on real data, in the units of the data. A practitioner reads this part of the summary first.
//!
//! A run has a [`DataOutcome`]. An environment has a [`Comparison`]: the results without learning, and with
//! hindsight.

use crate::Curve;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The outcome of a run. Means are over the rounds that count, with a value per trial in the order of the
/// trials.
///
/// Example: [`DataConfig`].
///
/// [`DataConfig`]: crate::DataConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataOutcome {
    /// The mean of each objective.
    pub objectives: Vec<Column>,
    /// The mean of each raw measure.
    pub measures: Vec<Column>,
    /// The share of the rounds in which each arm was played; with more than ten arms, of the ten that were
    /// played most. Empty if every round has its own arms.
    pub shares: Vec<Column>,
    /// The volume that the mean reward vector of the rounds up to t dominates, as a share of the
    /// [whole](Comparison::volume).
    pub hypervolume: Curve,
    /// The share of O* that is on O_t: in the last round if arms stay, otherwise the mean over rounds.
    /// Absent without a front.
    pub coverage: Option<Vec<f64>>,
    /// The mean over rounds of max_k wᵀy_k − wᵀy for each of the [weights](Comparison::weights) w, where y
    /// is the reward vector of the played arm.
    pub regret: Curve,
}

/// A named quantity with a value per trial.
///
/// Example: [`DataConfig`].
///
/// [`DataConfig`]: crate::DataConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The name of the quantity.
    pub name: String,
    /// The values.
    pub trials: Vec<f64>,
}

/// The values that the runs on one environment are compared with.
///
/// Example: [`DataConfig`].
///
/// [`DataConfig`]: crate::DataConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The environment's name.
    pub environment: String,
    /// The environment's parameters.
    pub environment_params: BTreeMap<String, serde_json::Value>,
    /// The objectives, by the names of their columns.
    pub objectives: Vec<String>,
    /// The raw measures, by the names of their columns.
    pub measures: Vec<String>,
    /// A grid of weights, see [`weight_grid`](crate::weight_grid).
    pub weights: Vec<Vec<f64>>,
    /// The volume above zero reward that counts as the whole: that of the front if arms stay and their
    /// means are known, otherwise that of the oracle's points for all weights.
    pub volume: f64,
    /// The exact values of simple ways to play, computed from the table.
    pub baselines: Vec<Baseline>,
    /// Each policy, with its runs for all preferences together.
    pub together: Vec<Together>,
}

/// A way to play that learns nothing. Means are over all rounds of the table that count.
///
/// Example: [`DataConfig`].
///
/// [`DataConfig`]: crate::DataConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The rule by which it plays.
    pub plays: Plays,
    /// The mean of each objective.
    pub objectives: Vec<f64>,
    /// The mean of each raw measure.
    pub measures: Vec<f64>,
    /// The mean Pareto suboptimality gap of a round.
    pub gap: f64,
    /// The regret for each of the weights, see [`DataOutcome::regret`].
    pub regret: Vec<f64>,
    /// The volume that the mean reward vector dominates, as a share of the whole.
    pub hypervolume: f64,
}

/// The rule by which a baseline plays.
///
/// Example: [`DataConfig`].
///
/// [`DataConfig`]: crate::DataConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plays {
    /// Always this arm, by its name. With more than twenty arms only those that no other arm dominates are
    /// listed.
    Always(String),
    /// Every arm with the same chance: the expectation.
    Random,
    /// The arm that is best for these weights in hindsight. Of equal arms the one with the largest sum of
    /// objectives, then the first.
    Oracle(Vec<f64>),
}

/// The runs of a policy that differ only in their preference.
///
/// Example: [`DataConfig`].
///
/// [`DataConfig`]: crate::DataConfig
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Together {
    /// The policy's id.
    pub policy: String,
    /// The runs, by their positions in the summary.
    pub runs: Vec<usize>,
    /// The volume that the mean reward vectors of all these runs dominate together, trial by trial, as a
    /// share of the whole.
    pub hypervolume: Curve,
}
