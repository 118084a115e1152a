//! Policies for Lipschitz rewards: a metric on the contexts bounds the difference of mean rewards, mapped to
//! [0, 1]. Nothing else is assumed about the rewards.

mod arm_sums;
mod balls;
pub mod contextual_zooming;
pub mod hoo;
pub mod interval;
mod metric;
mod owners;
pub mod pcz;
pub mod query_ad_clustering;
mod tree;
mod zoom;
pub mod zooming;

pub use balls::{Ball, BallState};
pub use interval::{IntervalDecision, PczInterval, PczIntervalConfig};
