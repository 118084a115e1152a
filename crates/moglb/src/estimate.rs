//! The estimate θ̂ of one objective's coefficients: the online Newton step, Eq. (1).

use crate::Gram;
use crate::gram::stride;
use crate::kernel::{axpy, dot};
use crate::projection::Projection;

/// θ̂_{t,i}, always in the ball of radius D.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    dim: usize,
    /// Filled up with zeros to whole blocks of lanes.
    theta: Vec<f64>,
}

impl Estimate {
    /// θ̂_{1,i} = 0.
    pub(crate) fn zero(dim: usize) -> Self {
        Self { dim, theta: vec![0.0; stride(dim)] }
    }

    /// An estimate read back from a snapshot.
    pub(crate) fn from_theta(mut theta: Vec<f64>) -> Self {
        let dim = theta.len();
        theta.resize(stride(dim), 0.0);
        Self { dim, theta }
    }

    pub(crate) fn theta(&self) -> &[f64] {
        &self.theta[..self.dim]
    }

    /// The score θ̂ᵀx of a context that is filled up too.
    #[inline(always)]
    pub(crate) fn score(&self, x: &[f64]) -> f64 {
        dot(&self.theta, x)
    }

    /// Eq. (1): θ̂ ← Π[θ̂ − Z⁻¹∇ℓ(θ̂)] with ∇ℓ(θ̂) = slope · x, given `direction` = Z⁻¹x (filled up) for the Z that
    /// already holds x. Says whether the projection had to move the estimate.
    #[inline(always)]
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
