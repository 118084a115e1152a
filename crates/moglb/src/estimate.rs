//! The estimate θ̂ of one objective's coefficients: the online Newton step, Eq. (1).

use crate::Gram;
use crate::kernel::{axpy, dot};
use crate::projection::Projection;

/// θ̂_{t,i}, always in the ball of radius D.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    theta: Vec<f64>,
}

impl Estimate {
    /// θ̂_{1,i} = 0.
    pub(crate) fn zero(dim: usize) -> Self {
        Self { theta: vec![0.0; dim] }
    }

    /// An estimate read back from a snapshot.
    pub(crate) fn from_theta(theta: Vec<f64>) -> Self {
        Self { theta }
    }

    pub(crate) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The score θ̂ᵀx.
    pub(crate) fn score(&self, x: &[f64]) -> f64 {
        dot(&self.theta, x)
    }

    /// Eq. (1): θ̂ ← Π[θ̂ − Z⁻¹∇ℓ(θ̂)] with ∇ℓ(θ̂) = slope · x, given `direction` = Z⁻¹x for the Z that already holds x.
    /// Says whether the projection had to move the estimate.
    pub(crate) fn step(
        &mut self,
        slope: f64,
        direction: &[f64],
        z: &Gram,
        radius: f64,
        projection: &mut Projection,
    ) -> bool {
        axpy(&mut self.theta, -slope, direction);
        projection.apply(&mut self.theta, z, radius)
    }
}
