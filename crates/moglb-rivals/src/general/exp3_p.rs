//! Exp3.P (Auer, Cesa-Bianchi, Freund, Schapire 2002), in the form of Bubeck and Cesa-Bianchi (2012, Figure
//! 3.1 and Theorem 3.3).
//!
//! ```text
//! p_k = (1 − γ)·exp(ηG̃_k)/Σexp(ηG̃) + γ/K        G̃_k ← G̃_k + (r·1{k = a} + β)/p_k
//! β = √(log(K/δ)/(TK))        η = 0.95·√(log K/(TK))        γ = 1.05·√(K·log K/T)
//! ```

use super::log_weights::LogWeights;
use libm::log;
use moglb_core::saved::check_rounds;
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// Exp3.P on rewards in [0, 1].
#[derive(Debug, Clone)]
pub(super) struct Exp3P {
    beta: f64,
    eta: f64,
    gamma: f64,
    state: Exp3PState,
}

/// The learned state of [`Exp3P`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exp3PState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// ηG̃ of each arm minus the largest ηG̃.
    pub weights: LogWeights,
}

impl Exp3P {
    /// Creates Exp3.P before the first round. The horizon T and δ were checked.
    pub fn new(n_arms: usize, horizon: u64, delta: f64) -> Self {
        let (k, t) = (n_arms as f64, horizon as f64);
        Self {
            beta: (log(k / delta) / (t * k)).sqrt(),
            eta: 0.95 * (log(k) / (t * k)).sqrt(),
            gamma: (1.05 * (k * log(k) / t).sqrt()).min(1.0),
            state: Exp3PState { rounds: 0, weights: LogWeights::new(n_arms) },
        }
    }

    /// Returns p of each arm.
    pub fn probabilities(&self) -> Vec<f64> {
        let mut shares = self.state.weights.shares();
        let floor = self.gamma / shares.len() as f64;
        shares.iter_mut().for_each(|share| *share = (1.0 - self.gamma) * *share + floor);
        shares
    }

    /// Learns the reward r of the played arm, in [0, 1].
    pub fn learn(&mut self, arm: usize, r: f64) {
        let probabilities = self.probabilities();
        let seen = |k: usize| if k == arm { r } else { 0.0 };
        let (eta, beta) = (self.eta, self.beta);
        self.state.weights.grow(|k| eta * (seen(k) + beta) / probabilities[k]);
        self.state.rounds += 1;
    }

    /// Returns the learned state.
    pub fn state(&self) -> &Exp3PState {
        &self.state
    }

    /// Returns a copy with another learned state.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the state cannot result from any rounds.
    pub(super) fn resumed(&self, state: Exp3PState) -> Result<Self, Error> {
        check_rounds(state.rounds)?;
        // p ≥ γ/K bounds the gain of a round. With a single arm γ and η are 0, and its weight never changes.
        let n_arms = state.weights.len() as f64;
        let largest = if self.gamma > 0.0 { self.eta * (1.0 + self.beta) * n_arms / self.gamma } else { 0.0 };
        state.weights.check_like(&self.state.weights, state.rounds, largest)?;
        Ok(Self { state, ..self.clone() })
    }
}

impl Exp3PState {
    /// Returns K, the number of arms.
    pub fn n_arms(&self) -> usize {
        self.weights.len()
    }
}
