//! LinUCB with disjoint models, a ridge regression for each arm (Li, Chu, Langford, Schapire 2010,
//! Algorithm 1).
//!
//! With A_a = λI + Σxxᵀ and b_a = Σyx over the plays of arm a, the policy plays the arm with the largest
//!
//! ```text
//! θ̂_aᵀx + α·√(xᵀA_a⁻¹x)        θ̂_a = A_a⁻¹b_a        α = 1 + √(log(2/δ)/2)
//! ```

use super::per_arm::{self, PerArm};
use crate::ridge::RidgeState;
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "lin-ucb",
    name: "LinUCB",
    source: "Li, Chu, Langford, Schapire: A contextual-bandit approach to personalized news article \
             recommendation, WWW 2010",
    setting: "contexts, linear rewards with separate coefficients for each of K arms, one objective or a \
              weighted sum",
    guarantee: "the width holds with probability 1 − δ for each arm and round if rewards are independent; no \
                front",
    cost: "O(K·d²) to decide, O(d²) to learn, O(K·d²) memory",
    departures: "Rewards are centered by their mean at θ = 0, so logit and probit need no intercept. The \
                 source has rewards in [0, 1]: here α is multiplied by the length of the range. λ is 1 in \
                 the source. As in the source, the width assumes ‖θ‖ ≤ 1, whatever the radius of the \
                 problem. Ties are broken uniformly at random.",
    parameters: struct LinUcbConfig of LinUcb {
        target: Target = Target::default() => "0", meaning!(target);
        lambda: f64 = 1.0, "regularization: the Gram matrix begins as λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the width";
    }
}

/// LinUCB with disjoint models, on one objective or a weighted sum. It has no front.
///
/// Example: [`Oful`](crate::Oful).
#[derive(Debug, Clone)]
pub struct LinUcb {
    problem: Problem,
    config: LinUcbConfig,
    scalar: Scalar,
    /// A_a and b_a of each arm.
    arms: PerArm,
}

/// The learned state of LinUCB. Its size does not depend on t.
///
/// Example: [`Saved`](moglb_core::Saved).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinUcbState {
    /// A_a and b_a of each arm.
    pub arms: Vec<RidgeState>,
}

fits!(LinUcbState, |state, problem| per_arm::fits(&state.arms, problem));

/// Returns α of the source, multiplied by the length of the range of rewards.
pub(super) fn alpha(delta: f64, range: f64) -> f64 {
    range * (1.0 + (log(2.0 / delta) / 2.0).sqrt())
}

impl LinUcb {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for the target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: LinUcbConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        super::check(config.lambda, config.delta, config.scale)?;
        let arms = PerArm::new(&problem, INFO.id, config.lambda, scalar.largest(&problem))?;
        Ok(Self { problem, config, scalar, arms })
    }

    /// Returns α, multiplied by the scale and by the length of the range of rewards.
    pub fn alpha(&self) -> f64 {
        self.config.scale * alpha(self.config.delta, 2.0 * self.scalar.noise())
    }
}

impl Policy for LinUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let alpha = self.alpha();
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            let (ridge, x) = (self.arms.ridge(arm), arms.context(arm));
            (ridge.predict(0, x), alpha * ridge.width(x))
        });
        decision.turn_estimates(|estimate| self.scalar.outward(estimate));
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.arms.learn(arm, self.scalar.centred(reward, &self.problem));
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Both, scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(LinUcb: LinUcbConfig => LinUcbState { arms });
