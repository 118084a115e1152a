//! Multi-objective GLOC: a learner and a confidence set for each objective, on one shared V. Each set
//! fails with probability at most δ/m. As in MOGLB-UCB, arms are drawn uniformly from the front of the
//! optimistic scores.

use crate::glm::conversion::{Conversion, GlocState};
use crate::glm::glm_target::GlmTarget;
use crate::glm::{WIDEST, check_common};
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::scoring::Optimism;
use moglb_core::{Arm, ArmSet, Decision, Model, Policy, Problem};
use moglb_math::{Error, Gram, Matrix};
use rand_core::Rng;

policy! {
    id: "mo-gloc",
    name: "MO-GLOC",
    source: "this project, from Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online \
             computation and hashing, NIPS 2017",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets",
    guarantee: "the confidence sets of all objectives hold with probability 1 − δ, from which Pareto regret \
                Õ(d√T) follows as for MOGLB-UCB",
    cost: "O(K·d² + K·m·d + front) to decide, O(m·d²) to learn",
    has_front: true,
    departures: "The source has one objective; here δ is divided by the number of objectives. R is half the \
                 length of the range of an objective's rewards. The front and its uniform draw are those of \
                 MOGLB-UCB.",
    parameters: struct MoGlocConfig of MoGloc {
        lambda: f64 = 1.0, "regularization, V_1 = λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// GLOC for all objectives: optimistic scores and a uniform draw from their Pareto front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MoGloc, MoGlocConfig, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = MoGloc::new(problem, MoGlocConfig { scale: 0.05, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoGloc {
    problem: Problem,
    config: MoGlocConfig,
    conversion: Conversion,
}

impl MoGloc {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: MoGlocConfig) -> Result<Self, Error> {
        let models = GlmTarget::all(&problem)?;
        check_common(config.delta, config.scale, config.lambda)?;
        let conversion = Conversion::new(problem.dim(), models, config.lambda)?;
        Ok(Self { problem, config, conversion })
    }

    /// Returns √β of an objective, multiplied by the scale.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn radius(&self, objective: usize) -> f64 {
        let delta = self.config.delta / self.problem.n_objectives() as f64;
        (self.config.scale * self.conversion.radius(objective, delta)).min(WIDEST)
    }

    /// Returns θ̂ᵢ, the centers of the confidence sets: one row per objective, in the objective's own
    /// orientation.
    pub fn theta(&self) -> Matrix {
        self.problem.outward(|i| self.conversion.center(i).theta())
    }

    /// Returns V = λI + Σxxᵀ.
    pub fn gram(&self) -> &Gram {
        self.conversion.gram()
    }
}

impl Policy for MoGloc {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let models = self.conversion.models().iter().enumerate();
        let optimism = models.map(|(i, model)| Optimism {
            gram: 0,
            root: self.radius(i),
            sign: model.objective().sign(),
        });
        let grams = std::slice::from_ref(self.gram());
        decision.scorer().take(|i| self.conversion.center(i), optimism);
        decision.find_fresh_front(arms, grams);
        decision.draw_from_front(arms.n_arms(), rng);
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

saved!(MoGloc: MoGlocConfig => GlocState, conversion);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gloc, GlocConfig};
    use moglb_core::{Link, Objective, Target};
    use moglb_math::draw;

    /// Each objective has the confidence set of a separate GLOC at δ/m that learned from the same plays.
    #[test]
    fn every_objective_has_the_set_of_a_gloc_of_its_own() {
        let objectives = vec![
            Objective::new("click", Link::Logit),
            Objective::new("cost", Link::Identity).minimize().range(0.0, 2.0),
        ];
        let problem = Problem::new(2, objectives).unwrap();
        let mut all = MoGloc::new(problem.clone(), MoGlocConfig::default()).unwrap();
        let own = |i: usize| GlocConfig { target: Target::Objective(i), delta: 0.025, ..Default::default() };
        let mut each = [0, 1].map(|i| Gloc::new(problem.clone(), own(i)).unwrap());
        let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [-0.5, 0.5]]).unwrap();
        let mut rng = draw::seeded(8);
        for _ in 0..200 {
            let arm = arms.arm(all.decide(&arms, &mut rng).unwrap().arm);
            let reward = [f64::from(draw::unit(&mut rng) < 0.6), 2.0 * draw::unit(&mut rng)];
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
