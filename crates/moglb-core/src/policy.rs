//! The traits of a policy and of the model behind it.

use crate::{Arm, ArmSet, Decision, Objective, Prior};
use moglb_math::{Error, draw};
use rand_core::Rng;
use std::sync::Arc;

/// An algorithm that chooses arms and learns from reward vectors. A policy is a state machine: the same
/// inputs and the same seed give the same choices, so the replay of a log ends in the same state.
///
/// A decision never changes the learned state. Learning is all or nothing: a refused input leaves the policy
/// unchanged. `moglb::conformance::check_policy` tests these and other promises for any implementation.
///
/// Example: [`MoglbUcb`].
///
/// [`MoglbUcb`]: crate::MoglbUcb
pub trait Policy: Send + Sync {
    /// Draws an arm from the approximate front O_t (Algorithm 1, step 3). Overwrites `decision`, whose
    /// memory is reused.
    ///
    /// # Errors
    ///
    /// If the arm set does not fit the problem. The decision is then invalid, and the policy is unchanged.
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error>;

    /// Learns the reward vector of a played arm (steps 4–8).
    ///
    /// # Errors
    ///
    /// If arm or reward do not fit the problem. The policy is then unchanged.
    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error>;

    /// Learns the parts of a reward vector that are not `None`. A missing part has no weight: each objective
    /// is learned from its own rewards, in the order of their arrival. The parts of one reward may come in
    /// any number of calls. A call with the whole vector gives the same bits as [`Policy::learn`].
    ///
    /// # Errors
    ///
    /// The errors of [`Policy::learn`], and [`Error::WholeRewards`] if a part is missing and the policy does
    /// not [learn parts](Facts::learns_parts). The policy is then unchanged.
    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        match reward.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(whole) => self.learn(arm, &whole),
            None => Err(Error::WholeRewards),
        }
    }

    /// Draws an arm from the approximate front O_t. Returns a new decision, with the tables of estimates and
    /// widths.
    ///
    /// # Errors
    ///
    /// The errors of [`Policy::decide_into`].
    fn decide(&self, arms: &ArmSet, rng: &mut dyn Rng) -> Result<Decision, Error> {
        let mut decision = Decision::default();
        self.decide_into(arms, rng, &mut decision)?;
        Ok(decision)
    }

    /// Announces that all decisions until the next call of this method are on these arms. A policy may use
    /// this to decide faster. Its decisions are the same with and without this call.
    ///
    /// The default implementation only checks the arms: it makes one decision on them and discards it.
    ///
    /// # Errors
    ///
    /// If the arm set does not fit the problem. The policy is then unchanged.
    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        // A decision does not change the policy, and it fails exactly if the arms do not fit. This one draws
        // from a generator of its own, so no random stream of the caller advances.
        self.decide_into(arms, &mut draw::seeded(0), &mut Decision::lean())
    }

    /// Returns the facts about the policy on which its callers rely.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// Returns the model behind the decisions, if the policy has one and gives access to it.
    fn model(&self) -> Option<&dyn Model> {
        None
    }
}

/// Implements [`Policy`] for a pointer to a policy. Every method is forwarded, because a default
/// implementation would be called instead of the one of the policy.
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

/// The facts about a policy on which its callers rely. They do not change while it learns.
///
/// ```
/// use moglb::{LearnsBy, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem, Scale};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let facts = MoglbUcb::new(problem, MoglbUcbConfig::default())?.facts();
/// assert!(facts.learns_parts && facts.draws_from_front);
/// assert_eq!((facts.learns_by, facts.scale), (LearnsBy::Context, Scale::Linear));
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The part of a played arm that is learned from.
    pub learns_by: LearnsBy,
    /// True if a part of a reward vector can be learned before, or without, the rest.
    pub learns_parts: bool,
    /// True if arms are drawn from the front that decisions report, as in Algorithm 1. False for a policy
    /// that draws from one set of arms and reports another as its front, such as
    /// [`MoglbEb`](crate::MoglbEb).
    pub draws_from_front: bool,
    /// The meaning of the estimates in decisions, if there are any.
    pub scale: Scale,
}

impl Default for Facts {
    /// The facts about Algorithm 1, except that parts of rewards are not learned.
    fn default() -> Self {
        Self {
            learns_by: LearnsBy::Context,
            learns_parts: false,
            draws_from_front: true,
            scale: Scale::Linear,
        }
    }
}

/// The model of the rewards behind a policy's decisions. The default implementation of each method is for a
/// model that does not support it.
///
/// ```
/// use moglb::{ArmId, ArmSet, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let policy = MoglbUcb::new(problem, MoglbUcbConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let model = policy.model().expect("a linear model");
/// let mut predictions = Vec::new();
/// assert!(model.predict_into(arms.arm(ArmId(0)), &mut predictions));
/// assert_eq!(predictions.len(), 1, "estimate and width in one objective");
/// # Ok::<(), moglb::Error>(())
/// ```
pub trait Model {
    /// Writes the estimate and the width of one arm in each objective. They are equal to those in the tables
    /// of a decision, up to rounding. Returns false, and writes nothing, if the policy reports estimates and
    /// widths only in decisions.
    fn predict_into(&self, _arm: Arm<'_>, _predictions: &mut Vec<(f64, f64)>) -> bool {
        false
    }

    /// Writes front and probabilities into a decision on these arms, as if only the objectives that are true
    /// in `_counts` existed. Returns false, and writes nothing, if the policy cannot compute them itself. The
    /// caller then uses the front of the optimistic scores.
    ///
    /// # Errors
    ///
    /// The errors of [`Policy::decide_into`].
    fn weigh_by(&self, _arms: &ArmSet, _counts: &[bool], _decision: &mut Decision) -> Result<bool, Error> {
        Ok(false)
    }

    /// Returns the current beliefs about each objective, as priors for another policy ([`Prior`]). The list
    /// is empty if the model is not linear.
    fn beliefs(&self) -> Vec<Prior> {
        Vec::new()
    }

    /// Returns the number of projections of an estimate back onto the ball of radius D.
    fn projection_hits(&self) -> u64 {
        0
    }
}

/// The part of a played arm that a policy learns from.
///
/// Example: [`Facts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LearnsBy {
    /// The context of the arm. Its position in the arm set has no influence.
    Context,
    /// The position of the arm in the arm set. Its context has no influence.
    Arm,
    /// Both context and position.
    Both,
}

/// The relation of an estimate to the mean reward.
///
/// Example: [`Facts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The estimate is θ̂ᵀx, and the mean reward is μ(θ̂ᵀx).
    Linear,
    /// The estimate is the difference between the mean reward and μ(0), from a linear model without a link.
    Centred,
    /// The estimate is the mean reward.
    Mean,
}

impl Scale {
    /// Converts an estimate on this scale to the mean reward of an objective.
    pub fn mean(self, objective: &Objective, estimate: f64) -> f64 {
        match self {
            Scale::Linear => objective.link.mean(estimate),
            Scale::Centred => objective.link.mean(0.0) + estimate,
            Scale::Mean => estimate,
        }
    }
}
