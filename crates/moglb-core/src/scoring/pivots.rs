//! Comparison of arms with a few pivots that are known to be good: one of them dominates most arms of a
//! large set.

use moglb_math::kernel::{LANES, Lanes, Unit, Vector};

/// For each arm of a tile, the least amount by which it exceeds any pivot, in the objective where it
/// exceeds that pivot most. `bounds` are upper bounds of its scores. If the amount is negative, a pivot
/// dominates the arm. Returns none if all eight arms are dominated; then `finished` receives the pivot that
/// rejected the last of them.
///
/// `pivots` holds the scores of each pivot, end to end.
#[inline(always)]
pub fn above<S: Unit, const M: usize>(
    simd: S,
    bounds: &[Vector<S>; M],
    pivots: &[f64],
    finished: impl FnMut(usize),
) -> Option<Lanes> {
    let (pivots, _) = pivots.as_chunks::<M>();
    least_above(
        simd,
        pivots.len(),
        #[inline(always)]
        |k| {
            let mut most = bounds[0].sub(Vector::splat(simd, pivots[k][0]));
            for i in 1..M {
                most = most.max(bounds[i].sub(Vector::splat(simd, pivots[k][i])));
            }
            most
        },
        finished,
    )
}

/// Variant of [`above`] for any number of objectives.
#[inline(always)]
pub(crate) fn above_in_memory<S: Unit>(
    simd: S,
    bounds: &[Lanes],
    pivots: &[f64],
    finished: impl FnMut(usize),
) -> Option<Lanes> {
    let m = bounds.len();
    least_above(
        simd,
        pivots.len() / m,
        #[inline(always)]
        |k| {
            let mut most = Vector::splat(simd, f64::NEG_INFINITY);
            for (bound, pivot) in bounds.iter().zip(&pivots[k * m..][..m]) {
                most = most.max(Vector::load(simd, bound).sub(Vector::splat(simd, *pivot)));
            }
            most
        },
        finished,
    )
}

/// For each lane, the least amount over all pivots. Stops at the first pivot after which all lanes are
/// negative.
#[inline(always)]
fn least_above<S: Unit>(
    simd: S,
    n_pivots: usize,
    above_one: impl Fn(usize) -> Vector<S>,
    mut finished: impl FnMut(usize),
) -> Option<Lanes> {
    let mut above = Vector::splat(simd, f64::INFINITY);
    for k in 0..n_pivots {
        above = above.min(above_one(k));
        if above.all_below(0.0) {
            finished(k);
            return None;
        }
    }
    Some(above.lanes())
}

/// Calls `each` with the lanes among the first `n` that are not dominated.
#[inline(always)]
pub(crate) fn for_each_above(above: &Lanes, n: usize, mut each: impl FnMut(usize)) {
    // No branch per lane: survival cannot be predicted.
    let (mut taken, mut count) = ([0; LANES], 0);
    for lane in 0..n.min(LANES) {
        taken[count] = lane;
        count += usize::from(above[lane] >= 0.0);
    }
    for &lane in &taken[..count] {
        each(lane);
    }
}
