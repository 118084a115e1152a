//! A detector of changes in the rewards: a sequential likelihood ratio for each objective.
//!
//! A steady model (that of EKF-UCB) learns from all rewards since the last restart. It predicts the mean of
//! the next reward, p on the scale where rewards lie between 0 and 1. A second, quick model learns from the
//! latest errors of the first model only, is regularized towards zero, and predicts the next error δᵀx. Both
//! bet on the reward y; the second bets on q = p + δᵀx:
//!
//! ```text
//! ℓ = y·log(q/p) + (1 − y)·log((1 − q)/(1 − p))        W ← max(0, W + ℓ)
//! ```
//!
//! If p is the mean of y, the expectation of exp(ℓ) is at most one for any law of y on [0, 1], because
//! aʸb¹⁻ʸ ≤ ya + (1 − y)b. Then exp(W) is at most a sum of nonnegative supermartingales, one begun in each
//! round. So W exceeds log(m·N/α) for any of m objectives within N rounds with a chance of at most α. The
//! steady model is an estimate of the mean, not the mean. That it causes no more false alarms is measured
//! (`tests/suite/drift.rs`), not proved.

use libm::{log, log1p};
use moglb_core::local_curvature::state::EkfUcbState;
use moglb_core::local_curvature::{LocalCurvature, Step};
use moglb_core::saved::{check_rounds, damaged};
use moglb_core::{Link, Objective, Problem};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The rounds to which the level of false alarms refers.
pub(super) const ROUNDS: f64 = 10_000.0;

/// λ of the steady model, that of EKF-UCB.
const STEADY_LAMBDA: f64 = 3.0;

/// λ of the quick model: rewards vary by a quarter at most, and errors of a tenth in a coordinate should be
/// found.
const QUICK_LAMBDA: f64 = 10.0;

/// The number of latest errors that the quick model learns from; it is larger if there are many coefficients.
const QUICK_ROUNDS: f64 = 200.0;

/// The least distance of a prediction from the ends of the scale.
const LEAST_CHANCE: f64 = 0.01;

/// The models and the evidence of all objectives.
#[derive(Debug, Clone)]
pub(super) struct Detector {
    threshold: f64,
    steady: LocalCurvature,
    quick: LocalCurvature,
    /// The targets of the quick model: for each objective an error on the unit scale.
    errors: Vec<Objective>,
    /// W of each objective.
    evidence: Vec<f64>,
    /// The number of rounds since W was last zero, for each objective.
    since: Vec<u64>,
}

/// The saved form of a detector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DetectorState {
    steady: EkfUcbState,
    quick: EkfUcbState,
    evidence: Vec<f64>,
    since: Vec<u64>,
}

impl DetectorState {
    /// True if all parts have `m` objectives and `dim` features.
    pub(super) fn fits(&self, dim: usize, m: usize) -> bool {
        let rows =
            |state: &EkfUcbState| state.thetas.len() == m && state.thetas.iter().all(|t| t.len() == dim);
        rows(&self.steady) && rows(&self.quick) && self.evidence.len() == m && self.since.len() == m
    }
}

impl Detector {
    /// A detector before the first round; `level` is the chance of a false alarm within [`ROUNDS`].
    pub(super) fn new(problem: &Problem, level: f64) -> Result<Self, Error> {
        let (dim, m) = (problem.dim(), problem.n_objectives());
        let step = Step::Newton { gain: 1.0 };
        let discount = 1.0 - 1.0 / QUICK_ROUNDS.max(10.0 * dim as f64);
        Ok(Self {
            threshold: log(m as f64 * ROUNDS) - log(level),
            steady: LocalCurvature::new(dim, m, STEADY_LAMBDA, problem.radius(), step)?,
            quick: LocalCurvature::new(dim, m, QUICK_LAMBDA, 1.0, step)?.with_discount(discount),
            errors: vec![Objective::new("error", Link::Identity); m],
            evidence: vec![0.0; m],
            since: vec![0; m],
        })
    }

    /// Learns the rewards of a round; NaN marks an unknown reward.
    pub(super) fn learn(&mut self, problem: &Problem, x: &[f64], rewards: &[f64]) -> Result<(), Error> {
        self.steady.learn(problem.objectives(), x.into(), rewards)?;
        let scaled = |(i, objective): (usize, &Objective)| {
            let (low, high) = objective.rewards();
            let mean = objective.link.mean(objective.sign() * self.steady.moved(i).before);
            let scale = |value: f64| (value - low) / (high - low);
            (scale(mean).clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE), scale(rewards[i]).clamp(0.0, 1.0))
        };
        let scaled: Vec<(f64, f64)> = problem.objectives().iter().enumerate().map(scaled).collect();
        let errors: Vec<f64> = scaled.iter().map(|(p, y)| y - p).collect();
        self.quick.learn(&self.errors, x.into(), &errors)?;
        for (i, (p, y)) in scaled.into_iter().enumerate().filter(|(_, (_, y))| !y.is_nan()) {
            let q = (p + self.quick.moved(i).before).clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
            let ratio = y * log1p((q - p) / p) + (1.0 - y) * log1p((p - q) / (1.0 - p));
            self.evidence[i] = (self.evidence[i] + ratio).max(0.0);
            self.since[i] = if self.evidence[i] > 0.0 { self.since[i] + 1 } else { 0 };
        }
        Ok(())
    }

    /// If there was a change, the number of rounds since it probably began, including this round.
    pub(super) fn alarm(&self) -> Option<u64> {
        let larger = |best: Option<usize>, i: usize| match best {
            Some(j) if self.evidence[j] >= self.evidence[i] => Some(j),
            _ => Some(i),
        };
        let most = (0..self.evidence.len()).fold(None, larger)?;
        (self.evidence[most] >= self.threshold).then(|| self.since[most])
    }

    /// Resets the evidence and keeps the learned models.
    pub(super) fn calm(&mut self) {
        self.evidence.fill(0.0);
        self.since.fill(0);
    }

    pub(super) fn state(&self) -> DetectorState {
        DetectorState {
            steady: self.steady.state(),
            quick: self.quick.state(),
            evidence: self.evidence.clone(),
            since: self.since.clone(),
        }
    }

    /// Restores a saved state, if a detector can have reached it.
    pub(super) fn resume(&mut self, state: DetectorState, problem: &Problem) -> Result<(), Error> {
        self.steady.resume(state.steady, problem.objectives())?;
        self.quick.resume(state.quick, &self.errors)?;
        state.since.iter().try_for_each(|&since| check_rounds(since))?;
        let fine =
            |(&w, &since): (&f64, &u64)| (0.0..self.threshold).contains(&w) && (w > 0.0) == (since > 0);
        if !state.evidence.iter().zip(&state.since).all(fine) {
            return Err(damaged(&"the evidence of a change cannot be"));
        }
        (self.evidence, self.since) = (state.evidence, state.since);
        Ok(())
    }
}
