//! UCB1 (Auer, Cesa-Bianchi, Fischer 2002): plays each arm once, then the arm with the largest
//! x̂ + √(2 log n / n_k).

use libm::log;
use moglb_core::arm_stats::ArmStats;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::saved;
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;

policy! {
    id: "ucb1",
    name: "UCB1",
    source: "Auer, Cesa-Bianchi, Fischer: Finite-time analysis of the multiarmed bandit problem, Machine \
             Learning 2002",
    setting: "no contexts, one fixed arm set, one objective or a weighted sum",
    guarantee: "regret Σ 8·log T / Δ + (1 + π²/3)·ΣΔ over the worse arms in expectation; no front",
    cost: "O(K)",
    departures: "Rewards are mapped to [0, 1]. Ties for the best index are broken uniformly at random; \
                 unplayed arms are such ties.",
    parameters: struct Ucb1Config of Ucb1 {
        target: Target = Target::default() => "0", meaning!(target);
    }
}

/// UCB1 on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, Policy, Problem, Ucb1, Ucb1Config, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let mut policy = Ucb1::new(problem, Ucb1Config::default())?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ucb1 {
    problem: Problem,
    config: Ucb1Config,
    scalar: Scalar,
    stats: ArmStats,
}

impl Ucb1 {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ArmCountNeeded`]
    /// or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: Ucb1Config) -> Result<Self, Error> {
        Self::for_policy(problem, config, INFO.id)
    }

    /// Creates the policy as a part of another one: errors name the policy `id`.
    pub(super) fn for_policy(problem: Problem, config: Ucb1Config, id: &'static str) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        let stats = ArmStats::new(&problem, id)?;
        Ok(Self { problem, config, scalar, stats })
    }

    /// Returns the counts and sums of each arm, which are the learned state.
    pub fn stats(&self) -> &ArmStats {
        &self.stats
    }

    /// Returns the mean and the bonus of an arm, both in units of the range: 0 and infinity before its first
    /// play.
    fn index(&self, arm: usize, confidence: f64) -> (f64, f64) {
        match self.stats.count(arm) {
            0 => (0.0, f64::INFINITY),
            count => {
                let count = count as f64;
                (self.scalar.unit_mean(self.stats.sums(arm), count), (2.0 * confidence / count).sqrt())
            }
        }
    }
}

impl Policy for Ucb1 {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (confidence, objective) = (log(self.stats.rounds() as f64), self.scalar.objective());
        let (low, high) = objective.rewards();
        decision.play_by_score(arms.n_arms(), rng, |arm| {
            let (mean, bonus) = self.index(arm, confidence);
            let estimate = if bonus.is_finite() { objective.from_unit(mean) } else { 0.0 };
            (estimate, bonus * (high - low), mean + bonus)
        });
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

saved!(Ucb1: Ucb1Config => ArmStats, stats);
