//! Problems of kind `logged` in the format `mob-data/1`.

use super::{ArmFeatures, LogParts};
use crate::EvaluateError;
use moglb::Objective;
use moglb_data::{Content, DataProblem};

impl LogParts {
    /// The parts of a log from a problem. Rewards of the format lie in [0, 1].
    ///
    /// # Errors
    ///
    /// [`EvaluateError::NotLogged`].
    pub fn of_problem(problem: &DataProblem) -> Result<Self, EvaluateError> {
        let Content::Logged(logged) = &problem.content else {
            return Err(EvaluateError::NotLogged { problem: problem.id.clone() });
        };
        let objective =
            |one: &moglb_data::DataObjective| Objective::new(&one.column, one.link).range(0.0, 1.0);
        let arms = &problem.arms;
        Ok(Self {
            objectives: problem.objectives.iter().map(objective).collect(),
            arms: arms.ids.clone(),
            contexts: logged.contexts.clone(),
            arm_features: match arms.features.is_empty() {
                true => ArmFeatures::None,
                false => ArmFeatures::Fixed(arms.values.clone()),
            },
            played: logged.arms.clone(),
            propensities: Some(logged.propensities.clone()),
            rewards: logged.rewards.clone(),
            ..Self::default()
        })
    }
}
