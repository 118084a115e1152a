//! The state behind a policy object of Python: a policy of the core, with its fixed arms.

use moglb::{Error, LearnsBy, PolicyConfig, PolicySnapshot, Problem, ProblemConfig, Restorable, Target};
use std::any::Any;
use std::sync::Arc;

/// A policy of the core, with the fixed arms and the target that Python needs to know.
pub(crate) struct Engine {
    policy: Box<dyn Restorable>,
    /// The arms of the last `fix_arms`. Calls without arms refer to them.
    pub(crate) fixed: Option<Arc<moglb::ArmSet<'static>>>,
    /// The target of a policy that pursues a single objective or a weighted sum; none for all objectives.
    pub(crate) target: Option<Target>,
}

impl Engine {
    /// Builds a policy that has not learned anything yet.
    ///
    /// # Errors
    ///
    /// An error about the problem or about a parameter of the policy.
    pub(crate) fn build(problem: ProblemConfig, config: &PolicyConfig) -> Result<Self, Error> {
        let policy = config.build(&Problem::from_config(problem)?)?;
        Ok(Self { policy, fixed: None, target: config.target().cloned() })
    }

    /// Restores a policy from a snapshot.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if no policy can have this state, or an error about the problem.
    pub(crate) fn restore(snapshot: PolicySnapshot) -> Result<Self, Error> {
        let target = snapshot.policy.target().cloned();
        Ok(Self { policy: snapshot.restore()?, fixed: None, target })
    }

    /// The policy of the core.
    pub(crate) fn policy(&self) -> &dyn Restorable {
        &*self.policy
    }

    /// The policy of the core, to be changed.
    pub(crate) fn policy_mut(&mut self) -> &mut dyn Restorable {
        &mut *self.policy
    }

    /// The policy, if it has the type `P`.
    pub(crate) fn policy_as<P: Restorable>(&self) -> Option<&P> {
        let policy: &dyn Any = &*self.policy;
        policy.downcast_ref()
    }

    /// True if the policy learns from the position of a played arm.
    pub(crate) fn wants_position(&self) -> bool {
        self.policy.facts().learns_by != LearnsBy::Context
    }

    /// True if the policy learns from the context of a played arm.
    pub(crate) fn wants_context(&self) -> bool {
        self.policy.facts().learns_by != LearnsBy::Arm
    }

    /// True if an objective has a custom link, which may fail: then learning can stop in the middle of a
    /// batch.
    pub(crate) fn has_foreign_links(&self) -> bool {
        let objectives = self.policy.problem().objectives();
        objectives.iter().any(|objective| matches!(objective.link, moglb::Link::Custom(_)))
    }

    /// Returns a copy of the policy without fixed arms, by way of a snapshot.
    pub(crate) fn twin(&self) -> Result<Self, Error> {
        Self::restore(self.policy.snapshot())
    }

    /// Returns a copy of the policy with its fixed arms.
    pub(crate) fn copied(&self) -> Result<Self, Error> {
        let mut twin = self.twin()?;
        if let Some(arms) = &self.fixed {
            // Fixed arms only make deciding faster. If fixing fails, the copy still decides the same.
            twin.policy.fix_arms(arms).ok();
            twin.fixed = Some(Arc::clone(arms));
        }
        Ok(twin)
    }

    /// Replaces the policy by `other`; the fixed arms stay.
    pub(crate) fn take_over(&mut self, mut other: Self) {
        if let Some(arms) = self.fixed.take() {
            // Fixed arms only make deciding faster. A policy that has learned from other arms refuses them
            // when it decides.
            let _ = other.policy.fix_arms(&arms);
            other.fixed = Some(arms);
        }
        *self = other;
    }
}
