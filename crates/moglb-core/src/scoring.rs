//! Scores and fronts of arms that are not fixed: steps 10 to 13 of Algorithm 1 from scratch. [`path`] lists
//! the paths for these arms and for fixed ones. A policy chooses the path, `Decision::score_by` does steps
//! 10 and 11, and `Decision::find_scored_front` does step 13. `Decision::find_front` is the filter.
//!
//! Eq. (6) is θ̂ᵢᵀx + √γᵢ·‖x‖_{Z⁻¹}. Widths cost d² per arm, where estimates cost d·m. So most of the work
//! on a large set goes into avoiding widths (`pruning.rs`). The front is that of the exact scores of all
//! arms, bit for bit.

pub mod bounded;
mod by_index;
pub mod columns;
pub mod layout;
pub mod memory;
pub mod path;
pub(crate) mod pivots;
mod pruning;
pub mod rows;
pub mod scorer;
pub mod small;
pub(crate) mod small_front;
pub mod sparse;
mod unrolled;

use crate::decision::Workspace;
use crate::{ArmSet, Decision};
pub use layout::Arms;
pub(crate) use layout::load_tiles;
use memory::Scoring;
use moglb_math::kernel::{Lanes, vectorized};
use moglb_math::{Gram, Matrix};
use moglb_pareto::ArmId;
use path::{FrontPath, Shape};
use rows::{Tables, write_rows};
pub use scorer::Optimism;
pub(crate) use scorer::Scorer;
use small_front::EXACT;
pub(super) use unrolled::Shared;

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
    pub(super) fn score_by(&mut self, path: FrontPath, arms: &ArmSet, grams: &[Gram]) {
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

    /// Step 13: finds the front of the scores that a path has computed.
    pub(super) fn find_scored_front(&mut self, path: FrontPath, n_arms: usize) {
        match path {
            FrontPath::FreshUnrolled | FrontPath::FreshSmall => self.find_small_front(n_arms),
            FrontPath::FreshBounded => {
                self.find_front();
                let Self { front, work, .. } = self;
                let survivors = &work.scoring.pruning.survivors;
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
