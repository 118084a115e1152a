//! Pruning of large sets of fresh arms: most arms are proved not to be on the front without their widths.
//!
//! A width is at most ‖x‖·√λ_max(Z⁻¹)·√γ, which costs no more than reading the context. So every arm gets
//! upper bounds of its scores. A few promising arms, the pivots, get their exact scores. An arm is rejected
//! if a pivot dominates its upper bounds. Only the other arms get their widths; their estimates are known
//! by then.

use super::layout::{Arms, feature};
use super::pivots::{above, above_in_memory, for_each_above};
use super::scorer::Scorer;
use crate::ArmSet;
use moglb_math::kernel::{AHEAD, LANES, Lanes, Unit, Vector, blocks, fetch_ahead};

/// The number of pivots, each the best of one of this many parts of the set. A part consists of every
/// sixteenth tile, since sets often come in some order.
const PIVOTS: usize = 16;

/// A margin for rounding: upper bounds are summed in another order than the scores that they bound.
const ROUNDING_FACTOR: f64 = 1.0 + 1e-9;

/// The most objectives whose sums stay in registers during a pass over the contexts.
const MOST_SUMMED_OBJECTIVES: usize = 6;

/// Contexts of more numbers than this do not stay in the nearer caches and are prefetched. Prefetching
/// cached contexts would cost a tenth of the time of 1000 arms of 50 features; prefetching saves a fifth of
/// the time of 100 000 arms of 32.
const MOST_CACHED_NUMBERS: usize = 1 << 17;

/// Buffers of the pruning.
#[derive(Debug, Clone, Default)]
pub(super) struct Pruning {
    /// The estimates of the first few objectives, feature by feature; then those of the next few.
    thetas: Vec<f64>,
    /// θ̂ᵢᵀx of each tile, objective by objective.
    pub inner: Vec<Lanes>,
    /// ‖x‖ of each arm of each tile, rounded up.
    lengths: Vec<Lanes>,
    /// The largest width of each objective for a context of length one.
    reaches: Vec<f64>,
    /// The upper bounds of the present tile.
    uppers: Vec<Lanes>,
    /// The largest sum of upper bounds in each part of the set, and its arm.
    leaders: Vec<(f64, usize)>,
    /// The arms of `leaders`, the largest sum first. The first arm dominates the most, so that few arms are
    /// compared with the others.
    pub best: Vec<usize>,
    /// The exact scores of the arms in `best`, end to end.
    pub(super) pivots: Vec<f64>,
    /// Arms that may be on the front, in increasing order.
    pub(super) survivors: Vec<usize>,
}

impl Pruning {
    /// Lays out the estimates and the bounds of the widths.
    pub fn refill(&mut self, scorer: &Scorer, dim: usize) {
        let m = scorer.objectives().len();
        self.reaches.clear();
        self.reaches.extend((0..m).map(|i| scorer.reach(i) * ROUNDING_FACTOR));
        self.thetas.clear();
        for first in (0..m).step_by(MOST_SUMMED_OBJECTIVES) {
            for j in 0..dim {
                let few = first..m.min(first + MOST_SUMMED_OBJECTIVES);
                self.thetas.extend(few.map(|i| scorer.estimate(i, j)));
            }
        }
    }

    /// Computes upper bounds of all scores, and finds the best arm of each part of the set.
    #[inline(always)]
    pub fn bound<S: Unit>(&mut self, simd: S, arms: &ArmSet) {
        let (n_tiles, m) = (blocks(arms.n_arms()), self.reaches.len());
        self.inner.resize(n_tiles * m, Lanes::ZERO);
        self.lengths.resize(n_tiles, Lanes::ZERO);
        self.leaders.clear();
        self.leaders.resize(PIVOTS.min(n_tiles), (f64::NEG_INFINITY, 0));
        let reach = self.reaches.iter().sum();
        let mut tile = 0;
        while tile < n_tiles {
            tile += match n_tiles - tile {
                1 => self.bound_tiles::<S, 1>(simd, arms, tile, reach),
                _ => self.bound_tiles::<S, 2>(simd, arms, tile, reach),
            };
        }
        self.leaders.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.best.clear();
        self.best.extend(self.leaders.iter().map(|(_, arm)| arm));
    }

    /// Computes θ̂ᵢᵀx and ‖x‖ of T tiles, and updates the best arms by the sums of their upper bounds.
    #[inline(always)]
    fn bound_tiles<S: Unit, const T: usize>(
        &mut self,
        simd: S,
        arms: &ArmSet,
        tile: usize,
        reach: f64,
    ) -> usize {
        let (m, dim) = (self.reaches.len(), arms.dim());
        let mut contexts = [contexts_of(arms, tile); T];
        for k in 1..T {
            contexts[k] = contexts_of(arms, tile + k);
        }
        let mut squared = [Vector::splat(simd, 0.0); T];
        let inner = &mut self.inner[tile * m..][..T * m];
        for (first, thetas) in
            (0..m).step_by(MOST_SUMMED_OBJECTIVES).zip(self.thetas.chunks(MOST_SUMMED_OBJECTIVES * dim))
        {
            let inner = &mut inner[first..];
            squared = match m - first {
                1 => products::<S, 1, T>(simd, &contexts, thetas, inner, m),
                2 => products::<S, 2, T>(simd, &contexts, thetas, inner, m),
                3 => products::<S, 3, T>(simd, &contexts, thetas, inner, m),
                4 => products::<S, 4, T>(simd, &contexts, thetas, inner, m),
                5 => products::<S, 5, T>(simd, &contexts, thetas, inner, m),
                _ => products::<S, MOST_SUMMED_OBJECTIVES, T>(simd, &contexts, thetas, inner, m),
            };
        }
        // The squares of the tiniest contexts may underflow to zero.
        let lost = (dim as f64 * f64::MIN_POSITIVE).sqrt();
        for k in 0..T {
            let length = squared[k].sqrt().add(Vector::splat(simd, lost));
            length.store(&mut self.lengths[tile + k]);
            let mut sums = Vector::splat(simd, reach).mul(length);
            for inner in &self.inner[(tile + k) * m..][..m] {
                sums = sums.add(Vector::load(simd, inner));
            }
            self.note_leaders(arms.n_arms(), tile + k, sums);
        }
        T
    }

    /// Records the arms whose sum is the largest so far in their part of the set.
    #[inline(always)]
    fn note_leaders<S: Unit>(&mut self, n_arms: usize, tile: usize, sums: Vector<S>) {
        let (largest, best) = &mut self.leaders[tile % PIVOTS];
        if !sums.all_below(*largest) {
            let sums = sums.lanes();
            for lane in 0..LANES.min(n_arms - tile * LANES) {
                if sums[lane] > *largest {
                    (*largest, *best) = (sums[lane], tile * LANES + lane);
                }
            }
        }
    }

    /// Keeps the arms whose upper bounds no pivot dominates.
    #[inline(always)]
    pub(super) fn hold_against_pivots<S: Unit>(&mut self, simd: S, n_arms: usize) {
        self.survivors.clear();
        let m = self.reaches.len();
        for first in (0..n_arms).step_by(LANES) {
            let ahead = self.inner.get(first / LANES * m + AHEAD / size_of::<Lanes>()..).unwrap_or_default();
            for line in ahead.iter().take(m) {
                fetch_ahead(line);
            }
            let above = match self.reaches.len() {
                2 => self.above_pivots::<S, 2>(simd, first / LANES),
                3 => self.above_pivots::<S, 3>(simd, first / LANES),
                4 => self.above_pivots::<S, 4>(simd, first / LANES),
                5 => self.above_pivots::<S, 5>(simd, first / LANES),
                6 => self.above_pivots::<S, 6>(simd, first / LANES),
                _ => self.above_pivots_in_memory(simd, first / LANES),
            };
            if let Some(above) = above {
                let survivors = &mut self.survivors;
                for_each_above(
                    &above,
                    n_arms - first,
                    #[inline(always)]
                    |lane| survivors.push(first + lane),
                );
            }
        }
    }

    #[inline(always)]
    fn above_pivots<S: Unit, const M: usize>(&self, simd: S, tile: usize) -> Option<Lanes> {
        let (length, inner) = (Vector::load(simd, &self.lengths[tile]), &self.inner[tile * M..][..M]);
        let mut uppers = [length; M];
        for i in 0..M {
            uppers[i] = Vector::splat(simd, self.reaches[i]).mul_add(length, Vector::load(simd, &inner[i]));
        }
        above(
            simd,
            &uppers,
            &self.pivots,
            #[inline(always)]
            |_| (),
        )
    }

    /// Variant of `above_pivots` for any number of objectives.
    #[inline(always)]
    fn above_pivots_in_memory<S: Unit>(&mut self, simd: S, tile: usize) -> Option<Lanes> {
        let m = self.reaches.len();
        let Self { lengths, inner, reaches, uppers, pivots, .. } = self;
        let (length, inner) = (Vector::load(simd, &lengths[tile]), &inner[tile * m..][..m]);
        uppers.resize(m, Lanes::ZERO);
        for ((upper, reach), inner) in uppers.iter_mut().zip(reaches).zip(inner) {
            Vector::splat(simd, *reach).mul_add(length, Vector::load(simd, inner)).store(upper);
        }
        above_in_memory(
            simd,
            uppers,
            pivots,
            #[inline(always)]
            |_| (),
        )
    }
}

/// Returns the contexts of a tile. Prefetches the contexts after them if the set does not fit into the
/// nearer caches.
#[inline(always)]
fn contexts_of<'a>(arms: &'a ArmSet<'_>, tile: usize) -> [&'a [f64]; LANES] {
    let (values, size) = (arms.end_to_end().unwrap_or_default(), LANES * arms.dim());
    if values.len() > MOST_CACHED_NUMBERS {
        let ahead = values.get(tile * size + AHEAD / size_of::<f64>()..).unwrap_or_default();
        // Prefetched one by one. Four at a time, or among the products, takes a third more time for 100 000
        // arms.
        for line in ahead.as_chunks::<LANES>().0.iter().take(arms.dim()) {
            fetch_ahead(line);
        }
    }
    let Some(whole) = values.get(tile * size..(tile + 1) * size) else {
        return Arms::all(arms).eight(tile * LANES);
    };
    // Written out: compilers turn a loop into a scatter, which takes a tenth of the time of all products.
    let (a, rest) = whole.split_at(arms.dim());
    let (b, rest) = rest.split_at(arms.dim());
    let (c, rest) = rest.split_at(arms.dim());
    let (d, rest) = rest.split_at(arms.dim());
    let (e, rest) = rest.split_at(arms.dim());
    let (f, rest) = rest.split_at(arms.dim());
    let (g, h) = rest.split_at(arms.dim());
    [a, b, c, d, e, f, g, h]
}

/// Computes θᵀx for N objectives and the contexts of T tiles, and returns their ‖x‖². Four features at a
/// time are transposed and used in registers. Two tiles share each read of the estimates, and together have
/// enough independent sums that none has to wait. Every product is one sum over the features in order.
/// Products of consecutive tiles are `stride` apart.
#[inline(always)]
fn products<S: Unit, const N: usize, const T: usize>(
    simd: S,
    contexts: &[[&[f64]; LANES]; T],
    thetas: &[f64],
    inner: &mut [Lanes],
    stride: usize,
) -> [Vector<S>; T] {
    let (thetas, _) = thetas.as_chunks::<N>();
    let zero = Vector::splat(simd, 0.0);
    let mut sums = FeatureSums { inner: [[zero; N]; T], squared: [zero; T] };
    let mut j = 0;
    while j + 4 <= thetas.len() {
        let columns = contexts.map(
            #[inline(always)]
            |contexts| simd.turn_fours(some_features(&contexts, j)),
        );
        for c in 0..4 {
            sums.add(
                simd,
                columns.map(
                    #[inline(always)]
                    |columns| columns[c],
                ),
                &thetas[j + c],
            );
        }
        j += 4;
    }
    while j < thetas.len() {
        let column = contexts.map(
            #[inline(always)]
            |contexts| feature(&contexts, j),
        );
        sums.add(simd, column, &thetas[j]);
        j += 1;
    }
    for k in 0..T {
        for n in 0..N {
            sums.inner[k][n].store(&mut inner[k * stride + n]);
        }
    }
    sums.squared
}

/// Returns N features of eight contexts, from the j-th on.
#[inline(always)]
fn some_features<'a, const N: usize>(contexts: &[&'a [f64]; LANES], j: usize) -> [&'a [f64; N]; LANES] {
    contexts.map(
        #[inline(always)]
        |context| context[j..].first_chunk().expect("N more features"),
    )
}

/// Running sums over the features: θᵀx for N objectives, and ‖x‖², of T tiles.
struct FeatureSums<S: Unit, const N: usize, const T: usize> {
    inner: [[Vector<S>; N]; T],
    squared: [Vector<S>; T],
}

impl<S: Unit, const N: usize, const T: usize> FeatureSums<S, N, T> {
    /// Adds the terms of one feature.
    #[inline(always)]
    fn add(&mut self, simd: S, column: [[f64; LANES]; T], theta: &[f64; N]) {
        let x = column.map(
            #[inline(always)]
            |column| Vector::load(simd, &Lanes(column)),
        );
        for k in 0..T {
            self.squared[k] = x[k].mul_add(x[k], self.squared[k]);
        }
        for n in 0..N {
            let theta = Vector::splat(simd, theta[n]);
            for k in 0..T {
                self.inner[k][n] = theta.mul_add(x[k], self.inner[k][n]);
            }
        }
    }
}
