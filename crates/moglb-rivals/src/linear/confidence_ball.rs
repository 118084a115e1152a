//! ConfidenceBall₂: optimism over an ellipsoid with a radius that is known in advance (Dani, Hayes,
//! Kakade 2008).
//!
//! With A = Σbbᵀ + Σxxᵀ, where b_1, …, b_d is a barycentric spanner of the set that arms come from, and
//! μ̂ = A⁻¹Σyx, the policy plays the arm with the largest μ̂ᵀx + √β_t‖x‖_{A⁻¹}, for rewards in [−1, 1]
//! and
//!
//! ```text
//! β_t = max(128·d·log t·log(t²/δ), ((8/3)·log(t²/δ))²)
//! ```
//!
//! Contexts come from the unit ball. The unit vectors are a barycentric spanner of it, so A_1 = I.

use crate::ridge::{Ridge, RidgeState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "confidence-ball",
    name: "ConfidenceBall₂",
    source: "Dani, Hayes, Kakade: Stochastic linear optimization under bandit feedback, COLT 2008",
    setting: "contexts, linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d√T) with probability 1 − δ where rewards are linear; no front",
    cost: "O(K·d²) to decide, O(d²) to learn",
    departures: "Rewards instead of costs. The barycentric spanner is that of the unit ball, A_1 = I, so arm \
                 sets may be fresh and need not span all directions. Rewards are centered by their mean at θ \
                 = 0 and measured in units of the largest absolute value that they can then have, or of S/√d \
                 if that is more. S is D times the largest slope of the link and bounds ‖θ‖: the proof \
                 requires Σ(θᵀb)² ≤ d, and unit vectors need not be arms. For logit and probit links rewards \
                 are not linear and the guarantee does not hold. Ties are broken uniformly at random.",
    parameters: struct ConfidenceBallConfig of ConfidenceBall {
        target: Target = Target::default() => "0", meaning!(target);
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the width";
    }
}

/// ConfidenceBall₂ on one objective or a weighted sum. It has no front.
///
/// Example: [`Oful`](crate::Oful).
#[derive(Debug, Clone)]
pub struct ConfidenceBall {
    problem: Problem,
    config: ConfidenceBallConfig,
    scalar: Scalar,
    /// A and Σyx.
    ridge: Ridge,
}

/// The learned state of ConfidenceBall₂. Its size does not depend on t.
///
/// Example: [`Saved`](moglb_core::Saved).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceBallState {
    /// A and Σyx.
    pub ridge: RidgeState,
}

fits!(ConfidenceBallState, |state, problem| state.ridge.fits(problem.dim, 1));

impl ConfidenceBall {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for the target, [`Error::ParameterBounds`] or
    /// [`Error::TooLarge`].
    pub fn new(problem: Problem, config: ConfidenceBallConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        super::check(1.0, config.delta, config.scale)?;
        moglb_math::memory::check_memory(problem.dim(), problem.dim())?;
        let ridge = Ridge::new(problem.dim(), 1, 1.0, scalar.largest(&problem));
        Ok(Self { problem, config, scalar, ridge })
    }

    /// Returns √β_t of the next round, in units of the reward and multiplied by the scale.
    pub fn radius(&self) -> f64 {
        let (t, dim) = ((self.ridge.rounds() + 1) as f64, self.problem.dim() as f64);
        let confidence = 2.0 * log(t) - log(self.config.delta);
        let (slow, fast) = (128.0 * dim * log(t) * confidence, 8.0 / 3.0 * confidence);
        let unit = self.scalar.largest(&self.problem).max(self.scalar.norm_bound() / dim.sqrt());
        self.config.scale * unit * slow.max(fast * fast).sqrt()
    }
}

impl Policy for ConfidenceBall {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let radius = self.radius();
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            let x = arms.context(arm);
            (self.ridge.predict(0, x), radius * self.ridge.width(x))
        });
        decision.turn_estimates(|estimate| self.scalar.outward(estimate));
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.ridge.learn(arm.context(), [self.scalar.centred(reward, &self.problem)].into_iter());
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(ConfidenceBall: ConfidenceBallConfig => ConfidenceBallState { ridge });
