//! Scores of a whole small set. All inputs are in the nearest cache, so the number of instructions decides.
//! Contexts are transposed in registers, M and the estimates are read in place, and the scores stay in
//! tiles. Each step is compiled separately: one long computation would not have registers for all the
//! addresses.

use super::layout::{Arms, load_tiles};
use super::memory::Scoring;
use super::rows::{Tables, write_rows};
use super::scorer::{Optimism, Scorer};
use crate::ArmSet;
use moglb_math::Gram;
use moglb_math::kernel::{
    LANES, Lanes, MOST_SHORT_FEATURES, Unit, Vector, blocks, for_few, row_products, some_tiles,
    triangle_products, turn, vectorized,
};

impl Scoring {
    /// Computes the scores of all arms. Their contexts lie end to end.
    pub(crate) fn score_small(
        &mut self,
        arms: &ArmSet,
        contexts: &[f64],
        grams: &[Gram],
        tables: Tables<'_>,
    ) {
        let (n_tiles, dim, m) = (blocks(arms.n_arms()), arms.dim(), self.n_objectives());
        let Self { scorer, tiles, norms, small, shown, .. } = self;
        let tiles = tiles_of(arms, contexts, tiles);
        let wanted = tables.widths.n_rows() > 0;
        norms.resize(n_tiles * grams.len(), Lanes::ZERO);
        shown.resize(if wanted { n_tiles * m } else { 0 }, Lanes::ZERO);
        measure(grams, tiles, dim, norms);
        let set = SmallSet { scorer, tiles, norms, n_tiles, dim };
        set.add(small.bounds_mut(n_tiles, m), shown);
        if wanted {
            set.show(shown, tables);
        }
    }
}

/// A small set in tiles, with its norms.
#[derive(Clone, Copy)]
struct SmallSet<'a> {
    scorer: &'a Scorer,
    /// The contexts of each tile, feature by feature.
    tiles: &'a [Lanes],
    /// ‖x‖_{Z⁻¹} for each Gram matrix and tile.
    norms: &'a [Lanes],
    n_tiles: usize,
    dim: usize,
}

impl SmallSet<'_> {
    /// Writes θ̂ᵢᵀx + √γᵢ·‖x‖_{Z⁻¹} of each tile, objective by objective; and θ̂ᵢᵀx if `estimates` has
    /// room.
    fn add(self, scores: &mut [Lanes], estimates: &mut [Lanes]) {
        vectorized!(
            {
                set: SmallSet<'a> = self,
                scores: &'a mut [Lanes] = scores,
                estimates: &'a mut [Lanes] = estimates,
            },
            (),
            |simd| {
                let (m, mut i) = (set.scorer.objectives().len(), 0);
                while i < m {
                    i += match m - i {
                        1 => set.add_some::<S, 1>(simd, i, scores, estimates),
                        2 => set.add_some::<S, 2>(simd, i, scores, estimates),
                        3 => set.add_some::<S, 3>(simd, i, scores, estimates),
                        5 => set.add_some::<S, 5>(simd, i, scores, estimates),
                        _ => set.add_some::<S, 4>(simd, i, scores, estimates),
                    };
                }
            }
        );
    }

    /// Writes the scores, and perhaps the estimates, of N objectives from the i-th on, and returns N.
    #[inline(always)]
    fn add_some<S: Unit, const N: usize>(
        self,
        simd: S,
        i: usize,
        scores: &mut [Lanes],
        estimates: &mut [Lanes],
    ) -> usize {
        let Self { scorer, tiles, norms, n_tiles, dim } = self;
        let (m, n_blocks, all) = (scorer.objectives().len(), blocks(dim), scorer.rows());
        let objectives = scorer.objectives()[i..].first_chunk::<N>().expect("N objectives");
        let mut rows = [all; N];
        for n in 0..N {
            rows[n] = &all[(i + n) * n_blocks..][..n_blocks];
        }
        for_few!(n_tiles, |first, T| {
            let inner = row_products::<S, N, T>(simd, some_tiles(tiles, dim, first), rows);
            let mut own = [[Vector::splat(simd, 0.0); N]; T];
            for n in 0..N {
                let Optimism { gram, root, .. } = objectives[n];
                let norms = norms[gram * n_tiles + first..].first_chunk::<T>().expect("T tiles");
                for k in 0..T {
                    let width = Vector::splat(simd, root).mul(Vector::load(simd, &norms[k]));
                    own[k][n] = inner[n][k].add(width);
                }
            }
            for k in 0..T {
                let place = (first + k) * m + i;
                let scores = scores[place..].first_chunk_mut::<N>().expect("N scores");
                for n in 0..N {
                    own[k][n].store(&mut scores[n]);
                }
                if let Some(estimates) = estimates.get_mut(place..place + N) {
                    for n in 0..N {
                        inner[n][k].store(&mut estimates[n]);
                    }
                }
            }
        });
        N
    }

    /// Writes the tables: the estimates, in the orientation of each objective, and the widths.
    fn show(self, estimates: &mut [Lanes], tables: Tables<'_>) {
        vectorized!(
            { set: SmallSet<'a> = self, shown: &'a mut [Lanes] = estimates, tables: Tables<'a> = tables },
            (),
            |simd| {
                let (objectives, m) = (set.scorer.objectives(), set.scorer.objectives().len());
                for (tile, shown) in shown.chunks_exact_mut(m).enumerate() {
                    for (shown, objective) in shown.iter_mut().zip(objectives) {
                        Vector::splat(simd, objective.sign).mul(Vector::load(simd, shown)).store(shown);
                    }
                    write_rows(simd, shown, m, tile * LANES, tables.estimates);
                    for (shown, Optimism { gram, root, .. }) in shown.iter_mut().zip(objectives) {
                        let norm = Vector::load(simd, &set.norms[gram * set.n_tiles + tile]);
                        Vector::splat(simd, *root).mul(norm).store(shown);
                    }
                    write_rows(simd, shown, m, tile * LANES, tables.widths);
                }
            }
        );
    }
}

/// Computes ‖x‖_{Z⁻¹} for each Gram matrix and tile.
fn measure(grams: &[Gram], tiles: &[Lanes], dim: usize, norms: &mut [Lanes]) {
    vectorized!(
        {
            grams: &'a [Gram] = grams,
            tiles: &'a [Lanes] = tiles,
            dim: usize = dim,
            norms: &'a mut [Lanes] = norms,
        },
        (),
        |simd| {
            let n_tiles = norms.len() / grams.len();
            for (gram, norms) in grams.iter().zip(norms.chunks_exact_mut(n_tiles)) {
                for_few!(n_tiles, |first, T| {
                    let squared = squared_norms::<S, T>(simd, gram, some_tiles(tiles, dim, first));
                    let norms = norms[first..].first_chunk_mut::<T>().expect("T tiles");
                    for k in 0..T {
                        squared[k].sqrt().store(&mut norms[k]);
                    }
                });
            }
        }
    );
}

/// Returns the contexts in tiles, feature by feature: from the set if it has them, or else transposed into
/// `memory`.
#[inline]
pub(super) fn tiles_of<'t>(arms: &'t ArmSet, contexts: &[f64], memory: &'t mut Vec<Lanes>) -> &'t [Lanes] {
    arms.tiles().unwrap_or_else(|| {
        memory.resize(blocks(arms.n_arms()) * arms.dim(), Lanes::ZERO);
        if arms.dim() <= MOST_SHORT_FEATURES {
            turn(contexts, arms.dim(), memory);
        } else {
            turn_long(arms, memory);
        }
        memory
    })
}

/// Transposes long contexts into tiles, feature by feature. Lanes beyond the last arm repeat it.
fn turn_long(arms: &ArmSet, tiles: &mut [Lanes]) {
    vectorized!(
        { arms: &'a ArmSet<'a> = arms, tiles: &'a mut [Lanes] = tiles },
        (),
        |simd| {
            for (k, tile) in tiles.chunks_exact_mut(arms.dim()).enumerate() {
                let tile = tile.as_chunks_mut::<1>().0;
                load_tiles(simd, Arms::all(arms), k * LANES, tile);
            }
        }
    );
}

/// ‖x‖²_{Z⁻¹} = ‖Mx‖² for the arms of some tiles, with the bits of [`Scorer::squared_norms`].
#[inline(always)]
fn squared_norms<S: Unit, const T: usize>(simd: S, gram: &Gram, tiles: [&[Lanes]; T]) -> [Vector<S>; T] {
    let mut total = [Vector::splat(simd, 0.0); T];
    let (dim, mut first) = (tiles[0].len(), 0);
    while first < dim {
        first += match dim - first {
            1 => add_squares::<S, 1, T>(simd, gram, tiles, first, &mut total),
            2 => add_squares::<S, 2, T>(simd, gram, tiles, first, &mut total),
            3 => add_squares::<S, 3, T>(simd, gram, tiles, first, &mut total),
            _ => add_squares::<S, 4, T>(simd, gram, tiles, first, &mut total),
        };
    }
    total
}

/// Adds the squares of the products with N rows of M, and returns N.
#[inline(always)]
fn add_squares<S: Unit, const N: usize, const T: usize>(
    simd: S,
    gram: &Gram,
    tiles: [&[Lanes]; T],
    first: usize,
    total: &mut [Vector<S>; T],
) -> usize {
    let mut rows = [gram.row(first); N];
    for n in 1..N {
        rows[n] = gram.row(first + n);
    }
    let images = triangle_products(simd, tiles, rows, first / 4);
    for n in 0..N {
        for k in 0..T {
            total[k] = images[n][k].mul_add(images[n][k], total[k]);
        }
    }
    N
}
