//! Ridge regression of one or more targets on the same contexts: V = λI + Σxxᵀ, θ̂ᵢ = V⁻¹Σyᵢx.

use crate::traced_gram::{TracedGram, TracedGramState};
use moglb_core::saved::{SavedPart, check_rounds, damaged};
pub(crate) use moglb_math::dense::dot;
use moglb_math::{Error, Gram};
use serde::{Deserialize, Serialize};

/// Ridge regression with one matrix V for all targets: θ̂ᵢ = V⁻¹bᵢ with bᵢ = Σyᵢx for each target i.
#[derive(Debug, Clone)]
pub struct Ridge {
    /// The bound on |y|. A restored state is checked with it.
    largest: f64,
    /// V.
    design: TracedGram,
    /// bᵢ of each target.
    moments: Vec<Vec<f64>>,
    rounds: u64,
    /// θ̂ᵢ of each target, computed from V and bᵢ.
    thetas: Vec<Vec<f64>>,
}

/// The serialized form of a [`Ridge`] regression. Its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RidgeState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// V.
    pub design: TracedGramState,
    /// Σyx of each target.
    pub moments: Vec<Vec<f64>>,
}

impl Ridge {
    /// Creates a regression before the first round. λ has been checked, and `largest` bounds every |y|.
    pub fn new(dim: usize, targets: usize, lambda: f64, largest: f64) -> Self {
        let zeros = vec![vec![0.0; dim]; targets];
        Self {
            largest,
            design: TracedGram::new(dim, lambda),
            moments: zeros.clone(),
            rounds: 0,
            thetas: zeros,
        }
    }

    /// Learns a context and the y of each target.
    pub fn learn(&mut self, x: &[f64], values: impl Iterator<Item = f64>) {
        self.design.add(x, 1.0);
        for (moments, y) in self.moments.iter_mut().zip(values) {
            moments.iter_mut().zip(x).for_each(|(b, x)| *b += y * x);
        }
        self.rounds += 1;
        self.solve();
    }

    /// Computes θ̂ᵢ = V⁻¹bᵢ.
    fn solve(&mut self) {
        self.thetas = self.moments.iter().map(|b| self.design.gram().solve(b)).collect();
    }

    /// Returns V.
    pub fn gram(&self) -> &Gram {
        self.design.gram()
    }

    #[cfg(test)]
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// Returns the number of contexts learned.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns θ̂ᵢ of a target.
    pub fn theta(&self, target: usize) -> &[f64] {
        &self.thetas[target]
    }

    /// Returns the prediction θ̂ᵢᵀx of a target.
    pub(crate) fn predict(&self, target: usize, x: &[f64]) -> f64 {
        dot(&self.thetas[target], x)
    }

    /// Returns the width of a prediction in units of the radius: ‖x‖_{V⁻¹}.
    pub fn width(&self, x: &[f64]) -> f64 {
        self.gram().squared_norm_inv(x).sqrt()
    }
}

impl SavedPart for Ridge {
    type State = RidgeState;

    fn state(&self) -> RidgeState {
        RidgeState { rounds: self.rounds, design: self.design.state(), moments: self.moments.clone() }
    }

    fn resumed(&self, state: RidgeState) -> Result<Self, Error> {
        check_rounds(state.rounds)?;
        if !state.fits(self.gram().dim(), self.moments.len()) {
            return Err(damaged(&"the sums have another size"));
        }
        let most = state.rounds as f64 * self.largest * (1.0 + 1e-8);
        if !state.moments.iter().flatten().all(|b| b.abs() <= most) {
            return Err(damaged(&"the sums are more than the rewards can add up to"));
        }
        state.design.check(state.rounds as f64)?;
        let design = self.design.resumed(state.design)?;
        let mut next = Self { design, moments: state.moments, rounds: state.rounds, ..self.clone() };
        next.solve();
        Ok(next)
    }
}

impl RidgeState {
    /// Returns true if the state is of a regression with this many features and targets.
    pub fn fits(&self, dim: usize, targets: usize) -> bool {
        self.design.fits(dim)
            && self.moments.len() == targets
            && self.moments.iter().all(|moments| moments.len() == dim)
    }
}
