//! Policies around policies, for coefficients that drift: what is old is not learned from any more. They work around any
//! policy, as they tell a new one what is to be remembered.

/// What a policy with `inner`, `fixed` and `take` has of [`Policy`](crate::Policy) from the policy inside.
macro_rules! forward_to_inner {
    () => {
        fn decide_into(
            &self,
            arms: &ArmSet,
            rng: &mut dyn Rng,
            decision: &mut Decision,
        ) -> Result<(), Error> {
            self.inner.decide_into(arms, rng, decision)
        }

        fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
            self.problem.check_play(arm, reward)?;
            let reward: Vec<Option<f64>> = reward.iter().map(|&y| Some(y)).collect();
            self.take(Told::new(arm, &reward, self.facts().learns_by))
        }

        fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
            self.problem.check_part(arm, reward)?;
            if self.facts().learns_parts && reward.iter().all(Option::is_none) {
                return Ok(());
            }
            self.take(Told::new(arm, reward, self.facts().learns_by))
        }

        fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
            self.inner.fix_arms(arms)?;
            self.fixed = Some(arms.clone());
            Ok(())
        }

        fn model(&self) -> Option<&dyn Model> {
            self.inner.model()
        }
    };
}

mod detector;
pub(crate) mod restart;
mod told;
pub(crate) mod window;

use crate::{ArmSet, Error, PolicyConfig, Problem, Restorable};
use std::sync::Arc;

/// The recommended policy.
fn default_policy() -> Box<PolicyConfig> {
    Box::new(PolicyConfig::recommended())
}

/// The policy inside, before the first round.
fn build(policy: &PolicyConfig, problem: &Problem) -> Result<Box<dyn Restorable>, Error> {
    if matches!(policy, PolicyConfig::Window(_) | PolicyConfig::Restart(_)) {
        return Err(Error::Parameters { what: "the policy inside must be one without a policy inside" });
    }
    policy.build(problem)
}

/// Fixes arms in a new policy inside. Fixed arms only make deciding faster, so this is no reason to fail while something is
/// learned: a policy that refuses them here goes without them and refuses them again when it has to decide.
fn keep_fixed(inner: &mut dyn Restorable, fixed: Option<&Arc<ArmSet<'static>>>) {
    if let Some(arms) = fixed {
        let _ = inner.fix_arms(arms);
    }
}
