//! MO-KS (Xu and Klabjan 2023), for rewards that are known to be stochastic or known to be adversarial. It
//! plays the best algorithm for that kind of rewards on one objective: the Pareto regret is at most the
//! regret in any objective.

use super::exp3_p::{Exp3P, Exp3PState};
use super::ucb1::{Ucb1, Ucb1Config};
use moglb_core::arm_stats::ArmStats;
use moglb_core::describe::{ParameterType, meaning, policy};
use moglb_core::saved::{Saved, damaged, fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, Kind, LearnsBy, Parameter, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "mo-ks",
    name: "MO-KS",
    source: "Xu, Klabjan: Pareto regret analyses in multi-objective multi-armed bandit, ICML 2023",
    setting: "no contexts, one fixed arm set, rewards known to be stochastic or adversarial",
    guarantee: "Pareto regret O(log T) for stochastic rewards (UCB), Õ(√(K·T)) for adversarial ones \
                (Exp3.P); no front",
    cost: "O(K)",
    departures: "The target may also be a weighted sum: the Pareto regret is at most its regret, too. UCB is \
                 UCB1. Exp3.P has the constants of Bubeck and Cesa-Bianchi (2012). Its share of rounds that \
                 explore, γ = 1.05·√(K·log K/T), is limited to 1: where T is less than about K·log K it \
                 would exceed 1, and 1 − γ would be negative. Rewards are mapped to [0, 1].",
    parameters: struct MoKsConfig of MoKs {
        target: Target = Target::default() => "0", meaning!(target);
        rewards: Rewards = Rewards::default() => "stochastic",
            "the kind of rewards: stochastic (UCB1 is played) or adversarial (Exp3.P is played)";
        horizon: u64 = 3000, meaning!(horizon);
        delta: f64 = 0.05, "the chance that the bound of Exp3.P may fail";
    }
}

/// The kind of rewards that [`MoKs`] assumes.
///
/// Example: [`MoKs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewards {
    /// The rewards of an arm have the same distribution in every round: UCB1 is played.
    #[default]
    Stochastic,
    /// Nothing is assumed about rewards: Exp3.P is played.
    Adversarial,
}

impl ParameterType for Rewards {
    const KIND: Kind = Kind::Word;
}

/// MO-KS: UCB1 for stochastic rewards, Exp3.P for adversarial rewards. It has no front.
///
/// ```
/// use moglb::{ArmSet, Link, MoKs, MoKsConfig, Objective, Policy, Problem, Rewards, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let config = MoKsConfig { rewards: Rewards::Adversarial, horizon: 1000, ..Default::default() };
/// let mut policy = MoKs::new(problem, config)?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoKs {
    problem: Problem,
    config: MoKsConfig,
    scalar: Scalar,
    player: Player,
}

/// The algorithm that plays, by the kind of rewards.
#[derive(Debug, Clone)]
enum Player {
    Stochastic(Box<Ucb1>),
    Adversarial(Exp3P),
}

/// The learned state of MO-KS; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoKsState {
    /// The state of UCB1.
    Stochastic(ArmStats),
    /// The state of Exp3.P.
    Adversarial(Exp3PState),
}

fits!(MoKsState, |state, problem| match state {
    MoKsState::Stochastic(stats) => stats.fits(problem),
    MoKsState::Adversarial(state) => Some(state.n_arms()) == problem.n_arms,
});

impl MoKs {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: MoKsConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check_horizon(config.horizon)?;
        Parameter::check("delta", config.delta, f64::MIN_POSITIVE..=1.0)?;
        let n_arms = problem.n_arms().ok_or(Error::ArmCountNeeded { policy: INFO.id })?;
        let ucb1 = Ucb1Config { target: config.target.clone() };
        let player = match config.rewards {
            Rewards::Stochastic => {
                Player::Stochastic(Box::new(Ucb1::for_policy(problem.clone(), ucb1, INFO.id)?))
            }
            Rewards::Adversarial => {
                moglb_math::memory::check_memory(n_arms, 1)?;
                Player::Adversarial(Exp3P::new(n_arms, config.horizon, config.delta))
            }
        };
        Ok(Self { problem, config, scalar, player })
    }
}

impl Policy for MoKs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        match &self.player {
            Player::Stochastic(ucb1) => ucb1.decide_into(arms, rng, decision),
            Player::Adversarial(exp3) => {
                self.problem.check_arms(arms)?;
                let probabilities = exp3.probabilities();
                super::write_probabilities(decision, arms.n_arms(), |arm| probabilities[arm]);
                decision.draw_by_probabilities(rng);
                Ok(())
            }
        }
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        match &mut self.player {
            Player::Stochastic(ucb1) => ucb1.learn(arm, reward),
            Player::Adversarial(exp3) => {
                self.problem.check_play(arm, reward)?;
                exp3.learn(arm.id().0, self.scalar.unit(reward, &self.problem));
                Ok(())
            }
        }
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, scale: Scale::Mean, ..Facts::default() }
    }
}

impl Saved for MoKs {
    saved!(MoKsConfig => MoKsState);

    fn t(&self) -> u64 {
        match &self.player {
            Player::Stochastic(ucb1) => ucb1.t(),
            Player::Adversarial(exp3) => exp3.state().rounds,
        }
    }

    fn state(&self) -> MoKsState {
        match &self.player {
            Player::Stochastic(ucb1) => MoKsState::Stochastic(ucb1.stats().clone()),
            Player::Adversarial(exp3) => MoKsState::Adversarial(exp3.state().clone()),
        }
    }

    fn resume(&mut self, state: MoKsState) -> Result<(), Error> {
        match (&mut self.player, state) {
            (Player::Stochastic(ucb1), MoKsState::Stochastic(stats)) => ucb1.resume(stats)?,
            (Player::Adversarial(exp3), MoKsState::Adversarial(state)) => *exp3 = exp3.resumed(state)?,
            _ => return Err(damaged(&"the state is for rewards of the other kind")),
        }
        Ok(())
    }
}
