//! What a policy predicts for a reward before it learns it.

use crate::{Arm, ArmSet, Decision, Objective, Policy, Problem, Scale};
use moglb_math::draw;

/// What was predicted for a reward: its mean, and the bounds that the policy's confidence set puts on that mean, in units of the
/// reward. A prediction that is NaN is not judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The mean.
    pub mean: f64,
    /// The least mean that is thought possible.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Prediction {
    /// From an estimate and its width, as decisions have them.
    pub fn new(objective: &Objective, scale: Scale, estimate: f64, width: f64) -> Self {
        let mean = |value: f64| scale.mean(objective, value);
        Self { mean: mean(estimate), low: mean(estimate - width), high: mean(estimate + width) }
    }
}

/// Asks policies for predictions, in memory that is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Forecaster {
    /// Estimates and widths of one arm.
    alone: Vec<(f64, f64)>,
    contexts: Vec<f64>,
    decision: Decision,
    predictions: Vec<Prediction>,
}

impl Forecaster {
    /// What a policy predicts for an arm in every objective; empty for a policy that says nothing about every objective. One that
    /// does not predict by itself is asked by a decision among nothing but this arm, which stands in all places where the number of arms
    /// is fixed.
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

    /// Whether the policy decides at all: one whose arms are of another shape will refuse to learn too.
    fn decide<P: Policy + ?Sized>(&mut self, policy: &P, arm: Arm<'_>, n_arms: usize) -> bool {
        self.contexts.clear();
        (0..n_arms).for_each(|_| self.contexts.extend_from_slice(arm.context()));
        // Which arm is drawn does not matter, so that the generator may be the same every time.
        ArmSet::borrowed(arm.context().len(), &self.contexts)
            .is_ok_and(|arms| policy.decide_into(&arms, &mut draw::seeded(0), &mut self.decision).is_ok())
    }
}
