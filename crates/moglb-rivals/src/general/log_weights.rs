//! Exponential weights, by their logarithms: no reward makes them overflow.

use libm::exp;
use moglb_core::saved::{damaged, plain};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// log w of everything that is weighed, the largest being 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LogWeights {
    logs: Vec<f64>,
}

plain!(LogWeights);

impl LogWeights {
    /// All alike.
    pub fn new(n: usize) -> Self {
        Self { logs: vec![0.0; n] }
    }

    /// w ← w·exp(gain) for each.
    pub(super) fn grow(&mut self, gain: impl Fn(usize) -> f64) {
        self.logs.iter_mut().enumerate().for_each(|(k, log)| *log += gain(k));
        let largest = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.logs.iter_mut().for_each(|log| *log -= largest);
    }

    /// w / Σw of each.
    pub(super) fn shares(&self) -> Vec<f64> {
        let mut shares: Vec<f64> = self.logs.iter().map(|&log| exp(log)).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        shares
    }

    pub fn len(&self) -> usize {
        self.logs.len()
    }

    /// Refuses weights of another number, or such as no rounds with gains of at most `largest` can have left.
    pub fn check_like(&self, other: &Self, rounds: u64, largest: f64) -> Result<(), Error> {
        let least = -(rounds as f64) * largest * (1.0 + 1e-8);
        let possible = |&log: &f64| log <= 0.0 && log >= least;
        if self.len() == other.len() && self.logs.iter().all(possible) && self.logs.contains(&0.0) {
            return Ok(());
        }
        Err(damaged(&"the weights are of another number or out of bounds"))
    }
}
