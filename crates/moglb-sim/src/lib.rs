//! Environments, the play loop, metrics and experiments.

mod summary;

pub use summary::*;
