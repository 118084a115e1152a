//! Checks that results are finite.
//!
//! The bounds on a log keep ordinary estimates finite. Predictions of a model and configured parameters have
//! no such bounds, so every result is checked.

use crate::standing::Candidate;
use crate::{EvaluateError, PolicyValue};

/// Refuses estimates that cannot be compared.
pub(crate) fn check_candidate(policy: &str, candidate: &Candidate) -> Result<(), EvaluateError> {
    check(policy, "the value", &candidate.value)?;
    check(policy, "the share of a round in the value", candidate.influences.as_slice())?;
    candidate.resampled.iter().try_for_each(|table| check(policy, "a resampled value", table.as_slice()))
}

/// Refuses a description with a number that is not finite. Parameters may be infinite; then nothing is
/// shrunk.
pub(crate) fn check_value(found: &PolicyValue) -> Result<(), EvaluateError> {
    let (policy, overlap) = (&*found.policy, &found.overlap);
    check(policy, "the standard error", &found.std_error)?;
    for bounds in [&found.each, &found.together] {
        check(policy, "the end of an interval", &bounds.low)?;
        check(policy, "the end of an interval", &bounds.high)?;
    }
    found.ellipsoid.covariance.iter().try_for_each(|row| check(policy, "the covariance", row))?;
    let numbers = [
        found.ellipsoid.radius_squared,
        overlap.effective_rounds,
        overlap.mean_weight,
        overlap.mean_weight_error,
        overlap.max_weight,
        overlap.thin,
    ];
    check(policy, "the overlap", &numbers)
}

fn check(policy: &str, what: &'static str, numbers: &[f64]) -> Result<(), EvaluateError> {
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err(EvaluateError::Overflow { policy: policy.into(), what }),
    }
}
