//! Environments: what is on offer in a round, what it is worth, and what playing it returns.

mod data;
mod drift;
mod named;
mod paper;
mod spread;

pub(crate) use data::DataTable;
#[cfg(test)]
pub(crate) use data::READS;
pub use data::{Acceptance, DataConfig, DataSource, DataWorld, LogReplay, LogWorld, Measured, Rewards};
pub use drift::{Drift, DriftLaw};
pub use named::{ENVIRONMENTS, EnvironmentInfo};
pub use paper::{Coefficients, Paper, PaperConfig};
pub use spread::{Bulge, Spread, SpreadConfig};

use crate::{Arrival, SimError, Streams};
use chacha20::ChaCha8Rng;
use moglb::{ArmId, ArmSet, Front, Link, Matrix, Objective, Problem, Rng, draw};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A round's arms with the truth about them. Policies see the arms only.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The arms on offer.
    pub arms: Arc<ArmSet<'static>>,
    /// The expected reward of each arm (rows) in each objective (columns), larger is better.
    pub means: Matrix,
    /// The true Pareto front O*.
    pub front: Front,
    /// The Pareto suboptimality gap of each arm.
    pub gaps: Vec<f64>,
}

/// One instance of a problem to play on.
pub trait Environment: Send + Sync {
    /// What policies may know.
    fn problem(&self) -> &Problem;

    /// The arms of round t (from 1), with the truth. The same for every policy, whatever was played before.
    ///
    /// # Errors
    ///
    /// When the round cannot be made, such as [`SimError::FrontTooLarge`].
    fn stage(&self, t: u64) -> Result<Cow<'_, Stage>, SimError>;

    /// Whether the arms stay the same for the whole run.
    fn has_fixed_arms(&self) -> bool;

    /// Whether what the arms are worth changes from round to round, though they stay.
    fn drifts(&self) -> bool {
        false
    }

    /// How rewards fall around their means.
    fn reward_law(&self) -> RewardLaw {
        RewardLaw::Link
    }

    /// How many rounds come before the first that counts: any arm is drawn in them, evenly, and learned from.
    fn practice(&self) -> u64 {
        0
    }

    /// What data says of an arm of round t beside its means; nothing where the environment is not data.
    fn measured(&self, _t: u64, _arm: ArmId) -> Option<Measured<'_>> {
        None
    }

    /// How rewards come back; at once and whole where there is nothing to say.
    fn arrival(&self) -> Option<&Arrival> {
        None
    }
}

/// How rewards fall around their means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RewardLaw {
    /// As the link of each objective has it, see [`reward`].
    Link,
    /// They are their means: what was seen is seen again.
    Exact,
    /// Normal for objectives with an identity link, cut off at five deviations so that rewards have a range; otherwise by the link.
    Normal {
        /// The standard deviation.
        deviation: f64,
    },
}

/// Normal noise goes this many deviations to both sides, and no further.
const SPREAD: f64 = 5.0;

impl RewardLaw {
    /// A reward of mean μ from one uniform number u.
    fn draw(self, objective: &Objective, mean: f64, u: f64) -> f64 {
        match self {
            RewardLaw::Exact => mean,
            RewardLaw::Normal { deviation } if objective.link == Link::Identity => {
                // Of 0 there is no quantile; it is cut off in any case.
                let quantile = Link::Probit.inverse(u).unwrap_or(-SPREAD);
                mean + deviation * quantile.clamp(-SPREAD, SPREAD)
            }
            _ => reward(objective.link, objective.rewards(), mean, u),
        }
    }
}

/// An environment and its parameters, by its id: `{ id = "paper", dim = 10 }`. Read, it may have any of the names in
/// [`ENVIRONMENTS`], or be `data`; written, it is `paper`, `paper-fresh`, `spread` or `data` with the parameters that the name stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case", from = "named::Written")]
pub enum EnvironmentConfig {
    /// The paper's synthetic data, one arm set for the whole run.
    Paper(PaperConfig),
    /// The same laws with a fresh arm set in every round.
    PaperFresh(PaperConfig),
    /// Arms without a model, their means stated.
    Spread(SpreadConfig),
    /// Real data.
    Data(DataSource),
}

impl EnvironmentConfig {
    /// The id.
    pub fn id(&self) -> &'static str {
        match self {
            EnvironmentConfig::Paper(_) => "paper",
            EnvironmentConfig::PaperFresh(_) => "paper-fresh",
            EnvironmentConfig::Spread(_) => "spread",
            EnvironmentConfig::Data(_) => "data",
        }
    }

    /// The number of features d.
    pub fn dim(&self) -> usize {
        match self {
            EnvironmentConfig::Paper(config) | EnvironmentConfig::PaperFresh(config) => config.dim,
            EnvironmentConfig::Spread(config) => config.dim,
            EnvironmentConfig::Data(source) => source.dim(),
        }
    }

    /// What policies may know of every instance.
    ///
    /// # Errors
    ///
    /// When the parameters make no problem.
    pub fn problem(&self) -> Result<Problem, SimError> {
        match self {
            EnvironmentConfig::Paper(config) => config.problem(true),
            EnvironmentConfig::PaperFresh(config) => config.problem(false),
            EnvironmentConfig::Spread(config) => config.problem(),
            EnvironmentConfig::Data(source) => source.problem(),
        }
    }

    /// The parameters as they are written, every default filled in, without the id.
    pub fn params(&self) -> BTreeMap<String, serde_json::Value> {
        let written = serde_json::to_value(self).expect("a configuration can be written");
        let mut fields: BTreeMap<_, _> =
            written.as_object().expect("a configuration is a table").clone().into_iter().collect();
        fields.remove("id");
        fields.insert("arms".into(), self.n_arms().into());
        fields
    }

    /// The number of arms K.
    pub fn n_arms(&self) -> usize {
        match self {
            EnvironmentConfig::Paper(config) | EnvironmentConfig::PaperFresh(config) => config.n_arms(),
            EnvironmentConfig::Spread(config) => config.dim,
            EnvironmentConfig::Data(source) => source.n_arms(),
        }
    }

    /// How many rounds are played before the first that counts, see [`Environment::practice`].
    pub fn practice(&self) -> u64 {
        match self {
            EnvironmentConfig::Data(source) => source.practice(),
            _ => 0,
        }
    }

    /// The instance of a trial.
    ///
    /// # Errors
    ///
    /// When the parameters make no problem, or no arm set has a small enough front.
    pub fn instance(&self, streams: Streams) -> Result<Box<dyn Environment>, SimError> {
        Ok(match self {
            EnvironmentConfig::Paper(config) => Box::new(Paper::draw(config, true, streams)?),
            EnvironmentConfig::PaperFresh(config) => Box::new(Paper::draw(config, false, streams)?),
            EnvironmentConfig::Spread(config) => Box::new(Spread::new(config)?),
            EnvironmentConfig::Data(source) => Box::new(DataWorld::new(source, streams)?),
        })
    }
}

/// A reward of mean μ from one uniform number u, within the range of the objective:
///
/// - logit, probit: Bernoulli, y = 1 when u < μ;
/// - identity and registered links: the two ends of the range, with the chances that give the mean;
/// - log: binomial over the whole numbers of the range, close to Poisson when the range is wide.
pub fn reward(link: Link, (low, high): (f64, f64), mean: f64, u: f64) -> f64 {
    match link {
        Link::Logit | Link::Probit => f64::from(u8::from(u < mean)),
        Link::Identity | Link::Custom(_) => {
            if u < (mean - low) / (high - low) {
                high
            } else {
                low
            }
        }
        Link::Log => binomial(high.floor(), mean / high.floor(), u),
    }
}

/// The binomial quantile of u, by adding up the probabilities.
fn binomial(n: f64, p: f64, u: f64) -> f64 {
    let odds = p / (1.0 - p);
    let mut chance = libm::pow(1.0 - p, n);
    let (mut k, mut sum) = (0.0, chance);
    while u >= sum && k < n {
        k += 1.0;
        chance *= odds * (n - k + 1.0) / k;
        sum += chance;
    }
    k
}

/// The noise of rewards, paired across policies: with fixed arms the n-th pull of an arm always meets the same
/// luck, with fresh arms the luck belongs to the round and the arm.
#[derive(Debug)]
pub struct Noise {
    streams: Streams,
    by_round: ChaCha8Rng,
    by_arm: Vec<Option<ChaCha8Rng>>,
    fixed: bool,
    n_objectives: usize,
    law: RewardLaw,
}

impl Noise {
    /// The noise of a trial.
    ///
    /// # Errors
    ///
    /// As [`Environment::stage`].
    pub fn new(streams: Streams, environment: &dyn Environment) -> Result<Self, SimError> {
        let fixed = environment.has_fixed_arms();
        let n_arms = if fixed { environment.stage(1)?.arms.n_arms() } else { 0 };
        let n_objectives = environment.problem().n_objectives();
        let by_arm = std::iter::repeat_with(|| None).take(n_arms).collect();
        let (by_round, law) = (streams.rewards(), environment.reward_law());
        Ok(Self { streams, by_round, by_arm, fixed, n_objectives, law })
    }

    /// The reward vector for playing an arm in round t.
    pub fn pull(&mut self, problem: &Problem, stage: &Stage, arm: ArmId, t: u64, reward_out: &mut Vec<f64>) {
        let (means, law) = (stage.means.row(arm.0), self.law);
        let rng = self.stream(arm, t);
        reward_out.clear();
        for (objective, &mean) in problem.objectives().iter().zip(means) {
            reward_out.push(law.draw(objective, mean, draw::unit(rng)));
        }
    }

    fn stream(&mut self, arm: ArmId, t: u64) -> &mut dyn Rng {
        if self.fixed {
            let streams = self.streams;
            return self.by_arm[arm.0].get_or_insert_with(|| {
                let mut own = streams.rewards();
                own.set_stream(arm.0 as u64);
                own
            });
        }
        self.by_round.set_stream(t);
        self.by_round.set_word_pos(2 * (arm.0 * self.n_objectives) as u128);
        &mut self.by_round
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of 200 000 rewards is off by more than five standard errors with chance 6e-7.
    #[test]
    fn rewards_have_their_means_and_stay_in_range() {
        let mut rng = draw::seeded(21);
        for (link, range, mean) in [
            (Link::Logit, (0.0, 1.0), 0.3),
            (Link::Probit, (0.0, 1.0), 0.8),
            (Link::Identity, (-1.0, 1.0), -0.2),
            (Link::Log, (0.0, 10.0), 2.2),
            (Link::Log, (0.0, 10.0), 0.4),
        ] {
            let n = 200_000;
            let values: Vec<f64> = (0..n).map(|_| reward(link, range, mean, draw::unit(&mut rng))).collect();
            assert!(values.iter().all(|&y| y >= range.0 && y <= range.1));
            let got = values.iter().sum::<f64>() / f64::from(n);
            let variance = values.iter().map(|y| (y - got) * (y - got)).sum::<f64>() / f64::from(n);
            let error = (variance / f64::from(n)).sqrt();
            assert!((got - mean).abs() < 5.0 * error, "{}: {got} for {mean}", link.name());
        }
    }
}
