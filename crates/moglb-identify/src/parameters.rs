//! Parameters that identifiers share: their descriptions, defaults and bounds.

use moglb_core::{Kind, Parameter};
use moglb_math::Error;

pub(super) const ACCURACY: Parameter = Parameter {
    name: "accuracy",
    kind: Kind::Number,
    default: "0.05",
    meaning: "ε₀, on the unit scale of the objectives: how far from the front an arm of the answer may be",
};
pub(super) const DELTA: Parameter = Parameter {
    name: "delta",
    kind: Kind::Number,
    default: "0.05",
    meaning: "δ, the chance that the answer is wrong",
};
pub(super) const SIGMA: Parameter = Parameter {
    name: "sigma",
    kind: Kind::Number,
    default: "0.5",
    meaning: "σ: rewards on the unit scale are σ-sub-Gaussian around their means; ½ holds for all of them",
};

pub(super) fn default_accuracy() -> f64 {
    0.05
}

pub(super) fn default_delta() -> f64 {
    0.05
}

pub(super) fn default_sigma() -> f64 {
    0.5
}

pub(super) fn check_accuracy(got: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&got) { Ok(()) } else { Err(Error::Accuracy { got }) }
}

pub(super) fn check_delta(got: f64) -> Result<(), Error> {
    if got > 0.0 && got < 1.0 { Ok(()) } else { Err(Error::Delta { got }) }
}

pub(super) fn check_positive(name: &'static str, got: f64) -> Result<(), Error> {
    if (1e-100..=1e100).contains(&got) { Ok(()) } else { Err(Error::NotPositive { name, got }) }
}
