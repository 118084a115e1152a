//! P-UCB: Pareto UCB1 (Drugan and Nowé, IJCNN 2013).

use libm::log;
use moglb_core::arm_stats::ArmStats;
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, Problem, Scale};
use moglb_math::Error;
use moglb_pareto::ArmId;
use rand_core::Rng;

policy! {
    id: "p-ucb",
    name: "P-UCB",
    source: "Drugan, Nowé: Designing multi-objective multi-armed bandits algorithms, IJCNN 2013",
    setting: "no contexts, one fixed arm set",
    guarantee: "Pareto regret O(log T), with constants that grow with K",
    cost: "O(K·m + front)",
    has_front: true,
    departures: "Rewards are mapped to [0, 1]. Until every arm was played once, the draw is uniform from the \
                 unplayed arms, and the front is the whole arm set.",
    parameters: struct PUcbConfig of PUcb {
        front_size: Option<usize> = None => "K",
            "|A*| in the bonus √(2 ln(n (m·|A*|)^¼) / n_k); K is an upper bound if the true size is unknown";
    }
}

/// Pareto UCB1: mean rewards plus a bonus that is the same in every objective, and a uniform draw from the
/// front.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, PUcb, PUcbConfig, Policy, Problem, draw};
///
/// let objectives = ["click", "view"].map(|name| Objective::new(name, Link::Logit));
/// let problem = Problem::new(1, objectives.to_vec())?.with_arms(2)?;
/// let mut policy = PUcb::new(problem, PUcbConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// assert_eq!(decision.probabilities, [0.5, 0.5]);
/// policy.learn(arms.arm(decision.arm), &[1.0, 0.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PUcb {
    problem: Problem,
    config: PUcbConfig,
    front_size: usize,
    stats: ArmStats,
}

impl PUcb {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`] or [`Error::FrontSize`].
    pub fn new(problem: Problem, config: PUcbConfig) -> Result<Self, Error> {
        let stats = ArmStats::new(&problem, INFO.id)?;
        let (n_arms, got) = (stats.n_arms(), config.front_size.unwrap_or(stats.n_arms()));
        if got == 0 || got > n_arms {
            return Err(Error::FrontSize { n_arms, got });
        }
        Ok(Self { problem, config: PUcbConfig { front_size: Some(got) }, front_size: got, stats })
    }

    /// Returns the bonus √(2 ln(n (m·|A*|)^¼) / n_k) as a function of the arm. It is infinite for an arm that
    /// was never played. The logarithm is computed once.
    fn bonus(&self) -> impl Fn(usize) -> f64 {
        let spread = self.problem.n_objectives() as f64 * self.front_size as f64;
        let confidence = log(self.stats.rounds() as f64) + 0.25 * log(spread);
        move |arm| match self.stats.count(arm) {
            0 => f64::INFINITY,
            count => (2.0 * confidence / count as f64).sqrt(),
        }
    }
}

impl Policy for PUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (n_arms, objectives) = (arms.n_arms(), self.problem.objectives());
        let bonus = self.bonus();
        self.stats.report(objectives, &bonus, decision);
        let unplayed = (0..n_arms).filter(|&arm| self.stats.count(arm) == 0);
        decision.work.candidates.clear();
        decision.work.candidates.extend(unplayed.map(ArmId));
        if decision.work.candidates.is_empty() {
            decision.work.scores.reshape(n_arms, objectives.len());
            for arm in 0..n_arms {
                let (bonus, count) = (bonus(arm), self.stats.count(arm) as f64);
                let row = decision.work.scores.row_mut(arm);
                row.iter_mut()
                    .zip(self.stats.sums(arm))
                    .for_each(|(score, sum)| *score = sum / count + bonus);
            }
            decision.find_front();
            decision.draw_from_front(n_arms, rng);
        } else {
            // Nothing is known yet about the unplayed arms, so no arm can be excluded from the front.
            decision.front.refill((0..n_arms).map(ArmId));
            decision.draw_from_candidates(n_arms, rng);
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.stats.add(arm, reward, self.problem.objectives());
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, scale: Scale::Mean, ..Facts::default() }
    }
}

saved!(PUcb: PUcbConfig => ArmStats, stats);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_math::draw;

    fn policy(n_arms: usize) -> PUcb {
        let objectives = vec![Objective::new("a", Link::Logit), Objective::new("b", Link::Logit)];
        let problem = Problem::new(1, objectives).unwrap().with_arms(n_arms).unwrap();
        PUcb::new(problem, PUcbConfig::default()).unwrap()
    }

    #[test]
    fn every_arm_is_played_once_before_any_is_played_twice() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2], [0.3], [0.4]]).unwrap();
        let (mut policy, mut rng) = (policy(4), draw::seeded(1));
        let mut seen = Vec::new();
        for _ in 0..4 {
            let decision = policy.decide(&arms, &mut rng).unwrap();
            assert_eq!(decision.front.len(), 4, "nothing can be left out yet");
            assert_eq!(decision.probabilities[decision.arm.0], 1.0 / (4 - seen.len()) as f64);
            seen.push(decision.arm);
            policy.learn(arms.arm(decision.arm), &[1.0, 0.0]).unwrap();
        }
        seen.sort();
        assert_eq!(seen, [0, 1, 2, 3].map(ArmId));
    }

    #[test]
    fn the_index_is_the_formula_by_hand() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2]]).unwrap();
        let mut policy = policy(2);
        for (arm, reward) in [(0, [1.0, 0.0]), (1, [1.0, 1.0]), (0, [0.0, 0.0])] {
            policy.learn(arms.arm(ArmId(arm)), &reward).unwrap();
        }
        // n = 3, m·K = 4: 2 ln(3 · 4^¼) = 2 (1.098612 + 0.346574) = 2.890372; n_0 = 2, n_1 = 1.
        assert!((policy.bonus()(0) - (2.890372_f64 / 2.0).sqrt()).abs() < 1e-6);
        assert!((policy.bonus()(1) - 2.890372_f64.sqrt()).abs() < 1e-6);
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        assert_eq!(decision.front.arms(), [ArmId(1)], "(0.5, 0) + 1.202 is below (1, 1) + 1.700");
        assert_eq!(decision.estimates.row(0), [0.5, 0.0]);
        assert_eq!(decision.probabilities, [0.0, 1.0]);
    }

    #[test]
    fn an_impossible_front_size_is_refused() {
        let problem = policy(3).problem;
        for got in [0, 4] {
            let refused = PUcb::new(problem.clone(), PUcbConfig { front_size: Some(got) });
            assert!(matches!(refused, Err(Error::FrontSize { n_arms: 3, .. })));
        }
    }
}
