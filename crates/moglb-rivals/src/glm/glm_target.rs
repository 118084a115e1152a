//! The model of a target: what is known about it before the first round, in the orientation in which
//! larger is better.

use moglb_core::saved::damaged;
use moglb_core::target::Scalar;
use moglb_core::{Link, LinkConstants, Objective, Problem, Target};
use moglb_math::Error;
use moglb_math::kernel::norm;

/// A target as a generalized linear model: E y = μ(θᵀx) with ‖θ‖ ≤ S.
#[derive(Debug, Clone)]
pub struct GlmTarget {
    scalar: Scalar,
    /// The constants of the link on [−S, S]: its least and largest slope κ and L, and U, the bound on its
    /// mean.
    pub constants: LinkConstants,
    /// S, the radius D of the problem.
    pub radius: f64,
}

impl GlmTarget {
    /// Creates the model of a target.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for the target, or [`Error::Curvature`] if the
    /// link of a weighted sum is too flat at S.
    pub fn new(problem: &Problem, target: &Target) -> Result<Self, Error> {
        let scalar = target.resolve(problem)?;
        let constants = scalar.objective().checked_constants(problem.radius())?;
        Ok(Self { scalar, constants, radius: problem.radius() })
    }

    /// Creates the models of all objectives.
    ///
    /// # Errors
    ///
    /// Those of [`GlmTarget::new`].
    pub fn all(problem: &Problem) -> Result<Vec<Self>, Error> {
        (0..problem.n_objectives()).map(|i| Self::new(problem, &Target::Objective(i))).collect()
    }

    /// Returns the target as a generalized linear objective.
    pub fn objective(&self) -> &Objective {
        self.scalar.objective()
    }

    /// Returns the link μ.
    pub fn link(&self) -> Link {
        self.objective().link
    }

    /// Returns the reward of the target, in the objective's own orientation.
    pub fn reward(&self, reward: &[f64], problem: &Problem) -> f64 {
        self.scalar.reward(reward, problem)
    }

    /// Returns R: rewards are R-sub-Gaussian around their mean.
    pub(super) fn noise(&self) -> f64 {
        self.scalar.noise()
    }

    /// Returns a bound on |μ(z) − y| for z in [−S, S].
    pub(super) fn largest_residual(&self) -> f64 {
        self.constants.bound + self.objective().reward_bound()
    }

    /// Refuses an estimate outside of the ball.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`].
    pub(super) fn check_estimate(&self, theta: &[f64]) -> Result<(), Error> {
        if norm(theta) <= self.radius * (1.0 + 1e-9) {
            return Ok(());
        }
        Err(damaged(&"the estimate lies outside of the ball of radius D"))
    }

    /// Returns μ(z), in the orientation in which larger is better.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] for a registered link that returns no number.
    pub fn mean(&self, z: f64) -> Result<f64, Error> {
        self.residual(z, 0.0)
    }

    /// Returns μ(z) − y, the slope of the quasi-likelihood. It is the same formula for all links, and
    /// needs only E y = μ.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] for a registered link that returns no number.
    pub(super) fn residual(&self, z: f64, y: f64) -> Result<f64, Error> {
        let objective = self.objective();
        match objective.link {
            Link::Custom(_) => Ok(objective.inner_fisher(z, y)?.score),
            _ => Ok(objective.inner_mean(z) - objective.sign() * y),
        }
    }
}
