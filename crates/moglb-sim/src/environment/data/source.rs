//! A configuration with its data, which is read once and then shared.

use super::config::DataConfig;
use super::world::World;
use crate::SimError;
use moglb::Problem;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// A configuration with its data. The data is read at its first use, and shared by all clones from then on.
///
/// Example: [`DataConfig`].
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

/// Two sources are equal if their configurations are: the data follows from the configuration.
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
    pub(in crate::environment) fn name(&self) -> String {
        let folder =
            self.config.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match &self.config.problem {
            Some(problem) => format!("{folder}/{problem}"),
            None => folder,
        }
    }

    /// The problem that policies receive. Reads the data if it has not been read.
    pub(in crate::environment) fn problem(&self) -> Result<Problem, SimError> {
        Ok(self.world()?.problem.clone())
    }

    /// The number of features; 0 if the data cannot be read.
    pub(in crate::environment) fn dim(&self) -> usize {
        self.world().map_or(0, |world| world.problem.dim())
    }

    /// The number of arms; 0 if the data cannot be read.
    pub(in crate::environment) fn n_arms(&self) -> usize {
        self.world().map_or(0, |world| world.n_arms())
    }

    /// The number of practice rounds, played before the first round that counts; 0 if the data cannot be
    /// read.
    pub(in crate::environment) fn practice(&self) -> u64 {
        self.world().map_or(0, |world| world.practice_rounds())
    }

    /// The data, which is read at the first call.
    pub(super) fn world(&self) -> Result<Arc<World>, SimError> {
        if let Some(world) = self.world.get() {
            return Ok(world.clone());
        }
        #[cfg(test)]
        tests::READS.set(tests::READS.get() + 1);
        let world = Arc::new(World::new(&self.config)?);
        // A race between threads is harmless: both read the same files.
        Ok(self.world.get_or_init(|| world).clone())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// The number of times that this thread has read data.
        pub(crate) static READS: Cell<usize> = const { Cell::new(0) };
    }
}
