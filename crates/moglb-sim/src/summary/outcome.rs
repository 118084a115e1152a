//! The results on real data, in the units of the data: the part of the summary that a practitioner reads
//! first.
//!
//! A run has a [`DataOutcome`], an environment a [`Comparison`]: the results without learning, and with hindsight.

use crate::Curve;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a run came to. Means are over the scored rounds, with a value per trial in the order of the trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataOutcome {
    /// The mean of each objective.
    pub objectives: Vec<Column>,
    /// The mean of each raw measure.
    pub measures: Vec<Column>,
    /// The share of the rounds that went to each arm; of many arms to the ten that were played most. Empty where every round has
    /// arms of its own.
    pub shares: Vec<Column>,
    /// The volume that the mean reward vector of the rounds up to t dominates, as a share of the [whole](Comparison::volume).
    pub hypervolume: Curve,
    /// The share of O* that is on O_t: in the last round where arms stay, otherwise the mean over rounds. Absent without a front.
    pub coverage: Option<Vec<f64>>,
    /// The mean over rounds of max_k wᵀy_k − wᵀy for each of the [weights](Comparison::weights) w, where y was played.
    pub regret: Curve,
}

/// Something named, with a value per trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The values.
    pub trials: Vec<f64>,
}

/// What the runs on one environment are held against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The environment's name.
    pub environment: String,
    /// The environment's parameters.
    pub environment_params: BTreeMap<String, serde_json::Value>,
    /// The objectives by their columns.
    pub objectives: Vec<String>,
    /// The raw measures by their columns.
    pub measures: Vec<String>,
    /// A spread of weights, see [`weight_grid`](crate::weight_grid).
    pub weights: Vec<Vec<f64>>,
    /// The volume above zero reward that is a whole: that of the front where arms stay and their means are known, otherwise that
    /// of the oracle's points for all weights.
    pub volume: f64,
    /// What the table says of simple ways to play, exactly.
    pub baselines: Vec<Baseline>,
    /// Each policy with all its preferences together.
    pub together: Vec<Together>,
}

/// A way to play that learns nothing. Means are over all rounds of the table that are scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// What is played.
    pub plays: Plays,
    /// The mean of each objective.
    pub objectives: Vec<f64>,
    /// The mean of each raw measure.
    pub measures: Vec<f64>,
    /// The mean Pareto suboptimality gap of a round.
    pub gap: f64,
    /// As [`DataOutcome::regret`].
    pub regret: Vec<f64>,
    /// The volume that the mean reward vector dominates, as a share of the whole.
    pub hypervolume: f64,
}

/// What a baseline plays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plays {
    /// Always this arm, by its name. Of more than twenty arms those that no other dominates.
    Always(String),
    /// Every arm with the same chance: the expectation.
    Random,
    /// The arm that is best for these weights in hindsight; of equal ones that with the largest sum of objectives, then the first.
    Oracle(Vec<f64>),
}

/// Runs that differ in what they prefer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Together {
    /// The policy's id.
    pub policy: String,
    /// The runs, by their places in the summary.
    pub runs: Vec<usize>,
    /// The volume that the mean reward vectors of all these runs dominate together, trial by trial, as a share of the whole.
    pub hypervolume: Curve,
}
