//! Logs of another policy. A policy learns from the logged rounds in which it chooses the logged arm (Li et
//! al., WSDM 2011).
//!
//! Each round of the log is offered to the policy. If the policy draws another arm than the logged one, it
//! learns nothing and the round is skipped. If the propensities p(a|x) differ, the accepted rounds are
//! biased towards arms that were likely. There are two corrections: rounds are also skipped at random, so
//! that all arms are accepted with the same chance; or all rounds are kept and have the weight 1/p.

use super::config::DataConfig;
use super::instance::order;
use super::world::World;
use crate::{SimError, Streams};
use moglb::{Decision, Policy, Problem, draw};
use moglb_data::Logged;
use serde::{Deserialize, Serialize};

/// The correction for arms that were logged with different probabilities.
///
/// Example: [`replay`].
///
/// [`replay`]: crate::replay()
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Acceptance {
    /// A round in which the arms agree is accepted with probability p_min/p. Fewer rounds are accepted, and
    /// all have the same weight.
    #[default]
    Rejection,
    /// Every round in which the arms agree is accepted and has the weight 1/p. The policy learns from more
    /// rounds, and its value is a weighted mean.
    Weighting,
}

/// The value of a policy on a log, from one pass.
///
/// Example: [`replay`].
///
/// [`replay`]: crate::replay()
#[derive(Debug, Clone, PartialEq)]
pub struct LogReplay {
    /// The number of rounds of the log.
    pub offered: u64,
    /// The number of rounds that the policy learned from.
    pub accepted: u64,
    /// The weighted mean reward of the accepted rounds in each objective; zero if no round was accepted.
    pub values: Vec<f64>,
    /// The standard error of each value.
    pub std_errors: Vec<f64>,
    /// The number of accepted rounds of each arm.
    pub pulls: Vec<u64>,
    /// The share of each arm in the weight of the accepted rounds.
    pub shares: Vec<f64>,
}

/// A log that is replayed to policies.
///
/// Example: [`replay`].
///
/// [`replay`]: crate::replay()
#[derive(Debug)]
pub struct LogWorld {
    world: World,
}

impl LogWorld {
    /// Reads the log of a configuration.
    ///
    /// # Errors
    ///
    /// [`SimError::Data`], or [`SimError::Entry`] for data of another kind than a log.
    pub fn new(config: &DataConfig) -> Result<Self, SimError> {
        Ok(Self { world: World::of_log(config)? })
    }

    /// The problem that policies receive.
    pub fn problem(&self) -> &Problem {
        &self.world.problem
    }

    /// The number of rounds of the log.
    pub fn n_rounds(&self) -> usize {
        self.log().arms.len()
    }

    /// The names of the arms.
    pub fn arms(&self) -> &[String] {
        self.world.arm_names()
    }

    /// Replays the log once to a policy, in an order that the trial draws. The rounds are assumed to be
    /// independent of each other.
    ///
    /// # Errors
    ///
    /// The errors of the policy.
    pub fn replay(
        &self,
        policy: &mut dyn Policy,
        acceptance: Acceptance,
        streams: Streams,
    ) -> Result<LogReplay, SimError> {
        let log = self.log();
        let least = log.propensities.iter().copied().fold(1.0, f64::min);
        let (mut chance, mut rng) = (streams.rewards(), streams.policy());
        let (mut decision, mut accepted) = (Decision::lean(), Accepted::new(self.world.n_arms()));
        for round in order([(0..self.n_rounds()).collect()].iter(), streams) {
            let (arm, propensity) = (log.arms[round], log.propensities[round]);
            // Drawn in every round, so that the luck of a round does not depend on the policy.
            let lucky = draw::unit(&mut chance) * propensity < least;
            let arms = self.world.logged_arms(log.contexts.row(round))?;
            policy.decide_into(&arms, &mut rng, &mut decision)?;
            if decision.arm.0 != arm || (acceptance == Acceptance::Rejection && !lucky) {
                continue;
            }
            let reward = self.world.chosen(log.rewards.row(round));
            policy.learn(arms.arm(decision.arm), &reward)?;
            let weight = if acceptance == Acceptance::Weighting { 1.0 / propensity } else { 1.0 };
            accepted.add(arm, weight, reward);
        }
        Ok(self.finish(accepted))
    }

    /// The value of the policy that wrote the log: the mean of all rounds, with equal weights.
    pub fn logged(&self) -> LogReplay {
        self.finish(self.rounds(|_| true, |_| 1.0))
    }

    /// The value of always playing the arm at a position, from all of its rounds with the weight 1/p.
    /// Nothing is drawn and nothing is learned, so the value is the same for both corrections.
    pub fn always(&self, arm: usize) -> LogReplay {
        self.finish(self.rounds(|played| played == arm, |propensity| 1.0 / propensity))
    }

    /// Collects the rounds of the arms that `kept` accepts, with weights computed from their propensities.
    fn rounds(&self, kept: impl Fn(usize) -> bool, weight: impl Fn(f64) -> f64) -> Accepted {
        let log = self.log();
        let mut accepted = Accepted::new(self.world.n_arms());
        for (round, (&arm, &propensity)) in log.arms.iter().zip(&log.propensities).enumerate() {
            if kept(arm) {
                accepted.add(arm, weight(propensity), self.world.chosen(log.rewards.row(round)));
            }
        }
        accepted
    }

    /// The log, which [`LogWorld::new`] has checked to be one.
    fn log(&self) -> &Logged {
        self.world.log().expect("it is a log")
    }

    /// The means of the accepted rounds, with the number of rounds offered.
    fn finish(&self, accepted: Accepted) -> LogReplay {
        accepted.finish(self.n_rounds() as u64, self.world.problem.n_objectives())
    }
}

/// The accepted rounds of a pass: pulls and weights by arm, and the weight and the reward of each round.
struct Accepted {
    pulls: Vec<u64>,
    weights: Vec<f64>,
    rounds: Vec<(f64, Vec<f64>)>,
}

impl Accepted {
    fn new(n_arms: usize) -> Self {
        Self { pulls: vec![0; n_arms], weights: vec![0.0; n_arms], rounds: Vec::new() }
    }

    fn add(&mut self, arm: usize, weight: f64, reward: Vec<f64>) {
        self.pulls[arm] += 1;
        self.weights[arm] += weight;
        self.rounds.push((weight, reward));
    }

    /// The values Σ wy / Σ w, and their standard errors √(Σ w²(y − mean)²) / Σ w.
    fn finish(self, offered: u64, m: usize) -> LogReplay {
        let total: f64 = self.rounds.iter().map(|(weight, _)| weight).sum();
        let over_total = |sum: f64| if total > 0.0 { sum / total } else { 0.0 };
        let value = |i: usize| over_total(self.rounds.iter().map(|(weight, y)| weight * y[i]).sum());
        let values: Vec<f64> = (0..m).map(value).collect();
        let error = |i: usize| {
            let off =
                |(weight, y): &(f64, Vec<f64>)| (weight * (y[i] - values[i])) * (weight * (y[i] - values[i]));
            over_total(self.rounds.iter().map(off).sum::<f64>().sqrt())
        };
        let std_errors = (0..m).map(error).collect();
        let shares = self.weights.iter().map(|&weight| over_total(weight)).collect();
        let accepted = self.rounds.len() as u64;
        LogReplay { offered, accepted, values, std_errors, pulls: self.pulls, shares }
    }
}
