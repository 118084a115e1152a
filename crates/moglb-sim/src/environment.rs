//! Environments: the arms of each round, their true means, and the law of the rewards.

mod config;
mod data;
mod drift;
mod named;
mod noise;
mod paper;
mod rewards;
mod spread;
mod stage;
mod written;

pub use config::EnvironmentConfig;
pub(crate) use data::DataTable;
#[cfg(test)]
pub(crate) use data::READS;
pub use data::{Acceptance, DataConfig, DataSource, DataWorld, LogReplay, LogWorld, Rewards};
pub use drift::{Drift, DriftLaw};
pub use named::{ENVIRONMENTS, EnvironmentInfo};
pub use noise::Noise;
pub use paper::{Coefficients, Paper, PaperConfig};
pub use rewards::reward;
pub use spread::{Bulge, Spread, SpreadConfig};
pub use stage::{Environment, Measured, RewardLaw, Stage};
