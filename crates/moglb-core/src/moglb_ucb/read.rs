//! Read access to the policy: its configuration, estimates, Gram matrices, γ and predictions.

use super::MoglbUcb;
use super::config::MoglbUcbConfig;
use super::learner::{Learner, unit};
use crate::prior::dispersion;
use crate::width::Width;
use crate::{Arm, ArmSet, Decision, Model, Objective, Prior, Problem};
use moglb_math::{Error, Gram, Matrix};
use moglb_pareto::ArmId;

impl MoglbUcb {
    /// Returns the problem that the policy was built for.
    pub fn problem(&self) -> &Problem {
        &self.learner.problem
    }

    /// Returns t, the number of rewards learned.
    pub fn t(&self) -> u64 {
        self.learner.rounds
    }

    /// Returns the configuration, with the default λ resolved.
    pub fn config(&self) -> &MoglbUcbConfig {
        &self.learner.config
    }

    /// Returns the estimates θ̂ᵢ, one row per objective. The sign is that of the objective: E y ≈ μ(θ̂ᵢᵀx),
    /// also if it is minimized.
    pub fn theta(&self) -> Matrix {
        self.learner.theta()
    }

    /// Returns the Gram matrix Z_{t+1} of an objective. All objectives share it, unless κ is per objective,
    /// priors differ, or parts of rewards were learned.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gram(&self, objective: usize) -> &Gram {
        self.learner.gram(objective)
    }

    /// Returns γ_{t+1} of an objective (step 8): the squared width factor that the next decision uses.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gamma(&self, objective: usize) -> f64 {
        self.gamma_by(self.learner.config.width, objective)
    }

    /// Returns γ_{t+1} of an objective as another width computes it.
    #[doc(hidden)]
    pub fn gamma_by(&self, width: Width, objective: usize) -> f64 {
        self.learner.gamma_by(width, objective)
    }
}

impl Learner {
    /// The estimates θ̂ᵢ by rows, in each objective's own sign.
    fn theta(&self) -> Matrix {
        self.problem.outward(|i| self.models[i].estimate.theta())
    }
}

impl Model for Learner {
    fn predict_into(&self, arm: Arm<'_>, predictions: &mut Vec<(f64, f64)>) -> bool {
        let x = arm.context();
        predictions.clear();
        predictions.extend(self.problem.objectives().iter().enumerate().map(|(i, objective)| {
            let score: f64 = self.models[i].estimate.theta().zip(x).map(|(a, b)| a * b).sum();
            (objective.sign() * score, self.root(i) * self.gram(i).squared_norm_inv(x).sqrt())
        }));
        true
    }

    fn weigh_by(&self, arms: &ArmSet, _: &[bool], decision: &mut Decision) -> Result<bool, Error> {
        let knows_nothing = self.knows_nothing();
        if knows_nothing {
            // O_1 = X (step 1), no matter which objectives count.
            decision.front.refill((0..arms.n_arms()).map(ArmId));
            decision.probabilities = vec![1.0 / arms.n_arms() as f64; arms.n_arms()];
        }
        Ok(knows_nothing)
    }

    fn beliefs(&self) -> Vec<Prior> {
        let theta = self.theta();
        let of = |(i, objective): (usize, &Objective)| {
            // A custom link without a weight was already refused when a reward was learned.
            let unit = unit(objective, self.models[i].constants).unwrap_or(f64::NAN);
            let (learned, factor) = (self.gram(i).learned(), 1.0 / (unit * dispersion(objective)));
            Prior::believed(theta.row(i), self.problem.radius(), learned, factor)
        };
        self.problem.objectives().iter().enumerate().map(of).collect()
    }

    fn projection_hits(&self) -> u64 {
        self.projection_hits
    }
}
