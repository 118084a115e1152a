//! The front of a small set, without sorting.
//!
//! All arms are first compared with a few that dominate many. These are the arms of the last front if it
//! was of the same arms, or else two arms: the one with the largest sum of scores and the one with the
//! largest least score. The survivors are packed and compared with each other all at once, so no comparison
//! waits for an earlier result. If the survivors are the last front, these comparisons have been made
//! already.
//!
//! This is enough. A rejected arm lies below the arm that rejected it by more than the slack in every
//! objective, and following such arms upwards ends at a survivor. If u dominates v, every arm exceeds u by
//! no more than it exceeds v. So the minimum over the survivors equals the minimum over all arms.

use super::path::SMALL_TILES;
use moglb_math::kernel::{LANES, Lanes, Unit, Vector, vectorized};
use moglb_pareto::{ArmId, Front};

/// The slack of exact scores: arms that are nearer to each other may be equal. It is a normal number, so
/// that it is not zero where denormal numbers are flushed to zero, as other libraries in a process may
/// request.
pub(crate) const EXACT: f64 = f64::MIN_POSITIVE;

/// For each lane, +∞ in this lane and −∞ in the others: excludes an arm from the comparison with itself.
/// The last entry excludes no lane.
const RAISED: [Lanes; LANES + 1] = {
    let mut raised = [Lanes([f64::NEG_INFINITY; LANES]); LANES + 1];
    let mut lane = 0;
    while lane < LANES {
        raised[lane].0[lane] = f64::INFINITY;
        lane += 1;
    }
    raised
};

/// For each lane, −∞ in this and all later lanes, 0 in those before: excludes the lanes beyond the last
/// arm.
const LOWERED: [Lanes; LANES + 1] = {
    let mut lowered = [Lanes::ZERO; LANES + 1];
    let mut first = 0;
    while first <= LANES {
        let mut lane = first;
        while lane < LANES {
            lowered[first].0[lane] = f64::NEG_INFINITY;
            lane += 1;
        }
        first += 1;
    }
    lowered
};

/// Buffers of the search.
#[derive(Debug, Clone, Default)]
pub(crate) struct SmallFront {
    n_objectives: usize,
    /// The scores of each tile, objective by objective. Lanes beyond the last arm may hold any finite
    /// value.
    bounds: Vec<Lanes>,
    /// The sum of the scores of each arm, and its least score.
    sums: Vec<Lanes>,
    leasts: Vec<Lanes>,
    /// The survivors, and their scores in tiles.
    left: Vec<usize>,
    packed: Vec<Lanes>,
    /// The scores of the last front, end to end.
    scores: Vec<f64>,
    /// The arms of the new front.
    kept: Vec<ArmId>,
}

/// The survivors of the comparison with the last front.
enum Left {
    /// Exactly the arms of the last front. If `is_clear`, they are certainly the front; otherwise two of
    /// them may be equal.
    TheSame { is_clear: bool },
    /// Other arms than those of the last front.
    Others,
}

impl SmallFront {
    /// Returns the memory for the scores of `n_tiles` tiles, objective by objective.
    #[inline(always)]
    pub(crate) fn bounds_mut(&mut self, n_tiles: usize, n_objectives: usize) -> &mut [Lanes] {
        self.n_objectives = n_objectives;
        self.bounds.resize(n_tiles * n_objectives, Lanes::ZERO);
        &mut self.bounds
    }

    /// Returns the number of objectives of the scores.
    pub fn n_objectives(&self) -> usize {
        self.n_objectives
    }

    /// Returns the scores that were written.
    #[inline(always)]
    pub fn bounds(&self) -> &[Lanes] {
        &self.bounds
    }

    /// Finds the front of the scores that were written. The search starts from `front`, which is empty or
    /// of the same arms. Returns none if there are too many objectives, or if the scores cannot decide by
    /// `slack` whether one arm dominates another.
    pub fn find_front(&mut self, n_arms: usize, slack: f64, front: &mut Front) -> Option<()> {
        vectorized!(
            {
                small: &'a mut SmallFront = self,
                n_arms: usize = n_arms,
                slack: f64 = slack,
                front: &'a mut Front = front,
            },
            Option<()>,
            |simd| match small.n_objectives {
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
        debug_assert!(front.arms().last().is_none_or(|last| last.0 < n_arms), "of the same arms");
        self.make_room();
        if front.is_empty() {
            let pivots = self.pivots::<S, M>(simd, n_arms);
            self.hold_against_pivots::<S, M>(simd, pivots, n_arms, slack);
        } else {
            let who = self.hold_against_front::<S, M>(simd, n_arms, slack, front);
            if let Left::TheSame { is_clear } = who {
                return is_clear.then_some(());
            }
        }
        self.pack::<M>();
        for (tile, bounds) in self.packed.as_chunks::<M>().0.iter().enumerate() {
            let above = self.above_the_others(simd, bounds, tile);
            let (clear, doubtful) = (above.reached(slack), above.reached(-slack));
            let own = lanes_of(tile, self.left.len());
            if (clear ^ doubtful) & own != 0 {
                return None;
            }
            for_bits(
                clear & own,
                #[inline(always)]
                |lane| self.kept.push(ArmId(self.left[tile * LANES + lane])),
            );
        }
        front.refill(self.kept.iter().copied());
        Some(())
    }

    /// Reserves memory for all arms, so that no later set of that size allocates.
    #[inline(always)]
    fn make_room(&mut self) {
        let Self { bounds, n_objectives, left, packed, kept, .. } = self;
        let n_lanes = bounds.len() / *n_objectives * LANES;
        left.clear();
        left.reserve(n_lanes);
        packed.clear();
        packed.reserve(bounds.len());
        kept.clear();
        kept.reserve(n_lanes);
    }

    /// Returns the scores of the arm with the largest sum and of the arm with the largest least score.
    #[inline(always)]
    fn pivots<S: Unit, const M: usize>(&mut self, simd: S, n_arms: usize) -> [[f64; M]; 2] {
        let Self { bounds, sums, leasts, .. } = self;
        let bounds = bounds.as_chunks::<M>().0;
        sums.resize(bounds.len(), Lanes::ZERO);
        leasts.resize(bounds.len(), Lanes::ZERO);
        let mut largest = [Vector::splat(simd, f64::NEG_INFINITY); 2];
        for (tile, bounds) in bounds.iter().enumerate() {
            let first = Vector::load(simd, &bounds[0]);
            let (mut sum, mut least) = (first, first);
            for i in 1..M {
                let score = Vector::load(simd, &bounds[i]);
                (sum, least) = (sum.add(score), least.min(score));
            }
            let lowered = Vector::load(simd, &LOWERED[LANES.min(n_arms - tile * LANES)]);
            (sum, least) = (sum.add(lowered), least.add(lowered));
            sum.store(&mut sums[tile]);
            least.store(&mut leasts[tile]);
            largest = [largest[0].max(sum), largest[1].max(least)];
        }
        let largest = [largest[0].largest(), largest[1].largest()];
        let mut arms = [0; 2];
        for (tile, (sums, leasts)) in sums.iter().zip(leasts).enumerate() {
            for (k, of) in [sums, leasts].into_iter().enumerate() {
                let reached = Vector::load(simd, of).reached(largest[k]);
                arms[k] =
                    if reached == 0 { arms[k] } else { tile * LANES + reached.trailing_zeros() as usize };
            }
        }
        let mut pivots = [[0.0; M]; 2];
        for k in 0..2 {
            for i in 0..M {
                pivots[k][i] = bounds[arms[k] / LANES][i][arms[k] % LANES];
            }
        }
        pivots
    }

    /// Keeps the arms that the pivots do not certainly dominate, in increasing order.
    #[inline(always)]
    fn hold_against_pivots<S: Unit, const M: usize>(
        &mut self,
        simd: S,
        pivots: [[f64; M]; 2],
        n_arms: usize,
        slack: f64,
    ) {
        let Self { bounds, left, .. } = self;
        let lowest = Vector::splat(simd, f64::NEG_INFINITY);
        for (tile, bounds) in bounds.as_chunks::<M>().0.iter().enumerate() {
            let above = above_one(simd, bounds, &pivots[0], lowest);
            let above = above.min(above_one(simd, bounds, &pivots[1], lowest));
            for_bits(
                above.reached(-slack) & lanes_of(tile, n_arms),
                #[inline(always)]
                |lane| left.push(tile * LANES + lane),
            );
        }
    }

    /// Keeps the arms that those of the last front do not certainly dominate, in increasing order.
    #[inline(always)]
    fn hold_against_front<S: Unit, const M: usize>(
        &mut self,
        simd: S,
        n_arms: usize,
        slack: f64,
        front: &Front,
    ) -> Left {
        let Self { bounds, left, scores, .. } = self;
        let bounds = bounds.as_chunks::<M>().0;
        scores.clear();
        let mut held = [0_u64; SMALL_TILES];
        for arm in front.arms() {
            let (tile, lane) = (arm.0 / LANES, arm.0 % LANES);
            held[tile] |= 1 << lane;
            scores.extend(bounds[tile].iter().map(|bound| bound[lane]));
        }
        let scores = scores.as_chunks::<M>().0;
        let (mut others, mut doubts) = (0, 0);
        for (tile, bounds) in bounds.iter().enumerate() {
            let mut least = Vector::splat(simd, f64::INFINITY);
            for (arm, score) in front.arms().iter().zip(scores) {
                let raised = &RAISED[if arm.0 / LANES == tile { arm.0 % LANES } else { LANES }];
                least = least.min(above_one(simd, bounds, score, Vector::load(simd, raised)));
            }
            let own = lanes_of(tile, n_arms);
            let (clear, doubtful) = (least.reached(slack) & own, least.reached(-slack) & own);
            others |= doubtful ^ held[tile];
            doubts |= clear ^ doubtful;
            for_bits(
                doubtful,
                #[inline(always)]
                |lane| left.push(tile * LANES + lane),
            );
        }
        if others == 0 { Left::TheSame { is_clear: doubts == 0 } } else { Left::Others }
    }

    /// Packs the scores of the survivors into tiles.
    #[inline(always)]
    fn pack<const M: usize>(&mut self) {
        let Self { bounds, left, packed, .. } = self;
        packed.resize(left.len().div_ceil(LANES) * M, Lanes::ZERO);
        let packed = packed.as_chunks_mut::<M>().0;
        for (place, arm) in left.iter().enumerate() {
            let bounds = &bounds.as_chunks::<M>().0[arm / LANES];
            let packed = &mut packed[place / LANES];
            for i in 0..M {
                packed[i][place % LANES] = bounds[i][arm % LANES];
            }
        }
    }

    /// For each arm of a tile of survivors, the least amount by which it exceeds any other survivor.
    #[inline(always)]
    fn above_the_others<S: Unit, const M: usize>(
        &self,
        simd: S,
        bounds: &[Lanes; M],
        tile: usize,
    ) -> Vector<S> {
        let packed = self.packed.as_chunks::<M>().0;
        let mut least = Vector::splat(simd, f64::INFINITY);
        for place in 0..self.left.len() {
            let (other, lane) = (&packed[place / LANES], place % LANES);
            let mut scores = [0.0; M];
            for i in 0..M {
                scores[i] = other[i][lane];
            }
            let raised = &RAISED[if place / LANES == tile { lane } else { LANES }];
            least = least.min(above_one(simd, bounds, &scores, Vector::load(simd, raised)));
        }
        least
    }
}

/// A bit for each lane of a tile that is an arm, not padding.
#[inline(always)]
fn lanes_of(tile: usize, n_arms: usize) -> u64 {
    (1 << LANES.min(n_arms - tile * LANES)) - 1
}

/// Calls `each` with the position of every bit that is set.
#[inline(always)]
fn for_bits(mut bits: u64, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// For each arm of a tile, the amount by which it exceeds one arm, in the objective where it exceeds it
/// most; at least `least`.
#[inline(always)]
fn above_one<S: Unit, const M: usize>(
    simd: S,
    bounds: &[Lanes; M],
    scores: &[f64; M],
    least: Vector<S>,
) -> Vector<S> {
    let mut most = least;
    for i in 0..M {
        most = most.max(Vector::load(simd, &bounds[i]).sub(Vector::splat(simd, scores[i])));
    }
    most
}
