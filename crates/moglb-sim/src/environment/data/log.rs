//! Logs: a policy learns from the rounds in which it would have done what was done (Li et al., WSDM 2011).
//!
//! A round of the log is offered; where the policy draws another arm than the logged one, nothing was learned and the round is
//! passed over. With propensities p(a|x) that differ, what is left would be tilted towards arms that were likely: either rounds are
//! also passed over by chance, so that all arms come through alike, or all are kept and weigh 1/p.

use super::config::DataConfig;
use super::instance::order;
use super::world::World;
use crate::{SimError, Streams};
use moglb::{Decision, Policy, Problem, draw};
use moglb_data::Logged;
use serde::{Deserialize, Serialize};

/// What makes up for arms that were drawn with different probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Acceptance {
    /// A round in which the arms agree is accepted with probability p_min/p: fewer rounds, all of one weight.
    #[default]
    Rejection,
    /// Every round in which they agree is accepted and weighs 1/p: more rounds to learn from, and the value is a weighted mean.
    Weighting,
}

/// What a policy was worth on a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogReplay {
    /// The rounds of the log.
    pub offered: u64,
    /// Those that the policy learned from.
    pub accepted: u64,
    /// The mean reward of accepted rounds in each objective, by their weights; zero where there are none.
    pub values: Vec<f64>,
    /// The standard error of each.
    pub std_errors: Vec<f64>,
    /// How often each arm was accepted.
    pub pulls: Vec<u64>,
    /// The share of each arm in the weight of accepted rounds.
    pub shares: Vec<f64>,
}

/// A log to be replayed.
#[derive(Debug)]
pub struct LogWorld {
    world: World,
}

impl LogWorld {
    /// The log of a configuration.
    ///
    /// # Errors
    ///
    /// [`SimError::Data`], or [`SimError::Entry`] for data that is no log.
    pub fn new(config: &DataConfig) -> Result<Self, SimError> {
        Ok(Self { world: World::of_log(config)? })
    }

    /// What policies may know.
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

    /// Goes through the log once, in an order that the trial draws: rounds are taken for independent of each other.
    ///
    /// # Errors
    ///
    /// What the policy refuses.
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

    /// What the log earned: every round, with one weight.
    pub fn logged(&self) -> LogReplay {
        self.finish(self.rounds(|_| true, |_| 1.0))
    }

    /// What always playing the arm at a position is worth: all of its rounds, weighing 1/p. Nothing is drawn and nothing learned, so
    /// it holds for both ways to accept.
    pub fn always(&self, arm: usize) -> LogReplay {
        self.finish(self.rounds(|played| played == arm, |propensity| 1.0 / propensity))
    }

    /// The rounds of some arms, by a weight that the propensity decides.
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

    fn log(&self) -> &Logged {
        self.world.log().expect("it is a log")
    }

    fn finish(&self, accepted: Accepted) -> LogReplay {
        accepted.finish(self.n_rounds() as u64, self.world.problem.n_objectives())
    }
}

/// The rounds that were accepted.
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

    /// Σ wy / Σ w, and √(Σ w²(y − mean)²) / Σ w.
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
