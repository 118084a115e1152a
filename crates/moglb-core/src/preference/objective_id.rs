//! Objectives as they are named in configurations.

use crate::Problem;
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// An objective, by its name or its number from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ObjectiveId {
    /// Its number, from 0.
    Number(usize),
    /// Its name.
    Name(String),
}

impl ObjectiveId {
    /// The number of the objective in a problem.
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

/// An objective by its name, or by its number where a name is all that can be written, as in the keys of a table.
pub fn find(name: &str, problem: &Problem) -> Result<usize, Error> {
    let objectives = problem.objectives();
    let named = objectives.iter().position(|objective| objective.name == name);
    let numbered = || name.parse().ok().filter(|&index: &usize| index < objectives.len());
    named.or_else(numbered).ok_or_else(|| Error::ObjectiveNotFound {
        name: name.into(),
        known: objectives.iter().map(|objective| objective.name.clone()).collect(),
    })
}
