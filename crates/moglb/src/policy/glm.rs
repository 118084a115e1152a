//! Generalized linear bandits: a number is predicted as μ(θᵀx). Most pursue a single number of the reward vector; those with
//! `mo` in their names take the front of the optimistic scores of all objectives.

pub(crate) mod ada_ofu_ecolog;
mod conversion;
mod ecolog;
pub(crate) mod glb_omd;
mod glm_target;
pub(crate) mod glm_ucb;
pub(crate) mod gloc;
pub(crate) mod gloc_ts;
mod likelihood;
mod mirror;
pub(crate) mod mo_glb_omd;
pub(crate) mod mo_gloc;
mod newton;
pub(crate) mod ofu_ecolog;
pub(crate) mod ofu_glb;
pub(crate) mod ol2m;
pub(crate) mod qgloc;
mod quadratic;
pub(crate) mod ratio_set;
mod records;
mod region;
pub(crate) mod rs_glincb;

pub use conversion::GlocState;
pub use ecolog::EcologState;
pub use mirror::GlbOmdState;
pub(crate) use records::Record;

use crate::Parameter;

/// Widths are at most so large, that no product with a norm is infinite or no number.
const WIDEST: f64 = 1e150;

/// What the parameters δ, scale and λ may be.
fn check_common(delta: f64, scale: f64, lambda: f64) -> Result<(), crate::Error> {
    Parameter::check("delta", delta, f64::MIN_POSITIVE..=1.0)?;
    Parameter::check("scale", scale, 0.0..=1e100)?;
    Parameter::check("lambda", lambda, 1e-6..=1e100)
}
