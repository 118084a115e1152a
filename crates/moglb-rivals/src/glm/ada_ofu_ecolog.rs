//! ada-OFU-ECOLog: optimism over the confidence set of ECOLog with its realized radius (Faury, Abeille,
//! Jun, Calauzènes 2022), without a warm-up. The file of [`Ecolog`] states the set and its proof.

use crate::glm::ecolog::Ecolog;
use crate::glm::glm_target::GlmTarget;
use crate::glm::{EcologState, WIDEST, check_common};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Model, Policy, Problem, Target};
use moglb_math::{Error, Gram};
use rand_core::Rng;

policy! {
    id: "ada-ofu-ecolog",
    name: "ada-OFU-ECOLog",
    source: "Faury, Abeille, Jun, Calauzènes: Jointly efficient and optimal algorithms for logistic bandits, \
             AISTATS 2022",
    setting: "contexts, one-bit rewards with a logit link, fixed or fresh arm sets, one objective or a \
              weighted sum",
    guarantee: "the confidence set holds with probability 1 − δ for a logit link and rewards in [0, 1]; no \
                front",
    cost: "O(K·d²) to decide, O(d²) to learn",
    departures: "The radius is the realized sum of losses with a likelihood-ratio martingale in place of the \
                 source's deviation bound. It needs no test of a round, so all rounds are learned. The \
                 source sets aside the rounds that fail its test and shrinks the ball with them; its bound \
                 on regret does not carry over. Steps are solved up to rounding. Other links have their own \
                 losses and no proof. Ties are broken uniformly at random.",
    parameters: struct AdaOfuEcologConfig of AdaOfuEcolog {
        target: Target = Target::default() => "0", meaning!(glm_target);
        lambda: f64 = 1.0, "regularization, W_1 = λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// ada-OFU-ECOLog on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, AdaOfuEcolog, AdaOfuEcologConfig, ArmSet, Link, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = AdaOfuEcolog::new(problem, AdaOfuEcologConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct AdaOfuEcolog {
    problem: Problem,
    config: AdaOfuEcologConfig,
    ecolog: Ecolog,
}

impl AdaOfuEcolog {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: AdaOfuEcologConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, config.lambda)?;
        let ecolog = Ecolog::new(problem.dim(), model, config.lambda)?;
        Ok(Self { problem, config, ecolog })
    }

    /// Returns the radius of the confidence set, multiplied by the scale.
    pub fn radius(&self) -> f64 {
        let (bound, diameter) = (self.ecolog.model.radius, self.ecolog.diameter());
        let squared = self.config.lambda * bound * bound - (2.0 + diameter) * log(self.config.delta)
            + self.ecolog.realized();
        (self.config.scale * squared.max(0.0).sqrt()).min(WIDEST)
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

impl Policy for AdaOfuEcolog {
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

saved!(AdaOfuEcolog: AdaOfuEcologConfig => EcologState, ecolog);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    /// d = 1, S = 1, D = 2, λ = 1, reward 1 for x = 1. Both rewards at once leave z̄ = 0, where the loss
    /// is log 2. So the realized sum is log 2 − log(1 + e^{−θ}), and the squared distance of the step in
    /// the norm of W₁ = I is θ².
    #[test]
    fn the_first_radius_is_that_worked_by_hand() {
        let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
        let mut policy = AdaOfuEcolog::new(problem, AdaOfuEcologConfig::default()).unwrap();
        let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
        policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
        let theta = policy.theta()[0];
        assert!((theta / 2.0 - 1.0 / (1.0 + theta.exp())).abs() < 1e-14, "{theta}");
        let gained = 2.0_f64.ln() - (1.0 + (-theta).exp()).ln();
        let squared = 1.0 + 4.0 * (20.0_f64.ln() + gained) - theta * theta;
        assert!((policy.radius().powi(2) - squared).abs() < 1e-12, "{} {squared}", policy.radius());
    }
}
