//! A stored round, from which a policy can learn again.

use super::detector::Detector;
use moglb_core::{Arm, LearnsBy, Policy, Problem, ProblemConfig};
use moglb_math::Error;
use moglb_pareto::ArmId;
use serde::{Deserialize, Serialize};

/// The arm of a round and the known part of its reward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredRound {
    arm: usize,
    context: Vec<f64>,
    reward: Vec<Option<f64>>,
}

impl StoredRound {
    /// A round without the parts that a policy with these facts does not learn from.
    pub(super) fn new(arm: Arm<'_>, reward: &[Option<f64>], learns_by: LearnsBy) -> Self {
        let (id, context) = (arm.id().0, arm.context().to_vec());
        let (arm, context) = match learns_by {
            LearnsBy::Context => (0, context),
            LearnsBy::Arm => (id, vec![0.0; context.len()]),
            LearnsBy::Both => (id, context),
        };
        Self { arm, context, reward: reward.to_vec() }
    }

    /// Lets a policy learn the round.
    pub(super) fn tell<P: Policy + ?Sized>(&self, policy: &mut P) -> Result<(), Error> {
        policy.learn_part(Arm::new(ArmId(self.arm), &self.context)?, &self.reward)
    }

    /// Lets a detector learn the round.
    pub(super) fn show(&self, detector: &mut Detector, problem: &Problem) -> Result<(), Error> {
        let reward: Vec<f64> = self.reward.iter().map(|y| y.unwrap_or(f64::NAN)).collect();
        detector.learn(problem, &self.context, &reward)
    }

    /// Refuses a round that cannot belong to the problem.
    pub(super) fn check(&self, problem: &Problem, may_miss: bool) -> Result<(), Error> {
        if !may_miss && self.reward.contains(&None) {
            return Err(Error::WholeRewards);
        }
        problem.check_part(Arm::new(ArmId(self.arm), &self.context)?, &self.reward)
    }

    /// True if the sizes of the round are those of a problem.
    pub(super) fn fits(&self, problem: &ProblemConfig) -> bool {
        self.context.len() == problem.dim && self.reward.len() == problem.objectives.len()
    }
}
