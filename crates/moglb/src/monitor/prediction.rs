//! Predictions of rewards by a policy, made before it learns them.

use moglb_core::{Arm, ArmSet, Decision, Objective, Policy, Problem, Scale};
use moglb_math::draw;

/// A prediction of a reward: its mean, and the bounds of the policy's confidence set on that mean,
/// in units of the reward. A prediction that is NaN is not judged.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The predicted mean.
    pub mean: f64,
    /// The lower bound on the mean.
    pub low: f64,
    /// The upper bound on the mean.
    pub high: f64,
}

impl Prediction {
    /// Returns a prediction from an estimate and its width, as they are in the tables of decisions.
    pub fn new(objective: &Objective, scale: Scale, estimate: f64, width: f64) -> Self {
        let mean = |value: f64| scale.mean(objective, value);
        Self { mean: mean(estimate), low: mean(estimate - width), high: mean(estimate + width) }
    }
}

/// Computes predictions of policies, in reused memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Forecaster {
    /// The estimates and widths of one arm, one pair per objective.
    alone: Vec<(f64, f64)>,
    contexts: Vec<f64>,
    decision: Decision,
    predictions: Vec<Prediction>,
}

impl Forecaster {
    /// Returns the predictions of a policy for an arm, one per objective; empty if the policy does
    /// not predict all objectives. For a policy that does not support
    /// [`Model::predict_into`](crate::Model::predict_into), they come from a decision among this
    /// arm only. If the number of arms is fixed, this decision is among that many copies of it.
    pub fn predict<P: Policy + ?Sized>(
        &mut self,
        policy: &P,
        problem: &Problem,
        arm: Arm<'_>,
    ) -> &[Prediction] {
        self.predictions.clear();
        let scale = policy.facts().scale;
        let of = |(objective, &(estimate, width))| Prediction::new(objective, scale, estimate, width);
        let alone = policy.model().filter(|_| arm.context().len() == problem.dim());
        if alone.is_some_and(|model| model.predict_into(arm, &mut self.alone)) {
            self.predictions.extend(problem.objectives().iter().zip(&self.alone).map(of));
            return &self.predictions;
        }
        let (n_arms, row) = problem.n_arms().map_or((1, 0), |n_arms| (n_arms, arm.id().0));
        if row >= n_arms || !self.decide(policy, arm, n_arms) {
            return &[];
        }
        let Decision { estimates, widths, .. } = &self.decision;
        if (estimates.n_rows(), estimates.n_cols()) == (n_arms, problem.n_objectives()) {
            self.alone.clear();
            self.alone.extend(estimates.row(row).iter().copied().zip(widths.row(row).iter().copied()));
            self.predictions.extend(problem.objectives().iter().zip(&self.alone).map(of));
        }
        &self.predictions
    }

    /// Decides among `n_arms` copies of an arm. Returns false if the policy cannot: a policy whose
    /// arms have another shape will also reject the reward.
    fn decide<P: Policy + ?Sized>(&mut self, policy: &P, arm: Arm<'_>, n_arms: usize) -> bool {
        self.contexts.clear();
        (0..n_arms).for_each(|_| self.contexts.extend_from_slice(arm.context()));
        // The drawn arm does not matter, so the generator can be the same every time.
        ArmSet::borrowed(arm.context().len(), &self.contexts)
            .is_ok_and(|arms| policy.decide_into(&arms, &mut draw::seeded(0), &mut self.decision).is_ok())
    }
}
