//! Decisions by an index of θᵀx and ‖x‖_{Z⁻¹}. Both are computed for all arms at once.

use super::Decision;
use crate::ArmSet;
use crate::estimate::Estimate;
use crate::scoring::Optimism;
use moglb_math::Gram;
use rand_core::Rng;

impl Decision {
    /// Plays an arm with the largest index. Ties are broken uniformly, and there is no front. `index`
    /// receives the number of an arm, its θᵀx and its ‖x‖_{Z⁻¹}, and returns an estimate and a width. Their
    /// sum is the index.
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

    /// Returns θᵀx and ‖x‖_{Z⁻¹} of each arm in turn, in memory taken from the workspace.
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
