//! Policies around policies, for coefficients that drift: they forget old rewards. They work around any
//! policy of the registry. To forget, they build a new policy inside and let it learn the rounds that are
//! kept.

/// Forwards most methods of [`Policy`](moglb_core::Policy) to the policy inside, for types with `inner`,
/// `fixed` and `take`.
macro_rules! forward_to_inner {
    () => {
        fn decide_into(
            &self,
            arms: &ArmSet,
            rng: &mut dyn Rng,
            decision: &mut Decision,
        ) -> Result<(), Error> {
            self.inner.decide_into(arms, rng, decision)
        }

        fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
            self.problem.check_play(arm, reward)?;
            let reward: Vec<Option<f64>> = reward.iter().map(|&y| Some(y)).collect();
            self.take(StoredRound::new(arm, &reward, self.facts().learns_by))
        }

        fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
            self.problem.check_part(arm, reward)?;
            if self.facts().learns_parts && reward.iter().all(Option::is_none) {
                return Ok(());
            }
            self.take(StoredRound::new(arm, reward, self.facts().learns_by))
        }

        fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
            self.inner.fix_arms(arms)?;
            self.fixed = Some(arms.clone());
            Ok(())
        }

        fn model(&self) -> Option<&dyn Model> {
            self.inner.model()
        }
    };
}

mod detector;
pub(crate) mod inner;
pub(crate) mod restart;
mod round;
pub(crate) mod window;
