//! Linear Thompson sampling (Agrawal and Goyal 2013).
//!
//! With B = λI + Σxxᵀ and θ̂ = B⁻¹Σyx, the policy draws coefficients in every round,
//!
//! ```text
//! θ̃ ~ N(θ̂, v²B⁻¹)        v = R·√(9d·log(t/δ))
//! ```
//!
//! and plays the arm with the largest θ̃ᵀx.

use crate::ridge::dot;
use crate::ridge::{Ridge, RidgeState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, Policy, Problem, Scale, Target};
use moglb_math::{Error, draw};
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "lin-ts",
    name: "LinTS",
    source: "Agrawal, Goyal: Thompson sampling for contextual bandits with linear payoffs, ICML 2013",
    setting: "contexts, linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d^{3/2}√T) with probability 1 − δ where rewards are linear; no front",
    cost: "O(K·d + d²) to decide, O(d²) to learn",
    departures: "Rewards are centered by their mean at θ = 0, so logit and probit need no intercept; with \
                 these links rewards are not linear and the guarantee does not hold. R is half the length of \
                 the range of rewards. λ is 1 in the source. As in the source, the width assumes ‖θ‖ ≤ 1, \
                 whatever the radius of the problem. Probabilities are exact given the drawn coefficients; \
                 over repeated decisions they have no closed form. The widths of a decision are v‖x‖_{B⁻¹}, \
                 the standard deviation of θ̃ᵀx.",
    parameters: struct LinTsConfig of LinTs {
        target: Target = Target::default() => "0", meaning!(target);
        lambda: f64 = 1.0, "regularization: the Gram matrix begins as λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the width";
    }
}

/// Linear Thompson sampling on one objective or a weighted sum. It has no front.
///
/// Example: [`Oful`](crate::Oful).
#[derive(Debug, Clone)]
pub struct LinTs {
    problem: Problem,
    config: LinTsConfig,
    scalar: Scalar,
    /// B and Σyx.
    ridge: Ridge,
}

/// The learned state of linear Thompson sampling. Its size does not depend on t.
///
/// Example: [`Saved`](moglb_core::Saved).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinTsState {
    /// B and Σyx.
    pub ridge: RidgeState,
}

fits!(LinTsState, |state, problem| state.ridge.fits(problem.dim, 1));

impl LinTs {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for the target, [`Error::ParameterBounds`] or
    /// [`Error::TooLarge`].
    pub fn new(problem: Problem, config: LinTsConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        super::check(config.lambda, config.delta, config.scale)?;
        moglb_math::memory::check_memory(problem.dim(), problem.dim())?;
        let ridge = Ridge::new(problem.dim(), 1, config.lambda, scalar.largest(&problem));
        Ok(Self { problem, config, scalar, ridge })
    }

    /// Returns v of the next round, multiplied by the scale.
    pub fn spread(&self) -> f64 {
        let t = (self.ridge.rounds() + 1) as f64;
        let dim = self.problem.dim() as f64;
        self.config.scale * self.scalar.noise() * (9.0 * dim * log(t / self.config.delta)).sqrt()
    }

    /// Draws θ̃ into `theta`. As B⁻¹ = MᵀM, Mᵀz has the covariance B⁻¹ for a standard normal z.
    fn draw_into(&self, spread: f64, rng: &mut dyn Rng, theta: &mut Vec<f64>) {
        theta.clear();
        theta.extend_from_slice(self.ridge.theta(0));
        for i in 0..theta.len() {
            let z = spread * draw::normal(rng);
            theta[..=i].iter_mut().enumerate().for_each(|(j, t)| *t += z * self.ridge.gram().entry(i, j));
        }
    }
}

impl Policy for LinTs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = true;
        let (spread, mut theta) = (self.spread(), std::mem::take(&mut decision.work.vectors[0]));
        self.draw_into(spread, rng, &mut theta);
        let wanted = decision.tables;
        decision.play_by_score(arms.n_arms(), rng, |arm| {
            let x = arms.context(arm);
            // Estimates and widths are only reported: the arm depends on θ̃ alone.
            let told =
                if wanted { (self.ridge.predict(0, x), spread * self.ridge.width(x)) } else { (0.0, 0.0) };
            (told.0, told.1, dot(&theta, x))
        });
        decision.work.vectors[0] = theta;
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

saved!(LinTs: LinTsConfig => LinTsState { ridge });
