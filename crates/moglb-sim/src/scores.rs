//! The scores of a trial on data, collected round by round.

mod weights;

pub use weights::{weight_grid, weight_words};

use crate::environment::{Environment, Measured, Stage};
use moglb::{ArmId, Decision, Matrix, recall};
use serde::{Deserialize, Serialize};

/// The scores of one trial on data. The fields are those of [`DataOutcome`](crate::DataOutcome), for a
/// single trial.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scores {
    /// The mean reward vector of the rounds up to each checkpoint.
    pub means: Vec<Vec<f64>>,
    /// The mean of each raw measure.
    pub measures: Vec<f64>,
    /// The number of plays of each arm; empty if every round has its own arms.
    pub plays: Vec<u64>,
    /// The regret for each weight vector of the grid.
    pub regret: Vec<f64>,
    /// The share of O* that is on O_t, for policies with a front.
    pub coverage: Option<f64>,
}

impl Scores {
    /// The share of an arm in all plays.
    pub fn share(&self, arm: usize) -> f64 {
        let all: u64 = self.plays.iter().sum();
        share(self.plays.get(arm).map_or(0.0, |&plays| plays as f64), all as f64)
    }
}

/// Collects the scores of a trial.
#[derive(Debug)]
pub(crate) struct Scorer {
    /// True if the arms and their means are the same in all rounds.
    fixed: bool,
    weights: Vec<Vec<f64>>,
    rounds: u64,
    rewards: Vec<f64>,
    /// The best weighted mean of an arm in the last round, for each weight vector.
    best: Vec<f64>,
    /// The sum of `best` over rounds.
    best_sum: Vec<f64>,
    /// The sum of the recall over rounds, if arms change and the policy has a front.
    coverage: Option<f64>,
    scores: Scores,
}

impl Scorer {
    /// A scorer for an environment; `None` if the environment is not data.
    pub fn new(environment: &dyn Environment) -> Option<Self> {
        let Measured { measures, .. } = environment.measured(environment.practice() + 1, ArmId(0))?;
        let n_objectives = environment.problem().n_objectives();
        let weights = weight_grid(n_objectives);
        Some(Self {
            fixed: environment.has_fixed_arms() && !environment.drifts(),
            rounds: 0,
            rewards: vec![0.0; n_objectives],
            best: Vec::new(),
            best_sum: vec![0.0; weights.len()],
            weights,
            coverage: None,
            scores: Scores { measures: vec![0.0; measures.len()], ..Scores::default() },
        })
    }

    /// Adds a round to the sums.
    pub fn round(&mut self, stage: &Stage, decision: &Decision, measured: Measured<'_>) {
        self.rounds += 1;
        add(&mut self.rewards, stage.means.row(decision.arm.0));
        add(&mut self.scores.measures, measured.measures);
        if let Some(arm) = measured.arm {
            let plays = &mut self.scores.plays;
            plays.resize(plays.len().max(arm + 1), 0);
            plays[arm] += 1;
        }
        if !self.fixed || self.rounds == 1 {
            self.best = self.weights.iter().map(|weights| best(&stage.means, weights)).collect();
        }
        add(&mut self.best_sum, &self.best);
        if !decision.front.is_empty() && !self.fixed {
            *self.coverage.get_or_insert(0.0) += recall(&decision.front, &stage.front);
        }
    }

    /// Records the mean reward vector of the rounds so far.
    pub fn checkpoint(&mut self) {
        let rounds = self.rounds as f64;
        self.scores.means.push(self.rewards.iter().map(|sum| sum / rounds).collect());
    }

    /// Computes the scores after the last round.
    pub fn finish(mut self, stage: &Stage, decision: &Decision) -> Scores {
        let rounds = self.rounds as f64;
        let regret = |(weights, best): (&Vec<f64>, &f64)| (best - dot(weights, &self.rewards)) / rounds;
        self.scores.regret = self.weights.iter().zip(&self.best_sum).map(regret).collect();
        self.scores.measures.iter_mut().for_each(|sum| *sum /= rounds);
        self.scores.coverage = match self.fixed {
            true => (!decision.front.is_empty()).then(|| recall(&decision.front, &stage.front)),
            false => self.coverage.map(|sum| sum / rounds),
        };
        self.scores
    }
}

/// The largest wᵀy of any arm, for weights w.
fn best(means: &Matrix, weights: &[f64]) -> f64 {
    means.rows().map(|row| dot(weights, row)).fold(f64::NEG_INFINITY, f64::max)
}

/// The weighted sum of a row.
pub(crate) fn dot(weights: &[f64], row: &[f64]) -> f64 {
    weights.iter().zip(row).map(|(w, y)| w * y).sum()
}

/// Adds values to sums, entry by entry.
pub(crate) fn add(sums: &mut [f64], values: &[f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

/// The share of a part in a whole; 0 if the whole is 0, as when the volume of very many objectives
/// underflows.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
