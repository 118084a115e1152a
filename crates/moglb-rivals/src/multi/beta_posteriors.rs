//! Beta posteriors of every arm in every objective, for policies that sample means without a model.

use moglb_core::arm_stats::ArmStats;
use moglb_core::saved::SavedPart;
use moglb_core::{Arm, Decision, Objective, Problem};
use moglb_math::draw::Betas;
use moglb_math::memory::check_memory;
use moglb_math::{Error, Matrix};
use rand_core::Rng;

/// Counts and sums per arm, and the posteriors that follow from them and the prior Beta(1, 1).
#[derive(Debug, Clone)]
pub(crate) struct BetaPosteriors {
    stats: ArmStats,
    /// The posterior of each arm (rows) in each objective, prepared for drawing. It is not part of the
    /// learned state: it follows from the statistics.
    laws: Betas,
}

impl BetaPosteriors {
    /// Returns Beta(1, 1) for each arm and objective.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: &Problem, policy: &'static str) -> Result<Self, Error> {
        let stats = ArmStats::new(problem, policy)?;
        let n_laws = stats.n_arms() * problem.n_objectives();
        check_memory(n_laws, 4)?;
        Ok(Self { stats, laws: Betas::uniform(n_laws) })
    }

    /// Returns the beta parameters of an arm in an objective.
    pub(crate) fn posterior(&self, arm: usize, objective: usize) -> (f64, f64) {
        let (count, sum) = (self.stats.count(arm) as f64, self.stats.sums(arm)[objective]);
        // By rounding, a sum of rewards in [0, 1] may exceed their count.
        (1.0 + sum, 1.0 + (count - sum).max(0.0))
    }

    /// Draws a mean for each arm (rows) and objective (columns).
    pub(crate) fn draw_into(&self, rng: &mut dyn Rng, means: &mut Matrix) {
        let n_arms = self.stats.n_arms();
        means.reshape(n_arms, self.stats.sums(0).len());
        self.laws.draw_into(rng, means.as_mut_slice());
    }

    /// Adds a reward. The caller has checked it.
    pub fn add(&mut self, arm: Arm<'_>, reward: &[f64], objectives: &[Objective]) {
        self.stats.add(arm, reward, objectives);
        self.prepare(arm.id().0);
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.stats.rounds()
    }

    /// Renews the posteriors of an arm after its statistics have changed.
    fn prepare(&mut self, arm: usize) {
        let m = self.stats.sums(arm).len();
        for i in 0..m {
            let (a, b) = self.posterior(arm, i);
            self.laws.set(arm * m + i, a, b);
        }
    }

    /// Writes mean and standard deviation of every posterior into the tables of the decision, if it has
    /// tables.
    pub(crate) fn report(&self, objectives: &[Objective], decision: &mut Decision) {
        if !decision.tables {
            decision.forget_tables();
            return;
        }
        let n_arms = self.stats.n_arms();
        decision.estimates.reshape(n_arms, objectives.len());
        decision.widths.reshape(n_arms, objectives.len());
        for arm in 0..n_arms {
            for (i, objective) in objectives.iter().enumerate() {
                let (a, b) = self.posterior(arm, i);
                let (n, mean) = (a + b, a / (a + b));
                let (low, high) = objective.rewards();
                decision.estimates.row_mut(arm)[i] = objective.from_unit(mean);
                decision.widths.row_mut(arm)[i] = (high - low) * (mean * (1.0 - mean) / (n + 1.0)).sqrt();
            }
        }
    }
}

impl SavedPart for BetaPosteriors {
    type State = ArmStats;

    fn state(&self) -> ArmStats {
        self.stats.clone()
    }

    fn resumed(&self, state: ArmStats) -> Result<Self, Error> {
        let mut next = Self { stats: self.stats.resumed(state)?, ..self.clone() };
        (0..next.stats.n_arms()).for_each(|arm| next.prepare(arm));
        Ok(next)
    }
}
