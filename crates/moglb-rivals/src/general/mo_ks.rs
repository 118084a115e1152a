//! MO-KS (Xu and Klabjan 2023): where it is known whether rewards are stochastic or adversarial, the best algorithm for that on
//! one objective, as Pareto regret is at most the regret in any of them.

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
    guarantee: "Pareto regret O(log T) for stochastic rewards (UCB), Õ(√(K·T)) for adversarial ones (Exp3.P); no front",
    cost: "O(K)",
    departures: "A weighted sum can be pursued as well as one objective: the Pareto regret is at most its regret, too. UCB is \
                 UCB1. Exp3.P has the constants of Bubeck and Cesa-Bianchi (2012), and its share of exploring rounds γ = \
                 1.05·√(K·log K/T) is 1 at most: it would be more where T is less than about K·log K, and (1 − γ) no share any \
                 more. Rewards are mapped to [0, 1].",
    parameters: struct MoKsConfig of MoKs {
        target: Target = Target::default() => "0", meaning!(target);
        rewards: Rewards = Rewards::default() => "stochastic",
            "what is known about rewards: stochastic (UCB1 is played) or adversarial (Exp3.P)";
        horizon: u64 = 3000, meaning!(horizon);
        delta: f64 = 0.05, "the chance that the bound of Exp3.P may fail";
    }
}

/// What is known about rewards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewards {
    /// They are drawn from the same law in every round: UCB1 is played.
    #[default]
    Stochastic,
    /// Nothing: Exp3.P is played.
    Adversarial,
}

impl ParameterType for Rewards {
    const KIND: Kind = Kind::Word;
}

/// MO-KS. It has no front.
#[derive(Debug, Clone)]
pub struct MoKs {
    problem: Problem,
    config: MoKsConfig,
    scalar: Scalar,
    player: Player,
}

#[derive(Debug, Clone)]
enum Player {
    Stochastic(Box<Ucb1>),
    Adversarial(Exp3P),
}

/// The learned state of MO-KS; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoKsState {
    /// Of UCB1.
    Stochastic(ArmStats),
    /// Of Exp3.P.
    Adversarial(Exp3PState),
}

fits!(MoKsState, |state, problem| match state {
    MoKsState::Stochastic(stats) => stats.fits(problem),
    MoKsState::Adversarial(state) => Some(state.n_arms()) == problem.n_arms,
});

impl MoKs {
    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// What is wrong with the target, [`Error::ParameterBounds`], [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
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
