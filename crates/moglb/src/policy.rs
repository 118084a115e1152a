//! What a policy is, and the closed list of those that come with the library.

mod arm_stats;
pub(crate) mod ekf_ucb;
pub(crate) mod fresh;
pub(crate) mod moglb_eb;
pub(crate) mod moglb_ucb;
pub(crate) mod p_ts;
pub(crate) mod p_ucb;
mod pivots;
pub(crate) mod random;
pub(crate) mod s_ucb;
mod scores;

pub(crate) use arm_stats::ArmStats;

use crate::snapshot::{PolicySnapshot, PolicyState};
use crate::{Arm, ArmSet, Decision, Error, Problem};
use ekf_ucb::{EkfUcb, EkfUcbConfig};
use moglb_eb::{MoglbEb, MoglbEbConfig};
use moglb_ucb::{MoglbUcb, MoglbUcbConfig};
use p_ts::{PTs, PTsConfig};
use p_ucb::{PUcb, PUcbConfig};
use rand_core::Rng;
use random::{Random, RandomConfig};
use s_ucb::{SUcb, SUcbConfig};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Chooses arms and learns from reward vectors. A policy is a state machine: the same inputs and seed give the
/// same choices, so a log replays to the same state.
///
/// Deciding never changes the learned state, and learning is all or nothing: a refused input leaves the policy as
/// it was. `moglb::conformance::check_policy` tests both, and more, for any implementation.
pub trait Policy: Send + Sync {
    /// Draws an arm from the approximate front O_t (Algorithm 1, step 3) into a decision that is written over.
    ///
    /// # Errors
    ///
    /// When the arm set does not fit the problem. The decision is then of no use, the policy is as it was.
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error>;

    /// Learns the reward vector of a played arm (steps 4–8).
    ///
    /// # Errors
    ///
    /// When arm or reward do not fit the problem; the policy is then as it was.
    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error>;

    /// Draws an arm from the approximate front O_t.
    ///
    /// # Errors
    ///
    /// As [`Policy::decide_into`].
    fn decide(&self, arms: &ArmSet, rng: &mut dyn Rng) -> Result<Decision, Error> {
        let mut decision = Decision::default();
        self.decide_into(arms, rng, &mut decision)?;
        Ok(decision)
    }

    /// Says that these arms, and no others, will be on offer from now on, until the next call. A policy may use it to
    /// decide faster; what it decides is the same with or without.
    ///
    /// # Errors
    ///
    /// When the arm set does not fit the problem; the policy is then as it was.
    fn fix_arms(&mut self, _arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        Ok(())
    }

    /// Whether arms are drawn from the front that decisions report, as in Algorithm 1. False for a policy that plays one set
    /// of arms and calls another the front, such as [`MoglbEb`](crate::MoglbEb).
    fn draws_from_front(&self) -> bool {
        true
    }

    /// How often an estimate had to be projected back onto the ball of radius D; 0 for policies without a model.
    fn projection_hits(&self) -> u64 {
        0
    }
}

/// A policy whose learned state can be written down and read back, bit for bit.
pub trait Restorable: Policy {
    /// What the policy knew before the first round.
    fn problem(&self) -> &Problem;

    /// The number of rewards learned.
    fn t(&self) -> u64;

    /// The whole policy: problem, configuration and learned state.
    fn snapshot(&self) -> PolicySnapshot;

    /// Takes over a learned state of the same problem and configuration.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the state cannot be one of this policy; the policy is then as it was.
    fn resume(&mut self, state: PolicyState) -> Result<(), Error>;

    /// The snapshot as JSON.
    fn to_json(&self) -> String {
        self.snapshot().to_json()
    }

    /// The snapshot as bytes.
    fn to_bytes(&self) -> Vec<u8> {
        self.snapshot().to_bytes()
    }
}

/// A policy and its parameters, by the policy's id: `{ id = "moglb-ucb", c = 0.01 }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum PolicyConfig {
    /// MOGLB-EB, the recommended policy.
    MoglbEb(MoglbEbConfig),
    /// MOGLB-UCB, the paper's algorithm.
    MoglbUcb(MoglbUcbConfig),
    /// MOGLB-UCB with local curvature, and its single-objective control.
    EkfUcb(EkfUcbConfig),
    /// Pareto UCB1.
    PUcb(PUcbConfig),
    /// Scalarized UCB1.
    SUcb(SUcbConfig),
    /// Pareto Thompson sampling.
    PTs(PTsConfig),
    /// The uniform control.
    Random(RandomConfig),
}

impl PolicyConfig {
    /// The policy to begin with: MOGLB-EB with all its defaults.
    ///
    /// ```
    /// use moglb::{ArmSet, Link, Objective, PolicyConfig, Problem, draw};
    ///
    /// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("cost", Link::Identity).minimize()];
    /// let mut policy = PolicyConfig::recommended().build(&Problem::new(2, objectives)?)?;
    /// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
    /// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
    /// policy.learn(arms.arm(decision.arm), &[1.0, 0.3])?;
    /// assert_eq!(PolicyConfig::recommended().id(), "moglb-eb");
    /// # Ok::<(), moglb::Error>(())
    /// ```
    pub fn recommended() -> Self {
        PolicyConfig::MoglbEb(MoglbEbConfig::default())
    }

    /// The policy for a problem. The only place that knows all policies.
    ///
    /// # Errors
    ///
    /// When a parameter is out of its bounds or the problem lacks what the policy needs.
    pub fn build(&self, problem: &Problem) -> Result<Box<dyn Restorable>, Error> {
        let problem = problem.clone();
        Ok(match self {
            PolicyConfig::MoglbEb(config) => Box::new(MoglbEb::new(problem, config.clone())?),
            PolicyConfig::MoglbUcb(config) => Box::new(MoglbUcb::new(problem, config.clone())?),
            PolicyConfig::EkfUcb(config) => Box::new(EkfUcb::new(problem, config.clone())?),
            PolicyConfig::PUcb(config) => Box::new(PUcb::new(problem, config.clone())?),
            PolicyConfig::SUcb(config) => Box::new(SUcb::new(problem, config.clone())?),
            PolicyConfig::PTs(config) => Box::new(PTs::new(problem, config.clone())?),
            PolicyConfig::Random(config) => Box::new(Random::new(problem, config.clone())?),
        })
    }

    /// What is known about the policy.
    pub fn info(&self) -> &'static PolicyInfo {
        match self {
            PolicyConfig::MoglbEb(_) => &moglb_eb::INFO,
            PolicyConfig::MoglbUcb(_) => &moglb_ucb::INFO,
            PolicyConfig::EkfUcb(_) => &ekf_ucb::INFO,
            PolicyConfig::PUcb(_) => &p_ucb::INFO,
            PolicyConfig::SUcb(_) => &s_ucb::INFO,
            PolicyConfig::PTs(_) => &p_ts::INFO,
            PolicyConfig::Random(_) => &random::INFO,
        }
    }

    /// The policy's id.
    pub fn id(&self) -> &'static str {
        self.info().id
    }
}

/// What is known about a policy: for `moglb policies` and for the reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PolicyInfo {
    /// The id, as in configurations.
    pub id: &'static str,
    /// The name, as in papers.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What kind of problem it is made for.
    pub setting: &'static str,
    /// What is proved about it.
    pub guarantee: &'static str,
    /// The cost of a round.
    pub cost: &'static str,
    /// Whether it has a front, so that a Jaccard index is defined.
    pub has_front: bool,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// Where it departs from its source.
    pub departures: &'static str,
}

/// A parameter of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The name, as in configurations.
    pub name: &'static str,
    /// The default, as it would be written.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// All policies of the library.
pub const POLICIES: [&PolicyInfo; 7] = [
    &moglb_eb::INFO,
    &moglb_ucb::INFO,
    &ekf_ucb::INFO,
    &p_ucb::INFO,
    &s_ucb::INFO,
    &p_ts::INFO,
    &random::INFO,
];
