//! A policy that is always played in the same way.

use super::Play;
use crate::{Arm, ArmSet, Decision, Facts, LearnsBy, Model, Policy};
use moglb_math::Error;
use rand_core::Rng;
use std::sync::Arc;

/// A policy together with a [`Play`]. It can be played wherever a [`Policy`] can. It learns what
/// the policy learns. If the problem has a fixed number of arms, it also counts the plays of each
/// arm.
///
/// Example: [`Play`].
#[derive(Debug)]
pub struct Preferring<P: ?Sized> {
    play: Play,
    /// The number of plays of each arm. Empty if the number of arms is not fixed: then a position
    /// does not identify an arm.
    exposures: Vec<u64>,
    policy: Box<P>,
}

impl<P: Policy + ?Sized> Preferring<P> {
    /// Returns a policy that is played in the given way.
    pub fn new(policy: Box<P>, play: Play) -> Self {
        Self { exposures: vec![0; play.n_arms().unwrap_or(0)], play, policy }
    }

    /// Returns the policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// Returns the number of plays of each arm; empty if the number of arms is not fixed.
    pub fn exposures(&self) -> &[u64] {
        &self.exposures
    }
}

impl<P: Policy + ?Sized> Policy for Preferring<P> {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.play.decide(&*self.policy, arms, &self.exposures, rng, decision).map(drop)
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        let played = arm.id().0;
        let n_arms = self.exposures.len();
        if n_arms > 0 && played >= n_arms {
            return Err(Error::UnknownArm { arm: played, n_arms });
        }
        self.policy.learn(arm, reward)?;
        if let Some(count) = self.exposures.get_mut(played) {
            *count += 1;
        }
        Ok(())
    }

    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        if self.facts().learns_parts {
            return self.policy.learn_part(arm, reward);
        }
        match reward.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(whole) => self.learn(arm, &whole),
            None => Err(Error::WholeRewards),
        }
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.play.check_arms(arms.n_arms(), &self.exposures)?;
        self.policy.fix_arms(arms)
    }

    fn facts(&self) -> Facts {
        let facts = self.policy.facts();
        let counts = !self.exposures.is_empty();
        Facts {
            learns_by: if counts && facts.learns_by == LearnsBy::Context {
                LearnsBy::Both
            } else {
                facts.learns_by
            },
            // With several parts per play, it is not clear which of them to count as the play.
            learns_parts: facts.learns_parts && !counts,
            draws_from_front: self.play.draws_from_front(facts.draws_from_front),
            ..facts
        }
    }

    fn model(&self) -> Option<&dyn Model> {
        self.policy.model()
    }
}
