//! A policy that is always played in the same way.

use super::Play;
use crate::{Arm, ArmSet, Decision, Error, LearnsBy, Policy, Prior, Rng, Scale};
use std::sync::Arc;

/// A policy together with a [`Play`], for wherever a [`Policy`] is played. It learns what the policy learns, and counts the plays
/// of every arm where the problem says how many arms there are.
#[derive(Debug)]
pub struct Preferring<P: ?Sized> {
    play: Play,
    /// Empty where the number of arms is not fixed: then a position is no arm that could be counted.
    exposures: Vec<u64>,
    policy: Box<P>,
}

impl<P: Policy + ?Sized> Preferring<P> {
    /// A policy, to be played in some way from now on.
    pub fn new(policy: Box<P>, play: Play) -> Self {
        Self { exposures: vec![0; play.n_arms().unwrap_or(0)], play, policy }
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// How often each arm was played.
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
        if self.learns_parts() {
            return self.policy.learn_part(arm, reward);
        }
        match reward.iter().copied().collect::<Option<Vec<f64>>>() {
            Some(whole) => self.learn(arm, &whole),
            None => Err(Error::WholeRewards),
        }
    }

    fn learns_parts(&self) -> bool {
        // Parts do not say which of them is the play that is to be counted.
        self.policy.learns_parts() && self.exposures.is_empty()
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.play.check_arms(arms.n_arms(), &self.exposures)?;
        self.policy.fix_arms(arms)
    }

    fn draws_from_front(&self) -> bool {
        self.play.draws_from_front(self.policy.draws_from_front())
    }

    fn learns_by(&self) -> LearnsBy {
        match self.policy.learns_by() {
            LearnsBy::Context if !self.exposures.is_empty() => LearnsBy::Both,
            other => other,
        }
    }

    fn scale(&self) -> Scale {
        self.policy.scale()
    }

    fn predict_into(&self, arm: Arm<'_>, predictions: &mut Vec<(f64, f64)>) -> bool {
        self.policy.predict_into(arm, predictions)
    }

    fn beliefs(&self) -> Vec<Prior> {
        self.policy.beliefs()
    }

    fn projection_hits(&self) -> u64 {
        self.policy.projection_hits()
    }
}
