//! Multi-objective GLB-OMD: a learner with its own H and confidence set for each objective. Each set
//! fails with probability at most δ/m. As in MOGLB-UCB, arms are drawn uniformly from the front of the
//! optimistic scores.

use crate::glm::glm_target::GlmTarget;
use crate::glm::mirror::Mirror;
use crate::glm::{GlbOmdState, WIDEST, check_common};
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::scoring::Optimism;
use moglb_core::{Arm, ArmSet, Decision, Model, Policy, Problem};
use moglb_math::{Error, Gram, Matrix};
use rand_core::Rng;

policy! {
    id: "mo-glb-omd",
    name: "MO-GLB-OMD",
    source: "this project, from Zhang, Xu, Zhao, Sugiyama: Generalized linear bandits: almost optimal regret \
             with one-pass update, NeurIPS 2025",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets",
    guarantee: "the confidence sets of all objectives hold with probability 1 − δ where links are canonical",
    cost: "O(K·m·d² + front) to decide, O(m·d²) to learn",
    has_front: true,
    departures: "The source has one objective; here δ is divided by the number of objectives. The front and \
                 its uniform draw are those of MOGLB-UCB. All objectives share one η and one λ, the largest \
                 that an objective needs. For the rest, see GLB-OMD.",
    parameters: struct MoGlbOmdConfig of MoGlbOmd {
        lambda: Option<f64> = None => "max(1, 14dηR_s², 6ηR_s·SL)",
            "regularization, H_1 = λI; the proof needs the default";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// GLB-OMD for all objectives: optimistic scores and a uniform draw from their Pareto front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MoGlbOmd, MoGlbOmdConfig, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = MoGlbOmd::new(problem, MoGlbOmdConfig { scale: 0.05, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoGlbOmd {
    problem: Problem,
    config: MoGlbOmdConfig,
    models: Vec<GlmTarget>,
    mirror: Mirror,
}

impl MoGlbOmd {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: MoGlbOmdConfig) -> Result<Self, Error> {
        let models = GlmTarget::all(&problem)?;
        check_common(config.delta, config.scale, config.lambda.unwrap_or(1.0))?;
        let mirror = Mirror::new(problem.dim(), &models, config.lambda)?;
        Ok(Self { problem, config, models, mirror })
    }

    /// Returns β of an objective, multiplied by the scale.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn radius(&self, objective: usize) -> f64 {
        let delta = self.config.delta / self.problem.n_objectives() as f64;
        (self.config.scale * self.mirror.radius(objective, delta)).min(WIDEST)
    }

    /// Returns θᵢ, one row per objective, in the objective's own orientation.
    pub fn theta(&self) -> Matrix {
        self.problem.outward(|i| self.mirror.learner.estimates()[i].theta())
    }

    /// Returns H of an objective.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gram(&self, objective: usize) -> &Gram {
        &self.mirror.learner.grams()[objective]
    }
}

impl Policy for MoGlbOmd {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (learner, objectives) = (&self.mirror.learner, self.mirror.objectives().iter().enumerate());
        let optimism = objectives.map(|(i, objective)| Optimism {
            gram: i,
            root: self.radius(i),
            sign: objective.sign(),
        });
        decision.scorer().take(|i| &learner.estimates()[i], optimism);
        decision.find_fresh_front(arms, learner.grams());
        decision.draw_from_front(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.mirror.learn(arm.context(), reward, &self.models, &self.problem)
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(&self.mirror.learner)
    }
}

saved!(MoGlbOmd: MoGlbOmdConfig => GlbOmdState, mirror);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GlbOmd, GlbOmdConfig};
    use moglb_core::{Link, Objective, Target};
    use moglb_math::draw;

    /// Objectives that need the same η and λ have the confidence sets of separate GLB-OMDs at δ/m.
    #[test]
    fn every_objective_has_the_set_of_a_glb_omd_of_its_own() {
        let objectives =
            vec![Objective::new("click", Link::Logit), Objective::new("leave", Link::Logit).minimize()];
        let problem = Problem::new(2, objectives).unwrap();
        let mut all = MoGlbOmd::new(problem.clone(), MoGlbOmdConfig::default()).unwrap();
        let own =
            |i: usize| GlbOmdConfig { target: Target::Objective(i), delta: 0.025, ..Default::default() };
        let mut each = [0, 1].map(|i| GlbOmd::new(problem.clone(), own(i)).unwrap());
        let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [-0.5, 0.5]]).unwrap();
        let mut rng = draw::seeded(8);
        for _ in 0..200 {
            let arm = arms.arm(all.decide(&arms, &mut rng).unwrap().arm);
            let reward = [0.6, 0.3].map(|chance| f64::from(draw::unit(&mut rng) < chance));
            all.learn(arm, &reward).unwrap();
            each.iter_mut().for_each(|policy| policy.learn(arm, &reward).unwrap());
        }
        for (i, sign) in [1.0, -1.0].into_iter().enumerate() {
            assert_eq!(all.radius(i), each[i].radius());
            let inner: Vec<f64> = all.theta().row(i).iter().map(|theta| sign * theta).collect();
            assert_eq!(inner, each[i].theta());
        }
    }
}
