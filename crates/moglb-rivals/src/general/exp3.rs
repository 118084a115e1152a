//! Exp3 (Auer, Cesa-Bianchi, Freund, Schapire 2002): exponential weights on rewards that are divided by the
//! probability of the played arm.
//!
//! ```text
//! p_k = (1 − γ)·w_k/Σw + γ/K        w_k ← w_k·exp(γ·r/(p_k·K)) for the played arm
//! γ = min(1, √(K·log K / ((e − 1)·T)))
//! ```

use super::log_weights::LogWeights;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, Problem, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "exp3",
    name: "Exp3",
    source: "Auer, Cesa-Bianchi, Freund, Schapire: The nonstochastic multiarmed bandit problem, SIAM J. \
             Computing 2002",
    setting: "no contexts, one fixed arm set, any rewards, one objective or a weighted sum",
    guarantee: "expected regret 2√(e − 1)·√(T·K·log K) against the best arm, whatever the rewards; no front",
    cost: "O(K)",
    departures: "Rewards are mapped to [0, 1]. The horizon is the bound on the gain of the best arm.",
    parameters: struct Exp3Config of Exp3 {
        target: Target = Target::default() => "0", meaning!(target);
        horizon: u64 = 3000, meaning!(horizon);
        gamma: Option<f64> = None => "by the horizon",
            "γ, the share of rounds that explore; √(K·log K / ((e − 1)·T)) unless given";
    }
}

/// Exp3 on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{ArmSet, Exp3, Exp3Config, Link, Objective, Policy, Problem, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let mut policy = Exp3::new(problem, Exp3Config { horizon: 1000, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Exp3 {
    problem: Problem,
    config: Exp3Config,
    scalar: Scalar,
    gamma: f64,
    rounds: u64,
    weights: LogWeights,
}

/// The learned state of Exp3; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exp3State {
    /// The number of rewards learned.
    pub rounds: u64,
    /// log w of each arm, shifted so that the largest is 0.
    pub weights: LogWeights,
}

fits!(Exp3State, |state, problem| Some(state.weights.len()) == problem.n_arms);

impl Exp3 {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: Exp3Config) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        let n_arms = problem.n_arms().ok_or(Error::ArmCountNeeded { policy: INFO.id })?;
        let gamma = super::rate(config.gamma, n_arms, n_arms, config.horizon)?;
        moglb_math::memory::check_memory(n_arms, 1)?;
        Ok(Self { problem, config, scalar, gamma, rounds: 0, weights: LogWeights::new(n_arms) })
    }

    /// Returns γ, the share of rounds that explore.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Returns p of each arm.
    fn probabilities(&self) -> Vec<f64> {
        let mut shares = self.weights.shares();
        let floor = self.gamma / shares.len() as f64;
        shares.iter_mut().for_each(|share| *share = (1.0 - self.gamma) * *share + floor);
        shares
    }

    /// Refuses weights that cannot result from the rounds. Since p ≥ γ/K, log w grows by at most 1 in a
    /// round.
    fn check(&self, state: &Exp3State) -> Result<(), Error> {
        state.weights.check_like(&self.weights, state.rounds, 1.0)
    }
}

impl Policy for Exp3 {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        let probabilities = self.probabilities();
        super::write_probabilities(decision, arms.n_arms(), |arm| probabilities[arm]);
        decision.draw_by_probabilities(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let (arm, r) = (arm.id().0, self.scalar.unit(reward, &self.problem));
        let gain = self.gamma * r / (self.probabilities()[arm] * self.weights.len() as f64);
        self.weights.grow(|k| if k == arm { gain } else { 0.0 });
        self.rounds += 1;
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, ..Facts::default() }
    }
}

saved!(Exp3: Exp3Config => Exp3State { rounds, weights }, check);
