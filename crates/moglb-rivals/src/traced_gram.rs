//! A Gram matrix that remembers how much was added to it, so that a snapshot of it can be checked.

use moglb_core::saved::{SavedPart, damaged};
use moglb_math::gram::Sum;
use moglb_math::kernel::norm;
use moglb_math::{Error, Gram};
use serde::{Deserialize, Serialize};

/// λI + Σ w·xxᵀ.
#[derive(Debug, Clone)]
pub(crate) struct TracedGram {
    gram: Gram,
    /// Σ w‖x‖².
    trace: f64,
}

/// A [`TracedGram`] Gram matrix as it is written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TracedGramState {
    /// The inverse of the lower Cholesky factor, by rows.
    pub factor: Vec<f64>,
    /// log(det V_t / det V_1): the sum and what its additions rounded off.
    pub(crate) log_det: Sum,
    /// Σ w‖x‖².
    pub trace: f64,
}

impl TracedGram {
    /// λI, for a λ that was checked.
    pub fn new(dim: usize, lambda: f64) -> Self {
        Self { gram: Gram::new(dim, lambda, 1.0), trace: 0.0 }
    }

    pub fn gram(&self) -> &Gram {
        &self.gram
    }

    /// V ← V + w·xxᵀ.
    pub fn add(&mut self, x: &[f64], weight: f64) {
        self.gram.add_weighted(x, weight);
        let norm = norm(x);
        self.trace += weight * (norm * norm);
    }
}

impl SavedPart for TracedGram {
    type State = TracedGramState;

    fn state(&self) -> TracedGramState {
        TracedGramState { factor: self.gram.packed(), log_det: self.gram.log_det(), trace: self.trace }
    }

    fn resumed(&self, state: TracedGramState) -> Result<Self, Error> {
        let (dim, lambda, TracedGramState { factor, log_det, trace }) =
            (self.gram.dim(), self.gram.lambda(), state);
        Ok(Self { gram: Gram::from_packed(dim, lambda, 1.0, trace, &factor, log_det)?, trace })
    }
}

impl TracedGramState {
    /// Refuses a matrix with more in it than weights that add up to `most` can have added.
    pub(crate) fn check(&self, most: f64) -> Result<(), Error> {
        if self.trace >= 0.0 && self.trace <= most * (1.0 + 1e-8) {
            return Ok(());
        }
        Err(damaged(&"the contexts add up to more than the rounds can"))
    }

    /// Whether it is of d features.
    pub fn fits(&self, dim: usize) -> bool {
        Some(self.factor.len())
            == dim.checked_add(1).and_then(|next| next.checked_mul(dim)).map(|twice| twice / 2)
    }
}
