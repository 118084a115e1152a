//! Generalized linear bandits: the mean reward is μ(θᵀx) for a link μ.
//!
//! Most of these policies pursue one target: one objective, or a weighted sum of all. Policies with `mo` in
//! their names draw from the Pareto front of the optimistic scores of all objectives.
//!
//! The files that are not policies are shared. `glm_target` is the model of a target. `newton`, `mirror` and
//! `ecolog` are online learners, and `conversion` turns the predictions of an online learner into a
//! confidence set. `likelihood` computes maximum likelihood estimates from the sufficient statistics in
//! `records`. `region` and `quadratic` compute the index of an arm for OFUGLB. `ratio_set` encloses the
//! confidence set of OFUGLB in an ellipsoid, for certificates.

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

/// The largest factor of the widths of a policy. Larger factors are reduced to it, so that no product of a
/// factor and a norm is infinite or NaN.
const WIDEST: f64 = 1e150;

/// Refuses a δ, scale or λ outside of its bounds: δ in (0, 1], the scale in [0, 1e100] and λ in [1e-6,
/// 1e100].
fn check_common(delta: f64, scale: f64, lambda: f64) -> Result<(), moglb_math::Error> {
    Parameter::check("delta", delta, f64::MIN_POSITIVE..=1.0)?;
    Parameter::check("scale", scale, 0.0..=1e100)?;
    Parameter::check("lambda", lambda, 1e-6..=1e100)
}
