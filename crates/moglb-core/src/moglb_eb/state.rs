//! The saved form of the learned state of MOGLB-EB.

use crate::saved::{FROM_NOTHING, OTHER_OBJECTIVES, check_rounds, check_sums, damaged, fits, rows_fit};
use moglb_math::Error;
use moglb_math::kernel::norm;
use serde::{Deserialize, Serialize};

/// The learned state of MOGLB-EB as it is saved; its size does not depend on t.
///
/// Example: [`MoglbEb`].
///
/// [`MoglbEb`]: crate::MoglbEb
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoglbEbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// Σ w·xxᵀ of each objective, the rows of the lower triangle end to end.
    pub information: Vec<Vec<f64>>,
    /// Σ (w·z − score)·x of each objective, larger is better.
    pub moments: Vec<Vec<f64>>,
    /// Σ score² of each objective.
    pub squared_scores: Vec<f64>,
    /// Σ w of each objective.
    pub weights: Vec<f64>,
    /// τ², the variance of coefficients around the shared mean.
    pub within: f64,
    /// ρ², the variance of the shared mean's entries around their level.
    pub between: f64,
    /// The rewards that are not in the sums yet, end to end: for each the context, then the weight,
    /// the score and z for each objective.
    pub pending: Vec<f64>,
}

fits!(MoglbEbState, |state, problem| rows_fit(&state.moments, problem));

impl MoglbEbState {
    /// Rejects a state of another shape, or one that no sequence of rewards can produce. `batch`
    /// maps the number of learned rewards to the size of the next batch; fewer rewards than that
    /// can be pending.
    #[doc(hidden)]
    pub fn check(
        &self,
        dim: usize,
        m: usize,
        radius: f64,
        batch: impl Fn(u64) -> usize,
    ) -> Result<(), Error> {
        if [self.information.len(), self.moments.len(), self.squared_scores.len(), self.weights.len()]
            != [m; 4]
        {
            return Err(damaged(&OTHER_OBJECTIVES));
        }
        if self.information.iter().any(|lower| lower.len() != dim * (dim + 1) / 2)
            || self.moments.iter().any(|moments| moments.len() != dim)
        {
            return Err(damaged(&"the sums have another number of features"));
        }
        check_rounds(self.rounds)?;
        let stride = dim + 3 * m;
        let waiting = (self.pending.len() / stride) as u64;
        if !self.pending.len().is_multiple_of(stride)
            || waiting > self.rounds
            || waiting as usize >= batch(self.rounds - waiting)
        {
            return Err(damaged(&"the number of pending rewards is not possible"));
        }
        for read in self.pending.chunks_exact(stride) {
            let (x, read) = read.split_at(dim);
            let fine = |[weight, score, z]: &[f64; 3]| {
                // A reward that was not observed has neither weight nor score.
                let possible = if *weight == 0.0 { *score == 0.0 } else { *weight > 0.0 && *weight <= 1e100 };
                possible && score.abs() <= 1e105 && z.abs() <= radius
            };
            if !(norm(x) <= 1.0 + 1e-9 && read.as_chunks().0.iter().all(fine)) {
                return Err(damaged(&"a pending reward is not possible"));
            }
        }
        let sums: Vec<f64> = self.squared_scores.iter().chain(&self.weights).copied().collect();
        check_sums(self.rounds - waiting, &sums)?;
        if self.rounds == waiting && self.moments.iter().flatten().any(|&b| b != 0.0) {
            return Err(damaged(&FROM_NOTHING));
        }
        let taken = (self.rounds - waiting) as f64;
        let trace = |lower: &Vec<f64>| (0..dim).map(|k| lower[k * (k + 3) / 2]).sum::<f64>();
        let beyond = |(lower, &weights): (&Vec<f64>, &f64)| {
            !lower.iter().all(|entry| entry.abs() <= weights * (1.0 + 1e-8))
                || trace(lower) > weights * (1.0 + 1e-8)
                || weights > taken * 1e100 * (1.0 + 1e-8)
        };
        if self.information.iter().zip(&self.weights).any(beyond) {
            return Err(damaged(&"the information is more than the weights add up to"));
        }
        // |z| ≤ D, and Σ|score| ≤ √(t·Σ score²).
        let most = |i: usize| radius * self.weights[i] + (taken * self.squared_scores[i]).sqrt();
        let fits = |i: usize| self.moments[i].iter().all(|b| b.abs() <= most(i) * (1.0 + 1e-8));
        if self.squared_scores.iter().any(|&sum| sum > taken * 1e210) || !(0..m).all(fits) {
            return Err(damaged(&"the moments are more than the scores add up to"));
        }
        Ok(())
    }
}
