//! What is known about a target before the first round, seen so that larger is better.

use moglb_core::saved::damaged;
use moglb_core::target::Scalar;
use moglb_core::{Link, LinkConstants, Objective, Problem, Target};
use moglb_math::Error;
use moglb_math::kernel::norm;

/// A target as a generalized linear model: E y = μ(θᵀx) with ‖θ‖ ≤ S.
#[derive(Debug, Clone)]
pub struct GlmTarget {
    scalar: Scalar,
    /// κ, L and U of the link on [−S, S].
    pub constants: LinkConstants,
    /// S, the radius D of the problem.
    pub radius: f64,
}

impl GlmTarget {
    /// The model of a target.
    ///
    /// # Errors
    ///
    /// What is wrong with the target, or [`Error::Curvature`] where the link of a weighted sum is flat at S.
    pub fn new(problem: &Problem, target: &Target) -> Result<Self, Error> {
        let scalar = target.resolve(problem)?;
        let constants = scalar.objective().checked_constants(problem.radius())?;
        Ok(Self { scalar, constants, radius: problem.radius() })
    }

    /// The models of all objectives.
    pub fn all(problem: &Problem) -> Result<Vec<Self>, Error> {
        (0..problem.n_objectives()).map(|i| Self::new(problem, &Target::Objective(i))).collect()
    }

    pub fn objective(&self) -> &Objective {
        self.scalar.objective()
    }

    /// The link μ.
    pub fn link(&self) -> Link {
        self.objective().link
    }

    /// The number of a reward vector that is pursued, as it came.
    pub fn reward(&self, reward: &[f64], problem: &Problem) -> f64 {
        self.scalar.reward(reward, problem)
    }

    /// R: rewards are R-sub-Gaussian around their mean.
    pub(super) fn noise(&self) -> f64 {
        self.scalar.noise()
    }

    /// The largest |μ(z) − y| there can be.
    pub(super) fn largest_residual(&self) -> f64 {
        self.constants.bound + self.objective().reward_bound()
    }

    /// Refuses an estimate outside of the ball.
    pub(super) fn check_estimate(&self, theta: &[f64]) -> Result<(), Error> {
        if norm(theta) <= self.radius * (1.0 + 1e-9) {
            return Ok(());
        }
        Err(damaged(&"the estimate lies outside of the ball of radius D"))
    }

    /// μ(z), as seen inside.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] for a registered link that gives no number.
    pub fn mean(&self, z: f64) -> Result<f64, Error> {
        self.residual(z, 0.0)
    }

    /// μ(z) − y, the slope of the quasi-likelihood whose score all links share (E y = μ is all it needs).
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] for a registered link that gives no number.
    pub(super) fn residual(&self, z: f64, y: f64) -> Result<f64, Error> {
        let objective = self.objective();
        match objective.link {
            Link::Custom(_) => Ok(objective.inner_fisher(z, y)?.score),
            _ => Ok(objective.inner_mean(z) - objective.sign() * y),
        }
    }
}
