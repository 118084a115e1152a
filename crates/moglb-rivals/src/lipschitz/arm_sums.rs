//! Counts and sums of one target per arm.

use moglb_core::saved::{check_rounds, damaged, plain};
use moglb_core::{Arm, Decision, Problem};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The number of plays of each arm, and the sum of its target rewards, which are in [0, 1].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmSums {
    rounds: u64,
    counts: Vec<u64>,
    sums: Vec<f64>,
}

plain!(ArmSums);

impl ArmSums {
    /// Returns the sums before the first play.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: &Problem, policy: &'static str) -> Result<Self, Error> {
        let n_arms = problem.n_arms().ok_or(Error::ArmCountNeeded { policy })?;
        moglb_math::memory::check_memory(n_arms, 2)?;
        Ok(Self { rounds: 0, counts: vec![0; n_arms], sums: vec![0.0; n_arms] })
    }

    /// Adds a reward in [0, 1].
    pub fn add(&mut self, arm: Arm<'_>, reward: f64) {
        self.rounds += 1;
        self.counts[arm.id().0] += 1;
        self.sums[arm.id().0] += reward;
    }

    /// Forgets everything but the number of rounds.
    pub fn restart(&mut self) {
        self.counts.fill(0);
        self.sums.fill(0.0);
    }

    /// Returns the number of plays, including those before the last restart.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns the number of arms.
    pub fn n_arms(&self) -> usize {
        self.counts.len()
    }

    /// Returns the number of plays of an arm since the last restart.
    pub fn count(&self, arm: usize) -> u64 {
        self.counts[arm]
    }

    /// Returns the reward sum of an arm since the last restart.
    pub fn sum(&self, arm: usize) -> f64 {
        self.sums[arm]
    }

    /// Returns the mean reward of an arm, 0 before its first play.
    pub fn mean(&self, arm: usize) -> f64 {
        if self.counts[arm] == 0 { 0.0 } else { self.sums[arm] / self.counts[arm] as f64 }
    }

    /// Writes the mean and the width of each arm into the tables of the decision, if it has tables. `outward`
    /// converts a mean into the target's own units. Before the first play of an arm the width is infinite.
    pub(crate) fn report(
        &self,
        outward: impl Fn(f64) -> f64,
        width: impl Fn(usize) -> f64,
        decision: &mut Decision,
    ) {
        let rows = if decision.tables { self.n_arms() } else { 0 };
        let columns = usize::from(decision.tables);
        decision.estimates.reshape(rows, columns);
        decision.widths.reshape(rows, columns);
        for arm in 0..rows {
            let played = self.counts[arm] > 0;
            decision.estimates.row_mut(arm)[0] = if played { outward(self.mean(arm)) } else { 0.0 };
            decision.widths.row_mut(arm)[0] = if played { width(arm) } else { f64::INFINITY };
        }
    }

    /// Refuses counts and sums that cannot result from any sequence of plays. After `rounds` rounds, the
    /// counts must add up to `since_restart(rounds)`, the number of rounds since the last restart.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`].
    pub fn check_like(&self, other: &Self, since_restart: impl Fn(u64) -> u64) -> Result<(), Error> {
        check_rounds(self.rounds)?;
        if self.counts.len() != other.counts.len() || self.sums.len() != other.sums.len() {
            return Err(damaged(&"statistics of another shape"));
        }
        let counted = self.counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        if counted != Some(since_restart(self.rounds)) {
            return Err(damaged(&"the counts of the arms do not add up to the rounds"));
        }
        let possible = |(&sum, &count): (&f64, &u64)| sum >= 0.0 && sum <= count as f64 * (1.0 + 1e-9);
        if !self.sums.iter().zip(&self.counts).all(possible) {
            return Err(damaged(&"a sum of rewards is out of bounds"));
        }
        Ok(())
    }
}
