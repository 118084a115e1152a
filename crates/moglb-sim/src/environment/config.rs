//! Environments and their parameters, as they are written.

use super::data::{DataSource, DataWorld};
use super::paper::{Paper, PaperConfig};
use super::spread::{Spread, SpreadConfig};
use super::stage::Environment;
use super::written::Written;
use crate::{SimError, Streams, json};
use moglb::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An environment and its parameters, by its id: `{ id = "paper", dim = 10 }`. Read, it may have any of the names in
/// [`ENVIRONMENTS`](super::ENVIRONMENTS), or be `data`; written, it is `paper`, `paper-fresh`, `spread` or `data` with the parameters that the name stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case", from = "Written")]
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

impl From<Written> for EnvironmentConfig {
    fn from(written: Written) -> Self {
        match written {
            Written::Paper(config) => EnvironmentConfig::Paper(config),
            Written::PaperFresh(config) => EnvironmentConfig::PaperFresh(config),
            Written::PaperTurned(changes) => EnvironmentConfig::Paper(changes.turned()),
            Written::Unrelated(changes) => EnvironmentConfig::Paper(changes.unrelated()),
            Written::LargeNorm(changes) => EnvironmentConfig::Paper(changes.large_norm()),
            Written::Wide(changes) => EnvironmentConfig::Paper(changes.wide()),
            Written::Misspecified(changes) => EnvironmentConfig::Paper(changes.misspecified()),
            Written::Spread(config) => EnvironmentConfig::Spread(config),
            Written::Data(source) => EnvironmentConfig::Data(source),
        }
    }
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
        let mut fields = json::params(self);
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
