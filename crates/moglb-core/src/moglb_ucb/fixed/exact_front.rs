//! The exact front of the arms that survive the pivots and the last-dominator test, by decreasing sum of
//! scores.

use super::super::learner::Learner;
use super::last_dominator::LastDominators;
use super::sweep::Survivors;
use crate::ArmSet;
use crate::scoring::path::MOST_SURVIVORS;
use crate::scoring::{Optimism, Scorer};
use moglb_math::kernel::{LANES, Lanes, Unit, Vector, vectorized};
use std::collections::HashMap;

/// Marks a kept arm that turned out to be dominated.
const TAKEN_OFF: usize = usize::MAX;

/// The bits of a key that hold the place of a survivor.
const PLACE_BITS: u32 = MOST_SURVIVORS.ilog2();

/// Buffers of the search for the front of the survivors.
#[derive(Debug, Clone, Default)]
pub(super) struct ExactFront {
    /// The last known dominator of each arm, its witness.
    pub(super) witnesses: LastDominators,
    /// The survivors that their witness does not reject: the sum of the scores, and the place among the
    /// survivors.
    left: Vec<(f64, usize)>,
    /// These arms as sorted keys of [`Order`].
    order: Vec<u64>,
    /// The scores of the kept arms in tiles, objective by objective. Unused lanes hold −∞.
    window: Vec<Lanes>,
    /// The arms of the front, by decreasing sum; [`TAKEN_OFF`] for those that were removed.
    kept: Vec<usize>,
    /// The place of each kept arm's exact scores, if they have been computed.
    known: Vec<Option<usize>>,
    /// The number of survivors that each kept arm rejected: as their witness, or as the first in the order
    /// that dominates them.
    kills: Vec<u32>,
    pub exact: ExactScores,
}

/// Exact scores, Eq. (6), of the few arms that need them.
#[derive(Debug, Clone, Default)]
pub(super) struct ExactScores {
    pub scorer: Scorer,
    /// True if the scorer has been filled in this round.
    ready: bool,
    /// The place of each arm's scores in `scores`.
    found: HashMap<usize, usize>,
    /// The scores of each arm, end to end, and ‖x‖_{Z⁻¹} for each of these scores.
    pub scores: Vec<f64>,
    pub norms: Vec<f64>,
    tile: Vec<Lanes>,
}

/// The inputs of one search for the front.
#[derive(Clone, Copy)]
struct FrontRound<'a> {
    learner: &'a Learner,
    arms: &'a ArmSet<'a>,
    /// An arm that is ahead by more than this in every objective dominates.
    slack: f64,
    /// An arm that comes later in the order and dominates is ahead by at most this in every objective.
    close: f64,
    survivors: &'a Survivors,
    /// The number of objectives. A separate parameter, because code with a constant number is faster.
    m: usize,
}

impl ExactFront {
    /// Finds the front of the survivors, which come in the order of the set. The result is in
    /// [`ExactFront::kept`].
    pub(super) fn sort_out(&mut self, learner: &Learner, arms: &ArmSet, slack: f64, survivors: &Survivors) {
        self.kept.clear();
        self.known.clear();
        self.kills.clear();
        self.window.clear();
        self.witnesses.begin(arms.n_arms(), &survivors.arms);
        let round = FrontRound { learner, arms, slack, close: slack, survivors, m: learner.models.len() };
        vectorized!(
            { survivors_front: &'a mut ExactFront = self, round: FrontRound<'a> = round },
            (),
            |simd| match round.m {
                2 => survivors_front.keep_the_best(simd, FrontRound { m: 2, ..round }),
                3 => survivors_front.keep_the_best(simd, FrontRound { m: 3, ..round }),
                4 => survivors_front.keep_the_best(simd, FrontRound { m: 4, ..round }),
                5 => survivors_front.keep_the_best(simd, FrontRound { m: 5, ..round }),
                _ => survivors_front.keep_the_best(simd, round),
            }
        );
    }

    /// The kept arms by decreasing sum, each with the number of survivors that it rejected.
    pub fn kept(&self) -> impl Iterator<Item = (usize, u32)> {
        self.kept.iter().copied().zip(self.kills.iter().copied()).filter(|(arm, _)| *arm != TAKEN_OFF)
    }

    /// Adds the survivors to the front one by one, by decreasing sum. A survivor can then be dominated only
    /// by kept arms, except for nearly equal sums ([`Order`]).
    #[inline(always)]
    fn keep_the_best<S: Unit>(&mut self, simd: S, round: FrontRound<'_>) {
        let FrontRound { m, slack, survivors, .. } = round;
        self.left.clear();
        for (at, point) in survivors.scores.chunks_exact(m).enumerate() {
            if !self.witnesses.still_dominated(&survivors.arms, &survivors.scores, m, at, slack) {
                self.left.push((point.iter().sum(), at));
            }
        }
        let order = Order::of(&self.left);
        let round = FrontRound { close: order.step + m as f64 * slack, ..round };
        self.order.clear();
        self.order.extend(self.left.iter().map(|&(sum, at)| order.key(sum, at)));
        self.order.sort_unstable();
        for k in 0..self.order.len() {
            let at = Order::place(self.order[k]);
            let (arm, point) = (survivors.arms[at], &survivors.scores[at * m..][..m]);
            if self.is_dominated(simd, round, arm, point) {
                continue;
            }
            let lane = self.kept.len() % LANES;
            if lane == 0 {
                self.window.resize(self.window.len() + m, Lanes([f64::NEG_INFINITY; LANES]));
            }
            let last = self.window.len() - m;
            for (kept, point) in self.window[last..].iter_mut().zip(point) {
                kept[lane] = *point;
            }
            self.kept.push(arm);
            self.known.push(None);
            self.kills.push(self.witnesses.hits(at));
        }
    }

    /// True if a kept arm dominates this one. Where the cached scores are too close to tell, the exact
    /// scores decide. They may also show that this arm dominates a kept arm of nearly the same sum, which
    /// is then removed.
    #[inline(always)]
    fn is_dominated<S: Unit>(&mut self, simd: S, round: FrontRound<'_>, arm: usize, point: &[f64]) -> bool {
        let FrontRound { m, slack, close, .. } = round;
        let mut first = 0;
        while let Some((block, lead)) = next_close(simd, &self.window, first, &point[..m], close) {
            let lead = lead.lanes();
            if let Some(lane) = lead.iter().position(|lead| *lead > slack) {
                let place = block * LANES + lane;
                self.kills[place] += 1;
                self.witnesses.remember(arm, self.kept[place]);
                return true;
            }
            if self.is_dominated_exactly(round, arm, block, &lead) {
                return true;
            }
            first = block + 1;
        }
        false
    }

    /// Compares an arm with the close arms of a block by their exact scores. Closeness is rare, hence
    /// `cold`.
    #[cold]
    fn is_dominated_exactly(
        &mut self,
        round: FrontRound<'_>,
        arm: usize,
        block: usize,
        lead: &Lanes,
    ) -> bool {
        let FrontRound { learner, arms, close, m, .. } = round;
        let mine = self.exact.find(learner, arms, arm);
        for lane in 0..LANES.min(self.kept.len() - block * LANES) {
            let place = block * LANES + lane;
            if lead[lane] < -close || self.kept[place] == TAKEN_OFF {
                continue;
            }
            let theirs =
                *self.known[place].get_or_insert_with(|| self.exact.find(learner, arms, self.kept[place]));
            let [mine, theirs] = [mine, theirs].map(|at| &self.exact.scores[at * m..][..m]);
            if moglb_pareto::dominates(theirs, mine) {
                return true;
            }
            if moglb_pareto::dominates(mine, theirs) {
                self.kept[place] = TAKEN_OFF;
                (0..m).for_each(|i| self.window[block * m + i][lane] = f64::NEG_INFINITY);
            }
        }
        false
    }
}

impl ExactScores {
    /// Forgets the scores of the last round.
    pub(super) fn forget(&mut self) {
        self.ready = false;
        self.found.clear();
        self.scores.clear();
        self.norms.clear();
    }

    /// Returns the place of an arm's exact scores in the list. They are computed at most once a round.
    pub fn find(&mut self, learner: &Learner, arms: &ArmSet, arm: usize) -> usize {
        if let Some(&at) = self.found.get(&arm) {
            return at;
        }
        if !self.ready {
            learner.fill(arms, &mut self.scorer);
            self.ready = true;
        }
        self.tile.clear();
        self.tile.extend(arms.context(arm).iter().map(|x| Lanes([*x; LANES])));
        let at = self.found.len();
        self.found.insert(arm, at);
        vectorized!(
            {
                tile: &'a [[Lanes; 1]] = self.tile.as_chunks().0,
                scorer: &'a Scorer = &self.scorer,
                scores: &'a mut Vec<f64> = &mut self.scores,
                norms: &'a mut Vec<f64> = &mut self.norms,
            },
            (),
            |simd| {
                let (mut norm, mut of) = (0.0, usize::MAX);
                scorer.estimates(
                    simd,
                    tile,
                    #[inline(always)]
                    |i, [inner]| {
                        let Optimism { gram, root, .. } = scorer.objectives()[i];
                        if gram != of {
                            let [squared] = scorer.squared_norms(simd, gram, tile);
                            (norm, of) = (squared.sqrt().lanes()[0], gram);
                        }
                        scores.push(inner.lanes()[0] + root * norm);
                        norms.push(norm);
                    },
                );
            }
        );
        at
    }
}

/// The order of arms by decreasing sum of scores. Each key holds a sum and a place in one integer; sorting
/// these keys is twice as fast. A key resolves sums to 1/2³⁹ of their range. So an arm b that comes after a
/// has a sum that is larger by at most one step.
///
/// If b dominates a anyway, b is behind in no objective by more than the error of two cached scores, which
/// is less than the slack. So b is ahead of a by at most one step plus m − 1 times the slack in any other
/// objective. Such pairs are decided by their exact scores.
struct Order {
    most: f64,
    step: f64,
}

impl Order {
    #[inline(always)]
    fn of(left: &[(f64, usize)]) -> Self {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (sum, _) in left {
            (least, most) = (least.min(*sum), most.max(*sum));
        }
        Self { most, step: (most - least) / (1_u64 << 39) as f64 }
    }

    /// Returns the key of a sum at a place. NaN sums come first; equal sums keep the order of their places.
    #[inline(always)]
    fn key(&self, sum: f64, at: usize) -> u64 {
        let steps = ((self.most - sum) / self.step) as u64;
        steps.min(u64::MAX >> PLACE_BITS) << PLACE_BITS | at as u64
    }

    /// Returns the place of a survivor from its key.
    #[inline(always)]
    fn place(key: u64) -> usize {
        key as usize % MOST_SURVIVORS
    }
}

/// Returns the next block of the window, from the block `first` on, with an arm that is behind the point by
/// at most `close` in every objective. With it comes, for each arm of the block, its least lead over the
/// objectives.
#[inline(always)]
fn next_close<S: Unit>(
    simd: S,
    window: &[Lanes],
    first: usize,
    point: &[f64],
    close: f64,
) -> Option<(usize, Vector<S>)> {
    let m = point.len();
    for (block, kept) in window.chunks_exact(m).enumerate().skip(first) {
        let mut least = Vector::load(simd, &kept[0]).sub(Vector::splat(simd, point[0]));
        for i in 1..m {
            least = least.min(Vector::load(simd, &kept[i]).sub(Vector::splat(simd, point[i])));
        }
        if !least.all_below(-close) {
            return Some((block, least));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(sums: &[f64]) -> (Vec<usize>, f64) {
        let left: Vec<(f64, usize)> = sums.iter().copied().zip(0..).collect();
        let order = Order::of(&left);
        let mut keys: Vec<u64> = left.iter().map(|&(sum, at)| order.key(sum, at)).collect();
        keys.sort_unstable();
        (keys.into_iter().map(Order::place).collect(), order.step)
    }

    #[test]
    fn larger_sums_come_first_whatever_their_range() {
        let mut rng = moglb_math::draw::seeded(3);
        for scale in [1.0, 1e-11, 1e90, 1e-300, 1e-320] {
            let sums: Vec<f64> = (0..500).map(|_| scale * moglb_math::draw::normal(&mut rng)).collect();
            let (order, step) = sorted(&sums);
            assert!(step <= 7.0 * scale / (1_u64 << 39) as f64 + f64::MIN_POSITIVE);
            for pair in order.windows(2) {
                let behind = sums[pair[1]] - sums[pair[0]];
                assert!(behind <= step.max(f64::MIN_POSITIVE), "{behind} at {scale}");
            }
        }
    }

    #[test]
    fn sums_that_have_no_order_come_as_they_are() {
        assert_eq!(sorted(&[2.5, 2.5, 2.5]).0, [0, 1, 2]);
        assert_eq!(sorted(&[1.0]).0, [0]);
        assert_eq!(sorted(&[1.0, f64::NAN, 2.0]).0, [1, 2, 0]);
        let (order, step) = sorted(&[1.0, f64::INFINITY, 2.0]);
        assert_eq!((order.len(), step), (3, f64::INFINITY), "so everything is close");
    }
}
