//! Discounting, for coefficients that drift. Not part of Algorithm 1.

use super::{Learner, Memory, Reward, Round};
use moglb_math::kernel::Unit;

impl Learner {
    /// Discounts the Gram matrices of the observed objectives and adapts their estimates: the reward just
    /// learned has weight `discount` in the next round. It overwrites the directions of the round. No cache
    /// reads them then, because arms are not cached with a discount (`FixedArms::pay`).
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
