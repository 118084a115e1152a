//! The assignment of objectives to Gram matrices.
//!
//! In the paper all objectives share one. Here an objective gets its own if κ is per objective, if priors
//! differ, or as soon as a reward is observed for only some objectives of a group: a missing part adds no
//! weight.

use super::{Learner, Reward};
use crate::Arm;
use moglb_math::Error;

impl Learner {
    /// Refuses an arm or a part of a reward that does not fit, then splits groups by what was observed.
    /// After this, [`Learner::update`] cannot fail.
    pub fn check_part(&mut self, arm: Arm<'_>, reward: Reward<'_>) -> Result<(), Error> {
        self.call_outside_links(arm)?;
        self.split(reward)
    }

    /// Splits each group that is only partly observed: its unobserved objectives get a copy of the Gram
    /// matrix.
    fn split(&mut self, reward: Reward<'_>) -> Result<(), Error> {
        let is_mixed = |gram: usize| {
            let mut own = (0..self.models.len()).filter(|&i| self.models[i].gram == gram);
            own.clone().any(|i| !reward.is_observed(i)) && own.any(|i| reward.is_observed(i))
        };
        let mixed: Vec<usize> = (0..self.grams.len()).filter(|&gram| is_mixed(gram)).collect();
        let dim = self.problem.dim();
        moglb_math::memory::check_memory(dim, dim.saturating_mul(mixed.len()))?;
        for &gram in &mixed {
            let twin = self.grams.len();
            self.grams.push(self.grams[gram].clone());
            self.sums.push(self.sums[gram]);
            for (i, model) in self.models.iter_mut().enumerate() {
                if model.gram == gram && !reward.is_observed(i) {
                    model.gram = twin;
                }
            }
        }
        Ok(())
    }
}
