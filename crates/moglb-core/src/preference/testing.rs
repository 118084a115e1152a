//! Views for tests of preferences.

use super::{Belief, Preference, View};
use crate::{Decision, Link, Objective, PreferenceConfig, Problem, Scale};
use moglb_math::Matrix;
use moglb_pareto::ArmId;

/// A decision with given mean rewards, and the other inputs of a view.
pub struct Table {
    objectives: Vec<Objective>,
    candidates: Vec<ArmId>,
    decision: Decision,
    scale: Scale,
    pub(super) exposures: Vec<u64>,
}

impl Table {
    /// Returns a table with exactly known mean rewards. Every arm is a candidate, and the policy
    /// would draw uniformly.
    pub fn new<const M: usize>(objectives: Vec<Objective>, means: &[[f64; M]]) -> Self {
        let n_arms = means.len();
        let decision = Decision {
            probabilities: vec![1.0 / n_arms as f64; n_arms],
            estimates: Matrix::from_rows(means).unwrap(),
            widths: Matrix::from_rows(&vec![[0.0; M]; n_arms]).unwrap(),
            ..Decision::default()
        };
        let candidates = (0..n_arms).map(ArmId).collect();
        Self { objectives, candidates, decision, scale: Scale::Mean, exposures: Vec::new() }
    }

    /// Returns a table with objectives `y0`, `y1`, … with rewards in [0, 1], larger is better.
    pub fn plain<const M: usize>(means: &[[f64; M]]) -> Self {
        Self::new((0..M).map(|i| Objective::new(format!("y{i}"), Link::Logit)).collect(), means)
    }

    pub(super) fn with_widths<const M: usize>(mut self, widths: &[[f64; M]]) -> Self {
        self.decision.widths = Matrix::from_rows(widths).unwrap();
        self
    }

    pub(super) fn with_scale(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }

    pub(super) fn with_own(mut self, probabilities: &[f64]) -> Self {
        self.decision.probabilities = probabilities.to_vec();
        self
    }

    /// Replaces the candidates.
    pub fn among(mut self, candidates: &[usize]) -> Self {
        self.candidates = candidates.iter().copied().map(ArmId).collect();
        self
    }

    pub fn view(&self) -> View<'_> {
        View {
            objectives: &self.objectives,
            candidates: &self.candidates,
            decision: &self.decision,
            scale: self.scale,
            belief: Belief::Mean,
            exposures: &self.exposures,
        }
    }

    /// Returns the probabilities by a preference, which is written as JSON.
    pub fn weigh(&self, preference: &str) -> Vec<f64> {
        let mut probabilities = vec![0.0; self.decision.probabilities.len()];
        self.preference(preference).weigh(&self.view(), &mut probabilities).unwrap();
        probabilities
    }

    pub(super) fn shortfall(&self, preference: &str) -> f64 {
        self.preference(preference).shortfall(&self.view())
    }

    fn preference(&self, text: &str) -> Box<dyn Preference> {
        let config: PreferenceConfig = serde_json::from_str(text).expect(text);
        config.build(&Problem::new(1, self.objectives.clone()).unwrap()).expect(text)
    }
}
