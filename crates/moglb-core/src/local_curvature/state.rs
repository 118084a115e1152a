//! The saved form of the learned state of EKF-UCB.

use crate::saved::{OTHER_OBJECTIVES, check_estimates, check_hits, check_sums, damaged, fits, rows_fit};
use moglb_math::Error;
use moglb_math::gram::Sum;
use serde::{Deserialize, Serialize};

/// The learned state of EKF-UCB as it is saved; its size does not depend on t.
///
/// Example: [`EkfUcb`].
///
/// [`EkfUcb`]: crate::EkfUcb
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EkfUcbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The inverse of the lower Cholesky factor of each objective's H, by rows.
    pub factors: Vec<Vec<f64>>,
    /// log(det H_t / det H_1) of each objective: the sum and the rounding error of its additions.
    #[doc(hidden)]
    pub log_dets: Vec<Sum>,
    /// The estimate of each objective, larger is better.
    pub thetas: Vec<Vec<f64>>,
    /// Σ w_s‖x_s‖² of each objective: by how much the trace of its H has grown.
    pub traces: Vec<f64>,
    /// The number of times that an estimate was projected.
    pub projection_hits: u64,
}

fits!(EkfUcbState, |state, problem| rows_fit(&state.thetas, problem));

impl EkfUcbState {
    /// Rejects a state of another shape, or one that no sequence of rewards can produce. `first`
    /// has the estimates before the first reward; `largest` returns the largest weight of a round
    /// in an objective.
    #[doc(hidden)]
    pub fn check(
        &self,
        first: &[Vec<f64>],
        radius: f64,
        largest: impl Fn(usize) -> f64,
    ) -> Result<(), Error> {
        let m = first.len();
        if [self.factors.len(), self.log_dets.len(), self.thetas.len(), self.traces.len()] != [m; 4] {
            return Err(damaged(&OTHER_OBJECTIVES));
        }
        check_estimates(&self.thetas, first, self.rounds, radius)?;
        check_sums(self.rounds, &self.traces)?;
        check_hits(self.projection_hits, self.rounds, m)?;
        let most = |i: usize| self.rounds as f64 * largest(i) * (1.0 + 1e-8);
        if (0..m).any(|i| self.traces[i] > most(i)) {
            return Err(damaged(&"the weights add up to more than the rounds can"));
        }
        Ok(())
    }
}
