//! The table that a model is fitted to: a vector and the rewards for every observation.

use crate::layout::{Layout, Sizes};
use crate::{Content, DataProblem};
use moglb::Matrix;

/// The vectors φ(x, a) with the names of their entries, and the rewards.
///
/// Example: [`Layout`].
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The name of each column.
    pub columns: Vec<String>,
    /// A vector for each known reward vector (rows).
    pub vectors: Matrix,
    /// The known rewards (rows), in each objective (columns).
    pub rewards: Matrix,
}

impl DataProblem {
    /// The features of an arm; empty if arms have none.
    pub fn arm_features(&self, arm: usize) -> &[f64] {
        if self.arms.features.is_empty() { &[] } else { self.arms.values.row(arm) }
    }

    /// All known rewards with the vectors of a layout, for a linear model.
    pub fn design(&self, layout: Layout) -> Design {
        let n_arms = self.arms.ids.len();
        let mut vectors = Vec::new();
        let mut push = |x: &[f64], arm: Option<usize>| {
            let a = arm.map_or(&[][..], |arm| self.arm_features(arm));
            layout.push(x, a, arm.unwrap_or(0), n_arms, &mut vectors);
        };
        let rewards = match &self.content {
            Content::Full(full) => {
                full.contexts.rows().for_each(|x| (0..n_arms).for_each(|arm| push(x, Some(arm))));
                &full.rewards
            }
            Content::Logged(logged) => {
                logged.contexts.rows().zip(&logged.arms).for_each(|(x, &arm)| push(x, Some(arm)));
                &logged.rewards
            }
            Content::Arms(means) => {
                (0..n_arms).for_each(|arm| push(&[], Some(arm)));
                means
            }
            Content::Candidates(candidates) => {
                for (k, x) in candidates.contexts.rows().enumerate() {
                    push(x, candidates.arms.as_ref().map(|arms| arms[k]));
                }
                &candidates.rewards
            }
        };
        let vectors = Matrix::new(layout.dim(Sizes::of(self)), vectors).expect("whole vectors");
        Design { columns: layout.names(&self.features, &self.arms), vectors, rewards: rewards.clone() }
    }
}
