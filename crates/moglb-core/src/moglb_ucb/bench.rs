//! Entry points for benchmarks: the work before the search for the front. Its time is compared with a
//! floor.

use super::MoglbUcb;
use super::learner::Move;
use crate::scoring::path::FrontPath;
use crate::{ArmSet, Decision};

impl MoglbUcb {
    /// Scores fresh arms: steps 10 and 11 of a decision on arms that are not fixed. Depending on the path,
    /// these are exact scores of all arms or of those that may be on the front.
    #[doc(hidden)]
    pub fn pass_over_fresh(&self, arms: &ArmSet, decision: &mut Decision) {
        let path = FrontPath::choose(&self.learner.shape(arms, decision.tables));
        self.learner.score_by(path, arms, decision);
    }

    /// Sweeps fixed arms once: steps 10 and 11 of a round in which nothing moves. Nothing is learned.
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
