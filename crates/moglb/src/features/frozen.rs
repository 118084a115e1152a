//! One number that all contexts are divided by, frozen before the first decision so that later rows have the same units.

use super::{Features, Overlong, RawRow};
use crate::arms::NORM_SLACK;
use crate::{Error, Parameter};

impl Features {
    /// The same features with a scale out of a sample of raw rows: the largest norm of their contexts, or a smaller quantile,
    /// the least norm that at least this share of the sample does not exceed. What is longer is [`Overlong`].
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] where the scale is frozen already, [`Error::ParameterBounds`] for a quantile outside of (0, 1],
    /// [`Error::NoPoints`] for an empty sample, [`Error::Scale`] where that norm is zero or too large, or what is wrong with a
    /// row.
    pub fn frozen(mut self, sample: &[RawRow<'_>], quantile: f64) -> Result<Self, Error> {
        if self.config.scale.is_some() {
            return Err(Error::Parameters { what: "the scale is frozen: contexts would change their units" });
        }
        Parameter::check("quantile", quantile, f64::MIN_POSITIVE..=1.0)?;
        let mut norms = Vec::with_capacity(sample.len());
        for row in sample {
            norms.push(length(&self.unscaled(row)?));
        }
        norms.sort_by(f64::total_cmp);
        let rank = (quantile * norms.len() as f64).ceil() as usize;
        let Some(&scale) = norms.get(rank.clamp(1, norms.len().max(1)) - 1) else {
            return Err(Error::NoPoints { what: "a sample to freeze the scale" });
        };
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::Scale { got: scale });
        }
        self.config.scale = Some(scale);
        Ok(self)
    }
}

/// Divides a row by the scale. Says whether it had to be shortened besides.
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
    // Twice: the first division brings huge entries to where their squares do not overflow.
    let most = largest(entries).max(1.0);
    entries.iter_mut().for_each(|entry| entry.1 /= most);
    let norm = length(entries);
    entries.iter_mut().for_each(|entry| entry.1 /= norm);
    Ok(true)
}

fn largest(entries: &[(usize, f64)]) -> f64 {
    entries.iter().fold(0.0, |most, entry| entry.1.abs().max(most))
}

/// The norm of a row, without overflow on the way: it is infinite only if it is too large for f64.
fn length(entries: &[(usize, f64)]) -> f64 {
    let most = largest(entries);
    if most == 0.0 {
        return 0.0;
    }
    let squares: f64 = entries.iter().map(|entry| (entry.1 / most) * (entry.1 / most)).sum();
    most * squares.sqrt()
}
