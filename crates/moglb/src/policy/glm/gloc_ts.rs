//! GLOC-TS: Thompson sampling over the set that is converted from an online learner (Jun, Bhargava, Nowak, Willett 2017):
//!
//! ```text
//! θ̇ = θ̂ + √β(δ/8T) · V^{−1/2}ξ,   ξ standard normal        the best arm for θ̇ is played
//! ```
//!
//! Being an inner product, θ̇ᵀx can be maximized by hashing where arms are very many. Here all arms are looked at.

use crate::estimate::Estimate;
use crate::policy::glm::conversion::{Conversion, GlocState};
use crate::policy::glm::gloc::LAMBDA;
use crate::policy::glm::model::Model;
use crate::policy::glm::{DELTA, HORIZON, SCALE, WIDEST, check_common};
use crate::policy::{Parameter, Policy, PolicyInfo, Restorable, Target};
use crate::snapshot::{PolicySnapshot, PolicyState};
use crate::{Arm, ArmSet, Decision, Error, Gram, PolicyConfig, Problem, draw};
use rand_core::Rng;
use serde::{Deserialize, Serialize};

pub(crate) const INFO: PolicyInfo = PolicyInfo {
    id: "gloc-ts",
    name: "GLOC-TS",
    source: "Jun, Bhargava, Nowak, Willett: Scalable generalized linear bandits: online computation and hashing, NIPS 2017",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d^{3/2}√T·(L + R)/κ) with probability 1 − δ where the model holds; no front",
    cost: "O(K·d² + d²) to decide (the widths are for show), O(d²) to learn",
    has_front: false,
    parameters: &[Parameter::TARGET, LAMBDA, DELTA, HORIZON, SCALE],
    departures: "Probabilities are given the sample θ̇. Ties are broken uniformly at random.",
};

/// The parameters of [`GlocTs`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GlocTsConfig {
    /// What is pursued.
    pub target: Target,
    /// λ, with V_1 = λI.
    pub lambda: f64,
    /// δ.
    pub delta: f64,
    /// T.
    pub horizon: u64,
    /// The factor of the proved width.
    pub scale: f64,
}

impl Default for GlocTsConfig {
    fn default() -> Self {
        Self { target: Target::default(), lambda: 1.0, delta: 0.05, horizon: 3000, scale: 1.0 }
    }
}

/// GLOC-TS on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, GlocTs, GlocTsConfig, Link, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = GlocTs::new(problem, GlocTsConfig { scale: 0.05, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GlocTs {
    problem: Problem,
    config: GlocTsConfig,
    conversion: Conversion,
}

impl GlocTs {
    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// What is wrong with the target, [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: GlocTsConfig) -> Result<Self, Error> {
        let model = Model::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, config.lambda)?;
        Parameter::check("horizon", config.horizon as f64, 1.0..=1e15)?;
        let conversion = Conversion::new(problem.dim(), vec![model], config.lambda)?;
        Ok(Self { problem, config, conversion })
    }

    /// √β(δ/8T), times the scale: how far samples are scattered.
    pub fn radius(&self) -> f64 {
        let GlocTsConfig { delta, horizon, scale, .. } = self.config;
        (scale * self.conversion.radius(0, delta / (8.0 * horizon as f64))).min(WIDEST)
    }

    /// θ̇ = θ̂ + √β·Mᵀξ: with V⁻¹ = MᵀM this has the covariance of V^{−1/2}ξ.
    fn sample(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let (gram, radius, mut sample) = (self.gram(), self.radius(), self.theta());
        for i in 0..sample.len() {
            let xi = radius * draw::normal(rng);
            sample[..=i].iter_mut().enumerate().for_each(|(j, theta)| *theta += xi * gram.entry(i, j));
        }
        sample
    }

    /// θ̂, the middle of the confidence set; larger is better.
    pub fn theta(&self) -> Vec<f64> {
        self.conversion.center(0).theta().collect()
    }

    /// V.
    pub fn gram(&self) -> &Gram {
        self.conversion.gram()
    }
}

impl Policy for GlocTs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = true;
        let (radius, sample) = (self.radius(), Estimate::from_theta(&self.sample(rng)));
        // θ̂ and the widths are for show: the best arm of the sample is played.
        let shown = decision.tables.then(|| decision.predict(arms, self.gram(), self.conversion.center(0)));
        decision.play_by_index(arms, rng, self.gram(), &sample, |_, z, _| (z, 0.0));
        let sign = self.conversion.models()[0].objective().sign();
        for (arm, [z, norm]) in shown.iter().flat_map(|pairs| pairs.as_chunks().0).enumerate() {
            decision.estimates.row_mut(arm)[0] = sign * z;
            decision.widths.row_mut(arm)[0] = radius * norm;
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.conversion.learn(arm.context(), reward, &self.problem)
    }

    fn projection_hits(&self) -> u64 {
        self.conversion.projection_hits()
    }
}

impl Restorable for GlocTs {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn t(&self) -> u64 {
        self.conversion.rounds()
    }

    fn snapshot(&self) -> PolicySnapshot {
        let policy = PolicyConfig::GlocTs(self.config.clone());
        PolicySnapshot::new(&self.problem, policy, self.conversion.state().into())
    }

    fn resume(&mut self, state: PolicyState) -> Result<(), Error> {
        let state: GlocState = state.try_into()?;
        let mut next = self.conversion.clone();
        next.resume(state)?;
        self.conversion = next;
        Ok(())
    }
}
