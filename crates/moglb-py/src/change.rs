//! What can change about a policy while it is at work.

use moglb::{Error, Objective, ObjectiveId, PolicySnapshot, Prior, Problem};
use serde::Deserialize;

/// A change, as the Python side writes it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Change {
    /// One objective more.
    Add {
        /// The objective.
        objective: Objective,
        /// What is believed about it.
        prior: Prior,
    },
    /// One objective less.
    Drop(ObjectiveId),
    /// Other arms: what each was, or nothing for a new one.
    Arms(Vec<Option<usize>>),
}

impl Change {
    /// The policy as it is afterwards.
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

    /// Whether the arms that were fixed are still those on offer.
    pub(crate) fn keeps_arms(&self) -> bool {
        !matches!(self, Change::Arms(_))
    }
}
