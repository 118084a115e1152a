//! Checks of contexts on entry: finite, of norm at most one.

use moglb_math::Error;
use moglb_math::kernel::{norm, widened};
use moglb_math::matrix::check_finite;
use std::borrow::Cow;

/// The most by which a norm may exceed one, so that vectors normalized in f64 pass.
pub const NORM_SLACK: f64 = 1e-9;

/// The treatment of contexts that are longer than one. Strict unless given.
///
/// Example: [`ArmSet`].
///
/// [`ArmSet`]: crate::ArmSet
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Norms {
    /// Refuse them.
    #[default]
    Strict,
    /// Divide every context by this number first. A fixed scale keeps all decisions in the same units.
    DivideBy(f64),
    /// Shorten each overlong context to norm one. The others stay as they are.
    Clip,
}

/// Scales or clips one context. The caller still checks its norm.
pub(super) fn apply(norms: Norms, context: &mut [f64], norm: impl Fn(&[f64]) -> f64) -> Result<(), Error> {
    match norms {
        Norms::Strict => {}
        Norms::DivideBy(scale) => {
            if !(scale.is_finite() && scale > 0.0) {
                return Err(Error::Scale { got: scale });
            }
            context.iter_mut().for_each(|x| *x /= scale);
        }
        Norms::Clip => {
            // Divides twice: the first division makes huge entries small enough that their squares do not
            // overflow.
            let largest = context.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if largest > 1.0 {
                context.iter_mut().for_each(|x| *x /= largest);
            }
            let length = norm(context);
            if length > 1.0 || largest > 1.0 {
                context.iter_mut().for_each(|x| *x /= length);
            }
        }
    }
    Ok(())
}

/// Refuses an empty context, one that is not finite, and one that is too long.
pub fn check_context(arm: usize, context: &[f64]) -> Result<(), Error> {
    if context.is_empty() {
        return Err(Error::NoFeatures);
    }
    check_finite("a context", context)?;
    check_norm(arm, context)
}

/// Fast path: returns a scan of the table if it is certainly valid. Squares that add up to at most one also
/// rule out NaN and infinities, so one pass is enough. For other tables the errors, if any, have to be
/// searched for.
pub fn good(dim: usize, contexts: &[f64]) -> Option<TableScan> {
    let whole = dim > 0 && !contexts.is_empty() && contexts.len().is_multiple_of(dim);
    whole.then(|| look(dim, contexts)).filter(|seen| seen.all_short)
}

/// The result of one pass over a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TableScan {
    /// True if the squares of every context add up to at most one.
    pub(super) all_short: bool,
    /// True if there is a −0.0.
    pub(super) negative_zero: bool,
}

#[inline(always)]
pub(super) fn is_negative_zero(x: f64) -> bool {
    x.to_bits() == (-0.0_f64).to_bits()
}

/// Replaces every −0.0 by 0.0, so that nothing depends on the sign of a zero. Policies that sort or compare
/// bits would distinguish the two, and a sparse table has neither.
pub(super) fn clear_signs(contexts: &mut [f64]) {
    contexts.iter_mut().for_each(|x| *x += 0.0);
}

/// Returns a table without any −0.0: the table itself, or a copy if it has one.
pub(super) fn cleared(contexts: &[f64]) -> Cow<'_, [f64]> {
    let mut table = Cow::Borrowed(contexts);
    if contexts.iter().any(|x| is_negative_zero(*x)) {
        clear_signs(table.to_mut());
    }
    table
}

/// Refuses a table without arms or features, and one with NaN or infinities. A scale would turn an infinity
/// into NaN or, worse, into a number.
pub(super) fn check_table(dim: usize, contexts: &[f64]) -> Result<(), Error> {
    if dim == 0 {
        return Err(Error::NoFeatures);
    }
    if !contexts.len().is_multiple_of(dim) {
        return Err(Error::Shape { columns: dim, got: contexts.len() });
    }
    if contexts.is_empty() {
        return Err(Error::NoArms);
    }
    check_finite("a context", contexts)
}

/// The number of values that are scanned for their squares before they are scanned for −0.0. They stay in
/// the nearest cache.
const PART: usize = 2048;

/// Scans a table for contexts that are not certainly short, and for −0.0.
pub fn look(dim: usize, contexts: &[f64]) -> TableScan {
    widened(
        #[inline(always)]
        || {
            let mut seen = TableScan { all_short: true, negative_zero: false };
            // Two loops take 1.5 times as long as the first one. One loop for both took twice as long.
            for part in contexts.chunks((PART / dim).max(1) * dim) {
                seen.all_short &= all_short(dim, part);
                seen.negative_zero |= part.iter().fold(false, |any, x| any | is_negative_zero(*x));
            }
            seen
        },
    )
}

/// Returns true if the squares of every context add up to at most one.
#[inline(always)]
fn all_short(dim: usize, contexts: &[f64]) -> bool {
    let mut all = true;
    for context in contexts.chunks_exact(dim) {
        let mut sums = [0.0; 4];
        for block in context.as_chunks::<4>().0 {
            for lane in 0..4 {
                sums[lane] += block[lane] * block[lane];
            }
        }
        // Always three steps: with a loop over the remainder, a check at d = 50 took 1.7 times as long.
        let mut rest = 0.0;
        for lane in 0..3 {
            if lane < dim % 4 {
                rest += context[dim - 1 - lane] * context[dim - 1 - lane];
            }
        }
        all &= (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest <= 1.0;
    }
    all
}

/// Refuses a context that is longer than one.
pub(super) fn check_norm(arm: usize, context: &[f64]) -> Result<(), Error> {
    check_length(arm, context, norm(context))
}

/// Refuses a context by its norm.
pub(super) fn check_length(arm: usize, context: &[f64], length: f64) -> Result<(), Error> {
    if length <= 1.0 + NORM_SLACK {
        return Ok(());
    }
    // A tiny scale makes infinities. They are reported as such, not by their norm.
    check_finite("a context", context)?;
    Err(Error::Norm { arm, norm: length })
}
