//! A Gram matrix together with the trace of all that was added to it, with which a snapshot of it can be
//! checked.

use moglb_core::saved::{SavedPart, damaged};
use moglb_math::gram::Sum;
use moglb_math::kernel::norm;
use moglb_math::{Error, Gram};
use serde::{Deserialize, Serialize};

/// The Gram matrix λI + Σ w·xxᵀ, with the trace of its sum.
#[derive(Debug, Clone)]
pub(crate) struct TracedGram {
    gram: Gram,
    /// Σ w‖x‖².
    trace: f64,
}

/// The serialized form of a [`TracedGram`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TracedGramState {
    /// The inverse of the lower Cholesky factor, by rows.
    pub factor: Vec<f64>,
    /// log(det V_t / det V_1): the sum, and the rounding errors of its additions.
    pub(crate) log_det: Sum,
    /// Σ w‖x‖².
    pub trace: f64,
}

impl TracedGram {
    /// Creates λI. λ has been checked.
    pub fn new(dim: usize, lambda: f64) -> Self {
        Self { gram: Gram::new(dim, lambda, 1.0), trace: 0.0 }
    }

    /// Returns the matrix.
    pub fn gram(&self) -> &Gram {
        &self.gram
    }

    /// Adds a weighted context: V ← V + w·xxᵀ.
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
    /// Refuses a negative trace, and one larger than weights with the sum `most` can make it: every ‖x‖ is at
    /// most one.
    pub(crate) fn check(&self, most: f64) -> Result<(), Error> {
        if self.trace >= 0.0 && self.trace <= most * (1.0 + 1e-8) {
            return Ok(());
        }
        Err(damaged(&"the contexts add up to more than the rounds can"))
    }

    /// Returns true if the matrix is of d features: its packed triangle has d(d + 1)/2 entries.
    pub fn fits(&self, dim: usize) -> bool {
        Some(self.factor.len())
            == dim.checked_add(1).and_then(|next| next.checked_mul(dim)).map(|twice| twice / 2)
    }
}
