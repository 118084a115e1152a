//! A reward of which parts may be missing.

use super::ObjectiveModel;

/// The values of a reward, and which of them were observed.
#[derive(Clone, Copy)]
pub struct Reward<'a> {
    /// One for each objective. A value that was not observed has no meaning.
    pub values: &'a [f64],
    /// The mask; none if all were observed.
    observed: Option<&'a [bool]>,
}

impl<'a> Reward<'a> {
    /// A reward of which everything was observed.
    pub fn whole(values: &'a [f64]) -> Self {
        Self { values, observed: None }
    }

    /// A reward with a mask of what was observed.
    pub fn part(values: &'a [f64], observed: &'a [bool]) -> Self {
        Self { values, observed: Some(observed) }
    }

    /// Whether the reward of an objective was observed.
    #[inline(always)]
    pub(super) fn is_observed(self, objective: usize) -> bool {
        self.observed.is_none_or(|observed| observed[objective])
    }

    /// Whether that of any objective of a Gram matrix was.
    #[inline(always)]
    pub(super) fn is_observed_by(self, models: &[ObjectiveModel], gram: usize) -> bool {
        let is_own = |(i, model): (usize, &ObjectiveModel)| model.gram == gram && self.is_observed(i);
        self.observed.is_none() || models.iter().enumerate().any(is_own)
    }
}
