//! A monitor written down, to go on from there to the bit.

use super::{Monitor, MonitorConfig, State, Watch};
use crate::saved::{check_rounds, damaged};
use crate::{Problem, ProblemConfig};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The name and version of the format.
pub const MONITOR_FORMAT: &str = "moglb.monitor/1";

/// A monitor: its problem, its parameters and what it has counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MonitorSnapshot {
    /// Always [`MONITOR_FORMAT`].
    pub format: String,
    /// The problem.
    pub problem: ProblemConfig,
    /// The parameters.
    pub monitor: MonitorConfig,
    state: State,
}

impl Monitor {
    /// The monitor as JSON; numbers are written so that they read back exactly.
    pub fn to_json(&self) -> String {
        let (problem, monitor, state) =
            (self.problem.config().clone(), self.config.clone(), self.state.clone());
        let snapshot = MonitorSnapshot { format: MONITOR_FORMAT.into(), problem, monitor, state };
        serde_json::to_string(&snapshot).expect("a monitor holds finite numbers and string keys")
    }

    /// A monitor from [`Monitor::to_json`].
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`], [`Error::SnapshotDamaged`], or what is wrong with problem or parameters in it.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Format {
            format: String,
        }
        // The format first: of another version only that much is known.
        let Format { format } = serde_json::from_str(text).map_err(|error| damaged(&error))?;
        if format != MONITOR_FORMAT {
            return Err(Error::SnapshotFormat { expected: MONITOR_FORMAT.into(), got: format });
        }
        let snapshot: MonitorSnapshot = serde_json::from_str(text).map_err(|error| damaged(&error))?;
        snapshot.state.check(snapshot.problem.objectives.len())?;
        let mut monitor = Self::new(Problem::from_config(snapshot.problem)?, snapshot.monitor)?;
        monitor.state = snapshot.state;
        Ok(monitor)
    }
}

impl State {
    /// Refuses what nothing that happens can have left.
    fn check(&self, n_objectives: usize) -> Result<(), Error> {
        let sound = self.contexts.is_sound()
            && self.projections.is_sound()
            && self.fronts.is_sound()
            && self.exposure.is_sound()
            && self.objectives.len() == n_objectives;
        if !sound {
            return Err(damaged(&"the counts of a monitor contradict each other"));
        }
        self.objectives.iter().try_for_each(Watch::check)
    }
}

impl Watch {
    fn check(&self) -> Result<(), Error> {
        check_rounds(self.judged)?;
        self.residuals.check()?;
        self.coverage.check()?;
        let sound = self.rewards.is_sound()
            && self.calibration.is_sound()
            && self.residuals.is_sound()
            && self.coverage.is_sound();
        if sound { Ok(()) } else { Err(damaged(&"the counts of an objective contradict each other")) }
    }
}
