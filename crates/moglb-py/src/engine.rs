//! A policy of the core as Python holds it: with its fixed arms.

use moglb::{Error, LearnsBy, PolicyConfig, PolicySnapshot, Problem, ProblemConfig, Restorable, Target};
use std::any::Any;
use std::sync::Arc;

/// A policy of the core, and what Python adds to it.
pub(crate) struct Engine {
    policy: Box<dyn Restorable>,
    pub(crate) fixed: Option<Arc<moglb::ArmSet<'static>>>,
    /// What it pursues, if that is not every objective.
    pub(crate) target: Option<Target>,
}

impl Engine {
    /// The policy before the first round.
    pub(crate) fn build(problem: ProblemConfig, config: &PolicyConfig) -> Result<Self, Error> {
        let policy = config.build(&Problem::from_config(problem)?)?;
        Ok(Self { policy, fixed: None, target: config.target().cloned() })
    }

    /// A policy as it was written down.
    pub(crate) fn restore(snapshot: PolicySnapshot) -> Result<Self, Error> {
        let target = snapshot.policy.target().cloned();
        Ok(Self { policy: snapshot.restore()?, fixed: None, target })
    }

    pub(crate) fn policy(&self) -> &dyn Restorable {
        &*self.policy
    }

    pub(crate) fn policy_mut(&mut self) -> &mut dyn Restorable {
        &mut *self.policy
    }

    /// The policy, if it is of this type.
    pub(crate) fn policy_as<P: Restorable>(&self) -> Option<&P> {
        let policy: &dyn Any = &*self.policy;
        policy.downcast_ref()
    }

    /// Whether the position of a played arm has to be known.
    pub(crate) fn wants_position(&self) -> bool {
        self.policy.facts().learns_by != LearnsBy::Context
    }

    /// Whether the context of a played arm has to be known.
    pub(crate) fn wants_context(&self) -> bool {
        self.policy.facts().learns_by != LearnsBy::Arm
    }

    /// Whether a link from outside has a say, so that learning may fail in the middle of a batch.
    pub(crate) fn has_foreign_links(&self) -> bool {
        let objectives = self.policy.problem().objectives();
        objectives.iter().any(|objective| matches!(objective.link, moglb::Link::Custom(_)))
    }

    /// The same policy once more, without fixed arms.
    pub(crate) fn twin(&self) -> Result<Self, Error> {
        Self::restore(self.policy.snapshot())
    }

    /// The same policy once more, with its fixed arms.
    pub(crate) fn copied(&self) -> Result<Self, Error> {
        let mut twin = self.twin()?;
        if let Some(arms) = &self.fixed {
            // It only makes deciding faster, so a copy without it decides the same.
            twin.policy.fix_arms(arms).ok();
            twin.fixed = Some(Arc::clone(arms));
        }
        Ok(twin)
    }

    /// Takes over what another has learned; the fixed arms stay.
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
