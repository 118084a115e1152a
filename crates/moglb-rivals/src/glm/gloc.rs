//! GLOC: optimism over a confidence set that is converted from an online learner (Jun, Bhargava, Nowak,
//! Willett 2017). [`Conversion`] has the set and its radius.

use crate::glm::conversion::{Conversion, GlocState};
use crate::glm::glm_target::GlmTarget;
use crate::glm::{WIDEST, check_common};
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Model, Policy, Problem, Target};
use moglb_math::{Error, Gram};
use rand_core::Rng;

policy! {
    id: "gloc",
    name: "GLOC",
    source: "Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online computation and \
             hashing, NIPS 2017",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d√T·(L + R)/κ) with probability 1 − δ where the model holds; no front",
    cost: "O(K·d²) to decide, O(d²) to learn",
    departures: "R is half the length of the range of rewards, so any rewards in it are R-sub-Gaussian; κ is \
                 the least slope of the link on [−S, S] with S = D. Ties are broken uniformly at random.",
    parameters: struct GlocConfig of Gloc {
        target: Target = Target::default() => "0", meaning!(glm_target);
        lambda: f64 = 1.0, "regularization, V_1 = λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// GLOC on one objective or a weighted sum. It has no front; [`MoGloc`](crate::MoGloc) has one.
///
/// ```
/// use moglb::{draw, ArmSet, Gloc, GlocConfig, Link, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = Gloc::new(problem, GlocConfig { scale: 0.05, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gloc {
    problem: Problem,
    config: GlocConfig,
    conversion: Conversion,
}

impl Gloc {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: GlocConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, config.lambda)?;
        let conversion = Conversion::new(problem.dim(), vec![model], config.lambda)?;
        Ok(Self { problem, config, conversion })
    }

    /// Returns √β, multiplied by the scale.
    pub fn radius(&self) -> f64 {
        (self.config.scale * self.conversion.radius(0, self.config.delta)).min(WIDEST)
    }

    /// Returns θ̂, the center of the confidence set, in the orientation in which larger is better.
    pub fn theta(&self) -> Vec<f64> {
        self.conversion.center(0).theta().collect()
    }

    /// Returns V = λI + Σxxᵀ.
    pub fn gram(&self) -> &Gram {
        self.conversion.gram()
    }
}

impl Policy for Gloc {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let radius = self.radius();
        decision.play_by_index(arms, rng, self.gram(), self.conversion.center(0), |_, z, norm| {
            (z, radius * norm)
        });
        let sign = self.conversion.models()[0].objective().sign();
        decision.turn_estimates(|estimate| sign * estimate);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.conversion.learn(arm.context(), reward, &self.problem)
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(self.conversion.model())
    }
}

saved!(Gloc: GlocConfig => GlocState, conversion);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    /// Identity link (κ = 1) with rewards in [−½, ½] (R = ½), S = 1, λ = 1. Two rewards ½ for x = 1:
    ///
    /// ```text
    /// z₁ = 0,    g = −½, V = 2, θ = ½/2 = ¼          g²‖x‖² = ¼/2
    /// z₂ = ¼,    g = −¼, V = 3, θ = ¼ + ¼/3 = ⅓      g²‖x‖² = 1/16/3
    /// θ̂ = (0 + ¼)/3 = 1/12,  Σz² = 1/16,  B = 2 + (1/8 + 1/48)/2 = 2 + 7/96
    /// α = 1 + 4B + 2·log(40·√(1 + 2B + 100))          4R⁴/δ² = ¼/0.0025 = 100
    /// β = α + 1 − (1/16 − ¼/12)
    /// ```
    #[test]
    fn the_first_rounds_are_those_worked_by_hand() {
        let objective = Objective::new("y", Link::Identity).range(-0.5, 0.5);
        let mut policy = Gloc::new(Problem::new(1, vec![objective]).unwrap(), GlocConfig::default()).unwrap();
        let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
        for _ in 0..2 {
            policy.learn(arms.arm(ArmId(0)), &[0.5]).unwrap();
        }
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b, "{a} for {b}");
        close(policy.theta()[0], 1.0 / 12.0);
        let regret = 2.0_f64 + 7.0 / 96.0;
        let alpha = 1.0 + 4.0 * regret + 2.0 * (40.0 * (101.0 + 2.0 * regret).sqrt()).ln();
        close(policy.radius().powi(2), alpha + 1.0 - (1.0 / 16.0 - 0.25 / 12.0));
    }
}
