//! A policy whose life a monitor is told.

use super::{Health, Monitor, MonitorConfig};
use crate::{Arm, ArmSet, Decision, Facts, Model, Policy, Problem};
use moglb_math::Error;
use rand_core::Rng;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A policy together with a [`Monitor`], for wherever a [`Policy`] is played: it decides and learns as without, bit for bit.
///
/// Before a reward is learned the policy is asked what it predicts for the arm ([`Model::predict_into`]), O(m·d²). One that does not
/// predict by itself is asked by a decision among nothing but that arm; where the problem says how many arms there are, by one among as
/// many: watching then costs a decision on fresh arms per round, which is many times what one on fixed arms costs.
///
/// ```
/// use moglb::{
///     draw, ArmSet, Link, MoglbUcb, MoglbUcbConfig, MonitorConfig, Objective, Policy, Problem, Watched,
/// };
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let policy = MoglbUcb::new(problem.clone(), MoglbUcbConfig::default())?;
/// let mut policy = Watched::new(Box::new(policy), problem, MonitorConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// assert!(policy.learn(arms.arm(decision.arm), &[2.0]).is_err());
/// assert_eq!(policy.health().objectives[0].rewards.refused, 1);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug)]
pub struct Watched<P: ?Sized> {
    /// Deciding takes `&self` and is counted all the same.
    monitor: Mutex<Monitor>,
    fixed: Option<Arc<ArmSet<'static>>>,
    policy: Box<P>,
}

impl<P: Policy + ?Sized> Watched<P> {
    /// A policy for a problem, to be watched from now on.
    ///
    /// # Errors
    ///
    /// As [`Monitor::new`].
    pub fn new(policy: Box<P>, problem: Problem, config: MonitorConfig) -> Result<Self, Error> {
        let monitor = Mutex::new(Monitor::new(problem, config)?);
        Ok(Self { monitor, fixed: None, policy })
    }

    /// The policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The monitor, for as long as nothing is decided.
    pub fn monitor(&self) -> MutexGuard<'_, Monitor> {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was counted so far, and the alarms that ring.
    pub fn health(&self) -> Health {
        self.monitor().health()
    }

    fn is_fixed(&self, arms: &ArmSet) -> bool {
        self.fixed.as_ref().is_some_and(|fixed| std::ptr::eq(&**fixed, arms))
    }

    fn parts(&mut self) -> (&mut Monitor, &mut P) {
        (self.monitor.get_mut().unwrap_or_else(PoisonError::into_inner), &mut self.policy)
    }
}

impl<P: Policy + ?Sized> Policy for Watched<P> {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.policy.decide_into(arms, rng, decision)?;
        let mut monitor = self.monitor();
        if !self.is_fixed(arms) {
            monitor.offered(arms);
        }
        monitor.decided(decision)
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        let (monitor, policy) = self.parts();
        monitor.learn(policy, arm, reward)
    }

    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        let (monitor, policy) = self.parts();
        monitor.learn_part(policy, arm, reward)
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.policy.fix_arms(arms)?;
        self.monitor().offered(arms);
        self.fixed = Some(arms.clone());
        Ok(())
    }

    fn facts(&self) -> Facts {
        self.policy.facts()
    }

    fn model(&self) -> Option<&dyn Model> {
        self.policy.model()
    }
}
