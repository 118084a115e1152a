//! Policies that know of the arms only that similar ones have similar rewards: a metric on the contexts bounds how far mean
//! rewards, mapped to [0, 1], can be apart.

mod arm_sums;
mod balls;
pub(crate) mod contextual_zooming;
pub(crate) mod hoo;
mod interval;
mod metric;
mod owners;
pub(crate) mod pcz;
pub(crate) mod query_ad_clustering;
mod tree;
mod zoom;
pub(crate) mod zooming;

pub use balls::{Ball, BallState};
pub use interval::{IntervalDecision, PczInterval, PczIntervalConfig};
