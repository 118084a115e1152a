//! One sweep over the tiles of a fixed arm set: updates the cached terms and rejects arms that a pivot
//! dominates.

use super::super::learner::{Learner, Move};
use crate::scoring::pivots::{above, above_in_memory, for_each_above};
use moglb_math::kernel::{GROUP, LANES, Lanes, Tile, Unit, Vector, fetch_ahead, tile_dots, vectorized};
use moglb_math::threads::workers;

/// The number of tiles times features from which on the cores share a sweep. Measured on two cores, whole
/// rounds: nothing gained at 62 500 (5000 arms of 100 features), a quarter of the time at 125 000.
pub const PARALLEL: usize = 1 << 16;

/// The inputs of a sweep, shared by all workers.
pub(super) struct Sweep<'a> {
    pub learner: &'a Learner,
    pub n_arms: usize,
    /// √γ of each objective.
    pub(super) roots: &'a [f64],
    /// The vectors to multiply with all arms, feature by feature: Z⁻¹x for each Gram matrix, then the
    /// projected estimates. Empty if nothing has moved.
    pub factors: &'a [f64],
    /// The movement of each estimate, then the factor of the squared product by which each norm drops.
    /// Empty if norms stay as they are.
    pub moves: &'a [Move],
    pub drops: &'a [f64],
    /// The scores of the pivots, end to end, each lowered by the slack.
    pub(super) pivots: &'a [f64],
    /// True if the arms are to be compared with the pivots.
    pub hold: bool,
}

/// The output of one worker of a sweep.
#[derive(Debug, Clone, Default)]
pub(super) struct Survivors {
    /// Arms that no pivot dominates.
    pub arms: Vec<usize>,
    /// The scores of these arms, end to end.
    pub scores: Vec<f64>,
    /// The number of tiles that each pivot rejected completely.
    pub(super) kills: Vec<u32>,
    /// The scores of the present tile.
    bounds: Vec<Lanes>,
}

impl Sweep<'_> {
    /// Sweeps all tiles, on all cores if that pays. The survivors and their order do not depend on the
    /// number of cores.
    pub(super) fn run_parts<X: Tile>(&self, contexts: &[X], state: &mut [Lanes], parts: &mut Vec<Survivors>) {
        let n_parts = if contexts.len() < PARALLEL { 1 } else { workers() };
        parts.resize_with(n_parts, Survivors::default);
        let [part] = &mut parts[..] else {
            return self.share(contexts, state, parts);
        };
        self.run(contexts, state, 0, part);
    }

    /// Sweeps on all cores. Each part gets the same number of groups of tiles.
    #[cfg(feature = "parallel")]
    fn share<X: Tile>(&self, contexts: &[X], state: &mut [Lanes], parts: &mut [Survivors]) {
        use rayon::prelude::*;
        let (dim, n_tiles) = (self.learner.problem.dim(), contexts.len() / self.learner.problem.dim());
        let stride = state.len() / n_tiles;
        let tiles = n_tiles.div_ceil(parts.len()).next_multiple_of(GROUP);
        // If there are more parts than groups, the last parts get no tile. So all parts are emptied here.
        parts.iter_mut().for_each(|part| part.start(self));
        let shares = contexts.par_chunks(tiles * dim).zip(state.par_chunks_mut(tiles * stride));
        shares.zip(parts).enumerate().for_each(|(k, ((contexts, state), part))| {
            self.run(contexts, state, k * tiles * LANES, part);
        });
    }

    #[cfg(not(feature = "parallel"))]
    fn share<X: Tile>(&self, _: &[X], _: &mut [Lanes], _: &mut [Survivors]) {
        unreachable!("one worker, one part");
    }

    /// Sweeps some tiles. The first of them begins with the arm `first`.
    pub fn run<X: Tile>(&self, contexts: &[X], state: &mut [Lanes], first: usize, part: &mut Survivors) {
        vectorized!(
            {
                pass: &'a Sweep<'a> = self,
                contexts: &'a [X] = contexts,
                state: &'a mut [Lanes] = state,
                first: usize = first,
                part: &'a mut Survivors = part,
            },
            (),
            X: Tile,
            |simd| pass.run_on(simd, contexts, state, first, part)
        );
    }

    #[inline(always)]
    fn run_on<S: Unit, X: Tile>(
        &self,
        simd: S,
        contexts: &[X],
        state: &mut [Lanes],
        first: usize,
        part: &mut Survivors,
    ) {
        let stride = self.learner.grams.len() + self.learner.models.len();
        part.start(self);
        if self.factors.is_empty() {
            for (tile, state) in state.chunks_exact(stride).enumerate() {
                self.hold(simd, state, first + tile * LANES, part);
            }
            return;
        }
        tile_dots(
            simd,
            contexts,
            self.learner.problem.dim(),
            self.factors,
            #[inline(always)]
            |tile, products| {
                if let Some(ahead) = state.get((tile + GROUP) * stride..) {
                    for line in ahead.iter().take(stride) {
                        fetch_ahead(line);
                    }
                }
                let state = &mut state[tile * stride..][..stride];
                self.advance(simd, state, products);
                if self.hold {
                    self.hold(simd, state, first + tile * LANES, part);
                }
            },
        );
    }

    /// Updates the cached terms of one tile: the two formulas at the head of `fixed.rs`.
    #[inline(always)]
    fn advance<S: Unit>(&self, simd: S, state: &mut [Lanes], products: &[Lanes]) {
        let Self { moves, drops, .. } = self;
        let (squared, estimates) = state.split_at_mut(self.learner.grams.len());
        for (g, (squared, drop)) in squared.iter_mut().zip(*drops).enumerate() {
            let along = Vector::load(simd, &products[g]);
            let left = Vector::splat(simd, -drop).mul(along).mul_add(along, Vector::load(simd, squared));
            left.max(Vector::splat(simd, 0.0)).store(squared);
        }
        let mut projected = drops.len();
        for (i, estimate) in estimates.iter_mut().enumerate() {
            match moves[i] {
                Move::Along(slope) => {
                    let along = Vector::load(simd, &products[self.learner.models[i].gram]);
                    Vector::splat(simd, -slope).mul_add(along, Vector::load(simd, estimate)).store(estimate);
                }
                Move::Projected => {
                    *estimate = products[projected];
                    projected += 1;
                }
            }
        }
    }

    /// Compares the arms of a tile with the pivots and keeps those that no pivot dominates.
    #[inline(always)]
    fn hold<S: Unit>(&self, simd: S, state: &[Lanes], first: usize, part: &mut Survivors) {
        match self.learner.models.len() {
            2 => self.hold_in_registers::<S, 2>(simd, state, first, part),
            3 => self.hold_in_registers::<S, 3>(simd, state, first, part),
            4 => self.hold_in_registers::<S, 4>(simd, state, first, part),
            5 => self.hold_in_registers::<S, 5>(simd, state, first, part),
            6 => self.hold_in_registers::<S, 6>(simd, state, first, part),
            _ => self.hold_in_memory(simd, state, first, part),
        }
    }

    /// With the number of objectives known to the compiler, the scores stay in registers.
    #[inline(always)]
    fn hold_in_registers<S: Unit, const M: usize>(
        &self,
        simd: S,
        state: &[Lanes],
        first: usize,
        part: &mut Survivors,
    ) {
        let (squared, estimates) = state.split_at(self.learner.grams.len());
        let (mut norm, mut of) = (Vector::load(simd, &squared[0]).sqrt(), 0);
        let mut bounds = [norm; M];
        for i in 0..M {
            let gram = self.learner.models[i].gram;
            if gram != of {
                (norm, of) = (Vector::load(simd, &squared[gram]).sqrt(), gram);
            }
            bounds[i] = Vector::splat(simd, self.roots[i]).mul_add(norm, Vector::load(simd, &estimates[i]));
        }
        let kills = &mut part.kills;
        let above = above(
            simd,
            &bounds,
            self.pivots,
            #[inline(always)]
            |pivot| kills[pivot] += 1,
        );
        if let Some(above) = above {
            for i in 0..M {
                bounds[i].store(&mut part.bounds[i]);
            }
            part.take(&above, first, self.n_arms);
        }
    }

    /// Variant of `hold_in_registers` for any number of objectives.
    #[inline(always)]
    fn hold_in_memory<S: Unit>(&self, simd: S, state: &[Lanes], first: usize, part: &mut Survivors) {
        let (squared, estimates) = state.split_at(self.learner.grams.len());
        for (i, bound) in part.bounds.iter_mut().enumerate() {
            let norm = Vector::load(simd, &squared[self.learner.models[i].gram]).sqrt();
            Vector::splat(simd, self.roots[i]).mul_add(norm, Vector::load(simd, &estimates[i])).store(bound);
        }
        let Survivors { kills, bounds, .. } = part;
        let above = above_in_memory(
            simd,
            bounds,
            self.pivots,
            #[inline(always)]
            |pivot| kills[pivot] += 1,
        );
        if let Some(above) = above {
            part.take(&above, first, self.n_arms);
        }
    }
}

impl Survivors {
    /// Appends the survivors of another part.
    pub fn append(&mut self, other: &Survivors) {
        self.arms.extend_from_slice(&other.arms);
        self.scores.extend_from_slice(&other.scores);
    }

    /// Clears the part for the next sweep.
    fn start(&mut self, pass: &Sweep<'_>) {
        let m = pass.learner.models.len();
        self.arms.clear();
        self.scores.clear();
        self.kills.clear();
        self.kills.resize(pass.pivots.len() / m, 0);
        self.bounds.resize(m, Lanes::ZERO);
    }

    /// Keeps the arms of the present tile that are above every pivot.
    #[inline(always)]
    fn take(&mut self, above: &Lanes, first: usize, n_arms: usize) {
        let Self { arms, scores, bounds, .. } = self;
        for_each_above(
            above,
            n_arms - first,
            #[inline(always)]
            |lane| {
                arms.push(first + lane);
                for bound in &*bounds {
                    scores.push(bound[lane]);
                }
            },
        );
    }
}
