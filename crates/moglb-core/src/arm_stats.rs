//! Counts and sums per arm: the whole state of the policies without a model.

use crate::saved::{SavedPart, fits};
use crate::{Arm, Decision, Objective, Problem};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The number of plays of each arm and the sums of its rewards, mapped to [0, 1] so that larger is
/// better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmStats {
    rounds: u64,
    counts: Vec<u64>,
    /// One row per arm, with one sum per objective.
    sums: Vec<f64>,
}

fits!(ArmStats, |stats, problem| Some(stats.n_arms()) == problem.n_arms);

impl SavedPart for ArmStats {
    type State = Self;

    fn state(&self) -> Self {
        self.clone()
    }

    fn resumed(&self, state: Self) -> Result<Self, Error> {
        state.check_like(self).map(|()| state)
    }
}

impl ArmStats {
    /// Returns the statistics before the first play.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`] if the problem has no fixed number of arms, or
    /// [`Error::TooLarge`].
    pub fn new(problem: &Problem, policy: &'static str) -> Result<Self, Error> {
        let n_arms = problem.n_arms().ok_or(Error::ArmCountNeeded { policy })?;
        moglb_math::memory::check_memory(n_arms, problem.n_objectives() + 1)?;
        Ok(Self { rounds: 0, counts: vec![0; n_arms], sums: vec![0.0; n_arms * problem.n_objectives()] })
    }

    /// Adds a reward. The caller has checked it.
    pub fn add(&mut self, arm: Arm<'_>, reward: &[f64], objectives: &[Objective]) {
        let (index, m) = (arm.id().0, objectives.len());
        self.rounds += 1;
        self.counts[index] += 1;
        let sums = &mut self.sums[index * m..(index + 1) * m];
        for ((sum, objective), &y) in sums.iter_mut().zip(objectives).zip(reward) {
            *sum += objective.unit_reward(y);
        }
    }

    /// Returns the number of plays so far.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns the number of arms.
    pub fn n_arms(&self) -> usize {
        self.counts.len()
    }

    /// Returns the number of plays of each arm.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the number of plays of one arm.
    pub fn count(&self, arm: usize) -> u64 {
        self.counts[arm]
    }

    /// Returns the reward sums of an arm, one per objective.
    pub fn sums(&self, arm: usize) -> &[f64] {
        let m = self.sums.len() / self.counts.len();
        &self.sums[arm * m..(arm + 1) * m]
    }

    /// Returns the statistics of another list of arms. `kept` has for each of them its number here,
    /// or `None` for a new arm. The plays of arms that are not kept are forgotten.
    pub fn rearranged(&self, kept: &[Option<usize>]) -> Self {
        let none = vec![0.0; self.sums.len() / self.counts.len()];
        let counts: Vec<u64> = kept.iter().map(|arm| arm.map_or(0, |arm| self.counts[arm])).collect();
        let sums = kept.iter().flat_map(|arm| arm.map_or(&*none, |arm| self.sums(arm))).copied().collect();
        Self { rounds: counts.iter().sum(), counts, sums }
    }

    /// Writes mean rewards (0 before the first play) and a bonus per arm into the tables of the
    /// decision, if it has tables. Both are in the objectives' own units.
    pub fn report(&self, objectives: &[Objective], bonus: impl Fn(usize) -> f64, decision: &mut Decision) {
        if !decision.tables {
            decision.forget_tables();
            return;
        }
        let Decision { estimates, widths, .. } = decision;
        estimates.reshape(self.n_arms(), objectives.len());
        widths.reshape(self.n_arms(), objectives.len());
        for arm in 0..self.n_arms() {
            let (count, bonus) = (self.counts[arm] as f64, bonus(arm));
            for (i, objective) in objectives.iter().enumerate() {
                let (low, high) = objective.rewards();
                let mean = if count > 0.0 { objective.from_unit(self.sums(arm)[i] / count) } else { 0.0 };
                estimates.row_mut(arm)[i] = mean;
                widths.row_mut(arm)[i] = bonus * (high - low);
            }
        }
    }

    /// Rejects statistics that no sequence of plays can produce, or that have another shape than
    /// `other`.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotDamaged`].
    pub fn check_like(&self, other: &ArmStats) -> Result<(), Error> {
        crate::saved::check_rounds(self.rounds)?;
        let damaged = |reason: &str| Err(Error::SnapshotDamaged { reason: reason.into() });
        if self.counts.len() != other.counts.len() || self.sums.len() != other.sums.len() {
            return damaged("statistics of another shape");
        }
        if self.counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count)) != Some(self.rounds) {
            return damaged("the counts of the arms do not add up to the rounds");
        }
        let possible = |arm: usize| {
            let most = self.counts[arm] as f64 * (1.0 + 1e-9);
            self.sums(arm).iter().all(|&sum| sum >= 0.0 && sum <= most)
        };
        if !(0..self.n_arms()).all(possible) {
            return damaged("a sum of rewards is out of bounds");
        }
        Ok(())
    }
}
