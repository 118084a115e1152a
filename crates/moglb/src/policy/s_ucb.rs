//! S-UCB: UCB1 on a linear scalarization of the reward vector (Drugan and Nowé 2013; Auer et al. 2002).

use crate::kernel::widened;
use crate::policy::target::on_the_simplex;
use crate::policy::{ArmStats, Kind, LearnsBy, Parameter, Policy, PolicyInfo, Restorable};
use crate::snapshot::{PolicySnapshot, PolicyState};
use crate::{Arm, ArmSet, Decision, Error, PolicyConfig, Problem};
use libm::log;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

pub(crate) const INFO: PolicyInfo = PolicyInfo {
    id: "s-ucb",
    name: "S-UCB",
    source: "Drugan, Nowé: Designing multi-objective multi-armed bandits algorithms, IJCNN 2013",
    setting: "no contexts, one fixed arm set, one weight vector",
    guarantee: "scalarized regret O(log T); no front",
    cost: "O(K·m)",
    has_front: false,
    parameters: &[Parameter {
        name: "weights",
        kind: Kind::Numbers,
        default: "equal",
        meaning: "one nonnegative number per objective, brought to sum one",
    }],
    departures: "Ties for the best index, unplayed arms among them, are broken uniformly at random.",
};

/// The parameters of [`SUcb`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SUcbConfig {
    /// The weights of the objectives; equal unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
}

/// UCB1 on w·y. It has no front: it plays the best arm for its weights.
#[derive(Debug, Clone)]
pub struct SUcb {
    problem: Problem,
    config: SUcbConfig,
    /// On the simplex, so that a scalarized reward is in [0, 1] and the bonus has the right scale.
    weights: Vec<f64>,
    stats: ArmStats,
    /// The scalarized mean of each arm. No part of the learned state: it follows from the statistics.
    means: Vec<f64>,
}

impl SUcb {
    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`] or [`Error::Weights`].
    pub fn new(problem: Problem, config: SUcbConfig) -> Result<Self, Error> {
        let m = problem.n_objectives();
        let given = config.weights.clone().unwrap_or_else(|| vec![1.0; m]);
        let weights = on_the_simplex(&given, m)?;
        let stats = ArmStats::new(&problem, INFO.id)?;
        let means = vec![0.0; stats.n_arms()];
        Ok(Self { problem, config: SUcbConfig { weights: Some(given) }, weights, stats, means })
    }

    /// √(2 ln n / n_k) for any n_k, infinite for an arm that was never played. The logarithm is taken once.
    fn bonus(&self) -> impl Fn(u64) -> f64 + use<> {
        let confidence = log(self.stats.rounds() as f64);
        #[inline(always)]
        move |count| if count == 0 { f64::INFINITY } else { (2.0 * confidence / count as f64).sqrt() }
    }

    /// The index of every arm: its scalarized mean plus its bonus.
    fn indices_into(&self, bonus: impl Fn(u64) -> f64, indices: &mut [f64]) {
        widened(
            #[inline(always)]
            || {
                for ((index, mean), &count) in indices.iter_mut().zip(&self.means).zip(self.stats.counts()) {
                    *index = mean + bonus(count);
                }
            },
        );
    }

    fn mean(&self, arm: usize) -> f64 {
        let count = self.stats.count(arm).max(1) as f64;
        self.weights.iter().zip(self.stats.sums(arm)).map(|(w, sum)| w * sum / count).sum()
    }
}

impl Policy for SUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let objectives = self.problem.objectives();
        let bonus = self.bonus();
        self.stats.report(objectives, |arm| bonus(self.stats.count(arm)), decision);
        decision.front.clear();
        let indices = &mut decision.work.scores;
        indices.reshape(arms.n_arms(), 1);
        self.indices_into(bonus, indices.as_mut_slice());
        decision.draw_the_best(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.stats.add(arm, reward, self.problem.objectives());
        self.means[arm.id().0] = self.mean(arm.id().0);
        Ok(())
    }

    fn learns_by(&self) -> LearnsBy {
        LearnsBy::Arm
    }
}

impl Restorable for SUcb {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn t(&self) -> u64 {
        self.stats.rounds()
    }

    fn snapshot(&self) -> PolicySnapshot {
        let state = PolicyState::Arms(self.stats.clone());
        PolicySnapshot::new(&self.problem, PolicyConfig::SUcb(self.config.clone()), state)
    }

    fn resume(&mut self, state: PolicyState) -> Result<(), Error> {
        self.stats = state.into_arms(&self.stats)?;
        self.means = (0..self.stats.n_arms()).map(|arm| self.mean(arm)).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArmId, Link, Objective, draw};

    fn policy(weights: Option<Vec<f64>>) -> Result<SUcb, Error> {
        let objectives = vec![Objective::new("a", Link::Logit), Objective::new("b", Link::Logit)];
        SUcb::new(Problem::new(1, objectives)?.with_arms(2)?, SUcbConfig { weights })
    }

    #[test]
    fn the_index_is_the_formula_by_hand() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2]]).unwrap();
        let mut policy = policy(Some(vec![3.0, 1.0])).unwrap();
        for (arm, reward) in [(0, [1.0, 0.0]), (1, [0.0, 1.0]), (0, [0.0, 0.0])] {
            policy.learn(arms.arm(ArmId(arm)), &reward).unwrap();
        }
        // Weights (0.75, 0.25), n = 3: 0.75·½ + √(2 ln 3 / 2) and 0.25 + √(2 ln 3).
        let mut indices = [0.0; 2];
        policy.indices_into(policy.bonus(), &mut indices);
        assert!((indices[0] - (0.375 + 1.048147)).abs() < 1e-6, "{indices:?}");
        assert!((indices[1] - (0.25 + 1.482304)).abs() < 1e-6, "{indices:?}");
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        assert_eq!((decision.arm, decision.front.is_empty()), (ArmId(1), true));
    }

    #[test]
    fn impossible_weights_are_refused() {
        for weights in [
            vec![],
            vec![1.0],
            vec![1.0, -1.0],
            vec![0.0, 0.0],
            vec![f64::NAN, 1.0],
            vec![f64::INFINITY, 1.0],
        ] {
            assert!(matches!(policy(Some(weights.clone())), Err(Error::Weights { .. })), "{weights:?}");
        }
        assert_eq!(policy(None).unwrap().weights, [0.5, 0.5]);
    }
}
