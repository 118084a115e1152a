//! Decisions by an index of θᵀx and ‖x‖_{Z⁻¹}, both computed for all arms at once.

use super::Optimism;
use crate::estimate::Estimate;
use crate::{ArmSet, Decision};
use moglb_math::Gram;
use rand_core::Rng;

impl Decision {
    /// Plays an arm with the largest index; ties are broken uniformly, and there is no front. `index` makes an estimate and a
    /// width, whose sum is the index, from the number of an arm, its θᵀx and its ‖x‖_{Z⁻¹}.
    #[doc(hidden)]
    pub fn play_by_index(
        &mut self,
        arms: &ArmSet,
        rng: &mut dyn Rng,
        gram: &Gram,
        theta: &Estimate,
        mut index: impl FnMut(usize, f64, f64) -> (f64, f64),
    ) {
        let pairs = self.predict(arms, gram, theta);
        self.play_the_best(arms.n_arms(), rng, |arm| index(arm, pairs[2 * arm], pairs[2 * arm + 1]));
        self.work.vectors[0] = pairs;
    }

    /// θᵀx and ‖x‖_{Z⁻¹} of each arm in turn, in memory that the workspace lends.
    #[doc(hidden)]
    pub fn predict(&mut self, arms: &ArmSet, gram: &Gram, theta: &Estimate) -> Vec<f64> {
        let zero = Estimate::zero(gram.dim());
        let columns = [0.0, 1.0].map(|root| Optimism { gram: 0, root, sign: 1.0 });
        let grams = std::slice::from_ref(gram);
        self.scorer().refill(arms, grams, |i| if i == 0 { theta } else { &zero }, columns.into_iter());
        let wanted = std::mem::replace(&mut self.tables, false);
        self.score(arms, grams);
        self.tables = wanted;
        let mut pairs = std::mem::take(&mut self.work.vectors[0]);
        pairs.clear();
        pairs.extend_from_slice(self.work.scores.as_slice());
        pairs
    }
}
