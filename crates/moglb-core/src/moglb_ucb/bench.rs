//! Doors for benchmarks: the work before the front is looked for, whose time has a floor to compare with.

use super::MoglbUcb;
use super::learner::Move;
use crate::scoring::path::FrontPath;
use crate::{ArmSet, Decision};

impl MoglbUcb {
    /// Steps 10 and 11 of a decision on arms that are not fixed: exact scores for all arms, or for those that may be on
    /// the front.
    #[doc(hidden)]
    pub fn pass_over_fresh(&self, arms: &ArmSet, decision: &mut Decision) {
        let path = FrontPath::choose(&self.learner.shape(arms, decision.tables));
        self.learner.score_by(path, arms, decision);
    }

    /// Steps 10 and 11 of a round on fixed arms that moves nothing; nothing is learned.
    #[doc(hidden)]
    pub fn pass_over_fixed(&mut self) {
        if let Some(fixed) = &mut self.fixed {
            self.round.moves.fill(Move::Along(0.0));
            self.round.drops.fill(0.0);
            fixed.begin(&self.learner);
            fixed.move_all(&self.learner, &self.round);
        }
    }
}
