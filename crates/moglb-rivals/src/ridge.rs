//! Ridge regression of one or more numbers on the same contexts: V = λI + Σxxᵀ, θ̂ᵢ = V⁻¹Σyᵢx.

use crate::traced_gram::{TracedGram, TracedGramState};
use moglb_core::saved::{check_rounds, damaged};
pub(crate) use moglb_math::dense::dot;
use moglb_math::{Error, Gram};
use serde::{Deserialize, Serialize};

/// θ̂ᵢ = V⁻¹bᵢ with bᵢ = Σyᵢx, for every number i that is regressed.
#[derive(Debug, Clone)]
pub struct Ridge {
    lambda: f64,
    design: TracedGram,
    moments: Vec<Vec<f64>>,
    rounds: u64,
    /// Follows from the above.
    thetas: Vec<Vec<f64>>,
}

/// A [`Ridge`] regression as it is written down; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RidgeState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// V.
    pub design: TracedGramState,
    /// Σyx of each number.
    pub moments: Vec<Vec<f64>>,
}

impl Ridge {
    /// Nothing learned; λ was checked.
    pub fn new(dim: usize, targets: usize, lambda: f64) -> Self {
        let zeros = vec![vec![0.0; dim]; targets];
        Self {
            lambda,
            design: TracedGram::new(dim, lambda),
            moments: zeros.clone(),
            rounds: 0,
            thetas: zeros,
        }
    }

    /// Learns the numbers that came with a context.
    pub fn learn(&mut self, x: &[f64], values: impl Iterator<Item = f64>) {
        self.design.add(x, 1.0);
        for (moments, y) in self.moments.iter_mut().zip(values) {
            moments.iter_mut().zip(x).for_each(|(b, x)| *b += y * x);
        }
        self.rounds += 1;
        self.solve();
    }

    fn solve(&mut self) {
        self.thetas = self.moments.iter().map(|b| self.design.gram().solve(b)).collect();
    }

    /// V.
    pub fn gram(&self) -> &Gram {
        self.design.gram()
    }

    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    pub fn theta(&self, target: usize) -> &[f64] {
        &self.thetas[target]
    }

    /// θ̂ᵢᵀx.
    pub(crate) fn predict(&self, target: usize, x: &[f64]) -> f64 {
        dot(&self.thetas[target], x)
    }

    /// ‖x‖_{V⁻¹}.
    pub fn width(&self, x: &[f64]) -> f64 {
        self.gram().squared_norm_inv(x).sqrt()
    }

    pub fn state(&self) -> RidgeState {
        RidgeState { rounds: self.rounds, design: self.design.state(), moments: self.moments.clone() }
    }

    /// Takes over what was written down; `largest` bounds every number that can have been learned.
    pub fn resume(&mut self, state: RidgeState, largest: f64) -> Result<(), Error> {
        check_rounds(state.rounds)?;
        let dim = self.gram().dim();
        if !state.fits(dim, self.moments.len()) {
            return Err(damaged(&"the sums are of another size"));
        }
        let most = state.rounds as f64 * largest * (1.0 + 1e-8);
        if !state.moments.iter().flatten().all(|b| b.abs() <= most) {
            return Err(damaged(&"the sums are more than the rewards can add up to"));
        }
        self.design = TracedGram::from_state(dim, self.lambda, &state.design, state.rounds as f64)?;
        self.moments = state.moments;
        self.rounds = state.rounds;
        self.solve();
        Ok(())
    }
}

impl RidgeState {
    /// Whether it is of so many features and numbers.
    pub fn fits(&self, dim: usize, targets: usize) -> bool {
        self.design.fits(dim)
            && self.moments.len() == targets
            && self.moments.iter().all(|moments| moments.len() == dim)
    }
}
