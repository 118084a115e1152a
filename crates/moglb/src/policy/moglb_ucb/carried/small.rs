//! The front of a small set: every arm against the last front, without sorting.
//!
//! Whoever is dominated is dominated by an arm of the front, and an arm of the front is dominated by none. So it is enough
//! to hold all arms against those of the last front and then against every arm that is still in doubt: all arms of the
//! present front are among them.

use super::super::MoglbUcb;
use crate::kernel::{LANES, Lanes, Unit, Vector, vectorized};
use crate::{ArmId, Front};

/// Sets of at most so many tiles are small. Measured, whole rounds at d = 10, m = 5, with and without: 0.85 and 1.13 µs for
/// 40 arms, 1.12 and 1.29 for 80, 1.49 and 1.50 for 128, 3.1 and 2.7 for 256.
pub(super) const SMALL_TILES: usize = 12;

/// For each lane, what raises it and nothing else above any score; the last raises nothing.
const RAISED: [Lanes; LANES + 1] = {
    let mut raised = [Lanes([f64::NEG_INFINITY; LANES]); LANES + 1];
    let mut lane = 0;
    while lane < LANES {
        raised[lane].0[lane] = f64::INFINITY;
        lane += 1;
    }
    raised
};

/// Memory of the search.
#[derive(Debug, Clone, Default)]
pub(super) struct Small {
    /// The scores of each tile, objective by objective.
    bounds: Vec<Lanes>,
    /// How far each arm is above the arm that it is least above, among those it was held against.
    above: Vec<Lanes>,
    /// Those arms, and their scores end to end.
    held: Vec<usize>,
    scores: Vec<f64>,
    kept: Vec<usize>,
}

impl Small {
    /// The front of scores √γᵢ·‖x‖ + θ̂ᵢᵀx, given by the `state` of each tile, starting from the last one. Nothing if there
    /// are too many objectives, or two arms of which the scores cannot tell by more than `slack` whether one dominates
    /// the other.
    pub(super) fn find_front(
        &mut self,
        policy: &MoglbUcb,
        n_arms: usize,
        state: &[Lanes],
        roots: &[f64],
        slack: f64,
        front: &mut Front,
    ) -> Option<()> {
        vectorized!(
            {
                small: &'a mut Small = self,
                policy: &'a MoglbUcb = policy,
                n_arms: usize = n_arms,
                state: &'a [Lanes] = state,
                roots: &'a [f64] = roots,
                slack: f64 = slack,
                front: &'a mut Front = front,
            },
            Option<()>,
            |simd| match roots.len() {
                1 => small.search::<S, 1>(simd, policy, n_arms, state, roots, slack, front),
                2 => small.search::<S, 2>(simd, policy, n_arms, state, roots, slack, front),
                3 => small.search::<S, 3>(simd, policy, n_arms, state, roots, slack, front),
                4 => small.search::<S, 4>(simd, policy, n_arms, state, roots, slack, front),
                5 => small.search::<S, 5>(simd, policy, n_arms, state, roots, slack, front),
                6 => small.search::<S, 6>(simd, policy, n_arms, state, roots, slack, front),
                _ => None,
            }
        )
    }

    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "one call, made where the number of objectives is known")]
    fn search<S: Unit, const M: usize>(
        &mut self,
        simd: S,
        policy: &MoglbUcb,
        n_arms: usize,
        state: &[Lanes],
        roots: &[f64],
        slack: f64,
        front: &mut Front,
    ) -> Option<()> {
        self.score::<S, M>(simd, policy, state, roots);
        self.held.clear();
        self.scores.clear();
        front.iter().for_each(|arm| self.hold(arm.0, M));
        let Self { bounds, above, held, scores, .. } = self;
        for (tile, (bounds, above)) in bounds.as_chunks::<M>().0.iter().zip(&mut *above).enumerate() {
            let infinite = Vector::splat(simd, f64::INFINITY);
            least_above(simd, bounds, tile, held, scores.as_chunks().0, infinite).store(above);
        }
        self.hold_doubtful::<S, M>(simd, n_arms, slack);
        self.kept.clear();
        for (tile, above) in self.above.iter().enumerate() {
            let above = Vector::load(simd, above);
            let (clear, doubtful) = (above.reached(slack), above.reached(-slack));
            if (clear ^ doubtful) & lanes_of(tile, n_arms) != 0 {
                return None;
            }
            let mut left = clear & lanes_of(tile, n_arms);
            while let Some(lane) = first_bit(left) {
                left &= left - 1;
                self.kept.push(tile * LANES + lane);
            }
        }
        front.refill(self.kept.iter().map(|&arm| ArmId(arm)));
        Some(())
    }

    /// The scores of all arms.
    #[inline(always)]
    fn score<S: Unit, const M: usize>(&mut self, simd: S, policy: &MoglbUcb, state: &[Lanes], roots: &[f64]) {
        let n_grams = policy.grams.len();
        let n_tiles = state.len() / (n_grams + M);
        self.bounds.resize(n_tiles * M, Lanes::ZERO);
        self.above.resize(n_tiles, Lanes::ZERO);
        for (state, bounds) in state.chunks_exact(n_grams + M).zip(self.bounds.as_chunks_mut::<M>().0) {
            let (squared, estimates) = state.split_at(n_grams);
            let (mut norm, mut of) = (Vector::load(simd, &squared[0]).sqrt(), 0);
            for i in 0..M {
                let gram = policy.models[i].gram;
                if gram != of {
                    (norm, of) = (Vector::load(simd, &squared[gram]).sqrt(), gram);
                }
                let estimate = Vector::load(simd, &estimates[i]);
                Vector::splat(simd, roots[i]).mul_add(norm, estimate).store(&mut bounds[i]);
            }
        }
    }

    /// Takes an arm for others to be held against.
    #[inline(always)]
    fn hold(&mut self, arm: usize, m: usize) {
        self.held.push(arm);
        let bounds = &self.bounds[arm / LANES * m..][..m];
        self.scores.extend(bounds.iter().map(|bound| bound[arm % LANES]));
    }

    /// Holds all arms against those that are not dominated so far and were not in the last front.
    #[inline(always)]
    fn hold_doubtful<S: Unit, const M: usize>(&mut self, simd: S, n_arms: usize, slack: f64) {
        let mut unheld = [0_u64; SMALL_TILES];
        for (tile, unheld) in unheld[..self.above.len()].iter_mut().enumerate() {
            *unheld = lanes_of(tile, n_arms);
        }
        for arm in &self.held {
            unheld[arm / LANES] &= !(1 << (arm % LANES));
        }
        for tile in 0..self.above.len() {
            while let Some(lane) =
                first_bit(Vector::load(simd, &self.above[tile]).reached(-slack) & unheld[tile])
            {
                unheld[tile] &= !(1 << lane);
                self.hold(tile * LANES + lane, M);
                let Self { bounds, above, held, scores, .. } = self;
                let (new, score) = (held.len() - 1, &scores.as_chunks().0[held.len() - 1..]);
                for (tile, (bounds, above)) in bounds.as_chunks::<M>().0.iter().zip(above).enumerate() {
                    let so_far = Vector::load(simd, above);
                    least_above(simd, bounds, tile, &held[new..], score, so_far).store(above);
                }
            }
        }
    }
}

/// A bit for each lane of a tile that is an arm of its own.
#[inline(always)]
fn lanes_of(tile: usize, n_arms: usize) -> u64 {
    (1 << LANES.min(n_arms - tile * LANES)) - 1
}

/// The lowest of some bits.
#[inline(always)]
fn first_bit(bits: u64) -> Option<usize> {
    (bits != 0).then(|| bits.trailing_zeros() as usize)
}

/// How far each arm of a tile is above the one that it is least above, itself left out.
#[inline(always)]
fn least_above<S: Unit, const M: usize>(
    simd: S,
    bounds: &[Lanes; M],
    tile: usize,
    held: &[usize],
    scores: &[[f64; M]],
    so_far: Vector<S>,
) -> Vector<S> {
    let mut own = [so_far; M];
    for i in 0..M {
        own[i] = Vector::load(simd, &bounds[i]);
    }
    let mut least = so_far;
    for (&arm, score) in held.iter().zip(scores) {
        let lane = if arm / LANES == tile { arm % LANES } else { LANES };
        let mut most = Vector::load(simd, &RAISED[lane]);
        for i in 0..M {
            most = most.max(own[i].sub(Vector::splat(simd, score[i])));
        }
        least = least.min(most);
    }
    least
}
