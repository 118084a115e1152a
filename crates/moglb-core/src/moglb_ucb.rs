//! MOGLB-UCB, Algorithm 1 of the paper.
//!
//! Each step of the paper's listing, and the code that does it. Steps 2, 9, 12 and 14 only open or close
//! loops.
//!
//! | steps | what | where |
//! |---|---|---|
//! | 1 | Z_1 = λI, θ̂_1 = 0; O_1 = X | `learner/start.rs`; `learner/scores.rs`, `keep_every_arm` |
//! | 3 | draw an arm from O_t | [`MoglbUcb::decide_into`](Policy::decide_into) |
//! | 4 | observe the reward y_t | the arguments of [`MoglbUcb::learn`](Policy::learn) |
//! | 5 | Z_{t+1}, Eq. (2) | `learner.rs`, `add_context` |
//! | 6, 7 | θ̂_{t+1,i}, Eq. (1) | `learner.rs`, `move_estimates` and `project_estimates` |
//! | 8 | γ_{t+1}, Eq. (8) | `learner/scores.rs`, `root`; the formulas are in `width.rs` |
//! | 10, 11 | scores, Eq. (6) | `scoring/rows.rs`, the plain path; for fixed arms `fixed.rs` |
//! | 13 | O_{t+1} | `front/filter.rs` of `moglb-pareto`; up to 96 arms `scoring/small_front.rs` |
//!
//! The confidence set of step 8 (Eq. (3)) is never built: Eq. (6) needs only its center θ̂ and its squared
//! radius γ. The default γ is the one of the paper's experiments; Eq. (8) is `Width::Proved`.
//!
//! γ and steps 10 to 13 are computed where arms are scored: in the next `decide`, or at the end of `learn`
//! if the arms are fixed. `scoring/path.rs` lists the paths to the front. After the first round all paths
//! find the same front.

mod bench;
pub mod config;
pub mod fixed;
pub mod learner;
pub mod read;
pub mod snapshot;

pub use config::{Kappa, MoglbUcbConfig};

use crate::{Arm, ArmSet, Decision, Facts, Model, Policy, Problem};
use fixed::FixedArms;
use learner::{Learner, Reward, Round};
use moglb_math::Error;
use rand_core::Rng;
use std::sync::Arc;

/// Algorithm 1: online Newton estimates, optimistic scores, and a uniform draw from their Pareto front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem, Width};
///
/// let objectives =
///     vec![Objective::new("click", Link::Logit), Objective::new("cost", Link::Identity).minimize()];
/// let config = MoglbUcbConfig { width: Width::Proved { delta: 0.05 }, ..Default::default() };
/// let mut policy = MoglbUcb::new(Problem::new(2, objectives)?, config)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]])?;
/// let mut rng = draw::seeded(7);
/// let decision = policy.decide(&arms, &mut rng)?;
/// assert_eq!(decision.front.len(), 3, "O_1 is the whole arm set");
/// policy.learn(arms.arm(decision.arm), &[1.0, 0.3])?;
/// assert_eq!(policy.t(), 1);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoglbUcb {
    /// The learned state: Z, θ̂, t and the sums of γ.
    learner: Learner,
    /// The change that the last round made to the learned state. Cached scores follow it.
    round: Round,
    /// The cached scores and front of fixed arms; none if no arms are fixed. Not part of the learned state.
    fixed: Option<Box<FixedArms>>,
}

impl MoglbUcb {
    /// Creates the policy before the first round: Z_1 = λI, θ̂_1 = 0.
    ///
    /// # Errors
    ///
    /// [`Error::Lambda`], [`Error::Delta`], [`Error::WidthFactor`], [`Error::ParameterBounds`],
    /// [`Error::Parameters`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: MoglbUcbConfig) -> Result<Self, Error> {
        Ok(Self { learner: Learner::new(problem, config)?, round: Round::default(), fixed: None })
    }

    /// Returns the cache of these arms if they are fixed and the decision does not need tables, which are
    /// not cached.
    fn fixed_for(&self, arms: &ArmSet, decision: &Decision) -> Option<&FixedArms> {
        self.fixed.as_deref().filter(|fixed| !decision.tables && std::ptr::eq(&**fixed.arms(), arms))
    }

    /// Learns a reward that has been checked: steps 5 to 7, and for fixed arms also steps 8 to 13.
    fn learn_checked(&mut self, arm: Arm<'_>, reward: Reward<'_>) {
        self.learner.update(arm, reward, &mut self.round);
        if let Some(fixed) = &mut self.fixed {
            fixed.follow(&self.learner, &self.round);
        }
    }
}

impl Policy for MoglbUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.learner.problem.check_arms(arms)?;
        decision.given_sample = false;
        match self.fixed_for(arms, decision) {
            Some(fixed) => fixed.show(decision),
            None => self.learner.find_front(arms, decision), // steps 10 to 13
        }
        decision.draw_from_front(arms.n_arms(), rng); // step 3
        Ok(())
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.learner.problem.check_arms(arms)?;
        self.fixed =
            FixedArms::pay(&self.learner, arms).then(|| Box::new(FixedArms::new(&self.learner, arms)));
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.learner.check(arm, reward)?;
        // Nothing below can fail, so a refused reward leaves the policy as it was.
        self.learn_checked(arm, Reward::whole(reward));
        Ok(())
    }

    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        self.learner.problem.check_part(arm, reward)?;
        if reward.iter().all(Option::is_none) {
            return Ok(());
        }
        let observed: Vec<bool> = reward.iter().map(Option::is_some).collect();
        let values: Vec<f64> = reward.iter().map(|y| y.unwrap_or_default()).collect();
        let reward = Reward::part(&values, &observed);
        self.learner.check_part(arm, reward)?;
        self.learn_checked(arm, reward);
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_parts: true, ..Facts::default() }
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(&self.learner)
    }
}
