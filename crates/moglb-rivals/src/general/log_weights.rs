//! Exponential weights, stored as logarithms so that no reward makes them overflow.

use libm::exp;
use moglb_core::saved::{damaged, plain};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// log w of each arm or expert that has a weight, shifted so that the largest is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogWeights {
    logs: Vec<f64>,
}

plain!(LogWeights);

impl LogWeights {
    /// Returns n equal weights.
    pub fn new(n: usize) -> Self {
        Self { logs: vec![0.0; n] }
    }

    /// Multiplies each weight by the exponential of its gain: w ← w·exp(gain).
    pub(super) fn grow(&mut self, gain: impl Fn(usize) -> f64) {
        self.logs.iter_mut().enumerate().for_each(|(k, log)| *log += gain(k));
        let largest = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.logs.iter_mut().for_each(|log| *log -= largest);
    }

    /// Returns the share of each weight, w / Σw.
    pub(super) fn shares(&self) -> Vec<f64> {
        let mut shares: Vec<f64> = self.logs.iter().map(|&log| exp(log)).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        shares
    }

    /// Returns the number of weights.
    pub fn len(&self) -> usize {
        self.logs.len()
    }

    /// Refuses another number of weights than in `other`, and weights that cannot result from these rounds
    /// with gains of at most `largest`.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`].
    pub fn check_like(&self, other: &Self, rounds: u64, largest: f64) -> Result<(), Error> {
        let least = -(rounds as f64) * largest * (1.0 + 1e-8);
        let possible = |&log: &f64| log <= 0.0 && log >= least;
        if self.len() == other.len() && self.logs.iter().all(possible) && self.logs.contains(&0.0) {
            return Ok(());
        }
        Err(damaged(&"the weights have another number or are out of bounds"))
    }
}
