//! Environments over real data: replayed as it is, or with rewards from a model that was fitted to it.
//!
//! | kind of data | `rewards = "replay"` | `rewards = "fitted"` |
//! |---|---|---|
//! | `full`, `candidates` | a round of the table for each round, every reward as it was seen | contexts of the table, drawn with replacement |
//! | `arms` | the table has the means, `noise` is added | means of the model |
//! | `logged` | not here, see [`LogWorld`] | contexts of the table, drawn with replacement |
//!
//! Replayed rewards are what was seen once, not means: gaps and fronts of a round are those of hindsight. With fitted rewards they are
//! exact.

mod log;
mod table;
mod world;

pub use log::{Acceptance, LogReplay, LogWorld};
pub(crate) use table::DataTable;
pub use table::Measured;

use super::{Environment, RewardLaw, Stage};
use crate::{SimError, Streams};
use moglb::{ArmId, Problem, draw};
use moglb_data::Layout;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use world::World;

/// The parameters of an environment over data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// The folder, seen from where the program runs.
    pub path: PathBuf,
    /// The problem in it; the only one unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The objectives by their columns; all unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objectives: Option<Vec<String>>,
    /// How contexts and arms become vectors; `block` where arms stay and contexts change, otherwise `additive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Layout>,
    /// Where rewards come from.
    #[serde(default)]
    pub rewards: Rewards,
    /// The standard deviation of normal noise on objectives with an identity link, where rewards are not replayed exactly. Without it they
    /// are 0 or 1 with the right mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// For fitted rewards: as many pseudo-rounds with the mean reward, spread evenly over all rows, so that the maximum of the likelihood is
    /// finite where rewards are separated (Clogg et al., JASA 86:413, 1991, take as many as there are coefficients). None unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pseudo_rounds: Option<f64>,
    /// The splits of the rounds that are played, one after the other; all rounds in one unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splits: Option<Vec<String>>,
    /// Splits that are played before these, with any arm drawn evenly: they are learned from and do not count. None unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub practice: Option<Vec<String>>,
    /// The radius D that policies are told; the norm of fitted coefficients, otherwise twice the norm that vectors were divided by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
}

/// Where rewards come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewards {
    /// The table.
    #[default]
    Replay,
    /// A generalized linear model, fitted to the table by maximum likelihood.
    Fitted,
}

impl DataConfig {
    /// A problem of a folder, replayed.
    pub fn new(path: impl Into<PathBuf>, problem: &str) -> Self {
        Self {
            path: path.into(),
            problem: Some(problem.into()),
            objectives: None,
            features: None,
            rewards: Rewards::default(),
            noise: None,
            pseudo_rounds: None,
            splits: None,
            practice: None,
            radius: None,
        }
    }
}

/// A configuration with its data, once that was read: clones share it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "DataConfig", into = "DataConfig")]
pub struct DataSource {
    config: DataConfig,
    world: OnceLock<Arc<World>>,
}

impl From<DataConfig> for DataSource {
    fn from(config: DataConfig) -> Self {
        Self { config, world: OnceLock::new() }
    }
}

impl From<DataSource> for DataConfig {
    fn from(source: DataSource) -> Self {
        source.config
    }
}

/// What was read follows from what was written.
impl PartialEq for DataSource {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config
    }
}

impl DataSource {
    /// The configuration.
    pub fn config(&self) -> &DataConfig {
        &self.config
    }

    /// The name of the folder and that of the problem.
    pub(super) fn name(&self) -> String {
        let folder =
            self.config.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match &self.config.problem {
            Some(problem) => format!("{folder}/{problem}"),
            None => folder,
        }
    }

    pub(super) fn problem(&self) -> Result<Problem, SimError> {
        Ok(self.world()?.problem.clone())
    }

    /// The number of features; none where the data cannot be read.
    pub(super) fn dim(&self) -> usize {
        self.world().map_or(0, |world| world.problem.dim())
    }

    pub(super) fn n_arms(&self) -> usize {
        self.world().map_or(0, |world| world.n_arms())
    }

    /// The number of rounds that are played before the first one that counts.
    pub(super) fn practice(&self) -> u64 {
        self.world().map_or(0, |world| world.practice_rounds())
    }

    fn world(&self) -> Result<Arc<World>, SimError> {
        if let Some(world) = self.world.get() {
            return Ok(world.clone());
        }
        #[cfg(test)]
        READS.set(READS.get() + 1);
        let world = Arc::new(World::new(&self.config)?);
        // Whoever came first read the same.
        Ok(self.world.get_or_init(|| world).clone())
    }
}

#[cfg(test)]
thread_local! {
    /// The number of times that data was read on this thread.
    pub(crate) static READS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// One instance: the data in an order of its own.
#[derive(Debug)]
pub struct DataWorld {
    world: Arc<World>,
    rounds: Rounds,
}

/// Which round of the data is played in a round.
#[derive(Debug)]
enum Rounds {
    /// There is only one.
    Fixed,
    /// Each once, in this order.
    Order(Vec<usize>),
    /// Any, by a draw of its own.
    Drawn(Streams),
}

impl DataWorld {
    /// The instance of a trial.
    ///
    /// # Errors
    ///
    /// [`SimError::Data`] for data that cannot be read, [`SimError::Entry`] for parameters that do not go with it.
    pub fn new(source: &DataSource, streams: Streams) -> Result<Self, SimError> {
        let world = source.world()?;
        let rounds = match world.n_rounds() {
            None => Rounds::Fixed,
            Some(_) if source.config.rewards == Rewards::Fitted => Rounds::Drawn(streams),
            Some(_) => Rounds::Order(order(world.practice.iter().chain(&world.splits), streams)),
        };
        Ok(Self { world, rounds })
    }

    fn round(&self, t: u64) -> Result<usize, SimError> {
        match &self.rounds {
            Rounds::Fixed => Ok(0),
            Rounds::Order(order) => {
                usize::try_from(t - 1).ok().and_then(|k| order.get(k).copied()).ok_or_else(|| {
                    let practice = self.practice();
                    SimError::RoundsUsedUp { available: order.len() as u64 - practice, asked: t - practice }
                })
            }
            Rounds::Drawn(streams) => {
                let mut rng = streams.instance();
                rng.set_stream(t);
                let splits = &self.world.splits;
                let n = splits.iter().map(Vec::len).sum();
                let mut k = draw::below(n, &mut rng);
                let split = splits.iter().find(|split| {
                    let inside = k < split.len();
                    k -= if inside { 0 } else { split.len() };
                    inside
                });
                Ok(split.expect("k is below the sum")[k])
            }
        }
    }
}

/// The rounds of each split in a random order, split after split.
fn order<'a>(splits: impl Iterator<Item = &'a Vec<usize>>, streams: Streams) -> Vec<usize> {
    let mut rng = streams.instance();
    let mut order = Vec::new();
    for split in splits {
        let mut rounds = split.clone();
        for k in (1..rounds.len()).rev() {
            rounds.swap(k, draw::below(k + 1, &mut rng));
        }
        order.extend(rounds);
    }
    order
}

impl Environment for DataWorld {
    fn problem(&self) -> &Problem {
        &self.world.problem
    }

    fn stage(&self, t: u64) -> Result<Cow<'_, Stage>, SimError> {
        match self.rounds {
            Rounds::Fixed => self.world.fixed_stage().map(Cow::Borrowed),
            _ => self.world.stage(self.round(t)?).map(Cow::Owned),
        }
    }

    fn has_fixed_arms(&self) -> bool {
        matches!(self.rounds, Rounds::Fixed)
    }

    fn reward_law(&self) -> RewardLaw {
        self.world.law
    }

    fn practice(&self) -> u64 {
        self.world.practice_rounds()
    }

    fn measured(&self, t: u64, arm: ArmId) -> Option<Measured<'_>> {
        // A round that is not there has no stage to ask about either.
        self.round(t).ok().map(|round| self.world.measured(round, arm))
    }
}
