//! The round of a small set. All data is in the nearest cache, so one pass updates the cached terms and
//! computes the scores, and reads Z⁻¹x and the estimates in place.

use super::super::learner::{Learner, Move, Round};
use super::layout::TileLayout;
use crate::scoring::path::{MOST_VECTORS, SMALL_TILES};
use crate::scoring::small_front::SmallFront;
use moglb_math::kernel::{Lanes, Unit, Vector, blocks, for_few, place, row_products, some_tiles, vectorized};

/// The contexts of a small set, tile by tile.
#[derive(Debug, Clone, Default)]
pub(super) struct SmallTiles {
    tiles: Vec<Lanes>,
    /// The objectives whose estimates were projected and are computed again.
    projected: Vec<usize>,
}

impl SmallTiles {
    /// Copies the contexts of a small set out of their groups of tiles. Empty for other sets and for
    /// contexts in f32.
    pub fn of(contexts: &TileLayout, n_arms: usize, dim: usize) -> Self {
        let n_tiles = blocks(n_arms);
        let TileLayout::F64(grouped) = contexts else { return Self::default() };
        if n_tiles > SMALL_TILES {
            return Self::default();
        }
        let feature = |at: usize| grouped[place(at / dim, at % dim, n_tiles, dim)];
        Self { tiles: (0..n_tiles * dim).map(feature).collect(), projected: Vec::new() }
    }

    /// Updates the cached terms of all arms of a set with one Z, and writes their scores, Eq. (6).
    pub(super) fn move_by(
        &mut self,
        learner: &Learner,
        round: &Round,
        roots: &[f64],
        state: &mut [Lanes],
        scores: &mut SmallFront,
    ) {
        self.projected.clear();
        self.projected.extend((0..roots.len()).filter(|i| round.moves[*i] == Move::Projected));
        let dim = learner.problem.dim();
        let bounds = scores.bounds_mut(self.tiles.len() / dim, roots.len());
        vectorized!(
            {
                learner: &'a Learner = learner,
                round: &'a Round = round,
                set: &'a SmallTiles = self,
                roots: &'a [f64] = roots,
                state: &'a mut [Lanes] = state,
                bounds: &'a mut [Lanes] = bounds,
            },
            (),
            |simd| match set.projected.len() {
                0 => move_by::<S, 1>(simd, learner, round, set, roots, state, bounds),
                1 => move_by::<S, 2>(simd, learner, round, set, roots, state, bounds),
                2 => move_by::<S, 3>(simd, learner, round, set, roots, state, bounds),
                3 => move_by::<S, 4>(simd, learner, round, set, roots, state, bounds),
                4 => move_by::<S, 5>(simd, learner, round, set, roots, state, bounds),
                _ => move_by::<S, MOST_VECTORS>(simd, learner, round, set, roots, state, bounds),
            }
        );
    }
}

/// Updates all arms by N vectors: Z⁻¹x, then the projected estimates.
#[inline(always)]
fn move_by<S: Unit, const N: usize>(
    simd: S,
    learner: &Learner,
    round: &Round,
    set: &SmallTiles,
    roots: &[f64],
    state: &mut [Lanes],
    bounds: &mut [Lanes],
) {
    let Round { directions, moves, drops, .. } = round;
    let SmallTiles { tiles, projected } = set;
    let (dim, m) = (learner.problem.dim(), roots.len());
    let mut rows = [&directions[0][..]; N];
    for n in 1..N {
        rows[n] = learner.models[projected[n - 1]].estimate.blocks();
    }
    let drop = Vector::splat(simd, -drops[0]);
    for_few!(tiles.len() / dim, |first, T| {
        let products = row_products::<S, N, T>(simd, some_tiles(tiles, dim, first), rows);
        for k in 0..T {
            let (squared, estimates) =
                state[(first + k) * (m + 1)..][..m + 1].split_first_mut().expect("a norm");
            let bounds = &mut bounds[(first + k) * m..][..m];
            let along = products[0][k];
            let left = drop.mul(along).mul_add(along, Vector::load(simd, squared));
            let left = left.max(Vector::splat(simd, 0.0));
            left.store(squared);
            let norm = left.sqrt();
            for i in 0..m {
                if let Move::Along(slope) = moves[i] {
                    let estimate =
                        Vector::splat(simd, -slope).mul_add(along, Vector::load(simd, &estimates[i]));
                    estimate.store(&mut estimates[i]);
                    Vector::splat(simd, roots[i]).mul_add(norm, estimate).store(&mut bounds[i]);
                }
            }
            for n in 1..N {
                let (i, estimate) = (projected[n - 1], products[n][k]);
                estimate.store(&mut estimates[i]);
                Vector::splat(simd, roots[i]).mul_add(norm, estimate).store(&mut bounds[i]);
            }
        }
    });
}
