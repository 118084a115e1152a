//! Doors for benchmarks: the pass over the arms alone, which has a floor to be held against.

use super::{MoglbUcb, Move};
use crate::{ArmSet, Decision};

impl MoglbUcb {
    /// What a decision on fresh arms does before it looks for the front: exact scores for all arms, or for those that may be
    /// on it.
    #[doc(hidden)]
    pub fn pass_over_fresh(&self, arms: &ArmSet, decision: &mut Decision) {
        self.prepare_estimates(decision);
        decision.pass_over_fresh(arms, &self.grams);
    }

    /// What a round on fixed arms does before it looks for the front, as a round would that moves nothing; nothing is learned.
    #[doc(hidden)]
    pub fn pass_over_fixed(&mut self) {
        if let Some(mut carried) = self.carried.take() {
            self.scratch.moves.fill(Move::Along(0.0));
            self.scratch.drops.fill(0.0);
            carried.pass_alone(self);
            self.carried = Some(carried);
        }
    }
}
