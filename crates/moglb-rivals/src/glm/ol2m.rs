//! OL²M: online logistic regression with a confidence set (Zhang, Yang, Jin, Xiao, Zhou 2016).
//!
//! The learner is the online Newton step with h = β/2. Their Theorem 1 states that with probability 1 − δ
//! for all t
//!
//! ```text
//! ‖θ − θ̂‖²_Z ≤ γ = 8S + (8/β + 16S/3)τ + (2/β) log(det Z / det Z₁) + λS²,    τ = log(2⌈2 log₂ t⌉t²/δ)
//! ```
//!
//! where β is the constant of exponential concavity of the losses: 1/(2(1 + e^S)) for logit.

use crate::glm::glm_target::GlmTarget;
use crate::glm::newton::{OnlineNewton, OnlineNewtonState, learners_fit};
use crate::glm::{WIDEST, check_common};
use libm::{ceil, exp, log, log2};
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::{Arm, ArmSet, Decision, Link, Model, Policy, Problem, Target};
use moglb_math::{Error, Gram};
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "ol2m",
    name: "OL2M",
    source: "Zhang, Yang, Jin, Xiao, Zhou: Online stochastic linear optimization under one-bit feedback, \
             ICML 2016",
    setting: "contexts, one-bit rewards with a logit link, fixed or fresh arm sets, one objective or a \
              weighted sum",
    guarantee: "regret Õ(d√T) with probability 1 − δ for a logit link and rewards 0 or 1; no front",
    cost: "O(K·d²) to decide, O(d²) to learn",
    departures: "Rewards are 0 and 1 in place of −1 and 1; the loss of a logit link is the same. The number \
                 of intervals in the bound on the noise, ⌈2·log₂ t⌉, is 0 at t = 1, which would give log 0: \
                 there it is taken as 1. Before the first reward γ is λS², as only ‖θ‖ ≤ S is known. For \
                 links other than logit β is the least slope κ of the link, as in the same proof for their \
                 losses, but the bound on the noise is that of rewards 0 or 1, so the guarantee does not \
                 hold. Ties are broken uniformly at random.",
    parameters: struct Ol2mConfig of Ol2m {
        target: Target = Target::default() => "0", meaning!(glm_target);
        lambda: f64 = 1.0, "regularization, Z_1 = λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// OL²M on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Objective, Ol2m, Ol2mConfig, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = Ol2m::new(problem, Ol2mConfig { scale: 0.05, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ol2m {
    problem: Problem,
    config: Ol2mConfig,
    model: GlmTarget,
    /// β, the constant of exponential concavity of the losses; κ for links other than logit.
    beta: f64,
    newton: OnlineNewton,
}

/// The learned state of OL²M. Its size does not depend on t.
///
/// Example: [`Ol2m`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ol2mState {
    /// Z and the learner.
    pub learner: OnlineNewtonState,
}

fits!(Ol2mState, |state, problem| learners_fit(&state.learner.thetas, problem));

impl Ol2m {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: Ol2mConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, config.lambda)?;
        let beta = match model.link() {
            Link::Logit => 1.0 / (2.0 * (1.0 + exp(model.radius))),
            _ => model.constants.kappa,
        };
        let gains = [(1.0, model.largest_residual())].into_iter();
        let newton = OnlineNewton::new(problem.dim(), model.radius, config.lambda, beta / 2.0, gains)?;
        Ok(Self { problem, config, model, beta, newton })
    }

    /// Returns √γ, multiplied by the scale.
    pub fn radius(&self) -> f64 {
        let (bound, beta, t) = (self.model.radius, self.beta, self.newton.rounds() as f64);
        let mut gamma = self.config.lambda * bound * bound;
        if t > 0.0 {
            let peels = ceil(2.0 * log2(t)).max(1.0);
            let tau = log(2.0 * peels) + 2.0 * log(t) - log(self.config.delta);
            let log_det = self.newton.gram().log_det_ratio();
            gamma += 8.0 * bound + (8.0 / beta + 16.0 * bound / 3.0) * tau + 2.0 / beta * log_det;
        }
        (self.config.scale * gamma.sqrt()).min(WIDEST)
    }

    /// Returns θ̂, in the orientation in which larger is better.
    pub fn theta(&self) -> Vec<f64> {
        self.newton.estimate(0).theta().collect()
    }

    /// Returns Z.
    pub fn gram(&self) -> &Gram {
        self.newton.gram()
    }
}

impl Policy for Ol2m {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let radius = self.radius();
        decision
            .play_by_index(arms, rng, self.gram(), self.newton.estimate(0), |_, z, norm| (z, radius * norm));
        decision.turn_estimates(|estimate| self.model.objective().sign() * estimate);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let y = self.model.reward(reward, &self.problem);
        let residual = self.model.residual(self.newton.predict(0, arm.context()), y)?;
        self.newton.learn(arm.context(), &[residual]);
        Ok(())
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(&self.newton)
    }
}

saved!(Ol2m: Ol2mConfig => Ol2mState { learner: newton });

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::Objective;
    use moglb_pareto::ArmId;

    /// One reward 1 for x = 0.6 with S = 1: β = 1/(2(1 + e)) = 0.134471, Z = 1 + 0.36·β/2 = 1.0242048,
    /// and θ̂ = 0 + ½·0.6/Z = 0.2929102. γ = 8 + (8/β + 16/3)·log(2·1/0.05) + (2/β)·log Z + 1
    /// = 8 + 239.1344 + 0.3557 + 1.
    #[test]
    fn the_first_round_is_that_worked_by_hand() {
        let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
        let mut policy = Ol2m::new(problem, Ol2mConfig::default()).unwrap();
        assert_eq!(policy.radius(), 1.0, "before any reward ‖θ‖ ≤ S is all that is known");
        let arms = ArmSet::from_rows(&[[0.6]]).unwrap();
        policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-5 * b, "{a} for {b}");
        close(policy.theta()[0], 0.2929102);
        close(policy.gram().squared_norm(&[1.0]), 1.0242048);
        let (beta, z) = (0.1344707_f64, 1.0242048_f64);
        close(policy.radius().powi(2), 9.0 + (8.0 / beta + 16.0 / 3.0) * 40.0_f64.ln() + 2.0 / beta * z.ln());
    }
}
