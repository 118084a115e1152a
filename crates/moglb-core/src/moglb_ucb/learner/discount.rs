//! Forgetting, for coefficients that drift: no part of Algorithm 1.

use super::{Learner, Memory, Reward, Round};
use moglb_math::kernel::Unit;

impl Learner {
    /// Discounts the Gram matrices of objectives that observed something, and lets their estimates follow: the reward just
    /// learned weighs `discount` in the next round. Leaves other directions in the round, which nothing cached follows then.
    #[inline(always)]
    pub(super) fn forget<S: Unit>(&mut self, simd: S, reward: Reward<'_>, round: &mut Round) {
        let (discount, radius) = (self.config.discount, self.problem.radius());
        let Memory { update, projection, .. } = &mut self.memory;
        for (g, gram) in self.grams.iter_mut().enumerate() {
            if !reward.is_observed_by(&self.models, g) {
                continue;
            }
            self.sums[g].squared_norms *= discount;
            let renewal = gram.forget(simd, discount, &mut round.directions[g], update);
            for model in self.models.iter_mut().filter(|model| model.gram == g) {
                model.estimate.renew(simd, renewal, &round.directions[g], gram, radius, projection);
            }
        }
    }
}
