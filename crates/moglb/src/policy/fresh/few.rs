//! A small set is scored whole. All that is read is near, so that it is the number of instructions that counts: contexts are
//! turned over in registers, M and the estimates are read where they are, and the scores stay in tiles. Each step is compiled by
//! itself: in one long computation there would not be registers for all the addresses.

use super::{Arms, Fresh, Tables, load_tiles, write_rows};
use crate::kernel::{
    LANES, Lanes, Unit, Vector, blocks, for_few, row_products, some_tiles, triangle_products, vectorized,
};
use crate::policy::scores::{Optimism, Scorer};
use crate::{ArmSet, Gram};

/// Contexts of at most so many features are turned over by code that knows how many there are.
const SHORT: usize = 16;

impl Fresh {
    /// The scores of all arms, whose contexts lie end to end.
    pub(super) fn score_few(&mut self, arms: &ArmSet, contexts: &[f64], grams: &[Gram], tables: Tables<'_>) {
        let (n_arms, dim, m) = (arms.n_arms(), arms.dim(), self.n_objectives());
        let n_tiles = blocks(n_arms);
        let Self { scorer, tiles, norms, small, shown, .. } = self;
        tiles.resize(n_tiles * dim, Lanes::ZERO);
        norms.resize(n_tiles * grams.len(), Lanes::ZERO);
        let wanted = tables.widths.n_rows() > 0;
        shown.resize(if wanted { n_tiles * m } else { 0 }, Lanes::ZERO);
        let whole = if dim <= SHORT { n_arms / LANES } else { 0 };
        let (first, others) = tiles.split_at_mut(whole * dim);
        turn(contexts, dim, first);
        if whole < n_tiles {
            turn_others(arms, whole, others);
        }
        measure(grams, tiles, dim, norms);
        let few = Few { scorer, tiles, norms, n_tiles, dim };
        few.add(small.bounds_mut(n_tiles, m), shown);
        if wanted {
            few.show(shown, tables);
        }
    }
}

/// A small set, laid out.
#[derive(Clone, Copy)]
struct Few<'a> {
    scorer: &'a Scorer,
    /// The arms of each tile side by side, feature by feature.
    tiles: &'a [Lanes],
    /// ‖x‖_{Z⁻¹} for each Gram matrix and tile.
    norms: &'a [Lanes],
    n_tiles: usize,
    dim: usize,
}

impl Few<'_> {
    /// θ̂ᵢᵀx + √γᵢ·‖x‖_{Z⁻¹} of each tile, objective by objective; and θ̂ᵢᵀx where there is room for it.
    fn add(self, scores: &mut [Lanes], estimates: &mut [Lanes]) {
        vectorized!(
            { few: Few<'a> = self, scores: &'a mut [Lanes] = scores, estimates: &'a mut [Lanes] = estimates },
            (),
            |simd| {
                let (m, mut i) = (few.scorer.objectives().len(), 0);
                while i < m {
                    i += match m - i {
                        1 => few.add_some::<S, 1>(simd, i, scores, estimates),
                        2 => few.add_some::<S, 2>(simd, i, scores, estimates),
                        3 => few.add_some::<S, 3>(simd, i, scores, estimates),
                        5 => few.add_some::<S, 5>(simd, i, scores, estimates),
                        _ => few.add_some::<S, 4>(simd, i, scores, estimates),
                    };
                }
            }
        );
    }

    /// The same for N objectives from the i-th on.
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

    /// Shows the estimates, in the direction of each objective, and the widths.
    fn show(self, estimates: &mut [Lanes], tables: Tables<'_>) {
        vectorized!(
            { few: Few<'a> = self, shown: &'a mut [Lanes] = estimates, tables: Tables<'a> = tables },
            (),
            |simd| {
                let (objectives, m) = (few.scorer.objectives(), few.scorer.objectives().len());
                for (tile, shown) in shown.chunks_exact_mut(m).enumerate() {
                    for (shown, objective) in shown.iter_mut().zip(objectives) {
                        Vector::splat(simd, objective.sign).mul(Vector::load(simd, shown)).store(shown);
                    }
                    write_rows(simd, shown, m, tile * LANES, tables.estimates);
                    for (shown, Optimism { gram, root, .. }) in shown.iter_mut().zip(objectives) {
                        let norm = Vector::load(simd, &few.norms[gram * few.n_tiles + tile]);
                        Vector::splat(simd, *root).mul(norm).store(shown);
                    }
                    write_rows(simd, shown, m, tile * LANES, tables.widths);
                }
            }
        );
    }
}

/// ‖x‖_{Z⁻¹} for each Gram matrix and tile.
fn measure(grams: &[Gram], tiles: &[Lanes], dim: usize, norms: &mut [Lanes]) {
    vectorized!(
        { grams: &'a [Gram] = grams, tiles: &'a [Lanes] = tiles, dim: usize = dim, norms: &'a mut [Lanes] = norms },
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

/// Lays the arms of the tiles from `first` on side by side, feature by feature; lanes beyond the last arm repeat it.
fn turn_others(arms: &ArmSet, first: usize, tiles: &mut [Lanes]) {
    vectorized!(
        { arms: &'a ArmSet<'a> = arms, first: usize = first, tiles: &'a mut [Lanes] = tiles },
        (),
        |simd| {
            for (k, tile) in tiles.chunks_exact_mut(arms.dim()).enumerate() {
                let tile = tile.as_chunks_mut::<1>().0;
                load_tiles(simd, Arms::all(arms), (first + k) * LANES, tile);
            }
        }
    );
}

/// The same for whole tiles of short contexts that lie end to end, as far as there are tiles.
fn turn(contexts: &[f64], dim: usize, tiles: &mut [Lanes]) {
    vectorized!(
        { contexts: &'a [f64] = contexts, dim: usize = dim, tiles: &'a mut [Lanes] = tiles },
        (),
        |simd| match dim {
            1 => turn_short::<S, 1>(simd, contexts, tiles),
            2 => turn_short::<S, 2>(simd, contexts, tiles),
            3 => turn_short::<S, 3>(simd, contexts, tiles),
            4 => turn_short::<S, 4>(simd, contexts, tiles),
            5 => turn_short::<S, 5>(simd, contexts, tiles),
            6 => turn_short::<S, 6>(simd, contexts, tiles),
            7 => turn_short::<S, 7>(simd, contexts, tiles),
            8 => turn_short::<S, 8>(simd, contexts, tiles),
            9 => turn_short::<S, 9>(simd, contexts, tiles),
            10 => turn_short::<S, 10>(simd, contexts, tiles),
            11 => turn_short::<S, 11>(simd, contexts, tiles),
            12 => turn_short::<S, 12>(simd, contexts, tiles),
            13 => turn_short::<S, 13>(simd, contexts, tiles),
            14 => turn_short::<S, 14>(simd, contexts, tiles),
            15 => turn_short::<S, 15>(simd, contexts, tiles),
            SHORT => turn_short::<S, SHORT>(simd, contexts, tiles),
            // There are none.
            _ => (),
        }
    );
}

/// Contexts of so few features that where each is may be known when this is compiled.
#[inline(always)]
fn turn_short<S: Unit, const D: usize>(simd: S, contexts: &[f64], tiles: &mut [Lanes]) {
    let (arms, tiles) = (contexts.as_chunks::<D>().0, tiles.as_chunks_mut::<D>().0);
    for (eight, tile) in arms.as_chunks::<LANES>().0.iter().zip(tiles) {
        let mut j = 0;
        while j + LANES <= D {
            let mut rows = [&[0.0; LANES]; LANES];
            for lane in 0..LANES {
                rows[lane] = eight[lane][j..].first_chunk().expect("eight features");
            }
            let columns = simd.turn(rows);
            for c in 0..LANES {
                tile[j + c] = Lanes(columns[c]);
            }
            j += LANES;
        }
        while j + 2 <= D {
            let mut rows = [&[0.0; 2]; LANES];
            for lane in 0..LANES {
                rows[lane] = eight[lane][j..].first_chunk().expect("two features");
            }
            let columns = simd.turn_pairs(rows);
            for c in 0..2 {
                tile[j + c] = Lanes(columns[c]);
            }
            j += 2;
        }
        if j < D {
            for lane in 0..LANES {
                tile[j][lane] = eight[lane][j];
            }
        }
    }
}

/// ‖x‖²_{Z⁻¹} = ‖Mx‖² for the arms of some tiles, the bits of [`Scorer::squared_norms`].
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

/// The squares of the products with N rows of M.
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
