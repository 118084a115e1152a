//! Decisions on arms that were not seen before: nothing is carried, everything is computed.
//!
//! Widths cost d² per arm where estimates cost d·m. So where nobody asks for all widths, most arms of a large set are shown not
//! to be on the front without one ([`Pruning`]). A small set is scored whole, and its front is found where the scores are. The
//! front is that of the exact scores of all arms, bit for bit.

mod bounded;
pub(crate) mod pivots;
mod scorer;
mod small;
pub(crate) mod small_front;
mod sparse;
mod unrolled;

use crate::decision::Workspace;
use crate::kernel::{LANES, Lanes, Tile, Unit, Vector, blocks, vectorized};
use crate::{ArmId, ArmSet, Decision, Gram, Matrix};
use bounded::Pruning;
pub(crate) use scorer::{Optimism, Scorer};
use small_front::{EXACT, SmallFront};
use sparse::Columns;
pub(super) use unrolled::Shared;

/// Sets of fewer arms are scored whole.
const PRUNED_ARMS: usize = 256;

/// Values in a set that is near anyway.
const NEAR: usize = 1 << 14;

/// Memory for decisions on fresh arms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scoring {
    /// Filled by the policy before every decision.
    pub(super) scorer: Scorer,
    /// Arms side by side, feature by feature.
    tiles: Vec<Lanes>,
    /// ‖x‖_{Z⁻¹} for each Gram matrix and tile.
    norms: Vec<Lanes>,
    /// The scores of a small set, or of the tiles at hand.
    small: SmallFront,
    /// The estimates of a small set, then its widths tile by tile; or both of the tiles at hand. Where they are to be shown.
    shown: Vec<Lanes>,
    pruning: Pruning,
    sparse: Columns,
}

/// Runs code for groups of `T` tiles, a constant in it, from the tile `first` on: four at a time, and no tile alone where there
/// are others, since the sums of one do not keep a vector unit busy.
macro_rules! for_groups {
    ($n_tiles:expr, |$first:ident, $T:ident| $body:expr) => {{
        let (n_tiles, mut $first) = ($n_tiles, 0);
        while $first < n_tiles {
            match n_tiles - $first {
                1 => for_groups!(@ $first, $T, 1, $body),
                2 => for_groups!(@ $first, $T, 2, $body),
                3 | 5 => for_groups!(@ $first, $T, 3, $body),
                _ => for_groups!(@ $first, $T, 4, $body),
            }
        }
    }};
    (@ $first:ident, $T:ident, $tiles:literal, $body:expr) => {{
        const $T: usize = $tiles;
        $body;
        $first += $T;
    }};
}
use for_groups;

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

    pub(super) fn some(set: &'a ArmSet<'a>, chosen: &'a [usize]) -> Self {
        Self { set, chosen: Some(chosen) }
    }

    pub(super) fn dim(self) -> usize {
        self.set.dim()
    }

    pub(super) fn len(self) -> usize {
        self.chosen.map_or(self.set.n_arms(), <[usize]>::len)
    }

    #[inline(always)]
    fn context(self, index: usize) -> &'a [f64] {
        self.set.context(self.chosen.map_or(index, |chosen| chosen[index]))
    }

    /// The contexts of eight arms; beyond the last one it is repeated.
    #[inline(always)]
    fn eight(self, first: usize) -> [&'a [f64]; LANES] {
        let last = self.len() - 1;
        let mut contexts = [self.context(last); LANES];
        for (lane, context) in contexts.iter_mut().enumerate() {
            *context = self.context((first + lane).min(last));
        }
        contexts
    }
}

/// Which arms have their exact scores after a pass over all, and where.
#[derive(Clone, Copy)]
pub(super) enum Scored {
    /// All arms of a small set, in tiles.
    SmallSet,
    /// All, in rows.
    All,
    /// Those that may be on the front, in rows.
    Promising,
}

impl Decision {
    /// The front of the scores of Eq. (6) of all arms, and what the decision wants to show of these. The scorer has been
    /// given the estimates.
    pub(super) fn find_fresh_front(&mut self, arms: &ArmSet, grams: &[Gram]) {
        match self.pass_over_fresh(arms, grams) {
            Scored::SmallSet => self.find_small_front(arms.n_arms()),
            Scored::All => self.find_front(),
            Scored::Promising => {
                self.find_front();
                let survivors = self.work.scoring.pruning.survivors();
                self.front.rename(|local| ArmId(survivors[local.0]));
            }
        }
    }

    /// All of it but the front.
    pub(super) fn pass_over_fresh(&mut self, arms: &ArmSet, grams: &[Gram]) -> Scored {
        if let Some(contexts) = arms.few() {
            self.shape_tables(arms.n_arms(), self.work.scoring.n_objectives());
            let Self { estimates, widths, work, .. } = self;
            work.scoring.score_small(arms, contexts, grams, Tables { estimates, widths });
            Scored::SmallSet
        } else if self.tables || arms.n_arms() < PRUNED_ARMS || arms.table().is_some() {
            self.work.scoring.scorer.lay_out(arms, grams);
            self.score(arms, grams);
            Scored::All
        } else {
            self.forget_tables();
            let Workspace { scoring, scores, .. } = &mut self.work;
            scoring.scorer.lay_out(arms, grams);
            scoring.scorer.refill_spans(grams);
            scoring.score_promising(arms, scores);
            Scored::Promising
        }
    }

    /// The front of a small set, where its scores are if they can tell.
    pub(super) fn find_small_front(&mut self, n_arms: usize) {
        let Workspace { scoring, scores, .. } = &mut self.work;
        self.front.clear();
        if scoring.small.find_front(n_arms, EXACT, &mut self.front).is_none() {
            let m = scoring.small.n_objectives();
            scores.reshape(n_arms, m);
            vectorized!(
                { bounds: &'a [Lanes] = scoring.small.bounds(), m: usize = m, scores: &'a mut Matrix = scores },
                (),
                |simd| write_rows(simd, bounds, m, 0, scores)
            );
            self.find_front();
        }
    }

    /// Eq. (6) for every arm and objective. The scorer has been filled from these Gram matrices.
    pub(super) fn score(&mut self, arms: &ArmSet, grams: &[Gram]) {
        let (n_arms, n_objectives) = (arms.n_arms(), self.work.scoring.n_objectives());
        self.work.scores.reshape(n_arms, n_objectives);
        self.shape_tables(n_arms, n_objectives);
        match arms.table() {
            None => self.score_arms(Arms::all(arms)),
            Some(table) => self.score_table(table, grams),
        }
    }

    /// Eq. (6) for some arms, one row of scores for each.
    pub(super) fn score_some(&mut self, arms: &ArmSet, chosen: &[usize]) {
        self.work.scores.reshape(chosen.len(), self.work.scoring.n_objectives());
        self.forget_tables();
        self.score_arms(Arms::some(arms, chosen));
    }

    /// Makes room for estimates and widths where they are wanted.
    fn shape_tables(&mut self, n_arms: usize, n_objectives: usize) {
        if self.tables {
            self.estimates.reshape(n_arms, n_objectives);
            self.widths.reshape(n_arms, n_objectives);
        } else {
            self.forget_tables();
        }
    }

    fn score_arms(&mut self, arms: Arms<'_>) {
        let Self { estimates, widths, work, .. } = self;
        let Workspace { scoring, scores, .. } = work;
        vectorized!(
            {
                arms: Arms<'a> = arms,
                tables: Tables<'a> = Tables { estimates, widths },
                scoring: &'a mut Scoring = scoring,
                scores: &'a mut Matrix = scores,
            },
            (),
            |simd| {
                let (mut tables, m) = (tables, scoring.n_objectives());
                for_groups!(blocks(arms.len()), |tile, T| {
                    scoring.norms_of_tiles::<S, T>(simd, arms, tile * LANES);
                    scoring.score_tiles::<S, T>(simd, arms.set.dim(), tile * LANES, &mut tables);
                    write_rows(simd, scoring.small.bounds(), m, tile * LANES, scores);
                });
            }
        );
    }
}

/// What a decision shows beside its front; no rows where it is not wanted.
struct Tables<'a> {
    estimates: &'a mut Matrix,
    widths: &'a mut Matrix,
}

impl Scoring {
    fn n_objectives(&self) -> usize {
        self.scorer.objectives().len()
    }

    /// The scores of the T tiles at hand, from the arm `first` on, whose norms are known.
    #[inline(always)]
    fn score_tiles<S: Unit, const T: usize>(
        &mut self,
        simd: S,
        dim: usize,
        first: usize,
        tables: &mut Tables<'_>,
    ) {
        let Self { scorer, tiles, norms, small, shown, .. } = self;
        let m = scorer.objectives().len();
        let (bounds, wanted) = (small.bounds_mut(T, m), tables.widths.n_rows() > 0);
        if wanted {
            shown.resize(2 * T * m, Lanes::ZERO);
        }
        scorer.estimates(
            simd,
            tiles[..T * dim].as_chunks::<T>().0,
            #[inline(always)]
            |i, inner| {
                let Optimism { gram, root, sign } = scorer.objectives()[i];
                for k in 0..T {
                    let width = Vector::splat(simd, root).mul(Vector::load(simd, &norms[gram * T + k]));
                    inner[k].add(width).store(&mut bounds[k * m + i]);
                    if wanted {
                        Vector::splat(simd, sign).mul(inner[k]).store(&mut shown[k * m + i]);
                        width.store(&mut shown[(T + k) * m + i]);
                    }
                }
            },
        );
        if wanted {
            write_rows(simd, &shown[..T * m], m, first, tables.estimates);
            write_rows(simd, &shown[T * m..], m, first, tables.widths);
        }
    }

    /// T tiles of arms, from the arm `first` on, and ‖x‖_{Z⁻¹} of these.
    #[inline(always)]
    fn norms_of_tiles<S: Unit, const T: usize>(&mut self, simd: S, arms: Arms<'_>, first: usize) {
        let Self { scorer, tiles, norms, .. } = self;
        let tiles = lay_out::<S, T>(simd, arms, first, tiles);
        norms.clear();
        for gram in 0..scorer.n_grams() {
            for squared in scorer.squared_norms(simd, gram, tiles) {
                norms.push(squared.sqrt().lanes());
            }
        }
    }
}

/// Values in tiles, m for each arm, as rows: one for each arm from the arm `first` on, as far as there are rows.
#[inline(always)]
fn write_rows<S: Unit>(simd: S, tiles: &[Lanes], m: usize, first: usize, rows: &mut Matrix) {
    let rows = &mut rows.as_mut_slice()[first * m..];
    match m {
        1 => write_short_rows::<S, 1>(simd, tiles, rows),
        2 => write_short_rows::<S, 2>(simd, tiles, rows),
        3 => write_short_rows::<S, 3>(simd, tiles, rows),
        4 => write_short_rows::<S, 4>(simd, tiles, rows),
        5 => write_short_rows::<S, 5>(simd, tiles, rows),
        6 => write_short_rows::<S, 6>(simd, tiles, rows),
        _ => {
            for (tile, rows) in tiles.chunks_exact(m).zip(rows.chunks_mut(LANES * m)) {
                for (lane, row) in rows.chunks_exact_mut(m).enumerate() {
                    for i in 0..m {
                        row[i] = tile[i][lane];
                    }
                }
            }
        }
    }
}

/// Rows that are shorter than a vector, turned over in registers.
#[inline(always)]
fn write_short_rows<S: Unit, const M: usize>(simd: S, tiles: &[Lanes], rows: &mut [f64]) {
    let rows = rows.as_chunks_mut::<M>().0;
    for (tile, rows) in tiles.as_chunks::<M>().0.iter().zip(rows.chunks_mut(LANES)) {
        let mut columns = [&Lanes::ZERO.0; LANES];
        for i in 0..M {
            columns[i] = &tile[i].0;
        }
        for (row, turned) in rows.iter_mut().zip(simd.turn(columns)) {
            *row = *turned.first_chunk().expect("at most eight");
        }
    }
}

/// Reads contexts row by row: memory is fetched ahead only where it is read in order.
#[inline(always)]
fn fetch(contexts: &[&[f64]; LANES]) {
    let mut near = 0;
    for context in contexts {
        for line in context.chunks(LANES) {
            near |= line[0].to_bits();
        }
    }
    std::hint::black_box(near);
}

/// Eight features of eight contexts, the s-th eight of each: feature by feature.
#[inline(always)]
fn square<S: Unit>(simd: S, contexts: &[&[f64]; LANES], s: usize) -> [[f64; LANES]; LANES] {
    let mut rows = [&[0.0; LANES]; LANES];
    for lane in 0..LANES {
        rows[lane] = &contexts[lane].as_chunks().0[s];
    }
    simd.turn(rows)
}

/// One feature of eight contexts.
#[inline(always)]
fn feature(contexts: &[&[f64]; LANES], j: usize) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    for lane in 0..LANES {
        lanes[lane] = contexts[lane][j];
    }
    lanes
}

/// Lays T tiles of arms side by side, from the arm `first` on, in memory that grows where it has to.
#[inline(always)]
fn lay_out<'t, S: Unit, const T: usize>(
    simd: S,
    arms: Arms<'_>,
    first: usize,
    tiles: &'t mut Vec<Lanes>,
) -> &'t [[Lanes; T]] {
    let wanted = T * arms.set.dim();
    if tiles.len() < wanted {
        tiles.resize(wanted, Lanes::ZERO);
    }
    let (tiles, _) = tiles[..wanted].as_chunks_mut::<T>();
    load_tiles(simd, arms, first, tiles);
    tiles
}

/// Lays T tiles of arms side by side, feature by feature; lanes beyond the last arm repeat it.
#[inline(always)]
pub(super) fn load_tiles<S: Unit, X: Tile, const T: usize>(
    simd: S,
    arms: Arms<'_>,
    first: usize,
    tiles: &mut [[X; T]],
) {
    let far = arms.set.n_arms() * arms.set.dim() > NEAR;
    for k in 0..T {
        let contexts = arms.eight(first + k * LANES);
        if far {
            fetch(&contexts);
        }
        // Eight features at a time, as squares that are turned over in registers.
        let (squares, rest) = tiles.as_chunks_mut::<LANES>();
        for (s, target) in squares.iter_mut().enumerate() {
            let columns = square(simd, &contexts, s);
            for j in 0..LANES {
                target[j][k] = X::of(columns[j]);
            }
        }
        let done = squares.len() * LANES;
        for (j, target) in rest.iter_mut().enumerate() {
            target[k] = X::of(feature(&contexts, done + j));
        }
    }
}
