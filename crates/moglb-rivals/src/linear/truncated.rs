//! Least squares along the directions with enough data: the predictions of LinRel and SupLinRel.
//!
//! With the eigendecomposition Σzzᵀ = Σ lₖuₖuₖᵀ over the learned rounds Ψ, an arm z is split into the
//! part along the uₖ with lₖ ≥ 1 and the rest v. The source predicts a weighted sum of the rewards of Ψ.
//! The value of this sum and the norm of its weights a need only sums over the rounds:
//!
//! ```text
//! Σ a·y = Σₖ (uₖᵀz)(uₖᵀb)/lₖ        b = Σyz        ‖a‖² = Σₖ (uₖᵀz)²/lₖ        over the k with lₖ ≥ 1
//! ‖v‖² = Σ (uₖᵀz)²                                                             over the other k
//! ```

use crate::ridge::dot;
use moglb_core::saved::{SavedPart, check_rounds, damaged};
use moglb_math::Error;
use moglb_math::eigen::Eigen;
use serde::{Deserialize, Serialize};

/// The least eigenvalue of a known direction: one, minus a margin for rounding. The margin ensures that the
/// direction of a single context of norm one is known.
const LEAST: f64 = 1.0 - 1e-9;

/// Σzzᵀ and Σyz over the learned rounds, with the eigendecomposition and the estimate that follow from them.
#[derive(Debug, Clone)]
pub(super) struct Truncated {
    /// The bound on |y|. A restored state is checked with it.
    largest: f64,
    sums: TruncatedState,
    /// The eigenvalues lₖ.
    values: Vec<f64>,
    /// The eigenvectors, transposed: the first entries of all uₖ, then the second entries, and so on.
    places: Vec<f64>,
    /// Σₖ uₖ(uₖᵀb)/lₖ over the directions that are known.
    theta: Vec<f64>,
}

/// The serialized form of [`Truncated`] least squares. Its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TruncatedState {
    /// The number of rounds learned.
    pub rounds: u64,
    /// Σzzᵀ, the rows of the lower triangle end to end.
    pub squares: Vec<f64>,
    /// Σyz.
    pub moments: Vec<f64>,
}

/// The prediction for an arm.
pub struct Prediction {
    /// Σ a·y.
    pub estimate: f64,
    /// ‖a‖.
    pub(super) weights: f64,
    /// ‖v‖.
    pub(super) unknown: f64,
}

impl Truncated {
    /// Creates sums before the first round. `largest` bounds every |y|.
    pub fn new(dim: usize, largest: f64) -> Self {
        let sums =
            TruncatedState { rounds: 0, squares: vec![0.0; dim * (dim + 1) / 2], moments: vec![0.0; dim] };
        Self::of(sums, largest)
    }

    /// Computes the eigendecomposition and the estimate of the sums. O(d³).
    fn of(sums: TruncatedState, largest: f64) -> Self {
        let dim = sums.moments.len();
        let entry = |i: usize, j: usize| sums.squares[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
        let eigen = Eigen::of((0..dim * dim).map(|n| entry(n / dim, n % dim)).collect(), dim);
        let mut theta = vec![0.0; dim];
        for (value, u) in eigen.pairs().filter(|&(value, _)| value >= LEAST) {
            moglb_math::dense::add(&mut theta, dot(u, &sums.moments) / value, u);
        }
        let mut places = vec![0.0; dim * dim];
        moglb_math::dense::transpose(&eigen.vectors, &mut places, dim);
        Self { largest, sums, values: eigen.values, places, theta }
    }

    /// Learns a context and its y. O(d³).
    pub fn learn(&mut self, z: &[f64], y: f64) {
        let mut sums = self.sums.clone();
        sums.rounds += 1;
        for i in 0..z.len() {
            moglb_math::dense::add(&mut sums.squares[i * (i + 1) / 2..][..=i], z[i], &z[..=i]);
        }
        moglb_math::dense::add(&mut sums.moments, y, z);
        *self = Self::of(sums, self.largest);
    }

    /// Returns the number of rounds learned.
    pub fn rounds(&self) -> u64 {
        self.sums.rounds
    }

    /// Returns the prediction for a context.
    pub(super) fn predict(&self, z: &[f64]) -> Prediction {
        let (mut weights, mut unknown) = (0.0, 0.0);
        // uₖᵀz for all k at once.
        let mut along = vec![0.0; z.len()];
        moglb_math::dense::combine(&self.places, z, &mut along);
        for (&value, &along) in self.values.iter().zip(&along) {
            if value >= LEAST {
                weights += along * along / value;
            } else {
                unknown += along * along;
            }
        }
        Prediction { estimate: dot(&self.theta, z), weights: weights.sqrt(), unknown: unknown.sqrt() }
    }
}

impl SavedPart for Truncated {
    type State = TruncatedState;

    fn state(&self) -> TruncatedState {
        self.sums.clone()
    }

    fn resumed(&self, state: TruncatedState) -> Result<Self, Error> {
        check_rounds(state.rounds)?;
        if !state.fits(self.sums.moments.len()) {
            return Err(damaged(&"the sums have another size"));
        }
        let most = state.rounds as f64 * (1.0 + 1e-8);
        if !state.squares.iter().all(|s| s.abs() <= most)
            || !state.moments.iter().all(|b| b.abs() <= most * self.largest)
        {
            return Err(damaged(&"the sums are more than the rounds can add up to"));
        }
        Ok(Self::of(state, self.largest))
    }
}

impl TruncatedState {
    /// Returns true if the sums are of d features.
    pub fn fits(&self, dim: usize) -> bool {
        let lower = dim.checked_add(1).and_then(|next| next.checked_mul(dim)).map(|twice| twice / 2);
        Some(self.squares.len()) == lower && self.moments.len() == dim
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_math::draw;

    /// The prediction in the form of the source: a = uᵀΛ⁻¹UZ over the raw list of contexts, Σ a·y over
    /// the raw list of rewards.
    #[test]
    fn sums_predict_as_the_raw_list_does() {
        let (dim, mut rng) = (4, draw::seeded(8));
        let mut learner = Truncated::new(dim, 1.0);
        let (mut contexts, mut rewards) = (Vec::new(), Vec::new());
        // Contexts have little of the last direction, so it stays unknown.
        let mut context = |weak: f64| -> Vec<f64> {
            (0..dim)
                .map(|j| 0.45 * draw::normal(&mut rng).clamp(-1.0, 1.0) * if j == 3 { weak } else { 1.0 })
                .collect()
        };
        for _ in 0..40 {
            let (z, y) = (context(0.1), context(1.0)[0]);
            learner.learn(&z, y);
            contexts.extend(z);
            rewards.push(y);
        }
        let z = nalgebra::DMatrix::from_row_slice(40, dim, &contexts);
        let eigen = (z.transpose() * &z).symmetric_eigen();
        let known: Vec<usize> = (0..dim).filter(|&k| eigen.eigenvalues[k] >= 1.0).collect();
        assert_eq!(known.len(), 3, "the test means three known directions: {}", eigen.eigenvalues);
        let arm = nalgebra::DVector::from_vec(context(1.0));
        let (mut a, mut unknown) = (nalgebra::DVector::zeros(40), arm.clone());
        for k in known {
            let u = eigen.eigenvectors.column(k);
            a += (&z * u) * (u.dot(&arm) / eigen.eigenvalues[k]);
            unknown -= u * u.dot(&arm);
        }
        let got = learner.predict(arm.as_slice());
        let expected = a.dot(&nalgebra::DVector::from_vec(rewards));
        assert!((got.estimate - expected).abs() < 1e-12, "{} for {expected}", got.estimate);
        assert!((got.weights - a.norm()).abs() < 1e-12, "{} for {}", got.weights, a.norm());
        assert!((got.unknown - unknown.norm()).abs() < 1e-12, "{} for {}", got.unknown, unknown.norm());
    }
}
