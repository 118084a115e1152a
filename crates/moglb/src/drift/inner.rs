//! The policy inside a window or a policy with restarts. It can be any policy of the registry; these traits
//! keep the files here independent of the registry.

use moglb_core::{ArmSet, Policy, Problem};
use moglb_math::Error;
use std::fmt::Debug;
use std::sync::Arc;

/// The parameters of the policy inside: its id and its own parameters.
pub trait InnerConfig: Clone + Debug + PartialEq + Send + Sync {
    /// The type of any policy.
    type Policy: InnerPolicy + ?Sized;

    /// The recommended policy.
    fn recommended() -> Self;

    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] for a policy that itself has a policy inside, or an error of the policy.
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
    /// [`Error::SnapshotDamaged`] if the text is not a state of this policy; the policy is then unchanged.
    fn resume_text(&mut self, state: &str) -> Result<(), Error>;
}

/// Fixes arms in a new policy inside. Fixed arms only make decisions faster, so an error here is no reason to
/// fail while a reward is learned: a policy that refuses the arms here works without them, and refuses them
/// again when it decides.
pub(super) fn keep_fixed<P: Policy + ?Sized>(inner: &mut P, fixed: Option<&Arc<ArmSet<'static>>>) {
    if let Some(arms) = fixed {
        let _ = inner.fix_arms(arms);
    }
}
