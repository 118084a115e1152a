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

mod config;
mod instance;
mod log;
mod source;
mod table;
mod world;

pub use config::{DataConfig, Rewards};
pub use instance::DataWorld;
pub use log::{Acceptance, LogReplay, LogWorld};
pub use source::DataSource;
#[cfg(test)]
pub(crate) use source::tests::READS;
pub(crate) use table::DataTable;
