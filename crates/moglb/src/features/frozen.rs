//! The scale: one number that all contexts are divided by, frozen before the first decision so that later
//! rows have the same units.

use moglb_core::arms::NORM_SLACK;
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The treatment of a context that is longer than the frozen scale allows.
///
/// Example: [`Features`].
///
/// [`Features`]: crate::Features
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overlong {
    /// The context is shortened to norm one, and counted.
    #[default]
    Clip,
    /// The context is refused.
    Refuse,
}

/// Divides a row by the scale. Returns true if the row was also shortened to norm one.
pub(super) fn scale(
    row: usize,
    entries: &mut [(usize, f64)],
    scale: f64,
    overlong: Overlong,
) -> Result<bool, Error> {
    entries.iter_mut().for_each(|entry| entry.1 /= scale);
    if let Some(&(index, value)) = entries.iter().find(|(_, value)| !value.is_finite()) {
        return Err(Error::NotFinite { what: "a scaled row", index, value });
    }
    let norm = length(entries);
    if norm <= 1.0 + NORM_SLACK {
        return Ok(false);
    }
    if overlong == Overlong::Refuse {
        return Err(Error::Norm { arm: row, norm });
    }
    // Divide twice: the first division makes huge entries so small that their squares do not overflow.
    let most = largest(entries).max(1.0);
    entries.iter_mut().for_each(|entry| entry.1 /= most);
    let norm = length(entries);
    entries.iter_mut().for_each(|entry| entry.1 /= norm);
    Ok(true)
}

/// The largest absolute entry.
fn largest(entries: &[(usize, f64)]) -> f64 {
    entries.iter().fold(0.0, |most, entry| entry.1.abs().max(most))
}

/// The norm of a row. Sums of squares do not overflow on the way: the result is infinite only if the norm is
/// too large for f64.
pub(super) fn length(entries: &[(usize, f64)]) -> f64 {
    let most = largest(entries);
    if most == 0.0 {
        return 0.0;
    }
    let squares: f64 = entries.iter().map(|entry| (entry.1 / most) * (entry.1 / most)).sum();
    most * squares.sqrt()
}
