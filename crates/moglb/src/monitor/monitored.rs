//! A policy whose calls are reported to a monitor.

use super::{Health, Monitor, MonitorConfig};
use moglb_core::{Arm, ArmSet, Decision, Facts, Model, Policy, Problem};
use moglb_math::Error;
use rand_core::Rng;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A policy together with a [`Monitor`]. It can be played wherever a [`Policy`] can. It decides and
/// learns as the policy does without a monitor, bit for bit.
///
/// Before a reward is learned, the policy predicts it ([`Model::predict_into`]), which costs
/// O(m·d²). For a policy that does not support this, the prediction comes from a decision among
/// this arm only, or, if the problem has a fixed number of arms, among that many copies of it.
/// Watching then costs one decision on fresh arms per round, which is many times the cost of a
/// decision on fixed arms.
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
    /// A mutex, because deciding takes `&self` and is counted nevertheless.
    monitor: Mutex<Monitor>,
    /// The fixed arms, which were reported once.
    fixed: Option<Arc<ArmSet<'static>>>,
    policy: Box<P>,
}

impl<P: Policy + ?Sized> Watched<P> {
    /// Returns a watched policy for a problem. Its monitor has counted nothing yet.
    ///
    /// # Errors
    ///
    /// The errors of [`Monitor::new`].
    pub fn new(policy: Box<P>, problem: Problem, config: MonitorConfig) -> Result<Self, Error> {
        let monitor = Mutex::new(Monitor::new(problem, config)?);
        Ok(Self { monitor, fixed: None, policy })
    }

    /// Returns the policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// Returns the monitor. Decisions wait while the guard exists.
    pub fn monitor(&self) -> MutexGuard<'_, Monitor> {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the counts so far and the active alarms.
    pub fn health(&self) -> Health {
        self.monitor().health()
    }

    /// Returns true if these are the fixed arms, by address.
    fn is_fixed(&self, arms: &ArmSet) -> bool {
        self.fixed.as_ref().is_some_and(|fixed| std::ptr::eq(&**fixed, arms))
    }

    /// Returns the monitor and the policy, without locking.
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
