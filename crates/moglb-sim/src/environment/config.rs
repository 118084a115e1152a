//! The configuration of environments: their ids and parameters, as they are written.

use super::data::{DataSource, DataWorld};
use super::paper::{Paper, PaperConfig};
use super::spread::{Spread, SpreadConfig};
use super::stage::Environment;
use super::written::Written;
use crate::{SimError, Streams, json};
use moglb::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An environment and its parameters, by its id: `{ id = "paper", dim = 10 }`.
///
/// When it is read, the id may be `data` or any name in [`ENVIRONMENTS`](super::ENVIRONMENTS). When it is
/// written, the id is `paper`, `paper-fresh`, `spread` or `data`, with the parameters that the name
/// implies.
///
/// Example: [`EnvironmentConfig::named`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case", from = "Written")]
pub enum EnvironmentConfig {
    /// The paper's synthetic data, one arm set for the whole run.
    Paper(PaperConfig),
    /// The paper's synthetic data, with a fresh arm set in every round.
    PaperFresh(PaperConfig),
    /// Arms without a model, with given means.
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
    /// The id under which the environment is written.
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

    /// The problem that policies receive, the same for every instance.
    ///
    /// # Errors
    ///
    /// [`SimError`] if the parameters do not make a problem.
    pub fn problem(&self) -> Result<Problem, SimError> {
        match self {
            EnvironmentConfig::Paper(config) => config.problem(true),
            EnvironmentConfig::PaperFresh(config) => config.problem(false),
            EnvironmentConfig::Spread(config) => config.problem(),
            EnvironmentConfig::Data(source) => source.problem(),
        }
    }

    /// The parameters without the id, with every default filled in.
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

    /// The number of practice rounds, which are played before the first round that counts: see
    /// [`Environment::practice`].
    pub fn practice(&self) -> u64 {
        match self {
            EnvironmentConfig::Data(source) => source.practice(),
            _ => 0,
        }
    }

    /// Draws the instance of a trial.
    ///
    /// # Errors
    ///
    /// [`SimError`] if the parameters do not make a problem, or [`SimError::FrontTooLarge`] if no arm set
    /// has a small enough front.
    pub fn instance(&self, streams: Streams) -> Result<Box<dyn Environment>, SimError> {
        Ok(match self {
            EnvironmentConfig::Paper(config) => Box::new(Paper::draw(config, true, streams)?),
            EnvironmentConfig::PaperFresh(config) => Box::new(Paper::draw(config, false, streams)?),
            EnvironmentConfig::Spread(config) => Box::new(Spread::new(config)?),
            EnvironmentConfig::Data(source) => Box::new(DataWorld::new(source, streams)?),
        })
    }
}
