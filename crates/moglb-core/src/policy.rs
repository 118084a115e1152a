//! The traits of a policy and of the model behind it.

use crate::{Arm, ArmSet, Decision, Objective, Prior};
use moglb_math::{Error, draw};
use rand_core::Rng;
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
