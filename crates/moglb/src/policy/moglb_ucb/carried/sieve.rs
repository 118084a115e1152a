//! The front of the arms that no pivot dominates, by decreasing sum of their scores.

use super::super::MoglbUcb;
use super::pass::Part;
use crate::ArmSet;
use crate::kernel::{LANES, Lanes, Unit, Vector, vectorized};
use crate::policy::scores::{Optimism, Scorer};
use std::collections::HashMap;

/// Stands for an arm that turned out to be dominated after it had been kept.
const TAKEN_OFF: usize = usize::MAX;

/// Memory of the sieve.
#[derive(Debug, Clone, Default)]
pub(super) struct Sieve {
    /// The sum of each survivor's scores, and which it is.
    order: Vec<(f64, usize)>,
    /// The kept arms in tiles, objective by objective; lanes not in use hold −∞.
    window: Vec<Lanes>,
    kept: Vec<usize>,
    /// Where the exact scores of each kept arm are, if they are known.
    known: Vec<Option<usize>>,
    /// How many survivors each kept arm dominates that no arm of a larger sum does.
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

impl Sieve {
    /// Sorts out the survivors; what is left is in [`Sieve::kept`].
    pub(super) fn sort_out(&mut self, policy: &MoglbUcb, arms: &ArmSet, slack: f64, survivors: &Part) {
        let m = policy.models.len();
        self.order.clear();
        self.order.extend(survivors.scores.chunks_exact(m).map(|scores| scores.iter().sum()).zip(0..));
        self.order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.kept.clear();
        self.known.clear();
        self.kills.clear();
        self.window.clear();
        vectorized!(
            {
                sieve: &'a mut Sieve = self,
                policy: &'a MoglbUcb = policy,
                arms: &'a ArmSet<'a> = arms,
                slack: f64 = slack,
                survivors: &'a Part = survivors,
            },
            (),
            |simd| sieve.keep_the_best(simd, policy, arms, slack, survivors)
        );
    }

    /// The kept arms, each with how many survivors it dominates, by decreasing sum.
    pub(super) fn kept(&self) -> impl Iterator<Item = (usize, u32)> {
        self.kept.iter().copied().zip(self.kills.iter().copied()).filter(|(arm, _)| *arm != TAKEN_OFF)
    }

    #[inline(always)]
    fn keep_the_best<S: Unit>(
        &mut self,
        simd: S,
        policy: &MoglbUcb,
        arms: &ArmSet,
        slack: f64,
        survivors: &Part,
    ) {
        let m = policy.models.len();
        for k in 0..self.order.len() {
            let (_, at) = self.order[k];
            let (arm, point) = (survivors.arms[at], &survivors.scores[at * m..][..m]);
            if self.is_dominated(simd, policy, arms, slack, arm, point) {
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
            self.kills.push(0);
        }
    }

    /// Whether a kept arm dominates this one. Where it is too close to tell, the exact scores do; they may also show
    /// that this one dominates a kept arm of nearly the same sum, which is then taken off.
    #[inline(always)]
    fn is_dominated<S: Unit>(
        &mut self,
        simd: S,
        policy: &MoglbUcb,
        arms: &ArmSet,
        slack: f64,
        arm: usize,
        point: &[f64],
    ) -> bool {
        let m = point.len();
        for block in 0..self.window.len() / m {
            let lead = leads(simd, &self.window[block * m..][..m], point);
            if lead.all_below(-slack) {
                continue;
            }
            let lead = lead.lanes();
            if let Some(lane) = lead.iter().position(|lead| *lead > slack) {
                self.kills[block * LANES + lane] += 1;
                return true;
            }
            if self.is_dominated_exactly(policy, arms, slack, arm, block, &lead) {
                return true;
            }
        }
        false
    }

    #[cold]
    fn is_dominated_exactly(
        &mut self,
        policy: &MoglbUcb,
        arms: &ArmSet,
        slack: f64,
        arm: usize,
        block: usize,
        lead: &Lanes,
    ) -> bool {
        let m = policy.models.len();
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

/// For each arm of a block of the window, the objective in which it leads the point least.
#[inline(always)]
fn leads<S: Unit>(simd: S, window: &[Lanes], point: &[f64]) -> Vector<S> {
    let mut least = Vector::splat(simd, f64::INFINITY);
    for (kept, point) in window.iter().zip(point) {
        least = least.min(Vector::load(simd, kept).sub(Vector::splat(simd, *point)));
    }
    least
}
