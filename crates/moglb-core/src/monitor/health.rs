//! What monitors have to say.

use super::alarm::Alarm;
use super::{
    CalibrationHealth, ContextHealth, CoverageHealth, DriftHealth, ExposureHealth, FrontHealth, Monitor,
    RadiusHealth, RewardHealth, Watch,
};
use crate::Objective;
use serde::{Deserialize, Serialize};

/// What all monitors have counted, and their alarms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Contexts and their norms.
    pub contexts: ContextHealth,
    /// Projections onto the ball of radius D.
    pub radius: RadiusHealth,
    /// Each objective's rewards and predictions.
    pub objectives: Vec<ObjectiveHealth>,
    /// Sizes of the front.
    pub front: FrontHealth,
    /// Plays beside probabilities.
    pub exposure: ExposureHealth,
}

/// What is seen of one objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveHealth {
    /// Its name.
    pub name: String,
    /// Rewards and the ends of their range.
    pub rewards: RewardHealth,
    /// Predicted beside observed means.
    pub calibration: CalibrationHealth,
    /// The same from some round on.
    pub drift: DriftHealth,
    /// Rewards beside the bounds of the confidence set.
    pub coverage: CoverageHealth,
}

impl Health {
    /// The alarms that ring: contexts, radius, objective by objective, front, exposure.
    pub fn alarms(&self) -> impl Iterator<Item = &Alarm> {
        [&self.contexts.alarm, &self.radius.alarm]
            .into_iter()
            .chain(self.objectives.iter().flat_map(ObjectiveHealth::each))
            .chain([&self.front.alarm, &self.exposure.alarm])
            .flatten()
    }
}

impl ObjectiveHealth {
    fn each(&self) -> [&Option<Alarm>; 4] {
        [&self.rewards.alarm, &self.calibration.alarm, &self.drift.alarm, &self.coverage.alarm]
    }
}

impl Monitor {
    /// What was counted so far, and the alarms that ring.
    pub fn health(&self) -> Health {
        let of = |(objective, watch)| self.objective_health(objective, watch);
        Health {
            contexts: self.state.contexts.health(),
            radius: self.state.projections.health(self.problem.radius()),
            objectives: self.problem.objectives().iter().zip(&self.state.objectives).map(of).collect(),
            front: self.state.fronts.health(),
            exposure: self.state.exposure.health(self.config.level),
        }
    }

    fn objective_health(&self, objective: &Objective, watch: &Watch) -> ObjectiveHealth {
        let (tolerance, level) = (self.config.tolerance, self.config.level);
        ObjectiveHealth {
            name: objective.name.clone(),
            rewards: watch.rewards.health(objective),
            calibration: watch.calibration.health(objective, tolerance, level),
            drift: watch.residuals.health(objective, tolerance, level),
            coverage: watch.coverage.health(objective, level),
        }
    }
}
