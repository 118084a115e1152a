//! Changes of the objectives or the arms of a policy that has already learned.

use moglb::{Error, Objective, ObjectiveId, PolicySnapshot, Prior, Problem};
use serde::Deserialize;

/// A change, as the Python package writes it: a dictionary with one key, or JSON.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Change {
    /// Adds an objective.
    Add {
        /// The new objective.
        objective: Objective,
        /// The belief about its coefficients before its first reward.
        prior: Prior,
    },
    /// Removes an objective.
    Drop(ObjectiveId),
    /// Replaces the arms: the old position of each arm, or none for a new arm.
    Arms(Vec<Option<usize>>),
}

impl Change {
    /// Returns the policy after the change.
    ///
    /// # Errors
    ///
    /// [`Error::ObjectivesFixed`] or [`Error::ArmsFixed`] for a policy that cannot change, [`Error::Prior`],
    /// or an error about the objective or the arms.
    pub(crate) fn apply(self, snapshot: PolicySnapshot) -> Result<PolicySnapshot, Error> {
        match self {
            Change::Add { objective, prior } => snapshot.with_objective(objective, prior),
            Change::Drop(objective) => {
                let objective = objective.find(&Problem::from_config(snapshot.problem.clone())?)?;
                snapshot.without_objective(objective)
            }
            Change::Arms(kept) => snapshot.with_arms(&kept),
        }
    }

    /// True if the fixed arms stay the arms on offer.
    pub(crate) fn keeps_arms(&self) -> bool {
        !matches!(self, Change::Arms(_))
    }
}
