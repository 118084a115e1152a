//! A reward vector, of which parts may be missing.

use super::ObjectiveModel;

/// The values of a reward, and a mask of the observed ones.
#[derive(Clone, Copy)]
pub struct Reward<'a> {
    /// One value for each objective. The value of an unobserved objective has no meaning.
    pub values: &'a [f64],
    /// The mask; `None` if all were observed.
    observed: Option<&'a [bool]>,
}

impl<'a> Reward<'a> {
    /// A reward with all objectives observed.
    pub fn whole(values: &'a [f64]) -> Self {
        Self { values, observed: None }
    }

    /// A reward with a mask of the observed objectives.
    pub fn part(values: &'a [f64], observed: &'a [bool]) -> Self {
        Self { values, observed: Some(observed) }
    }

    /// True if the reward of this objective was observed.
    #[inline(always)]
    pub(super) fn is_observed(self, objective: usize) -> bool {
        self.observed.is_none_or(|observed| observed[objective])
    }

    /// True if the reward of any objective with this Gram matrix was observed.
    #[inline(always)]
    pub(super) fn is_observed_by(self, models: &[ObjectiveModel], gram: usize) -> bool {
        let is_own = |(i, model): (usize, &ObjectiveModel)| model.gram == gram && self.is_observed(i);
        self.observed.is_none() || models.iter().enumerate().any(is_own)
    }
}
