//! The uniform control, which any policy must beat.

use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Policy, Problem};
use moglb_math::{Error, draw};
use moglb_pareto::ArmId;
use rand_core::Rng;

policy! {
    id: "random",
    name: "Random",
    source: "control",
    setting: "any",
    guarantee: "none",
    cost: "O(K) to write the probabilities",
    departures: "",
    parameters: struct RandomConfig of Random {}
}

/// A policy that plays uniformly at random. It counts rewards and learns nothing else.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, Policy, Problem, Random, RandomConfig, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?;
/// let policy = Random::new(problem, RandomConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// assert_eq!(policy.decide(&arms, &mut draw::seeded(7))?.probabilities, [0.5, 0.5]);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Random {
    problem: Problem,
    config: RandomConfig,
    rounds: u64,
}

impl Random {
    /// Creates the control for a problem.
    ///
    /// # Errors
    ///
    /// None. It returns a `Result` like `new` of the other policies.
    pub fn new(problem: Problem, config: RandomConfig) -> Result<Self, Error> {
        Ok(Self { problem, config, rounds: 0 })
    }
}

impl Policy for Random {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        let n_arms = arms.n_arms();
        decision.given_sample = false;
        decision.front.clear();
        decision.estimates.reshape(n_arms, 0);
        decision.widths.reshape(n_arms, 0);
        decision.probabilities.clear();
        decision.probabilities.resize(n_arms, 1.0 / n_arms as f64);
        decision.arm = ArmId(draw::below(n_arms, rng));
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.rounds += 1;
        Ok(())
    }
}

saved!(Random: RandomConfig => u64, rounds);
