//! P-TS: Pareto Thompson sampling (Yahyaa and Manderick, ESANN 2015).

use crate::draw::Betas;
use crate::policy::{ArmStats, LearnsBy, Policy, PolicyInfo, Restorable};
use crate::problem::check_memory;
use crate::snapshot::{PolicySnapshot, PolicyState};
use crate::{Arm, ArmSet, Decision, Error, PolicyConfig, Problem};
use rand_core::Rng;
use serde::{Deserialize, Serialize};

pub(crate) const INFO: PolicyInfo = PolicyInfo {
    id: "p-ts",
    name: "P-TS",
    source: "Yahyaa, Manderick: Thompson sampling for multi-objective multi-armed bandits problem, ESANN 2015",
    setting: "no contexts, one fixed arm set",
    guarantee: "none published",
    cost: "O(K·m) beta draws + front",
    has_front: true,
    parameters: &[],
    departures: "Rewards between 0 and 1 are added to the beta parameters as fractions. Probabilities are exact given the sampled means; over repeated decisions they have no closed form.",
};

/// The parameters of [`PTs`]: none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PTsConfig {}

/// Pareto Thompson sampling: a mean for each arm and objective from its beta posterior, independently, and a
/// uniform draw from the front of the sampled vectors.
#[derive(Debug, Clone)]
pub struct PTs {
    problem: Problem,
    config: PTsConfig,
    stats: ArmStats,
    /// The posterior of each arm (rows) in each objective, ready to be drawn from. No part of the learned state: it
    /// follows from the statistics.
    posteriors: Betas,
}

impl PTs {
    /// The policy before the first round: Beta(1, 1) everywhere.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`].
    pub fn new(problem: Problem, config: PTsConfig) -> Result<Self, Error> {
        let stats = ArmStats::new(&problem, INFO.id)?;
        let n_posteriors = stats.n_arms() * problem.n_objectives();
        check_memory(n_posteriors, 4)?;
        let posteriors = Betas::uniform(n_posteriors);
        Ok(Self { problem, config, stats, posteriors })
    }

    /// The beta parameters of an arm in an objective.
    fn posterior(&self, arm: usize, objective: usize) -> (f64, f64) {
        let (count, sum) = (self.stats.count(arm) as f64, self.stats.sums(arm)[objective]);
        // A sum of fractions may exceed its count by rounding.
        (1.0 + sum, 1.0 + (count - sum).max(0.0))
    }

    /// Makes the posteriors of an arm ready to be drawn from, after its statistics have changed.
    fn prepare(&mut self, arm: usize) {
        let m = self.problem.n_objectives();
        for i in 0..m {
            let (a, b) = self.posterior(arm, i);
            self.posteriors.set(arm * m + i, a, b);
        }
    }

    /// Writes mean and standard deviation of every posterior, where the decision wants them.
    fn report(&self, decision: &mut Decision) {
        if !decision.tables {
            decision.forget_tables();
            return;
        }
        let (n_arms, objectives) = (self.stats.n_arms(), self.problem.objectives());
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

impl Policy for PTs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        let (n_arms, objectives) = (arms.n_arms(), self.problem.objectives());
        decision.work.scores.reshape(n_arms, objectives.len());
        self.posteriors.draw_into(rng, decision.work.scores.as_mut_slice());
        self.report(decision);
        decision.find_front();
        decision.given_sample = true;
        decision.draw_from_front(n_arms, rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.stats.add(arm, reward, self.problem.objectives());
        self.prepare(arm.id().0);
        Ok(())
    }

    fn learns_by(&self) -> LearnsBy {
        LearnsBy::Arm
    }
}

impl Restorable for PTs {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn t(&self) -> u64 {
        self.stats.rounds()
    }

    fn snapshot(&self) -> PolicySnapshot {
        let state = PolicyState::Arms(self.stats.clone());
        PolicySnapshot::new(&self.problem, PolicyConfig::PTs(self.config.clone()), state)
    }

    fn resume(&mut self, state: PolicyState) -> Result<(), Error> {
        self.stats = state.into_arms(&self.stats)?;
        (0..self.stats.n_arms()).for_each(|arm| self.prepare(arm));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArmId, Link, Objective, draw};

    #[test]
    fn the_posterior_counts_successes_and_failures() {
        let problem = Problem::new(1, vec![Objective::new("a", Link::Logit)]).unwrap().with_arms(2).unwrap();
        let arms = ArmSet::from_rows(&[[0.1], [0.2]]).unwrap();
        let mut policy = PTs::new(problem, PTsConfig {}).unwrap();
        for y in [1.0, 0.0, 1.0, 0.25] {
            policy.learn(arms.arm(ArmId(1)), &[y]).unwrap();
        }
        assert_eq!(policy.posterior(0, 0), (1.0, 1.0));
        assert_eq!(policy.posterior(1, 0), (3.25, 2.75));
        let decision = policy.decide(&arms, &mut draw::seeded(3)).unwrap();
        assert!(decision.given_sample);
        assert_eq!(decision.estimates.as_slice(), [0.5, 3.25 / 6.0]);
    }
}
