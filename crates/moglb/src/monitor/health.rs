//! The report of a monitor.

use super::alarm::Alarm;
use super::{
    CalibrationHealth, ContextHealth, CoverageHealth, DriftHealth, ExposureHealth, FrontHealth, Monitor,
    RadiusHealth, RewardHealth, Watch,
};
use moglb_core::Objective;
use serde::{Deserialize, Serialize};

/// The counts and alarms of all monitors.
///
/// Example: [`Monitor`].
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
    /// Plays compared with probabilities.
    pub exposure: ExposureHealth,
}

/// The counts and alarms of one objective.
///
/// Example: [`Monitor`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectiveHealth {
    /// The name of the objective.
    pub name: String,
    /// Rewards and the ends of their range.
    pub rewards: RewardHealth,
    /// Predicted means compared with observed means.
    pub calibration: CalibrationHealth,
    /// Predicted means compared with observed means, from some round on.
    pub drift: DriftHealth,
    /// Rewards compared with the bounds of the confidence set.
    pub coverage: CoverageHealth,
}

impl Health {
    /// Returns the active alarms, in this order: contexts, radius, each objective, front, exposure.
    pub fn alarms(&self) -> impl Iterator<Item = &Alarm> {
        [&self.contexts.alarm, &self.radius.alarm]
            .into_iter()
            .chain(self.objectives.iter().flat_map(ObjectiveHealth::each))
            .chain([&self.front.alarm, &self.exposure.alarm])
            .flatten()
    }
}

impl ObjectiveHealth {
    /// The alarms of the objective, active or not.
    fn each(&self) -> [&Option<Alarm>; 4] {
        [&self.rewards.alarm, &self.calibration.alarm, &self.drift.alarm, &self.coverage.alarm]
    }
}

impl Monitor {
    /// Returns the counts so far and the active alarms.
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
