//! Linear bandits: the mean reward is θᵀx.
//!
//! All of them pursue one objective, or a weighted sum of all. `per_arm` and `truncated` are shared by
//! two policies each.

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

/// Refuses a λ, δ or scale out of its bounds: λ in [1e-6, 1e100], δ in (0, 1] and the scale in [0, 1e100].
fn check(lambda: f64, delta: f64, scale: f64) -> Result<(), Error> {
    Parameter::check("lambda", lambda, 1e-6..=1e100)?;
    Parameter::check("delta", delta, f64::MIN_POSITIVE..=1.0)?;
    Parameter::check("scale", scale, 0.0..=1e100)
}
