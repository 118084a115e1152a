//! Linear bandits: a single number is predicted as θᵀx.

pub(crate) mod confidence_ball;
pub(crate) mod lin_rel;
pub(crate) mod lin_ts;
pub(crate) mod lin_ucb;
pub(crate) mod lin_ucb_hybrid;
pub(crate) mod oful;
mod per_arm;
pub(crate) mod sup_lin_rel;
mod truncated;

use crate::{Error, Parameter};

/// Refuses a λ, δ or scale out of its bounds.
fn check(lambda: f64, delta: f64, scale: f64) -> Result<(), Error> {
    Parameter::check("lambda", lambda, 1e-6..=1e100)?;
    Parameter::check("delta", delta, f64::MIN_POSITIVE..=1.0)?;
    Parameter::check("scale", scale, 0.0..=1e100)
}
