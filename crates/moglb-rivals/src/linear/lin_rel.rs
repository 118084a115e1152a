//! LinRel (Auer 2002): least squares along the directions with enough data, and optimism about the others.
//!
//! With the weights a and the unknown part v of an arm z (`truncated.rs`), the policy plays the arm with
//! the largest
//!
//! ```text
//! Σ a·y + ‖a‖·√log(2TK/δ) + ‖v‖
//! ```
//!
//! for rewards in [0, 1] and ‖θ‖ ≤ 1.

use super::truncated::{Truncated, TruncatedState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "lin-rel",
    name: "LinRel",
    source: "Auer: Using confidence bounds for exploitation-exploration trade-offs, JMLR 2002",
    setting: "contexts, linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "none, as the rewards that it regresses on are not independent of its choices (SupLinRel has \
                one); no front",
    cost: "O(K·d²) to decide, O(d³) to learn",
    departures: "Rewards are centered by their mean at θ = 0, so logit and probit need no intercept. The \
                 source has rewards in [0, 1] and ‖θ‖ ≤ 1: here ‖a‖ is multiplied by the length of the \
                 range, and ‖v‖ by D times the largest slope of the link. K is the number of arms on offer. \
                 Ties are broken uniformly at random.",
    parameters: struct LinRelConfig of LinRel {
        target: Target = Target::default() => "0", meaning!(target);
        horizon: u64 = 3000, meaning!(horizon);
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the width";
    }
}

/// LinRel on one objective or a weighted sum. It has no front.
///
/// Example: [`Oful`](crate::Oful).
#[derive(Debug, Clone)]
pub struct LinRel {
    problem: Problem,
    config: LinRelConfig,
    scalar: Scalar,
    learner: Truncated,
}

/// The learned state of LinRel. Its size does not depend on t.
///
/// Example: [`Saved`](moglb_core::Saved).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinRelState {
    /// Σzzᵀ and Σyz.
    pub learner: TruncatedState,
}

fits!(LinRelState, |state, problem| state.learner.fits(problem.dim));

impl LinRel {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for the target, [`Error::ParameterBounds`] or
    /// [`Error::TooLarge`].
    pub fn new(problem: Problem, config: LinRelConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        super::check(1.0, config.delta, config.scale)?;
        Parameter::check_horizon(config.horizon)?;
        moglb_math::memory::check_memory(problem.dim(), problem.dim().saturating_mul(3))?;
        let learner = Truncated::new(problem.dim(), scalar.largest(&problem));
        Ok(Self { problem, config, scalar, learner })
    }

    /// Returns the factor of ‖a‖ for K arms: √log(2TK/δ) times the length of the range of rewards.
    fn confidence(&self, n_arms: usize) -> f64 {
        let LinRelConfig { horizon, delta, .. } = self.config;
        2.0 * self.scalar.noise() * log(2.0 * horizon as f64 * n_arms as f64 / delta).sqrt()
    }
}

impl Policy for LinRel {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (confidence, bound) = (self.confidence(arms.n_arms()), self.scalar.norm_bound());
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            let got = self.learner.predict(arms.context(arm));
            (got.estimate, self.config.scale * (confidence * got.weights + bound * got.unknown))
        });
        decision.turn_estimates(|estimate| self.scalar.outward(estimate));
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.learner.learn(arm.context(), self.scalar.centred(reward, &self.problem));
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(LinRel: LinRelConfig => LinRelState { learner });
