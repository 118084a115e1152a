//! The policy inside a window or a policy with restarts. It is any policy of the registry, which these files do not know.

use moglb_core::{ArmSet, Policy, Problem};
use moglb_math::Error;
use std::fmt::Debug;
use std::sync::Arc;

/// The parameters of the policy inside: the id of a policy, and its parameters.
pub trait InnerConfig: Clone + Debug + PartialEq + Send + Sync {
    /// Any policy.
    type Policy: InnerPolicy + ?Sized;

    /// The recommended policy.
    fn recommended() -> Self;

    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] for a policy that has one inside, or what the policy refuses.
    fn build_inner(&self, problem: &Problem) -> Result<Box<Self::Policy>, Error>;
}

/// A policy whose learned state can be written as text and read back.
pub trait InnerPolicy: Policy {
    /// The number of rewards learned.
    fn rounds(&self) -> u64;

    /// The learned state as JSON.
    fn state_text(&self) -> String;

    /// Replaces the learned state.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the text is no state of this policy; the policy is then as it was.
    fn resume_text(&mut self, state: &str) -> Result<(), Error>;
}

/// Fixes arms in a new policy inside. Fixed arms only make deciding faster, so this is no reason to fail while something is
/// learned: a policy that refuses them here goes without them and refuses them again when it has to decide.
pub(super) fn keep_fixed<P: Policy + ?Sized>(inner: &mut P, fixed: Option<&Arc<ArmSet<'static>>>) {
    if let Some(arms) = fixed {
        let _ = inner.fix_arms(arms);
    }
}
