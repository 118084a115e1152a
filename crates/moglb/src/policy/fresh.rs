//! Decisions on arms that were not seen before: nothing is carried, everything is computed.
//!
//! Widths cost d² per arm where estimates cost d·m. So where nobody asks for all widths, arms are first given an upper
//! bound, ‖x‖_{Z⁻¹} ≤ ‖x‖·√λ_max(Z⁻¹), and a few promising ones their exact scores; an arm whose upper bounds one of
//! these dominates cannot be on the front, and is not given a width at all. The front is that of the exact scores of all
//! arms, bit for bit.

mod sparse;

use super::pivots::{above_in_memory, for_each_above};
use super::scores::{Optimism, Scorer};
use crate::decision::Workspace;
use crate::kernel::{GROUP, LANES, Lanes, Tile, Unit, Vector, blocks, vectorized};
use crate::{ArmId, ArmSet, Decision, Gram, Matrix};
use sparse::Columns;

/// Sets of fewer arms are scored whole.
const PRUNED_ARMS: usize = 256;

/// Arms that the others are held against: the best of as many equal parts of the set.
const PIVOTS: usize = 16;

/// Upper bounds are computed in another order than what they bound.
const MARGIN: f64 = 1.0 + 1e-9;

/// Memory for decisions on fresh arms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fresh {
    /// Filled by the policy before every decision.
    pub(super) scorer: Scorer,
    /// Arms side by side, feature by feature.
    tiles: Vec<Lanes>,
    /// ‖x‖_{Z⁻¹} for each Gram matrix and tile.
    norms: Vec<Lanes>,
    /// What the scores of each tile do not exceed.
    uppers: Vec<Lanes>,
    /// The largest sum of them in each part of the set, and its arm.
    leaders: Vec<(f64, usize)>,
    /// These arms, the largest sum first: it dominates the most, so that the others are not asked.
    best: Vec<usize>,
    /// The exact scores of these, end to end.
    pivots: Vec<f64>,
    /// Arms that may be on the front.
    survivors: Vec<usize>,
    sparse: Columns,
}

/// Some arms of a set, or all.
#[derive(Clone, Copy)]
pub(super) struct Arms<'a> {
    set: &'a ArmSet<'a>,
    /// Their ids, unless they are all.
    chosen: Option<&'a [usize]>,
}

impl<'a> Arms<'a> {
    pub(super) fn all(set: &'a ArmSet<'a>) -> Self {
        Self { set, chosen: None }
    }

    fn some(set: &'a ArmSet<'a>, chosen: &'a [usize]) -> Self {
        Self { set, chosen: Some(chosen) }
    }

    fn len(self) -> usize {
        self.chosen.map_or(self.set.n_arms(), <[usize]>::len)
    }

    #[inline(always)]
    fn context(self, index: usize) -> &'a [f64] {
        self.set.context(self.chosen.map_or(index, |chosen| chosen[index]))
    }
}

impl Decision {
    /// The front of the scores of Eq. (6) of all arms, and what the decision wants to show of these. The scorer has been
    /// filled from these Gram matrices.
    pub(super) fn find_fresh_front(&mut self, arms: &ArmSet, grams: &[Gram]) {
        if self.tables || arms.n_arms() < PRUNED_ARMS || arms.table().is_some() {
            self.score(arms, grams);
            self.find_front();
        } else {
            self.forget_tables();
            self.work.fresh.scorer.refill_spans(grams);
            self.work.fresh.prune(arms);
            let survivors = std::mem::take(&mut self.work.fresh.survivors);
            self.score_some(arms, &survivors);
            self.find_front();
            self.front.rename(|local| ArmId(survivors[local.0]));
            self.work.fresh.survivors = survivors;
        }
    }

    /// Eq. (6) for every arm and objective. The scorer has been filled from these Gram matrices.
    pub(super) fn score(&mut self, arms: &ArmSet, grams: &[Gram]) {
        let (n_arms, n_objectives) = (arms.n_arms(), self.work.fresh.n_objectives());
        self.work.scores.reshape(n_arms, n_objectives);
        if self.tables {
            self.estimates.reshape(n_arms, n_objectives);
            self.widths.reshape(n_arms, n_objectives);
        } else {
            self.forget_tables();
        }
        match arms.table() {
            None => self.score_arms(Arms::all(arms)),
            Some(table) => self.score_table(table, grams),
        }
    }

    /// Eq. (6) for some arms, one row of scores for each.
    pub(super) fn score_some(&mut self, arms: &ArmSet, chosen: &[usize]) {
        self.work.scores.reshape(chosen.len(), self.work.fresh.n_objectives());
        self.forget_tables();
        self.score_arms(Arms::some(arms, chosen));
    }

    fn score_arms(&mut self, arms: Arms<'_>) {
        let Self { estimates, widths, work, .. } = self;
        vectorized!(
            {
                arms: Arms<'a> = arms,
                estimates: &'a mut Matrix = estimates,
                widths: &'a mut Matrix = widths,
                work: &'a mut Workspace = work,
            },
            (),
            |simd| {
                let mut first = 0;
                while first + (GROUP - 1) * LANES < arms.len() {
                    work.score_tiles::<S, GROUP>(simd, arms, first, estimates, widths);
                    first += GROUP * LANES;
                }
                while first < arms.len() {
                    work.score_tiles::<S, 1>(simd, arms, first, estimates, widths);
                    first += LANES;
                }
            }
        );
    }
}

impl Workspace {
    /// T tiles of arms, from the arm `first` on.
    #[inline(always)]
    fn score_tiles<S: Unit, const T: usize>(
        &mut self,
        simd: S,
        arms: Arms<'_>,
        first: usize,
        estimates: &mut Matrix,
        widths: &mut Matrix,
    ) {
        let Self { fresh: Fresh { scorer, tiles, norms, .. }, scores, .. } = self;
        tiles.resize(T * arms.set.dim(), Lanes::ZERO);
        let (tiles, _) = tiles.as_chunks_mut::<T>();
        load_tiles(simd, arms, first, tiles);
        norms.clear();
        for gram in 0..scorer.n_grams() {
            for squared in scorer.squared_norms(simd, gram, tiles) {
                norms.push(squared.sqrt().lanes());
            }
        }
        scorer.estimates(
            simd,
            tiles,
            #[inline(always)]
            |i, inner| {
                let Optimism { gram, root, sign } = scorer.objectives()[i];
                for k in 0..T {
                    let (norms, inner) = (&norms[gram * T + k], inner[k].lanes());
                    let first = first + k * LANES;
                    for lane in 0..LANES.min(arms.len().saturating_sub(first)) {
                        let width = root * norms[lane];
                        scores.row_mut(first + lane)[i] = inner[lane] + width;
                        if widths.n_rows() > 0 {
                            estimates.row_mut(first + lane)[i] = sign * inner[lane];
                            widths.row_mut(first + lane)[i] = width;
                        }
                    }
                }
            },
        );
    }
}

impl Fresh {
    fn n_objectives(&self) -> usize {
        self.scorer.objectives().len()
    }

    /// Leaves the arms that may be on the front in `survivors`.
    fn prune(&mut self, arms: &ArmSet) {
        vectorized!({ fresh: &'a mut Fresh = self, arms: &'a ArmSet<'a> = arms }, (), |simd| {
            fresh.bound_from_above(simd, arms);
            fresh.score_pivots(simd, arms);
            fresh.hold_against_pivots(simd, arms.n_arms());
        });
    }

    /// Upper bounds of all scores, and the best of them in each part of the set.
    #[inline(always)]
    fn bound_from_above<S: Unit>(&mut self, simd: S, arms: &ArmSet) {
        let (n_tiles, m) = (blocks(arms.n_arms()), self.n_objectives());
        self.uppers.resize(n_tiles * m, Lanes::ZERO);
        self.leaders.clear();
        let part = n_tiles.div_ceil(PIVOTS).next_multiple_of(GROUP);
        for first in (0..n_tiles).step_by(part) {
            let (mut best, mut largest) = (first * LANES, f64::NEG_INFINITY);
            let mut tile = first;
            while tile < (first + part).min(n_tiles) {
                if tile + GROUP <= n_tiles {
                    self.bound_tiles::<S, GROUP>(simd, arms, tile, &mut best, &mut largest);
                    tile += GROUP;
                } else {
                    self.bound_tiles::<S, 1>(simd, arms, tile, &mut best, &mut largest);
                    tile += 1;
                }
            }
            self.leaders.push((largest, best));
        }
        self.leaders.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.best.clear();
        self.best.extend(self.leaders.iter().map(|(_, arm)| arm));
    }

    #[inline(always)]
    fn bound_tiles<S: Unit, const T: usize>(
        &mut self,
        simd: S,
        arms: &ArmSet,
        first: usize,
        best: &mut usize,
        largest: &mut f64,
    ) {
        let m = self.n_objectives();
        let Self { scorer, tiles, uppers, .. } = self;
        tiles.resize(T * arms.dim(), Lanes::ZERO);
        let (tiles, _) = tiles.as_chunks_mut::<T>();
        load_tiles(simd, Arms::all(arms), first * LANES, tiles);
        let mut squared = [Vector::splat(simd, 0.0); T];
        for feature in &*tiles {
            for k in 0..T {
                let x = feature[k].vector(simd);
                squared[k] = x.mul_add(x, squared[k]);
            }
        }
        let uppers = &mut uppers[first * m..][..T * m];
        let mut sums = [Vector::splat(simd, 0.0); T];
        scorer.estimates(
            simd,
            tiles,
            #[inline(always)]
            |i, inner| {
                let reach = Vector::splat(simd, scorer.reach(i) * MARGIN);
                for k in 0..T {
                    let upper = reach.mul_add(squared[k].sqrt(), inner[k]);
                    upper.store(&mut uppers[k * m + i]);
                    sums[k] = Vector::splat(simd, 1.0).mul_add(upper, sums[k]);
                }
            },
        );
        for k in 0..T {
            if !sums[k].all_below(*largest) {
                let sums = sums[k].lanes();
                for lane in 0..LANES {
                    let arm = (first + k) * LANES + lane;
                    if sums[lane] > *largest && arm < arms.n_arms() {
                        (*best, *largest) = (arm, sums[lane]);
                    }
                }
            }
        }
    }

    /// The exact scores of the best arms, eight at a time.
    #[inline(always)]
    fn score_pivots<S: Unit>(&mut self, simd: S, arms: &ArmSet) {
        let m = self.n_objectives();
        let Self { scorer, tiles, best, pivots, .. } = self;
        pivots.clear();
        pivots.resize(best.len() * m, 0.0);
        for first in (0..best.len()).step_by(LANES) {
            tiles.resize(arms.dim(), Lanes::ZERO);
            let (tile, _) = tiles[..arms.dim()].as_chunks_mut::<1>();
            load_tiles(simd, Arms::some(arms, best), first, tile);
            let n = LANES.min(best.len() - first);
            scorer.estimates(
                simd,
                tile,
                #[inline(always)]
                |i, [inner]| {
                    let Optimism { gram, root, .. } = scorer.objectives()[i];
                    let [squared] = scorer.squared_norms(simd, gram, tile);
                    let (inner, norm) = (inner.lanes(), squared.sqrt().lanes());
                    for lane in 0..n {
                        pivots[(first + lane) * m + i] = inner[lane] + root * norm[lane];
                    }
                },
            );
        }
    }

    /// Keeps the arms whose upper bounds no pivot dominates.
    #[inline(always)]
    fn hold_against_pivots<S: Unit>(&mut self, simd: S, n_arms: usize) {
        let m = self.n_objectives();
        let Self { uppers, pivots, survivors, .. } = self;
        survivors.clear();
        for (tile, uppers) in uppers[..blocks(n_arms) * m].chunks_exact(m).enumerate() {
            let first = tile * LANES;
            if let Some(above) = above_in_memory(simd, uppers, pivots, |_| ()) {
                for_each_above(&above, n_arms - first, |lane| survivors.push(first + lane));
            }
        }
    }
}

/// Lays T tiles of arms side by side, feature by feature; lanes beyond the last arm repeat it.
#[inline(always)]
pub(super) fn load_tiles<S: Unit, X: Tile, const T: usize>(
    simd: S,
    arms: Arms<'_>,
    first: usize,
    tiles: &mut [[X; T]],
) {
    let last = arms.len() - 1;
    for k in 0..T {
        let mut contexts = [arms.context(last); LANES];
        for (lane, context) in contexts.iter_mut().enumerate() {
            *context = arms.context((first + k * LANES + lane).min(last));
        }
        // Row by row: memory is fetched ahead only where it is read in order.
        let mut near = 0.0;
        for context in contexts {
            for line in context.chunks(LANES) {
                near += line[0];
            }
        }
        std::hint::black_box(near);
        // Eight features at a time, as squares that are turned over in registers.
        let (squares, rest) = tiles.as_chunks_mut::<LANES>();
        for (s, square) in squares.iter_mut().enumerate() {
            let mut rows = [&[0.0; LANES]; LANES];
            for lane in 0..LANES {
                rows[lane] = &contexts[lane].as_chunks().0[s];
            }
            let columns = simd.turn(rows);
            for j in 0..LANES {
                square[j][k] = X::of(columns[j]);
            }
        }
        let done = squares.len() * LANES;
        for (j, feature) in rest.iter_mut().enumerate() {
            let mut lanes = [0.0; LANES];
            for lane in 0..LANES {
                lanes[lane] = contexts[lane][done + j];
            }
            feature[k] = X::of(lanes);
        }
    }
}
