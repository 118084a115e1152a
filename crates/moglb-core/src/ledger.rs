//! Decisions that wait for their rewards, which may come late, in parts, out of order, twice or never.

use crate::{Arm, Policy, Problem};
use moglb_math::Error;
use moglb_pareto::ArmId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Keeps the played arm of every decision until its reward vector is whole, and hands a policy each part once.
///
/// Decisions are numbered 0, 1, 2, … as they are written down. A policy that [learns parts](crate::Facts::learns_parts) learns
/// each as it comes; others learn when the last part has come. The memory is that of the decisions which wait.
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
    problem: Problem,
    next: u64,
    open: BTreeMap<u64, Open>,
}

/// A decision that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Open {
    arm: usize,
    context: Vec<f64>,
    /// What has come.
    reward: Vec<Option<f64>>,
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The policy learned something.
    Learned,
    /// It is kept until the other parts have come, for a policy that learns from whole rewards only.
    Waiting,
    /// All of it had come before.
    Repeated,
    /// The decision was whole or closed before; nothing was learned.
    Settled,
}

/// All that a ledger holds, to be written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerState {
    /// The number of the next decision.
    next: u64,
    open: Vec<(u64, Open)>,
}

impl Ledger {
    /// A ledger without decisions.
    pub fn new(problem: Problem) -> Self {
        Self { problem, next: 0, open: BTreeMap::new() }
    }

    /// Writes down a played arm and returns the number of its decision.
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

    /// The parts of a decision's reward that have come now, `None` for the others.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDecision`], [`Error::RewardConflict`] where another value has come before, or what the policy refuses.
    /// Nothing is changed then.
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

    /// Many deliveries at once, learned in the order of their decisions: what is learned does not depend on the order in which
    /// they stand here, unless two are of one decision. All are checked before the first is learned.
    ///
    /// # Errors
    ///
    /// As [`Ledger::deliver`]. Nothing is changed then, unless it is the policy that refuses what it could not know
    /// beforehand, such as a registered link whose mean is no number: then what came before that decision is learned.
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

    /// Gives up on what has not come for a decision. A policy that learns from whole rewards learns nothing of it.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownDecision`].
    pub fn close(&mut self, id: u64) -> Result<Delivery, Error> {
        self.check_id(id)?;
        Ok(self.open.remove(&id).map_or(Delivery::Settled, |_| Delivery::Waiting))
    }

    /// Gives up on all decisions before a number, and says how many there were.
    pub fn close_before(&mut self, id: u64) -> usize {
        let kept = self.open.split_off(&id);
        std::mem::replace(&mut self.open, kept).len()
    }

    /// The number of decisions that wait.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no decision waits.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The number that the next decision will have.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// All that the ledger holds.
    pub fn state(&self) -> LedgerState {
        let open = self.open.iter().map(|(&id, open)| (id, open.clone())).collect();
        LedgerState { next: self.next, open }
    }

    /// A ledger of a problem that goes on from a state.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`] if the state cannot be of a ledger of this problem.
    pub fn from_state(problem: Problem, state: LedgerState) -> Result<Self, Error> {
        let damaged = |reason: String| Error::SnapshotDamaged { reason };
        let mut ledger = Self { problem, next: state.next, open: BTreeMap::new() };
        for (id, open) in state.open {
            let arm = Arm::new(ArmId(open.arm), &open.context).map_err(|error| damaged(error.to_string()))?;
            ledger.problem.check_part(arm, &open.reward).map_err(|error| damaged(error.to_string()))?;
            if open.reward.iter().all(Option::is_some) {
                return Err(damaged(format!("decision {id} waits for nothing")));
            }
            if id >= ledger.next || ledger.open.insert(id, open).is_some() {
                return Err(damaged(format!("decision {id} is not one of {}", ledger.next)));
            }
        }
        Ok(ledger)
    }

    fn check_id(&self, id: u64) -> Result<(), Error> {
        if id < self.next { Ok(()) } else { Err(Error::UnknownDecision { decision: id, next: self.next }) }
    }

    /// The parts of a delivery that had not come before; none for a decision that is settled.
    fn news(&self, id: u64, reward: &[Option<f64>]) -> Result<Option<Vec<Option<f64>>>, Error> {
        self.check_id(id)?;
        let Some(open) = self.open.get(&id) else { return Ok(None) };
        self.problem.check_part(Arm::new(ArmId(open.arm), &open.context)?, reward)?;
        self.check_conflicts(id, &open.reward, reward)?;
        let new = |(had, got): (&Option<f64>, &Option<f64>)| if had.is_some() { None } else { *got };
        Ok(Some(open.reward.iter().zip(reward).map(new).collect()))
    }

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
