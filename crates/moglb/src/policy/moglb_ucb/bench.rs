//! What a pass over the arms is given, and doors for benchmarks: the pass alone, which has a floor to be held against.

use super::{MoglbUcb, Move};
use crate::policy::scoring::Shared;
use crate::policy::scoring::{Optimism, Scorer};
use crate::{ArmSet, Decision};

impl MoglbUcb {
    /// Hands the present state to a scorer.
    pub(super) fn prepare(&self, arms: &ArmSet, scorer: &mut Scorer) {
        scorer.refill(arms, &self.grams, |i| &self.models[i].estimate, self.optimism());
    }

    /// What the scores of each objective are computed from, besides its estimate.
    fn optimism(&self) -> impl Iterator<Item = Optimism> + '_ {
        let models = self.models.iter().zip(self.problem.objectives()).zip(self.roots());
        models.map(|((model, objective), root)| Optimism { gram: model.gram, root, sign: objective.sign() })
    }

    /// The front of the exact scores of arms that are not carried.
    pub(super) fn find_fresh_front(&self, arms: &ArmSet, decision: &mut Decision) {
        if self.score_unrolled(arms, decision) {
            decision.find_small_front(arms.n_arms());
        } else {
            self.prepare_estimates(decision);
            decision.find_fresh_front(arms, &self.grams);
        }
    }

    /// Scores a small set straight from the state, if all objectives have as much in common as in the paper.
    #[inline]
    pub(in crate::policy) fn score_unrolled(&self, arms: &ArmSet, decision: &mut Decision) -> bool {
        let ([gram], Some(root)) = (&self.grams[..], self.shared_root()) else {
            return false;
        };
        let shared = Shared { gram, root, n_objectives: self.models.len() };
        decision.score_unrolled(arms, shared, |i| self.models[i].estimate.blocks())
    }

    fn prepare_estimates(&self, decision: &mut Decision) {
        decision.work.scoring.scorer.take(|i| &self.models[i].estimate, self.optimism());
    }

    /// What a decision on fresh arms does before it looks for the front: exact scores for all arms, or for those that may be
    /// on it.
    #[doc(hidden)]
    pub fn pass_over_fresh(&self, arms: &ArmSet, decision: &mut Decision) {
        if !self.score_unrolled(arms, decision) {
            self.prepare_estimates(decision);
            decision.pass_over_fresh(arms, &self.grams);
        }
    }

    /// What a round on fixed arms does before it looks for the front, as a round would that moves nothing; nothing is learned.
    #[doc(hidden)]
    pub fn pass_over_fixed(&mut self) {
        if let Some(mut fixed) = self.fixed.take() {
            self.scratch.moves.fill(Move::Along(0.0));
            self.scratch.drops.fill(0.0);
            fixed.follow(self);
            fixed.pass_alone(self);
            self.fixed = Some(fixed);
        }
    }
}
