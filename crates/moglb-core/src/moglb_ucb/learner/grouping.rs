//! Which objectives share a Gram matrix.
//!
//! In the paper all do. Here objectives have one of their own where κ is per objective, where their priors differ, and
//! from the first round on that only some of a group observed: a missing part of a reward weighs nothing.

use super::{Learner, Reward};
use crate::Arm;
use moglb_math::Error;

impl Learner {
    /// Refuses an arm or a part of a reward that does not fit, then splits groups by what was observed. After
    /// this, [`Learner::update`] cannot fail.
    pub fn check_part(&mut self, arm: Arm<'_>, reward: Reward<'_>) -> Result<(), Error> {
        self.call_outside_links(arm)?;
        self.split(reward)
    }

    /// Gives each Gram matrix of some objectives with a reward and some without a twin for the latter.
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
