//! A ridge regression for each of K arms: the learner of both forms of LinUCB.

use crate::ridge::{Ridge, RidgeState};
use moglb_core::saved::{SavedPart, check_rounds};
use moglb_core::{Arm, Problem, ProblemConfig};
use moglb_math::Error;
use moglb_math::memory::check_memory;

/// A regression for each arm: A_a = λI + Σxxᵀ and b_a = Σyx over the rounds in which arm a was played.
#[derive(Debug, Clone)]
pub(super) struct PerArm {
    ridges: Vec<Ridge>,
}

impl PerArm {
    /// Creates the regressions before the first round. λ has been checked, and `largest` bounds every |y|.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`] if the problem has no fixed number of arms, or [`Error::TooLarge`].
    pub fn new(problem: &Problem, policy: &'static str, lambda: f64, largest: f64) -> Result<Self, Error> {
        let (n_arms, dim) = (problem.n_arms().ok_or(Error::ArmCountNeeded { policy })?, problem.dim());
        check_memory(n_arms.saturating_mul(dim), dim.saturating_add(16))?;
        Ok(Self { ridges: vec![Ridge::new(dim, 1, lambda, largest); n_arms] })
    }

    /// Returns the regression of an arm.
    pub fn ridge(&self, arm: usize) -> &Ridge {
        &self.ridges[arm]
    }

    /// Learns the reward of an arm. Both have been checked.
    pub fn learn(&mut self, arm: Arm<'_>, y: f64) {
        self.ridges[arm.id().0].learn(arm.context(), [y].into_iter());
    }

    /// Returns the number of rewards learned, over all arms.
    pub fn rounds(&self) -> u64 {
        self.ridges.iter().map(Ridge::rounds).sum()
    }
}

impl SavedPart for PerArm {
    type State = Vec<RidgeState>;

    fn state(&self) -> Vec<RidgeState> {
        self.ridges.state()
    }

    fn resumed(&self, states: Vec<RidgeState>) -> Result<Self, Error> {
        let rounds = states.iter().try_fold(0u64, |sum, state| sum.checked_add(state.rounds));
        check_rounds(rounds.unwrap_or(u64::MAX))?;
        Ok(Self { ridges: self.ridges.resumed(states)? })
    }
}

/// Returns true if there is a regression of d features for each arm.
pub fn fits(states: &[RidgeState], problem: &ProblemConfig) -> bool {
    Some(states.len()) == problem.n_arms && states.iter().all(|state| state.fits(problem.dim, 1))
}
