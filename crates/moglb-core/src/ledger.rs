//! Decisions whose rewards are still missing. Rewards may come late, in parts, out of order, twice
//! or never.

use crate::{Arm, Policy, Problem};
use moglb_math::Error;
use moglb_pareto::ArmId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Keeps the played arm of every decision until its reward vector is complete, and passes each part
/// to a policy exactly once.
///
/// Decisions are numbered 0, 1, 2, … in the order in which they are opened. A policy that
/// [learns parts](crate::Facts::learns_parts) learns each part when it comes; other policies learn
/// when the last part has come. Memory grows with the number of open decisions only.
///
/// ```
/// use moglb::{draw, ArmSet, Delivery, Ledger, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem};
///
/// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("sale", Link::Logit)];
/// let problem = Problem::new(2, objectives)?;
/// let mut policy = MoglbUcb::new(problem.clone(), MoglbUcbConfig::default())?;
/// let mut ledger = Ledger::new(problem);
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
///
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// let id = ledger.open(arms.arm(decision.arm))?;
/// assert_eq!(ledger.deliver(&mut policy, id, &[Some(1.0), None])?, Delivery::Learned);
/// assert_eq!(ledger.deliver(&mut policy, id, &[Some(1.0), None])?, Delivery::Repeated);
/// assert_eq!(ledger.deliver(&mut policy, id, &[None, Some(0.0)])?, Delivery::Learned);
/// assert!(ledger.is_empty());
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ledger {
    /// The problem that arms and rewards must fit.
    problem: Problem,
    /// The number of the next decision.
    next: u64,
    /// The open decisions, by their numbers.
    open: BTreeMap<u64, Open>,
}

/// A decision whose reward is not complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Open {
    arm: usize,
    context: Vec<f64>,
    /// The parts of the reward that have come.
    reward: Vec<Option<f64>>,
}

/// The result of a delivery.
///
/// Example: [`Ledger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The policy learned at least one part.
    Learned,
    /// The parts are kept until the others have come: the policy learns from complete rewards only.
    Waiting,
    /// All of these parts had come before.
    Repeated,
    /// The decision was complete or closed before; nothing was learned.
    Settled,
}

/// The content of a ledger, to be saved.
///
/// Example: [`Ledger`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerState {
    /// The number of the next decision.
    next: u64,
    /// The open decisions with their numbers.
    open: Vec<(u64, Open)>,
}

impl Ledger {
    /// Returns a ledger without decisions.
    pub fn new(problem: Problem) -> Self {
        Self { problem, next: 0, open: BTreeMap::new() }
    }

    /// Records a played arm and returns the number of its decision.
    ///
    /// # Errors
    ///
    /// [`Error::Dimension`] or [`Error::UnknownArm`].
    pub fn open(&mut self, arm: Arm<'_>) -> Result<u64, Error> {
        let reward = vec![None; self.problem.n_objectives()];
        self.problem.check_part(arm, &reward)?;
        let id = self.next;
        self.open.insert(id, Open { arm: arm.id().0, context: arm.context().to_vec(), reward });
        self.next += 1;
        Ok(id)
    }

    /// Delivers parts of a decision's reward; `None` marks a part that has not come.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDecision`], [`Error::RewardConflict`] if another value has come before, or
    /// an error of the policy. On an error nothing changes.
    pub fn deliver(
        &mut self,
        policy: &mut dyn Policy,
        id: u64,
        reward: &[Option<f64>],
    ) -> Result<Delivery, Error> {
        let Some(news) = self.news(id, reward)? else { return Ok(Delivery::Settled) };
        if news.iter().all(Option::is_none) {
            return Ok(Delivery::Repeated);
        }
        let Some(open) = self.open.get_mut(&id) else { return Ok(Delivery::Settled) };
        let arm = Arm::new(ArmId(open.arm), &open.context)?;
        let known: Vec<Option<f64>> = open.reward.iter().zip(&news).map(|(had, new)| had.or(*new)).collect();
        let is_whole = known.iter().all(Option::is_some);
        if policy.facts().learns_parts {
            policy.learn_part(arm, &news)?;
        } else if is_whole {
            policy.learn_part(arm, &known)?;
        }
        if is_whole {
            self.open.remove(&id);
        } else {
            open.reward = known;
        }
        Ok(if is_whole || policy.facts().learns_parts { Delivery::Learned } else { Delivery::Waiting })
    }

    /// Delivers many rewards, in the order of their decisions. So what the policy learns does not
    /// depend on the order of `deliveries`, unless two of them belong to one decision. All are
    /// checked before the first is learned.
    ///
    /// # Errors
    ///
    /// The errors of [`Ledger::deliver`]. On such an error nothing changes, with one exception: the
    /// policy may reject a reward for a reason that cannot be checked beforehand, such as a
    /// registered link whose mean is not a number. Then the deliveries before that decision have
    /// been learned.
    pub fn deliver_many(
        &mut self,
        policy: &mut dyn Policy,
        deliveries: &[(u64, &[Option<f64>])],
    ) -> Result<Vec<Delivery>, Error> {
        let mut order: Vec<usize> = (0..deliveries.len()).collect();
        order.sort_by_key(|&k| deliveries[k].0);
        let mut come: BTreeMap<u64, Vec<Option<f64>>> = BTreeMap::new();
        for &k in &order {
            let (id, reward) = deliveries[k];
            let Some(news) = self.news(id, reward)? else { continue };
            let known = come.entry(id).or_insert_with(|| vec![None; news.len()]);
            self.check_conflicts(id, known, &news)?;
            known.iter_mut().zip(news).for_each(|(known, new)| *known = known.or(new));
        }
        let mut outcomes = vec![Delivery::Settled; deliveries.len()];
        for k in order {
            let (id, reward) = deliveries[k];
            outcomes[k] = self.deliver(policy, id, reward)?;
        }
        Ok(outcomes)
    }

    /// Closes a decision whose missing parts will not come. A policy that learns from complete
    /// rewards learns nothing from it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDecision`].
    pub fn close(&mut self, id: u64) -> Result<Delivery, Error> {
        self.check_id(id)?;
        Ok(self.open.remove(&id).map_or(Delivery::Settled, |_| Delivery::Waiting))
    }

    /// Closes all decisions before a number and returns how many there were.
    pub fn close_before(&mut self, id: u64) -> usize {
        let kept = self.open.split_off(&id);
        std::mem::replace(&mut self.open, kept).len()
    }

    /// Returns the number of open decisions.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Returns true if no decision is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the number that the next decision will have.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// Returns the content of the ledger, to be saved.
    pub fn state(&self) -> LedgerState {
        let open = self.open.iter().map(|(&id, open)| (id, open.clone())).collect();
        LedgerState { next: self.next, open }
    }

    /// Returns a ledger of a problem that continues from a saved state.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if no ledger of this problem can have this state.
    pub fn from_state(problem: Problem, state: LedgerState) -> Result<Self, Error> {
        let damaged = |reason: String| Error::SnapshotDamaged { reason };
        let mut ledger = Self { problem, next: state.next, open: BTreeMap::new() };
        for (id, open) in state.open {
            let arm = Arm::new(ArmId(open.arm), &open.context).map_err(|error| damaged(error.to_string()))?;
            ledger.problem.check_part(arm, &open.reward).map_err(|error| damaged(error.to_string()))?;
            if open.reward.iter().all(Option::is_some) {
                return Err(damaged(format!("decision {id} has no missing reward")));
            }
            if id >= ledger.next || ledger.open.insert(id, open).is_some() {
                return Err(damaged(format!("decision {id} is there twice, or not below {}", ledger.next)));
            }
        }
        Ok(ledger)
    }

    /// Rejects the number of a decision that was never opened.
    fn check_id(&self, id: u64) -> Result<(), Error> {
        if id < self.next { Ok(()) } else { Err(Error::UnknownDecision { decision: id, next: self.next }) }
    }

    /// Returns the parts of a delivery that are new; `None` for a decision that is settled.
    fn news(&self, id: u64, reward: &[Option<f64>]) -> Result<Option<Vec<Option<f64>>>, Error> {
        self.check_id(id)?;
        let Some(open) = self.open.get(&id) else { return Ok(None) };
        self.problem.check_part(Arm::new(ArmId(open.arm), &open.context)?, reward)?;
        self.check_conflicts(id, &open.reward, reward)?;
        let new = |(had, got): (&Option<f64>, &Option<f64>)| if had.is_some() { None } else { *got };
        Ok(Some(open.reward.iter().zip(reward).map(new).collect()))
    }

    /// Rejects a value that differs from one that came before.
    fn check_conflicts(&self, id: u64, had: &[Option<f64>], got: &[Option<f64>]) -> Result<(), Error> {
        for ((objective, had), got) in self.problem.objectives().iter().zip(had).zip(got) {
            if let (Some(first), Some(got)) = (*had, *got)
                && first != got
            {
                let objective = objective.name.clone();
                return Err(Error::RewardConflict { decision: id, objective, first, got });
            }
        }
        Ok(())
    }
}
