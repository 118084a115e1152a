//! The front of the arms that no pivot dominates, nor their witness, by decreasing sum of their scores.

use super::super::MoglbUcb;
use super::SLACK;
use super::pass::Part;
use super::witness::Witnesses;
use crate::ArmSet;
use crate::kernel::{LANES, Lanes, Unit, Vector, vectorized};
use crate::policy::scores::{Optimism, Scorer};
use std::collections::HashMap;

/// Stands for an arm that turned out to be dominated after it had been kept.
const TAKEN_OFF: usize = usize::MAX;

/// The sieve is for at most so many survivors, and objectives: both have to fit into a place in its order.
pub(super) const MOST_SURVIVORS: usize = 1 << PLACE_BITS;
pub(super) const MOST_OBJECTIVES: usize = 128;

const PLACE_BITS: u32 = 24;

/// Memory of the sieve.
#[derive(Debug, Clone, Default)]
pub(super) struct Sieve {
    pub(super) witnesses: Witnesses,
    /// The survivors that no witness speaks against, each by its sum and which it is ([`Order`]).
    order: Vec<u64>,
    /// The kept arms in tiles, objective by objective; lanes not in use hold −∞.
    window: Vec<Lanes>,
    kept: Vec<usize>,
    /// Where the exact scores of each kept arm are, if they are known.
    known: Vec<Option<usize>>,
    /// How many survivors each kept arm dominates: as their witness, or where no arm of a larger sum does.
    kills: Vec<u32>,
    pub(super) exact: Exact,
}

/// Exact scores of the few arms that need them.
#[derive(Debug, Clone, Default)]
pub(super) struct Exact {
    pub(super) scorer: Scorer,
    /// Whether the scorer has been filled since the last round.
    ready: bool,
    /// Where the scores of an arm are among all scores.
    found: HashMap<usize, usize>,
    /// The scores of each, end to end, and ‖x‖_{Z⁻¹} beside each.
    pub(super) scores: Vec<f64>,
    pub(super) norms: Vec<f64>,
    tile: Vec<Lanes>,
}

/// A round of the sieve.
#[derive(Clone, Copy)]
struct Round<'a> {
    policy: &'a MoglbUcb,
    arms: &'a ArmSet<'a>,
    slack: f64,
    survivors: &'a Part,
    /// The number of objectives. A parameter of its own in what follows: code that knows it is faster.
    m: usize,
}

impl Sieve {
    /// Sorts out the survivors, which come in the order of the set; what is left is in [`Sieve::kept`].
    pub(super) fn sort_out(&mut self, policy: &MoglbUcb, arms: &ArmSet, slack: f64, survivors: &Part) {
        self.order.clear();
        self.kept.clear();
        self.known.clear();
        self.kills.clear();
        self.window.clear();
        self.witnesses.begin(arms.n_arms(), &survivors.arms);
        let round = Round { policy, arms, slack, survivors, m: policy.models.len() };
        vectorized!(
            { sieve: &'a mut Sieve = self, round: Round<'a> = round },
            (),
            |simd| match round.m {
                2 => sieve.keep_the_best(simd, Round { m: 2, ..round }),
                3 => sieve.keep_the_best(simd, Round { m: 3, ..round }),
                4 => sieve.keep_the_best(simd, Round { m: 4, ..round }),
                5 => sieve.keep_the_best(simd, Round { m: 5, ..round }),
                _ => sieve.keep_the_best(simd, round),
            }
        );
    }

    /// The kept arms, each with how many survivors it dominates, by decreasing sum.
    pub(super) fn kept(&self) -> impl Iterator<Item = (usize, u32)> {
        self.kept.iter().copied().zip(self.kills.iter().copied()).filter(|(arm, _)| *arm != TAKEN_OFF)
    }

    #[inline(always)]
    fn keep_the_best<S: Unit>(&mut self, simd: S, round: Round<'_>) {
        let Round { m, slack, survivors, .. } = round;
        let order = Order::new(m, slack);
        for (at, point) in survivors.scores.chunks_exact(m).enumerate() {
            if !self.witnesses.testify(&survivors.arms, &survivors.scores, m, at, slack) {
                self.order.push(order.key(point.iter().sum(), at));
            }
        }
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
            self.kills.push(self.witnesses.heard(at));
        }
    }

    /// Whether a kept arm dominates this one. Where it is too close to tell, the exact scores do; they may also show
    /// that this one dominates a kept arm of nearly the same sum, which is then taken off.
    #[inline(always)]
    fn is_dominated<S: Unit>(&mut self, simd: S, round: Round<'_>, arm: usize, point: &[f64]) -> bool {
        let Round { m, slack, .. } = round;
        let mut block = 0;
        while let Some((close, lead)) = next_close(simd, &self.window, block, &point[..m], slack) {
            let lead = lead.lanes();
            if let Some(lane) = lead.iter().position(|lead| *lead > slack) {
                let place = close * LANES + lane;
                self.kills[place] += 1;
                self.witnesses.remember(arm, self.kept[place]);
                return true;
            }
            if self.is_dominated_exactly(round, arm, close, &lead) {
                return true;
            }
            block = close + 1;
        }
        false
    }

    #[cold]
    fn is_dominated_exactly(&mut self, round: Round<'_>, arm: usize, block: usize, lead: &Lanes) -> bool {
        let Round { policy, arms, slack, m, .. } = round;
        let mine = self.exact.find(policy, arms, arm);
        for lane in 0..LANES.min(self.kept.len() - block * LANES) {
            let place = block * LANES + lane;
            if lead[lane] < -slack || self.kept[place] == TAKEN_OFF {
                continue;
            }
            let theirs =
                *self.known[place].get_or_insert_with(|| self.exact.find(policy, arms, self.kept[place]));
            let [mine, theirs] = [mine, theirs].map(|at| &self.exact.scores[at * m..][..m]);
            if crate::dominates(theirs, mine) {
                return true;
            }
            if crate::dominates(mine, theirs) {
                self.kept[place] = TAKEN_OFF;
                (0..m).for_each(|i| self.window[block * m + i][lane] = f64::NEG_INFINITY);
            }
        }
        false
    }
}

impl Exact {
    pub(super) fn forget(&mut self) {
        self.ready = false;
        self.found.clear();
        self.scores.clear();
        self.norms.clear();
    }

    /// The exact scores of an arm, computed once a round at most: where they are in the list.
    pub(super) fn find(&mut self, policy: &MoglbUcb, arms: &ArmSet, arm: usize) -> usize {
        if let Some(&at) = self.found.get(&arm) {
            return at;
        }
        if !self.ready {
            policy.prepare(arms, &mut self.scorer);
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

/// The order of the survivors: those of a larger sum come first. Sums within half of the slack of each other may change places, for
/// which the order of numbers that have a sum and a place in them is found twice as fast. Of two such arms neither is ahead by
/// more than the slack in all objectives, so the exact scores decide between them in either order.
struct Order {
    /// No sum is larger.
    most: f64,
    step: f64,
}

impl Order {
    #[inline(always)]
    fn new(m: usize, slack: f64) -> Self {
        // The slack is a share of the largest score there can be, of which the carried ones are a little more at most.
        Self { most: 1.1 * m as f64 * (slack / SLACK), step: slack / 2.0 }
    }

    #[inline(always)]
    fn key(&self, sum: f64, at: usize) -> u64 {
        let steps = ((self.most - sum) / self.step) as u64;
        steps.min(u64::MAX >> PLACE_BITS) << PLACE_BITS | at as u64
    }

    #[inline(always)]
    fn place(key: u64) -> usize {
        key as usize % MOST_SURVIVORS
    }
}

/// The next block of the window, from the block `first` on, with an arm that leads the point in all objectives, or nearly does; and
/// for each of its arms the lead in the objective where that is the least.
#[inline(always)]
fn next_close<S: Unit>(
    simd: S,
    window: &[Lanes],
    first: usize,
    point: &[f64],
    slack: f64,
) -> Option<(usize, Vector<S>)> {
    let m = point.len();
    for (block, kept) in window.chunks_exact(m).enumerate().skip(first) {
        let mut least = Vector::load(simd, &kept[0]).sub(Vector::splat(simd, point[0]));
        for i in 1..m {
            least = least.min(Vector::load(simd, &kept[i]).sub(Vector::splat(simd, point[i])));
        }
        if !least.all_below(-slack) {
            return Some((block, least));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_differ_by_the_slack_have_their_order() {
        for (m, slack) in [(1, 1e-9), (5, 3e-7), (MOST_OBJECTIVES, 1e-9), (3, 1e91), (3, 1e-290)] {
            let order = Order::new(m, slack);
            let most = m as f64 * slack / SLACK;
            let sums = [most, most - slack, 0.3 * most, 0.3 * most - slack, slack, 0.0, slack - most, -most];
            let keys: Vec<u64> = sums.iter().enumerate().map(|(k, sum)| order.key(*sum, 7 - k)).collect();
            assert!(keys.is_sorted_by(|a, b| a < b), "{m} objectives, slack {slack}: {keys:?}");
            assert!(keys.iter().enumerate().all(|(k, key)| Order::place(*key) == 7 - k));
            assert!(order.key(0.0, 0) < order.key(0.0, MOST_SURVIVORS - 1));
            assert!(order.key(0.0, MOST_SURVIVORS - 1) < order.key(-slack, 0));
        }
    }
}
