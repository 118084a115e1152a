//! The front of a small set: every arm against the last front, without sorting.
//!
//! Whoever is dominated is dominated by an arm of the front, and an arm of the front is dominated by none. So it is enough
//! to hold all arms against those of the last front and then against every arm that is still in doubt: all arms of the
//! present front are among them.

use crate::kernel::{LANES, Lanes, Unit, Vector, vectorized};
use crate::{ArmId, Front};

/// Sets of at most so many tiles are small. Measured, whole rounds at d = 10, m = 5, with and without: 0.85 and 1.13 µs for
/// 40 arms, 1.12 and 1.29 for 80, 1.49 and 1.50 for 128, 3.1 and 2.7 for 256.
pub(super) const SMALL_TILES: usize = 12;

/// What tells exact scores from equal ones: no two numbers are nearer to each other.
pub(super) const EXACT: f64 = f64::from_bits(1);

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
pub(crate) struct Small {
    /// The scores of each tile, objective by objective; lanes beyond the last arm may hold anything finite.
    bounds: Vec<Lanes>,
    /// How far each arm is above the arm that it is least above, among those it was held against.
    above: Vec<Lanes>,
    /// Those arms, and their scores end to end.
    held: Vec<usize>,
    scores: Vec<f64>,
    kept: Vec<usize>,
}

impl Small {
    /// Where the scores of so many tiles are to be written, objective by objective.
    #[inline(always)]
    pub(super) fn bounds_mut(&mut self, n_tiles: usize, n_objectives: usize) -> &mut [Lanes] {
        self.above.resize(n_tiles, Lanes::ZERO);
        self.bounds.resize(n_tiles * n_objectives, Lanes::ZERO);
        &mut self.bounds
    }

    /// The scores that were written.
    #[inline(always)]
    pub(super) fn bounds(&self) -> &[Lanes] {
        &self.bounds
    }

    /// Where the scores of a tile and those after it are to be written.
    #[inline(always)]
    pub(super) fn bounds_of(&mut self, tile: usize) -> &mut [Lanes] {
        let m = self.bounds.len() / self.above.len();
        &mut self.bounds[tile * m..]
    }

    /// The front of the scores that were written, starting from the arms of `front`, which are best near it; from the largest
    /// sums of scores if it is empty. Nothing if there are too many objectives, or two arms of which the scores cannot tell by `slack` whether one dominates the other.
    pub(super) fn find_front(&mut self, n_arms: usize, slack: f64, front: &mut Front) -> Option<()> {
        vectorized!(
            {
                small: &'a mut Small = self,
                n_arms: usize = n_arms,
                slack: f64 = slack,
                front: &'a mut Front = front,
            },
            Option<()>,
            |simd| match small.bounds.len() / small.above.len() {
                1 => small.search::<S, 1>(simd, n_arms, slack, front),
                2 => small.search::<S, 2>(simd, n_arms, slack, front),
                3 => small.search::<S, 3>(simd, n_arms, slack, front),
                4 => small.search::<S, 4>(simd, n_arms, slack, front),
                5 => small.search::<S, 5>(simd, n_arms, slack, front),
                6 => small.search::<S, 6>(simd, n_arms, slack, front),
                _ => None,
            }
        )
    }

    #[inline(always)]
    fn search<S: Unit, const M: usize>(
        &mut self,
        simd: S,
        n_arms: usize,
        slack: f64,
        front: &mut Front,
    ) -> Option<()> {
        self.held.clear();
        self.scores.clear();
        if front.is_empty() {
            self.hold_the_largest::<S, M>(simd, n_arms);
        }
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

    /// Takes the arm with the largest sum of scores of each tile for others to be held against.
    #[inline(always)]
    fn hold_the_largest<S: Unit, const M: usize>(&mut self, simd: S, n_arms: usize) {
        for tile in 0..self.above.len() {
            let bounds = &self.bounds.as_chunks::<M>().0[tile];
            let mut sums = Vector::load(simd, &bounds[0]);
            for i in 1..M {
                sums = sums.add(Vector::load(simd, &bounds[i]));
            }
            let (sums, mut best) = (sums.lanes(), 0);
            for lane in 1..LANES.min(n_arms - tile * LANES) {
                best = if sums[lane] > sums[best] { lane } else { best };
            }
            self.hold(tile * LANES + best, M);
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
