//! References to objectives in configurations.

use crate::Problem;
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// A reference to an objective, by its name or its number from 0.
///
/// ```
/// use moglb::ObjectiveId;
///
/// let by_name: ObjectiveId = serde_json::from_str(r#""cost""#).unwrap();
/// assert_eq!(by_name, ObjectiveId::Name("cost".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ObjectiveId {
    /// The number of the objective, from 0.
    Number(usize),
    /// The name of the objective.
    Name(String),
}

impl ObjectiveId {
    /// Returns the number of the objective in a problem.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::ObjectiveNotFound`].
    pub fn find(&self, problem: &Problem) -> Result<usize, Error> {
        match self {
            &Self::Number(got) if got >= problem.n_objectives() => {
                Err(Error::UnknownObjective { got, n_objectives: problem.n_objectives() })
            }
            &Self::Number(index) => Ok(index),
            Self::Name(name) => find(name, problem),
        }
    }
}

/// Finds an objective by its name, or by its number written as text, as in the keys of a table.
///
/// # Errors
///
/// [`Error::ObjectiveNotFound`].
pub fn find(name: &str, problem: &Problem) -> Result<usize, Error> {
    let objectives = problem.objectives();
    let named = objectives.iter().position(|objective| objective.name == name);
    let numbered = || name.parse().ok().filter(|&index: &usize| index < objectives.len());
    named.or_else(numbered).ok_or_else(|| Error::ObjectiveNotFound {
        name: name.into(),
        known: objectives.iter().map(|objective| objective.name.clone()).collect(),
    })
}
