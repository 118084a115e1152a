//! Generalized linear bandits: a number is predicted as μ(θᵀx). Most pursue a single number of the reward vector; those with
//! `mo` in their names take the front of the optimistic scores of all objectives.

pub mod ada_ofu_ecolog;
mod conversion;
mod ecolog;
pub mod glb_omd;
mod glm_target;
pub mod glm_ucb;
pub mod gloc;
pub mod gloc_ts;
pub mod likelihood;
pub mod mirror;
pub mod mo_glb_omd;
pub mod mo_gloc;
pub mod newton;
pub mod ofu_ecolog;
pub mod ofu_glb;
pub mod ol2m;
pub mod qgloc;
mod quadratic;
pub mod ratio_set;
mod records;
mod region;
pub mod rs_glincb;

pub use conversion::GlocState;
pub use ecolog::EcologState;
pub use mirror::GlbOmdState;
pub use records::Record;

use moglb_core::Parameter;

/// Widths are at most so large, that no product with a norm is infinite or no number.
const WIDEST: f64 = 1e150;

/// What the parameters δ, scale and λ may be.
fn check_common(delta: f64, scale: f64, lambda: f64) -> Result<(), moglb_math::Error> {
    Parameter::check("delta", delta, f64::MIN_POSITIVE..=1.0)?;
    Parameter::check("scale", scale, 0.0..=1e100)?;
    Parameter::check("lambda", lambda, 1e-6..=1e100)
}
