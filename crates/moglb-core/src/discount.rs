//! Discounting, for coefficients that drift. With discount γ, the weight of a reward shrinks by the factor
//! γ whenever a later one is learned. So the learned state is worth about 1/(1 − γ) rewards.

use crate::{Kind, Parameter};
use moglb_math::Error;

/// The parameter `discount` of policies that can forget.
pub(crate) const DISCOUNT: Parameter = Parameter {
    name: "discount",
    kind: Kind::Number,
    default: "1",
    meaning: "γ, the factor by which the weight of a reward shrinks with each later one; \
              at least 1 − 1/(2d), and 1 forgets nothing",
};

/// The discount that forgets nothing.
pub fn none() -> f64 {
    1.0
}

/// True if nothing is forgotten. Such a discount is not serialized.
pub fn is_none(discount: &f64) -> bool {
    *discount == 1.0
}

/// Refuses a discount above 1, and a discount whose window of 1/(1 − γ) rewards is less than two for each
/// of the d coefficients.
pub(crate) fn check_discount(discount: f64, dim: usize) -> Result<(), Error> {
    Parameter::check(DISCOUNT.name, discount, 1.0 - 0.5 / dim as f64..=1.0)
}

/// The window 1/(1 − γ) in whole rewards: the learned state is worth at most this many.
pub fn window(discount: f64) -> u64 {
    // Without forgetting the quotient is infinite, and the cast saturates at `u64::MAX`.
    (1.0 / (1.0 - discount)) as u64
}
