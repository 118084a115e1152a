//! The contexts of fixed arms, laid out for repeated passes, and their cached terms from scratch.

use super::sweep::PARALLEL;
use crate::scoring::Scorer;
use crate::scoring::{Arms, load_tiles};
use crate::{ArmSet, Storage};
use moglb_math::kernel::{GROUP, LANES, Lanes, Narrow, Tile, Unit, blocks, vectorized};
use moglb_math::threads::workers;

/// Tiles of eight arms in groups, feature by feature. Lanes beyond the last arm repeat it.
#[derive(Debug, Clone)]
pub(super) enum TileLayout {
    F64(Vec<Lanes>),
    F32(Vec<Narrow>),
}

/// Runs the same code on contexts of either type.
macro_rules! with_tiles {
    ($contexts:expr, |$tiles:ident| $body:expr) => {
        match $contexts {
            TileLayout::F64($tiles) => $body,
            TileLayout::F32($tiles) => $body,
        }
    };
}
pub(super) use with_tiles;

impl TileLayout {
    /// An empty layout with the number type of these arms.
    pub fn none(arms: &ArmSet) -> Self {
        match arms.storage() {
            Storage::F64 => TileLayout::F64(Vec::new()),
            Storage::F32 => TileLayout::F32(Vec::new()),
        }
    }

    /// Replaces the contexts with those of some arms. Reuses the memory.
    pub fn refill(&mut self, arms: Arms<'_>) {
        with_tiles!(self, |tiles| lay_out(arms, tiles));
    }
}

/// Lays arms out in groups of tiles, on all cores if there are many.
fn lay_out<X: Tile>(arms: Arms<'_>, tiles: &mut Vec<X>) {
    tiles.clear();
    tiles.resize(blocks(arms.len()) * arms.dim(), X::default());
    let n_parts = if tiles.len() < PARALLEL { 1 } else { workers() };
    let share = blocks(arms.len()).div_ceil(n_parts).next_multiple_of(GROUP);
    let part = |(k, tiles): (usize, &mut [X])| lay_out_from(arms, k * share * LANES, tiles);
    #[cfg(feature = "parallel")]
    if n_parts > 1 {
        use rayon::prelude::*;
        return tiles.par_chunks_mut(share * arms.dim()).enumerate().for_each(part);
    }
    tiles.chunks_mut(share * arms.dim()).enumerate().for_each(part);
}

/// Fills the given tiles, starting with the arm `first`.
fn lay_out_from<X: Tile>(arms: Arms<'_>, first: usize, tiles: &mut [X]) {
    vectorized!(
        { arms: Arms<'a> = arms, first: usize = first, tiles: &'a mut [X] = tiles },
        (),
        X: Tile,
        |simd| {
            let (mut first, dim) = (first, arms.dim());
            let mut groups = tiles.chunks_exact_mut(GROUP * dim);
            for group in groups.by_ref() {
                load_tiles::<S, X, GROUP>(simd, arms, first, group.as_chunks_mut().0);
                first += GROUP * LANES;
            }
            for tile in groups.into_remainder().chunks_exact_mut(dim) {
                load_tiles::<S, X, 1>(simd, arms, first, tile.as_chunks_mut().0);
                first += LANES;
            }
        }
    );
}

/// Computes the cached terms of all tiles from scratch, on all cores if there are many.
pub(super) fn refresh<X: Tile>(scorer: &Scorer, contexts: &[X], dim: usize, state: &mut [Lanes]) {
    #[cfg(feature = "parallel")]
    if contexts.len() >= PARALLEL && workers() > 1 {
        use rayon::prelude::*;
        let n_tiles = contexts.len() / dim;
        let (stride, share) = (state.len() / n_tiles, n_tiles.div_ceil(workers()).next_multiple_of(GROUP));
        let shares = contexts.par_chunks(share * dim).zip(state.par_chunks_mut(share * stride));
        return shares.for_each(|(contexts, state)| refresh_share(scorer, contexts, dim, state));
    }
    refresh_share(scorer, contexts, dim, state);
}

fn refresh_share<X: Tile>(scorer: &Scorer, contexts: &[X], dim: usize, state: &mut [Lanes]) {
    vectorized!(
        {
            scorer: &'a Scorer = scorer,
            contexts: &'a [X] = contexts,
            dim: usize = dim,
            state: &'a mut [Lanes] = state,
        },
        (),
        X: Tile,
        |simd| {
            let stride = state.len() / (contexts.len() / dim);
            let mut groups = contexts.chunks_exact(GROUP * dim);
            let mut states = state.chunks_exact_mut(GROUP * stride);
            for (tiles, state) in groups.by_ref().zip(states.by_ref()) {
                refresh_tiles::<S, X, GROUP>(simd, scorer, tiles.as_chunks().0, state);
            }
            let rest = states.into_remainder().chunks_exact_mut(stride);
            for (tile, state) in groups.remainder().chunks_exact(dim).zip(rest) {
                refresh_tiles::<S, X, 1>(simd, scorer, tile.as_chunks().0, state);
            }
        }
    );
}

/// Computes the cached terms of T tiles from scratch.
#[inline(always)]
fn refresh_tiles<S: Unit, X: Tile, const T: usize>(
    simd: S,
    scorer: &Scorer,
    tiles: &[[X; T]],
    state: &mut [Lanes],
) {
    let (stride, n_grams) = (state.len() / T, scorer.n_grams());
    for g in 0..n_grams {
        let squared = scorer.squared_norms(simd, g, tiles);
        for k in 0..T {
            squared[k].store(&mut state[k * stride + g]);
        }
    }
    scorer.estimates(
        simd,
        tiles,
        #[inline(always)]
        |i, inner| {
            for k in 0..T {
                inner[k].store(&mut state[k * stride + n_grams + i]);
            }
        },
    );
}
