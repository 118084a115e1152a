//! The online Newton step that OL²M, GLOC and MOGLB-UCB share, for one or more targets on the same contexts:
//!
//! ```text
//! Z ← Z + h·xxᵀ        θ ← Π_Z[θ − gain·(μ(θᵀx) − y)·Z⁻¹x]
//! ```
//!
//! where Π_Z projects onto the ball of radius S in the norm of Z.
//!
//! OL²M has h = β/2 and gain 1, GLOC has h = 1 and gain 1/κ. If the ratio of gain to h is the same, and λ
//! has the same ratio to h, both make the same steps: the iterates depend on Z only up to its scale.

use moglb_core::Model;
use moglb_core::estimate::Estimate;
use moglb_core::moglb_ucb::snapshot::MoglbUcbState;
use moglb_core::saved::{SavedPart, damaged};
use moglb_math::gram::Update;
use moglb_math::kernel::{Lanes, Unit, blocks, dot, fill, vectorized};
use moglb_math::projection::Projection;
use moglb_math::{Error, Gram};

/// The serialized form of online Newton learners, with one estimate for each target.
pub type OnlineNewtonState = MoglbUcbState;

/// Online Newton learners: one Z, and θ for each target.
#[derive(Debug, Clone)]
pub(super) struct OnlineNewton {
    gram: Gram,
    learners: Vec<Learner>,
    radius: f64,
    rounds: u64,
    /// Σ‖x‖².
    squared_norms: f64,
    projection_hits: u64,
    scratch: NewtonScratch,
}

/// The learner of one target.
#[derive(Debug, Clone)]
struct Learner {
    /// θ.
    estimate: Estimate,
    gain: f64,
    /// The bound on |μ(z) − y|. A restored state is checked with it.
    largest_residual: f64,
    /// Σ (μ(θ_sᵀx_s) − y_s)² ‖x_s‖²_{Z_{s+1}⁻¹}.
    gradients: f64,
}

/// The buffers of a step.
#[derive(Debug, Clone)]
struct NewtonScratch {
    /// The context, padded with zeros to whole blocks of lanes.
    context: Vec<Lanes>,
    /// Z⁻¹x.
    direction: Vec<Lanes>,
    update: Update,
    projection: Projection,
}

impl OnlineNewton {
    /// Creates learners before the first round: Z for λ and `weight` h, and θ = 0 for each pair of a gain
    /// and the largest residual |μ(z) − y|.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    pub fn new(
        dim: usize,
        radius: f64,
        lambda: f64,
        weight: f64,
        gains: impl Iterator<Item = (f64, f64)>,
    ) -> Result<Self, Error> {
        moglb_math::memory::check_memory(dim, dim)?;
        let learner = |(gain, largest_residual)| Learner {
            estimate: Estimate::zero(dim),
            gain,
            largest_residual,
            gradients: 0.0,
        };
        let zero = vec![Lanes::ZERO; blocks(dim)];
        let scratch = NewtonScratch {
            context: zero.clone(),
            direction: zero,
            update: Update::default(),
            projection: Projection::default(),
        };
        Ok(Self {
            gram: Gram::new(dim, lambda, weight),
            learners: gains.map(learner).collect(),
            radius,
            rounds: 0,
            squared_norms: 0.0,
            projection_hits: 0,
            scratch,
        })
    }

    /// Returns Z.
    pub fn gram(&self) -> &Gram {
        &self.gram
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns θ of a learner.
    pub fn estimate(&self, learner: usize) -> &Estimate {
        &self.learners[learner].estimate
    }

    /// Returns Σ (μ(θ_sᵀx_s) − y_s)² ‖x_s‖²_{Z_{s+1}⁻¹} of a learner.
    pub(super) fn gradients(&self, learner: usize) -> f64 {
        self.learners[learner].gradients
    }

    /// Returns the prediction θᵀx of a learner.
    pub(super) fn predict(&self, learner: usize, x: &[f64]) -> f64 {
        self.learners[learner].estimate.theta().zip(x).map(|(theta, x)| theta * x).sum()
    }

    /// Learns a round from the residual μ(θᵀx) − y of each learner.
    pub fn learn(&mut self, x: &[f64], residuals: &[f64]) {
        vectorized!(
            { newton: &'a mut OnlineNewton = self, x: &'a [f64] = x, residuals: &'a [f64] = residuals },
            (),
            |simd| newton.update(simd, x, residuals)
        );
    }

    /// The step of [`OnlineNewton::learn`], for one kind of vector unit.
    #[inline(always)]
    fn update<S: Unit>(&mut self, simd: S, x: &[f64], residuals: &[f64]) {
        let NewtonScratch { context, direction, update, projection } = &mut self.scratch;
        fill(context, x);
        let squared = self.gram.add_and_solve(simd, context, direction, update);
        for (learner, residual) in self.learners.iter_mut().zip(residuals) {
            learner.gradients += residual * residual * squared;
            let slope = learner.gain * residual;
            let moved = learner.estimate.step(simd, slope, direction, &self.gram, self.radius, projection);
            self.projection_hits += u64::from(moved);
        }
        self.squared_norms += dot(simd, context, context);
        self.rounds += 1;
    }
}

impl SavedPart for OnlineNewton {
    type State = OnlineNewtonState;

    fn state(&self) -> OnlineNewtonState {
        OnlineNewtonState {
            rounds: self.rounds,
            factors: vec![self.gram.packed()],
            log_dets: vec![self.gram.log_det()],
            thetas: self.learners.iter().map(|learner| learner.estimate.theta().collect()).collect(),
            gradients: self.learners.iter().map(|learner| learner.gradients).collect(),
            squared_norms: self.squared_norms,
            projection_hits: self.projection_hits,
        }
    }

    fn resumed(&self, state: OnlineNewtonState) -> Result<Self, Error> {
        let mut next = self.clone();
        let z = &self.gram;
        state.check(&vec![vec![0.0; z.dim()]; self.learners.len()], 1, self.radius)?;
        let possible = |(&sum, &Learner { largest_residual, .. }): (&f64, &Learner)| {
            sum <= state.rounds as f64 * (largest_residual * largest_residual / z.lambda()) * (1.0 + 1e-8)
        };
        if !state.gradients.iter().zip(&self.learners).all(possible) {
            return Err(damaged(&"the residuals add up to more than the rewards can"));
        }
        let (packed, log_det) = (&state.factors[0], state.log_dets[0]);
        next.gram = Gram::from_packed(z.dim(), z.lambda(), z.weight(), state.squared_norms, packed, log_det)?;
        for ((learner, theta), gradients) in next.learners.iter_mut().zip(&state.thetas).zip(state.gradients)
        {
            learner.estimate = Estimate::from_theta(theta);
            learner.gradients = gradients;
        }
        next.rounds = state.rounds;
        next.squared_norms = state.squared_norms;
        next.projection_hits = state.projection_hits;
        Ok(next)
    }
}

impl Model for OnlineNewton {
    fn projection_hits(&self) -> u64 {
        self.projection_hits
    }
}

/// Returns true if there is a row of d for one learner, or for each objective.
pub(super) fn learners_fit(thetas: &[Vec<f64>], problem: &moglb_core::ProblemConfig) -> bool {
    [1, problem.objectives.len()].contains(&thetas.len()) && thetas.iter().all(|row| row.len() == problem.dim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::Link;
    use moglb_math::draw;

    /// With the same ratio of gain to h and of λ to h, the learners of OL²M and GLOC have the same iterates.
    #[test]
    fn learners_with_matching_constants_share_their_iterates() {
        let (kappa, mut rng) = (0.2, draw::seeded(3));
        let mut gloc = OnlineNewton::new(3, 0.4, 1.0, 1.0, [(1.0 / kappa, 1.0)].into_iter()).unwrap();
        let mut ol2m = OnlineNewton::new(3, 0.4, kappa, kappa, [(1.0, 1.0)].into_iter()).unwrap();
        for _ in 0..400 {
            let x = [(); 3].map(|()| 0.5 * draw::normal(&mut rng).clamp(-1.1, 1.1));
            let y = f64::from(draw::unit(&mut rng) < Link::Logit.mean(0.6 * x[0] - 0.5 * x[2]));
            for learner in [&mut gloc, &mut ol2m] {
                let residual = Link::Logit.mean(learner.predict(0, &x)) - y;
                learner.learn(&x, &[residual]);
            }
            let apart = gloc.estimate(0).theta().zip(ol2m.estimate(0).theta()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-11);
        }
        assert!(gloc.projection_hits() > 20, "the projection is used: {}", gloc.projection_hits());
    }

    /// With an identity link, gain one and h = 1, each step is one of recursive ridge regression.
    #[test]
    fn with_gain_one_on_an_identity_link_the_learner_is_ridge_regression() {
        let mut rng = draw::seeded(4);
        let mut newton = OnlineNewton::new(3, 100.0, 2.0, 1.0, [(1.0, 2.0)].into_iter()).unwrap();
        let mut ridge = crate::ridge::Ridge::new(3, 1, 2.0, 2.0);
        for _ in 0..300 {
            let x = [(); 3].map(|()| 0.5 * draw::normal(&mut rng).clamp(-1.1, 1.1));
            let y = 0.3 * x[0] - 0.8 * x[1] + 0.1 * draw::normal(&mut rng);
            newton.learn(&x, &[newton.predict(0, &x) - y]);
            ridge.learn(&x, [y].into_iter());
            let apart = newton.estimate(0).theta().zip(ridge.theta(0)).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-12);
        }
    }
}
