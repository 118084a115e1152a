//! OFU-ECOLog: optimism over the confidence set of ECOLog with its proved radius (Faury, Abeille, Jun,
//! Calauzènes 2022).
//!
//! Let W₁ = I, let the steps of [`Ecolog`] be solved exactly, and let D be the diameter of the set that θ
//! is known to be in. Their Theorem 3 states that with probability 1 − δ for all t
//!
//! ```text
//! ‖θ − θ_t‖²_W ≤ 8S² + 2D² + (2 + D)²ν_t/2 + 2(2 + D)²e^D·d log(1 + t/(4d))
//! ν_t = ½ + 2 log(2√(1 + t/4)/δ)
//! ```

use crate::glm::ecolog::Ecolog;
use crate::glm::glm_target::GlmTarget;
use crate::glm::{EcologState, WIDEST, check_common};
use libm::{exp, log};
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Model, Policy, Problem, Target};
use moglb_math::{Error, Gram};
use rand_core::Rng;

policy! {
    id: "ofu-ecolog",
    name: "OFU-ECOLog",
    source: "Faury, Abeille, Jun, Calauzènes: Jointly efficient and optimal algorithms for logistic bandits, \
             AISTATS 2022",
    setting: "contexts, one-bit rewards with a logit link, fixed or fresh arm sets, one objective or a \
              weighted sum",
    guarantee: "the confidence set holds with probability 1 − δ for a logit link and rewards in [0, 1]; no \
                front",
    cost: "O(K·d²) to decide, O(d²) to learn",
    departures: "There is no warm-up: θ is known to be in the ball of radius S, so D = 2S; the source has a \
                 warm-up until D ≤ 1. Steps are solved up to rounding. Other links have their own losses and \
                 no proof. Ties are broken uniformly at random.",
    parameters: struct OfuEcologConfig of OfuEcolog {
        target: Target = Target::default() => "0", meaning!(glm_target);
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// OFU-ECOLog on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Objective, OfuEcolog, OfuEcologConfig, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = OfuEcolog::new(problem, OfuEcologConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct OfuEcolog {
    problem: Problem,
    config: OfuEcologConfig,
    ecolog: Ecolog,
}

impl OfuEcolog {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: OfuEcologConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, 1.0)?;
        let ecolog = Ecolog::new(problem.dim(), model, 1.0)?;
        Ok(Self { problem, config, ecolog })
    }

    /// Returns the radius of the confidence set, multiplied by the scale.
    pub fn radius(&self) -> f64 {
        let (bound, diameter) = (self.ecolog.model.radius, self.ecolog.diameter());
        let (dim, t) = (self.problem.dim() as f64, self.ecolog.rounds() as f64);
        let nu = 0.5 + 2.0 * log(2.0 * (1.0 + t / 4.0).sqrt() / self.config.delta);
        let factor = (2.0 + diameter) * (2.0 + diameter);
        let squared = 8.0 * bound * bound
            + 2.0 * diameter * diameter
            + factor * (nu / 2.0 + 2.0 * exp(diameter) * dim * log(1.0 + t / (4.0 * dim)));
        (self.config.scale * squared.sqrt()).min(WIDEST)
    }

    /// Returns θ_t, in the orientation in which larger is better.
    pub fn theta(&self) -> Vec<f64> {
        self.ecolog.learner().estimates()[0].theta().collect()
    }

    /// Returns W.
    pub fn gram(&self) -> &Gram {
        self.ecolog.gram()
    }
}

impl Policy for OfuEcolog {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (radius, theta) = (self.radius(), &self.ecolog.learner().estimates()[0]);
        decision.play_by_index(arms, rng, self.gram(), theta, |_, z, norm| (z, radius * norm));
        decision.turn_estimates(|estimate| self.ecolog.model.objective().sign() * estimate);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.ecolog.learn(arm.context(), reward, &self.problem)
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(self.ecolog.learner())
    }
}

saved!(OfuEcolog: OfuEcologConfig => EcologState, ecolog);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    /// d = 1, S = 1, D = 2, reward 1 for x = 1: θ = s·2 with s = 1 − μ(2s), so θ/2 = 1/(1 + e^θ):
    /// θ = 0.6746296. After it W = 1 + μ′(θ), ν = ½ + 2 log(2√1.25/0.05), and the squared radius is
    /// 8 + 8 + 16(ν/2 + 2e²·log 1.25).
    #[test]
    fn the_first_round_is_that_worked_by_hand() {
        let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
        let mut policy = OfuEcolog::new(problem, OfuEcologConfig::default()).unwrap();
        let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
        policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
        let theta = policy.theta()[0];
        assert!((theta / 2.0 - 1.0 / (1.0 + theta.exp())).abs() < 1e-14, "{theta}");
        assert!((policy.gram().squared_norm(&[1.0]) - 1.0 - Link::Logit.slope(theta)).abs() < 1e-14);
        let nu = 0.5 + 2.0 * (40.0 * 1.25_f64.sqrt()).ln();
        let squared = 16.0 + 16.0 * (nu / 2.0 + 2.0 * 2.0_f64.exp() * 1.25_f64.ln());
        assert!((policy.radius().powi(2) - squared).abs() < 1e-10 * squared);
    }
}
