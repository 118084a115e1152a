//! The estimate θ̂ of one objective's coefficients, and its online Newton step, Eq. (1).

use moglb_math::Gram;
use moglb_math::gram::Renewal;
use moglb_math::kernel::{LANES, Lanes, Unit, axpy, blocks, dot, padded, places};
use moglb_math::projection::{Projection, outside};

/// θ̂_{t,i}, which lies in the ball of radius D after every round.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    dim: usize,
    /// The coefficients, padded with zeros to whole blocks of lanes.
    theta: Vec<Lanes>,
}

impl Estimate {
    /// θ̂_{1,i} = 0 (step 1).
    pub fn zero(dim: usize) -> Self {
        Self { dim, theta: vec![Lanes::ZERO; blocks(dim)] }
    }

    /// An estimate with the given coefficients, from a snapshot or a prior.
    pub fn from_theta(theta: &[f64]) -> Self {
        Self { dim: theta.len(), theta: padded(theta) }
    }

    /// Returns the d coefficients.
    pub fn theta(&self) -> impl Iterator<Item = f64> + Clone + '_ {
        places(&self.theta).take(self.dim)
    }

    /// Returns θ̂, padded with zeros.
    #[inline(always)]
    pub fn blocks(&self) -> &[Lanes] {
        &self.theta
    }

    /// Returns one coefficient of θ̂.
    #[inline]
    pub fn entry(&self, j: usize) -> f64 {
        self.theta[j / LANES][j % LANES]
    }

    /// Returns θ̂ᵀx of a padded context: a score without its width.
    #[inline(always)]
    pub fn score<S: Unit>(&self, simd: S, x: &[Lanes]) -> f64 {
        dot(simd, &self.theta, x)
    }

    /// One step of Eq. (1): θ̂ ← Π[θ̂ − Z⁻¹∇ℓ(θ̂)] with ∇ℓ(θ̂) = slope · x. `direction` is Z⁻¹x, padded,
    /// where Z already contains x. Returns true if the projection moved the estimate. This is for policies
    /// that move one estimate at a time. MOGLB-UCB calls the two halves (`Learner::move_estimates`,
    /// `Learner::project_estimates`).
    #[inline(always)]
    pub fn step<S: Unit>(
        &mut self,
        simd: S,
        slope: f64,
        direction: &[Lanes],
        z: &Gram,
        radius: f64,
        projection: &mut Projection,
    ) -> bool {
        self.shift(simd, -slope, direction);
        self.project(simd, z, radius, projection)
    }

    /// θ̂ ← θ̂ + a·`direction`. The result may lie outside the ball.
    #[inline(always)]
    pub fn shift<S: Unit>(&mut self, simd: S, a: f64, direction: &[Lanes]) {
        axpy(simd, &mut self.theta, a, direction);
    }

    /// Returns true if θ̂ lies outside the ball of radius D.
    #[inline(always)]
    pub(crate) fn is_outside<S: Unit>(&self, simd: S, radius: f64) -> bool {
        outside(simd, &self.theta, radius).is_some()
    }

    /// Projects θ̂ onto the ball, in the norm of Z. Returns true if it was outside.
    #[inline(always)]
    pub fn project<S: Unit>(&mut self, simd: S, z: &Gram, radius: f64, projection: &mut Projection) -> bool {
        projection.apply(simd, &mut self.theta, z, radius)
    }

    /// Follows a Gram matrix that was discounted. The part that the discount put back acts like a round
    /// whose context is an axis and whose reward is zero, as all of λI does. So θ̂ stays the minimum for
    /// the rewards that still have weight. `direction` is Z⁻¹ times the axis.
    #[inline(always)]
    pub fn renew<S: Unit>(
        &mut self,
        simd: S,
        Renewal { axis, weight }: Renewal,
        direction: &[Lanes],
        z: &Gram,
        radius: f64,
        projection: &mut Projection,
    ) {
        self.shift(simd, -weight * self.entry(axis), direction);
        self.project(simd, z, radius, projection);
    }

    /// Copies an estimate with the same number of features, without allocating.
    #[inline(always)]
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.theta.copy_from_slice(&other.theta);
    }
}
