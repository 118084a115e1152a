//! OFUL: optimism over the confidence ellipsoid of ridge regression (Abbasi-Yadkori, Pál, Szepesvári 2011).
//!
//! With V = λI + Σxxᵀ and θ̂ = V⁻¹Σyx, their Theorem 2 states that with probability 1 − δ for all t
//!
//! ```text
//! ‖θ − θ̂‖_V ≤ √β = R√(2 log(√(det V / det λI) / δ)) + √λ·S
//! ```
//!
//! So the largest possible mean reward of an arm is θ̂ᵀx + √β‖x‖_{V⁻¹}. With C > 0 the estimate and the
//! ellipsoid of decisions are renewed only when det V has grown by the factor 1 + C since the last
//! renewal (their Section 5.1). That happens O(d log t / C) times in t rounds.

use crate::ridge::{Ridge, RidgeState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{Saved, SavedPart, damaged, fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "oful",
    name: "OFUL",
    source: "Abbasi-Yadkori, Pál, Szepesvári: Improved algorithms for linear stochastic bandits, NIPS 2011",
    setting: "contexts, linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d√T) with probability 1 − δ where rewards are linear; no front",
    cost: "O(K·d²) to decide, O(d²) to learn",
    departures: "Rewards are centered by their mean at θ = 0, so logit and probit need no intercept; with \
                 these links rewards are not linear and the guarantee does not hold. S, which the source \
                 takes as known, is D times the largest slope of the link: exact for identity, and for other \
                 links a bound on the slope of the best linear prediction. For a weighted sum it is the \
                 weighted sum of the S of the objectives, each in units of its range. R is half the length \
                 of the range of rewards. Ties are broken uniformly at random.",
    parameters: struct OfulConfig of Oful {
        target: Target = Target::default() => "0", meaning!(target);
        lambda: f64 = 1.0, "regularization: the Gram matrix begins as λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the width";
        switch: f64 = 0.0,
            "C of the rarely switching variant: the estimate and width of decisions are renewed when det V \
             has grown by the factor 1 + C; 0 renews them after every reward";
    }
}

/// OFUL on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Objective, Oful, OfulConfig, Policy, Problem, Target};
///
/// let objectives =
///     vec![Objective::new("speed", Link::Identity), Objective::new("cost", Link::Identity).minimize()];
/// let config = OfulConfig { target: Target::Weights(vec![0.7, 0.3]), ..Default::default() };
/// let mut policy = Oful::new(Problem::new(2, objectives)?, config)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[0.5, 0.2])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Oful {
    problem: Problem,
    config: OfulConfig,
    scalar: Scalar,
    /// The regression on all rewards.
    ridge: Ridge,
    /// The regression that decisions use, if it is older than `ridge`. Only with `switch` > 0.
    held: Option<Ridge>,
}

/// The learned state of OFUL. Its size does not depend on t.
///
/// Example: [`Oful`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfulState {
    /// The regression on all rewards.
    pub ridge: RidgeState,
    /// The regression that decisions use, if it is older than `ridge`.
    pub held: Option<RidgeState>,
}

fits!(OfulState, |state, problem| {
    state.held.iter().chain([&state.ridge]).all(|ridge| ridge.fits(problem.dim, 1))
});

impl Oful {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for the target, [`Error::ParameterBounds`] or
    /// [`Error::TooLarge`].
    pub fn new(problem: Problem, config: OfulConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        super::check(config.lambda, config.delta, config.scale)?;
        Parameter::check("switch", config.switch, 0.0..=1e100)?;
        moglb_math::memory::check_memory(problem.dim(), problem.dim())?;
        let ridge = Ridge::new(problem.dim(), 1, config.lambda, scalar.largest(&problem));
        Ok(Self { scalar, ridge, held: None, problem, config })
    }

    /// Returns the regression that decisions use.
    fn acting(&self) -> &Ridge {
        self.held.as_ref().unwrap_or(&self.ridge)
    }

    /// Returns √β, multiplied by the scale.
    pub fn radius(&self) -> f64 {
        let OfulConfig { lambda, delta, scale, .. } = self.config;
        let log_det = self.acting().gram().log_det_ratio();
        scale
            * (self.scalar.noise() * (log_det - 2.0 * log(delta)).sqrt()
                + lambda.sqrt() * self.scalar.norm_bound())
    }

    /// Returns θ̂, in the orientation in which larger is better.
    pub fn theta(&self) -> &[f64] {
        self.acting().theta(0)
    }
}

impl Policy for Oful {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (ridge, radius) = (self.acting(), self.radius());
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            let x = arms.context(arm);
            (ridge.predict(0, x), radius * ridge.width(x))
        });
        decision.turn_estimates(|estimate| self.scalar.outward(estimate));
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let y = self.scalar.centred(reward, &self.problem);
        if self.config.switch > 0.0 && self.held.is_none() {
            self.held = Some(self.ridge.clone());
        }
        self.ridge.learn(arm.context(), [y].into_iter());
        let grown = |held: &Ridge| self.ridge.gram().log_det_ratio() - held.gram().log_det_ratio();
        let switch = log(1.0 + self.config.switch);
        self.held = self.held.take().filter(|held| grown(held) <= switch);
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Centred, ..Facts::default() }
    }
}

impl Saved for Oful {
    saved!(OfulConfig => OfulState);

    fn t(&self) -> u64 {
        self.ridge.rounds()
    }

    fn state(&self) -> OfulState {
        OfulState { ridge: self.ridge.state(), held: self.held.as_ref().map(SavedPart::state) }
    }

    fn resume(&mut self, state: OfulState) -> Result<(), Error> {
        let older = |held: &RidgeState| self.config.switch > 0.0 && held.rounds < state.ridge.rounds;
        if !state.held.as_ref().is_none_or(older) {
            return Err(damaged(&"the regression of decisions is not older than that of all rewards"));
        }
        let held = state.held.map(|held| self.ridge.resumed(held)).transpose()?;
        (self.ridge, self.held) = (self.ridge.resumed(state.ridge)?, held);
        Ok(())
    }
}
