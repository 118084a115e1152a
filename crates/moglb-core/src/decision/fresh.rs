//! Scores and fronts of arms that are not fixed: steps 10 to 13 of Algorithm 1, by the path that was chosen.

use super::{Decision, Workspace};
use crate::ArmSet;
use crate::scoring::memory::Scoring;
use crate::scoring::path::{FrontPath, Shape};
use crate::scoring::rows::{Tables, write_rows};
use crate::scoring::small_front::EXACT;
use crate::scoring::{Arms, Scorer, Shared};
use moglb_math::kernel::{Lanes, vectorized};
use moglb_math::{Gram, Matrix};
use moglb_pareto::ArmId;

impl Decision {
    /// Returns the buffers of Eq. (6).
    #[inline]
    fn scoring(&mut self) -> &mut Scoring {
        &mut self.work.scoring
    }

    /// Returns the scorer. A policy fills it before scores are computed.
    #[inline]
    pub fn scorer(&mut self) -> &mut Scorer {
        &mut self.scoring().scorer
    }

    /// Does steps 10 to 13 for a policy whose estimates the scorer has taken. Used by policies other than
    /// MOGLB-UCB.
    pub fn find_fresh_front(&mut self, arms: &ArmSet, grams: &[Gram]) {
        let path = FrontPath::choose(&Shape {
            n_arms: arms.n_arms(),
            dim: arms.dim(),
            n_objectives: self.scoring().n_objectives(),
            n_grams: grams.len(),
            knows_nothing: false,
            has_one_width: false,
            wants_tables: self.tables,
            is_sparse: arms.table().is_some(),
            is_fixed: false,
            is_narrow: false,
            n_projected: 0,
        });
        self.work.path = Some(path);
        self.score_by(path, arms, grams);
        self.find_scored_front(path, arms.n_arms());
    }

    /// Steps 10 and 11: computes Eq. (6) for all arms, or for those that may be on the front. The scorer
    /// must have taken the estimates.
    pub(crate) fn score_by(&mut self, path: FrontPath, arms: &ArmSet, grams: &[Gram]) {
        let Self { estimates, widths, tables, work, .. } = self;
        let Workspace { scores, scoring, .. } = work;
        match path {
            FrontPath::FreshSmall => {
                let contexts = arms.end_to_end().expect("this path is for dense sets");
                let mut shown = Tables { estimates, widths };
                shown.reshape(*tables, arms.n_arms(), scoring.n_objectives());
                scoring.score_small(arms, contexts, grams, shown);
            }
            FrontPath::FreshBounded => {
                Tables { estimates, widths }.reshape(false, 0, 0);
                scoring.scorer.lay_out(arms, grams);
                scoring.scorer.refill_spans(grams);
                scoring.score_promising(arms, scores);
            }
            _ => {
                scoring.scorer.lay_out(arms, grams);
                self.score(arms, grams);
            }
        }
    }

    /// Computes Eq. (6) for every arm and objective. The scorer must have been filled from these Gram
    /// matrices.
    #[doc(hidden)]
    pub fn score(&mut self, arms: &ArmSet, grams: &[Gram]) {
        let Self { estimates, widths, tables, work, .. } = self;
        let Workspace { scores, scoring, .. } = work;
        let (n_arms, n_objectives) = (arms.n_arms(), scoring.n_objectives());
        scores.reshape(n_arms, n_objectives);
        let mut shown = Tables { estimates, widths };
        shown.reshape(*tables, n_arms, n_objectives);
        match arms.table() {
            None => scoring.score_arms(Arms::all(arms), shown, scores),
            Some(table) => scoring.score_table(table, grams, shown, scores),
        }
    }

    /// Computes Eq. (6) for some arms, one row of scores for each.
    pub(crate) fn score_some(&mut self, arms: &ArmSet, chosen: &[usize]) {
        let Self { estimates, widths, work, .. } = self;
        let Workspace { scores, scoring, .. } = work;
        scores.reshape(chosen.len(), scoring.n_objectives());
        let mut shown = Tables { estimates, widths };
        shown.reshape(false, 0, 0);
        scoring.score_arms(Arms::some(arms, chosen), shown, scores);
    }

    /// Scores the arms of a small set directly from the state of a policy, see [`Scoring::score_unrolled`].
    #[inline]
    pub(crate) fn score_unrolled<'a>(
        &mut self,
        arms: &ArmSet,
        shared: Shared<'a>,
        theta: impl Fn(usize) -> &'a [Lanes],
    ) {
        self.forget_tables();
        self.scoring().score_unrolled(arms, shared, theta);
    }

    /// Step 13: finds the front of the scores that a path has computed.
    pub(crate) fn find_scored_front(&mut self, path: FrontPath, n_arms: usize) {
        match path {
            FrontPath::FreshUnrolled | FrontPath::FreshSmall => self.find_small_front(n_arms),
            FrontPath::FreshBounded => {
                self.find_front();
                let Self { front, work, .. } = self;
                let survivors = work.scoring.survivors();
                front.rename(|local| ArmId(survivors[local.0]));
            }
            _ => self.find_front(),
        }
    }

    /// Finds the front of a small set whose scores are in tiles. If scores are too close to tell apart, the
    /// filter finds it.
    fn find_small_front(&mut self, n_arms: usize) {
        let Self { front, work, .. } = self;
        let Workspace { scores, scoring, .. } = work;
        let small = &mut scoring.small;
        front.clear();
        if small.find_front(n_arms, EXACT, front).is_none() {
            let m = small.n_objectives();
            scores.reshape(n_arms, m);
            vectorized!(
                { bounds: &'a [Lanes] = small.bounds(), m: usize = m, scores: &'a mut Matrix = scores },
                (),
                |simd| write_rows(simd, bounds, m, 0, scores)
            );
            self.find_front();
        }
    }
}
