//! Environments on real data. The data is replayed, or rewards come from a model that was fitted to it.
//!
//! | kind of data | `rewards = "replay"` | `rewards = "fitted"` |
//! |---|---|---|
//! | `full`, `candidates` | rounds of the table, with their rewards | contexts, drawn with replacement |
//! | `arms` | the means of the table, plus `noise` | means of the model |
//! | `logged` | only by [`LogWorld`] | contexts, drawn with replacement |
//!
//! Replayed rewards were observed once and are not means: the gaps and fronts of a round are those of
//! hindsight. With fitted rewards gaps and fronts are exact.

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
