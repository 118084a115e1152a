//! Forgetting, for coefficients that drift: with discount γ a reward weighs γ times as much whenever a later one is learned, so
//! that what is known is that of about 1/(1 − γ) rewards.

use crate::{Kind, Parameter};
use moglb_math::Error;

/// The parameter of policies that can forget.
pub(crate) const DISCOUNT: Parameter = Parameter {
    name: "discount",
    kind: Kind::Number,
    default: "1",
    meaning: "γ: old rewards weigh γ times as much with each later one, at least 1 − 1/(2d); 1 forgets nothing",
};

/// The discount that forgets nothing.
pub fn none() -> f64 {
    1.0
}

/// Whether nothing is forgotten; such a discount is not written down.
pub fn is_none(discount: &f64) -> bool {
    *discount == 1.0
}

/// Refuses a discount above 1, or one whose window of 1/(1 − γ) rewards is less than two for each of the d coefficients.
pub(crate) fn check_discount(discount: f64, dim: usize) -> Result<(), Error> {
    Parameter::check(DISCOUNT.name, discount, 1.0 - 0.5 / dim as f64..=1.0)
}

/// 1/(1 − γ) in whole rewards: what is known is worth no more of them.
pub fn window(discount: f64) -> u64 {
    // Where nothing is forgotten the quotient is infinite, and the cast ends at the largest number there is.
    (1.0 / (1.0 - discount)) as u64
}
