//! What a policy is, and the closed list of those that come with the library.

mod arm_stats;
mod curved;
pub(crate) mod drift;
mod ekf_ucb;
pub(crate) mod fair_moglb_ucb;
mod forgetting;
pub(crate) mod general;
pub(crate) mod glm;
mod grown;
mod known_arms;
pub(crate) mod linear;
pub(crate) mod lipschitz;
pub(crate) mod moglb_eb;
pub(crate) mod moglb_ucb;
pub(crate) mod multi;
mod p_ts;
mod p_ucb;
mod random;
mod registry;
mod ridge;
mod s_ucb;
pub(crate) mod scoring;
mod target;

pub(crate) use arm_stats::ArmStats;
pub(crate) use grown::{Grown, GrownState};
pub use registry::{POLICIES, PolicyConfig, all};
pub(crate) use ridge::{Ridge, RidgeState};
pub(crate) use target::Scalar;
pub use target::Target;

use crate::snapshot::{PolicySnapshot, PolicyState};
use crate::{Arm, ArmSet, Decision, Error, Objective, Prior, Problem, draw};
use rand_core::Rng;
use serde::Serialize;
use std::any::Any;
use std::ops::RangeInclusive;
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

    /// Learns the parts of a reward vector that are known by now. A missing part weighs nothing: every objective is learned
    /// from its own rewards, in the order of their coming. Parts of one reward may come in any number of calls; the whole at
    /// once is the same as [`Policy::learn`], bit for bit.
    ///
    /// # Errors
    ///
    /// As [`Policy::learn`], or [`Error::WholeRewards`] where a part is missing and the policy does not
    /// [learn parts](Facts::learns_parts); the policy is then as it was.
    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        match reward.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(whole) => self.learn(arm, &whole),
            None => Err(Error::WholeRewards),
        }
    }

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
    /// The default only checks the arms: it makes one decision on them and drops it.
    ///
    /// # Errors
    ///
    /// When the arm set does not fit the problem; the policy is then as it was.
    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        // A decision changes nothing, and it is refused exactly when the arms do not fit. The generator is this call's own.
        self.decide_into(arms, &mut draw::seeded(0), &mut Decision::lean())
    }

    /// The facts about the policy that its callers go by.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// The model behind the decisions; none for a policy that has none, or shows none.
    fn model(&self) -> Option<&dyn Model> {
        None
    }
}

/// Implements [`Policy`] for a pointer to a policy. Nothing is left to a default, so that a policy keeps all that it does.
macro_rules! forward_policy {
    ($pointer:ty) => {
        impl<P: Policy + ?Sized> Policy for $pointer {
            fn decide_into(
                &self,
                arms: &ArmSet,
                rng: &mut dyn Rng,
                decision: &mut Decision,
            ) -> Result<(), Error> {
                (**self).decide_into(arms, rng, decision)
            }

            fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
                (**self).learn(arm, reward)
            }

            fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
                (**self).learn_part(arm, reward)
            }

            fn decide(&self, arms: &ArmSet, rng: &mut dyn Rng) -> Result<Decision, Error> {
                (**self).decide(arms, rng)
            }

            fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
                (**self).fix_arms(arms)
            }

            fn facts(&self) -> Facts {
                (**self).facts()
            }

            fn model(&self) -> Option<&dyn Model> {
                (**self).model()
            }
        }
    };
}

forward_policy!(Box<P>);
forward_policy!(&mut P);

/// The facts about a policy that its callers go by. They do not change while it learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The part of a played arm that is learned from.
    pub learns_by: LearnsBy,
    /// Whether a part of a reward vector can be learned before, or without, the rest.
    pub learns_parts: bool,
    /// Whether arms are drawn from the front that decisions report, as in Algorithm 1. False for a policy that plays one set
    /// of arms and calls another the front, such as [`MoglbEb`](crate::MoglbEb).
    pub draws_from_front: bool,
    /// The meaning of the estimates in decisions, where there are any.
    pub scale: Scale,
}

impl Default for Facts {
    /// The facts about Algorithm 1, but for parts of rewards.
    fn default() -> Self {
        Self {
            learns_by: LearnsBy::Context,
            learns_parts: false,
            draws_from_front: true,
            scale: Scale::Linear,
        }
    }
}

/// The model of the rewards behind a policy's decisions. A model that cannot answer a question keeps the default.
pub trait Model {
    /// The estimate for one arm in each objective and how far it may be off, as in the tables of a decision up to rounding. False, and
    /// nothing written, for a policy that says so through decisions only.
    fn predict_into(&self, _arm: Arm<'_>, _predictions: &mut Vec<(f64, f64)>) -> bool {
        false
    }

    /// Front and probabilities as they would be if only some objectives counted, into a decision on these arms. False, and nothing
    /// written, for a policy that has no way of its own to tell: the front of the optimistic scores then takes their place.
    ///
    /// # Errors
    ///
    /// As [`Policy::decide_into`].
    fn weigh_by(&self, _arms: &ArmSet, _counts: &[bool], _decision: &mut Decision) -> Result<bool, Error> {
        Ok(false)
    }

    /// The current beliefs about each objective, to begin another policy with ([`Prior`]); none of any where the model is
    /// not linear.
    fn beliefs(&self) -> Vec<Prior> {
        Vec::new()
    }

    /// How often an estimate had to be projected back onto the ball of radius D.
    fn projection_hits(&self) -> u64 {
        0
    }
}

/// The part of a played arm that a policy learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LearnsBy {
    /// Its context; the position says nothing.
    Context,
    /// Its position in the arm set; the context says nothing.
    Arm,
    /// Both.
    Both,
}

/// The relation of an estimate to the mean reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// It is θ̂ᵀx, and the mean reward is μ of it.
    Linear,
    /// It is how far the mean reward is from μ(0), by a linear model without a link.
    Centred,
    /// It is the mean reward.
    Mean,
}

impl Scale {
    /// The mean reward in an objective that an estimate stands for.
    pub fn mean(self, objective: &Objective, estimate: f64) -> f64 {
        match self {
            Scale::Linear => objective.link.mean(estimate),
            Scale::Centred => objective.link.mean(0.0) + estimate,
            Scale::Mean => estimate,
        }
    }
}

/// A policy whose learned state can be written down and read back, bit for bit. It is [`Any`], so that a caller can
/// find out which policy it has.
pub trait Restorable: Policy + Any {
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

/// What the values of a parameter look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A real number.
    Number,
    /// A whole number, not negative.
    Count,
    /// Yes or no.
    Flag,
    /// One of a few words.
    Word,
    /// A list of real numbers.
    Numbers,
    /// A list of lists of real numbers.
    Table,
    /// A list of lists of whole numbers.
    Groups,
    /// What a single-objective policy pursues: see [`Target`].
    Target,
    /// What is believed about each objective: see [`Prior`](crate::Prior).
    Priors,
    /// Another policy, by its id and with its parameters: see [`PolicyConfig`].
    Policy,
}

/// A parameter of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The name, as in configurations.
    pub name: &'static str,
    /// What values look like.
    pub kind: Kind,
    /// The default, as it would be written.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

impl Parameter {
    /// The parameter that all single-objective policies have.
    pub(crate) const TARGET: Parameter = Parameter {
        name: "target",
        kind: Kind::Target,
        default: "0",
        meaning: "what is pursued: the number of an objective (from 0), or one weight per objective for a weighted sum of the \
                  rewards mapped to [0, 1]",
    };

    /// The parameter of policies that must know how long they will play.
    pub(crate) const HORIZON: Parameter = Parameter {
        name: "horizon",
        kind: Kind::Count,
        default: "3000",
        meaning: "T, the number of rounds that it is made for; what follows from T stays the same after them",
    };

    /// Refuses a horizon of no rounds, or one that f64 cannot count.
    pub(crate) fn check_horizon(horizon: u64) -> Result<(), Error> {
        Self::check("horizon", horizon as f64, 1.0..=(1u64 << 53) as f64)
    }

    /// Refuses a value out of its bounds, NaN included.
    pub(crate) fn check(name: &'static str, got: f64, bounds: RangeInclusive<f64>) -> Result<(), Error> {
        if bounds.contains(&got) {
            return Ok(());
        }
        Err(Error::ParameterBounds { name, least: *bounds.start(), most: *bounds.end(), got })
    }
}
