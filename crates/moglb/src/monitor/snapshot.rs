//! The saved form of a monitor. A restored monitor continues bit for bit.

use super::{Monitor, MonitorConfig, State, Watch};
use moglb_core::saved::{check_rounds, damaged, from_json};
use moglb_core::{Problem, ProblemConfig};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The name and version of the format.
pub const MONITOR_FORMAT: &str = "moglb.monitor/1";

/// The saved form of a monitor: its problem, its parameters and its counts.
///
/// Example: [`Monitor`].
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
    /// Returns the monitor as JSON; numbers are written so that they read back exactly.
    pub fn to_json(&self) -> String {
        let (problem, monitor, state) =
            (self.problem.config().clone(), self.config.clone(), self.state.clone());
        let snapshot = MonitorSnapshot { format: MONITOR_FORMAT.into(), problem, monitor, state };
        serde_json::to_string(&snapshot).expect("a monitor holds finite numbers and string keys")
    }

    /// Returns a monitor from the text of [`Monitor::to_json`].
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`], [`Error::SnapshotDamaged`], or an error of the problem or the
    /// parameters in it.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let snapshot: MonitorSnapshot = from_json(text, MONITOR_FORMAT)?;
        snapshot.state.check(snapshot.problem.objectives.len())?;
        let mut monitor = Self::new(Problem::from_config(snapshot.problem)?, snapshot.monitor)?;
        monitor.state = snapshot.state;
        Ok(monitor)
    }
}

impl State {
    /// Rejects counts that no sequence of events can produce.
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
    /// Rejects counts of an objective that no sequence of events can produce.
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
