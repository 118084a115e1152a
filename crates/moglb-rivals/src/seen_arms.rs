//! The contexts of the arms of a fixed set that were played, for policies that need all arms on offer in
//! order to learn.
//!
//! `learn` receives only the played arm. A policy whose learning depends on all arms therefore plays each
//! of them once before its algorithm starts, and requires that they stay the same from then on.

use moglb_core::saved::{damaged, plain};
use moglb_core::{Arm, ArmSet, Decision, Problem};
use moglb_math::Error;
use moglb_pareto::ArmId;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

/// The context of each arm that was played, in the order of the arm set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeenArms {
    contexts: Vec<Option<Vec<f64>>>,
}

plain!(SeenArms);

impl SeenArms {
    /// Creates a place for each arm, before any arm was played.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`] if the problem has no fixed number of arms, or [`Error::TooLarge`].
    pub fn new(problem: &Problem, policy: &'static str) -> Result<Self, Error> {
        let n_arms = problem.n_arms().ok_or(Error::ArmCountNeeded { policy })?;
        moglb_math::memory::check_memory(n_arms, problem.dim())?;
        Ok(Self { contexts: vec![None; n_arms] })
    }

    /// Refuses an arm set with another context for an arm that was played.
    pub fn check_arms(&self, arms: &ArmSet) -> Result<(), Error> {
        (0..self.contexts.len()).try_for_each(|arm| self.check(arms.arm(ArmId(arm))))
    }

    /// Refuses an arm that had another context when it was played before.
    pub fn check(&self, arm: Arm<'_>) -> Result<(), Error> {
        match &self.contexts[arm.id().0] {
            Some(context) if context != arm.context() => Err(Error::Parameters {
                what: "the policy is for arms that stay the same, and an arm came with another context than \
                       before",
            }),
            _ => Ok(()),
        }
    }

    /// Stores the context of an arm that was checked. Returns true if the arm was played for the first time.
    pub fn note(&mut self, arm: Arm<'_>) -> bool {
        let place = &mut self.contexts[arm.id().0];
        let first = place.is_none();
        place.get_or_insert_with(|| arm.context().to_vec());
        first
    }

    /// Returns true if all arms were played.
    pub fn all(&self) -> bool {
        self.contexts.iter().all(Option::is_some)
    }

    /// Returns the context of an arm that was played.
    ///
    /// # Panics
    ///
    /// If the arm was not played.
    pub fn context(&self, arm: usize) -> &[f64] {
        self.contexts[arm].as_deref().expect("all arms were played")
    }

    /// Draws uniformly from the arms that were not played yet.
    ///
    /// # Panics
    ///
    /// If all arms were played.
    pub(crate) fn draw_the_unknown(&self, decision: &mut Decision, rng: &mut dyn Rng) {
        let unknown = |arm: &usize| self.contexts[*arm].is_none();
        decision.work.candidates.clear();
        decision.work.candidates.extend((0..self.contexts.len()).filter(unknown).map(ArmId));
        decision.draw_from_candidates(self.contexts.len(), rng);
    }

    /// Returns true if there is a place for each of K arms, and every stored context has d features.
    pub fn fits(&self, n_arms: Option<usize>, dim: usize) -> bool {
        Some(self.contexts.len()) == n_arms && self.contexts.iter().flatten().all(|x| x.len() == dim)
    }

    /// Refuses contexts that no arm can have, and more contexts than rounds.
    pub fn check_like(&self, problem: &Problem, rounds: u64) -> Result<(), Error> {
        if !self.fits(problem.n_arms(), problem.dim()) {
            return Err(damaged(&"the arms have another number or size"));
        }
        for (arm, context) in self.contexts.iter().enumerate() {
            if let Some(context) = context {
                Arm::new(ArmId(arm), context).map_err(|error| damaged(&error))?;
            }
        }
        if self.contexts.iter().flatten().count() as u64 > rounds {
            return Err(damaged(&"more arms were played than rounds"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_math::draw;

    #[test]
    fn arms_are_known_once_played_and_must_stay_the_same() {
        let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
        assert!(matches!(SeenArms::new(&problem, "p"), Err(Error::ArmCountNeeded { policy: "p" })));
        let mut known = SeenArms::new(&problem.with_arms(2).unwrap(), "p").unwrap();
        let arms = ArmSet::from_rows(&[[0.1], [0.2]]).unwrap();
        assert!(known.note(arms.arm(ArmId(1))) && !known.note(arms.arm(ArmId(1))) && !known.all());
        let mut decision = Decision::default();
        known.draw_the_unknown(&mut decision, &mut draw::seeded(1));
        assert_eq!((decision.arm, &decision.probabilities[..]), (ArmId(0), &[1.0, 0.0][..]));
        known.check_arms(&ArmSet::from_rows(&[[0.7], [0.2]]).unwrap()).unwrap();
        let moved = ArmSet::from_rows(&[[0.1], [0.3]]).unwrap();
        assert!(matches!(known.check_arms(&moved), Err(Error::Parameters { .. })));
        known.note(arms.arm(ArmId(0)));
        assert!(known.all());
        assert_eq!((known.context(0), known.context(1)), (&[0.1][..], &[0.2][..]));
    }
}
