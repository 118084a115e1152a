//! Linear bandits: a single number is predicted as θᵀx.

pub mod confidence_ball;
pub mod lin_rel;
pub mod lin_ts;
pub mod lin_ucb;
pub mod lin_ucb_hybrid;
pub mod oful;
mod per_arm;
pub mod sup_lin_rel;
pub mod truncated;

use moglb_core::Parameter;
use moglb_math::Error;

/// Refuses a λ, δ or scale out of its bounds.
fn check(lambda: f64, delta: f64, scale: f64) -> Result<(), Error> {
    Parameter::check("lambda", lambda, 1e-6..=1e100)?;
    Parameter::check("delta", delta, f64::MIN_POSITIVE..=1.0)?;
    Parameter::check("scale", scale, 0.0..=1e100)
}
