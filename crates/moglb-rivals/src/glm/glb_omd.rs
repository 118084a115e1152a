//! GLB-OMD: one-pass online mirror descent with local curvature and look-ahead (Zhang, Xu, Zhao, Sugiyama
//! 2025). [`Mirror`] has the confidence set.

use crate::glm::glm_target::GlmTarget;
use crate::glm::mirror::{DEPARTURES, Mirror};
use crate::glm::{GlbOmdState, WIDEST, check_common};
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Model, Policy, Problem, Target};
use moglb_math::{Error, Gram};
use rand_core::Rng;

policy! {
    id: "glb-omd",
    name: "GLB-OMD",
    source: "Zhang, Xu, Zhao, Sugiyama: Generalized linear bandits: almost optimal regret with one-pass \
             update, NeurIPS 2025",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d√(T·μ′(best arm))) with probability 1 − δ where the model holds and the link is \
                canonical; no front",
    cost: "O(K·d²) to decide, O(d²) to learn",
    departures: DEPARTURES,
    parameters: struct GlbOmdConfig of GlbOmd {
        target: Target = Target::default() => "0", meaning!(glm_target);
        lambda: Option<f64> = None => "max(1, 14dηR_s², 6ηR_s·SL)",
            "regularization, H_1 = λI; the proof needs the default";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// GLB-OMD on one objective or a weighted sum. It has no front; [`MoGlbOmd`](crate::MoGlbOmd) has one.
///
/// ```
/// use moglb::{draw, ArmSet, GlbOmd, GlbOmdConfig, Link, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = GlbOmd::new(problem, GlbOmdConfig { scale: 0.1, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GlbOmd {
    problem: Problem,
    config: GlbOmdConfig,
    model: GlmTarget,
    mirror: Mirror,
}

impl GlbOmd {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: GlbOmdConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, config.lambda.unwrap_or(1.0))?;
        let mirror = Mirror::new(problem.dim(), std::slice::from_ref(&model), config.lambda)?;
        Ok(Self { problem, config, model, mirror })
    }

    /// Returns β, multiplied by the scale.
    pub fn radius(&self) -> f64 {
        (self.config.scale * self.mirror.radius(0, self.config.delta)).min(WIDEST)
    }

    /// Returns θ_t, in the orientation in which larger is better.
    pub fn theta(&self) -> Vec<f64> {
        self.mirror.learner.estimates()[0].theta().collect()
    }

    /// Returns H_t.
    pub fn gram(&self) -> &Gram {
        &self.mirror.learner.grams()[0]
    }
}

impl Policy for GlbOmd {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (radius, theta) = (self.radius(), &self.mirror.learner.estimates()[0]);
        decision.play_by_index(arms, rng, self.gram(), theta, |_, z, norm| (z, radius * norm));
        decision.turn_estimates(|estimate| self.model.objective().sign() * estimate);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.mirror.learn(arm.context(), reward, std::slice::from_ref(&self.model), &self.problem)
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(&self.mirror.learner)
    }
}

saved!(GlbOmd: GlbOmdConfig => GlbOmdState, mirror);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ridge::Ridge;
    use moglb_core::{Link, Objective};
    use moglb_pareto::ArmId;

    /// Logit, d = 1, S = 1: η = 2, λ = 14·2 = 28. Reward 1 for x = 1: z = 0, w = ¼, q = 1/28 and
    ///
    /// ```text
    /// θ = 2·½/28 / (1 + 2·¼/28) = 1/28.5        H = 28 + μ′(1/28.5)
    /// β² = 4·28 + 4·log 20 + (6·4 + 2)·log(H/28)
    /// ```
    #[test]
    fn the_first_round_is_that_worked_by_hand() {
        let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
        let mut policy = GlbOmd::new(problem, GlbOmdConfig::default()).unwrap();
        let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
        policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b, "{a} for {b}");
        close(policy.theta()[0], 1.0 / 28.5);
        let h = 28.0 + Link::Logit.slope(1.0 / 28.5);
        close(policy.gram().squared_norm(&[1.0]), h);
        close(policy.radius().powi(2), 112.0 + 4.0 * 20.0_f64.ln() + 26.0 * (h / 28.0).ln());
    }

    /// With an identity link the curvature is constant, so there is nothing to look ahead for: η = 1, and
    /// each step is one of ridge regression.
    #[test]
    fn on_an_identity_link_it_is_ridge_regression() {
        let problem = Problem::new(2, vec![Objective::new("y", Link::Identity)]).unwrap();
        let mut policy = GlbOmd::new(problem, GlbOmdConfig::default()).unwrap();
        let mut ridge = Ridge::new(2, 1, 1.0, 1.0);
        let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, -0.7]]).unwrap();
        for t in 0..100 {
            let (arm, y) = (arms.arm(ArmId(t % 2)), [0.4, -0.3, 0.2][t % 3]);
            policy.learn(arm, &[y]).unwrap();
            ridge.learn(arm.context(), [y].into_iter());
        }
        let apart = policy.theta().iter().zip(ridge.theta(0)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{apart}");
        assert_eq!(policy.model().unwrap().projection_hits(), 0);
    }
}
