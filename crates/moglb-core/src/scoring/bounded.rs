//! Scores of large sets of fresh arms. Only arms that may be on the front get their widths
//! ([`Pruning`](super::pruning::Pruning)).

use super::layout::{Arms, for_groups};
use super::memory::Scoring;
use super::scorer::Optimism;
use crate::ArmSet;
use moglb_math::Matrix;
use moglb_math::kernel::{LANES, Unit, blocks, fetch_ahead, vectorized};

impl Scoring {
    /// Computes exact scores of the arms that may be on the front, one row for each of
    /// `Pruning::survivors`.
    pub(crate) fn score_promising(&mut self, arms: &ArmSet, scores: &mut Matrix) {
        self.pruning.refill(&self.scorer, arms.dim());
        let m = self.n_objectives();
        vectorized!({ scoring: &'a mut Scoring = self, arms: &'a ArmSet<'a> = arms }, (), |simd| {
            scoring.pruning.bound(simd, arms);
        });
        let (best, mut pivots) =
            (std::mem::take(&mut self.pruning.best), std::mem::take(&mut self.pruning.pivots));
        pivots.resize(best.len() * m, 0.0);
        self.score_bounded(arms, &best, &mut pivots);
        (self.pruning.best, self.pruning.pivots) = (best, pivots);
        vectorized!({ scoring: &'a mut Scoring = self, n_arms: usize = arms.n_arms() }, (), |simd| {
            scoring.pruning.hold_against_pivots(simd, n_arms);
        });
        let survivors = std::mem::take(&mut self.pruning.survivors);
        scores.reshape(survivors.len(), m);
        self.score_bounded(arms, &survivors, scores.as_mut_slice());
        self.pruning.survivors = survivors;
    }

    /// Computes exact scores of some arms, end to end. Their estimates are known from the pruning; the
    /// widths are added.
    fn score_bounded(&mut self, arms: &ArmSet, chosen: &[usize], scores: &mut [f64]) {
        vectorized!(
            {
                scoring: &'a mut Scoring = self,
                arms: &'a ArmSet<'a> = arms,
                chosen: &'a [usize] = chosen,
                scores: &'a mut [f64] = scores,
            },
            (),
            |simd| {
                for_groups!(blocks(chosen.len()), |tile, T| {
                    scoring.score_bounded_tiles::<S, T>(simd, arms, chosen, tile * LANES, scores)
                });
            }
        );
    }

    #[inline(always)]
    fn score_bounded_tiles<S: Unit, const T: usize>(
        &mut self,
        simd: S,
        arms: &ArmSet,
        chosen: &[usize],
        first: usize,
        scores: &mut [f64],
    ) {
        for &arm in chosen.iter().skip(first + T * LANES).take(T * LANES) {
            fetch_context(arms.context(arm));
        }
        self.norms_of_tiles::<S, T>(simd, Arms::some(arms, chosen), first);
        let Self { scorer, norms, pruning, .. } = self;
        let m = scorer.objectives().len();
        let rows = scores[first * m..].chunks_exact_mut(m).zip(&chosen[first..]);
        for (row, (scores, &arm)) in rows.take(T * LANES).enumerate() {
            let inner = &pruning.inner[arm / LANES * m..][..m];
            for ((score, inner), Optimism { gram, root, .. }) in
                scores.iter_mut().zip(inner).zip(scorer.objectives())
            {
                *score = inner[arm % LANES] + root * norms[gram * T + row / LANES][row % LANES];
            }
        }
    }
}

/// Prefetches a context that will be read soon.
#[inline(always)]
fn fetch_context(context: &[f64]) {
    for j in (0..context.len()).step_by(LANES) {
        fetch_ahead(&context[j]);
    }
}
