//! Cells. A cell is one trial of one policy on one environment, the unit of work of an experiment.

use crate::entries::build;
use crate::play::{Trace, checkpoints, play};
use crate::{Environment, EnvironmentConfig, Namespace, SimError, Streams, json};
use moglb::{MonitorConfig, PlayConfig, Policy, PolicyConfig, Watched};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The key of a cell: its namespace, and the indices of the run, the candidate and the trial.
///
/// Example: [`pending`].
///
/// [`pending`]: crate::pending
pub type CellKey = (Namespace, usize, usize, usize);

/// A cell with all that is needed to play it, here or on another machine.
///
/// No plan is made for it: the plan that the cell comes from has checked it.
///
/// Example: [`pending`].
///
/// [`pending`]: crate::pending
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    pub(crate) seed: u64,
    pub(crate) namespace: Namespace,
    pub(crate) trial: usize,
    pub(crate) horizon: u64,
    pub(crate) points: u64,
    pub(crate) monitor: bool,
    pub(crate) environment: EnvironmentConfig,
    pub(crate) policy: PolicyConfig,
    pub(crate) play: Option<PlayConfig>,
}

/// The error for a cell that a plan does not have.
pub(crate) fn no_such_cell(entry: String) -> SimError {
    SimError::Entry { entry, reason: "there is no such cell".into() }
}

impl Cell {
    /// Returns the cell as JSON.
    pub fn to_json(&self) -> String {
        json::text(self)
    }

    /// Reads a cell that [`Cell::to_json`] has written.
    ///
    /// # Errors
    ///
    /// [`SimError::Syntax`]; or [`SimError::Entry`] for a cell of a confirmation, and for a cell without
    /// rounds or without points.
    pub fn from_json(text: &str) -> Result<Self, SimError> {
        let cell: Self =
            serde_json::from_str(text).map_err(|error| SimError::Syntax(format!("a cell: {error}")))?;
        if cell.namespace == Namespace::Confirm || cell.horizon == 0 || cell.points == 0 {
            let Self { namespace, horizon, points, .. } = cell;
            return Err(no_such_cell(format!("{namespace:?}, horizon {horizon}, points {points}")));
        }
        Ok(cell)
    }

    /// Plays the trial. `keep_going` receives the number of rounds played since its last call, and may end
    /// the trial.
    pub(crate) fn trace(&self, keep_going: &dyn Fn(u64) -> bool) -> Result<Trace, SimError> {
        let start = Instant::now();
        let streams = Streams::new(self.seed, self.namespace, self.environment.dim(), self.trial);
        let environment = self.environment.instance(streams)?;
        let policy = build(&self.policy, self.play.as_ref(), environment.problem())?;
        let played = self.play(&*environment, policy, streams, keep_going);
        let mut trace = played.map_err(|error| self.refusal(error))?;
        trace.seconds = start.elapsed().as_secs_f64();
        Ok(trace)
    }

    /// Plays the policy on an instance, with monitors if the experiment has them.
    fn play(
        &self,
        environment: &dyn Environment,
        mut policy: Box<dyn Policy>,
        streams: Streams,
        keep_going: &dyn Fn(u64) -> bool,
    ) -> Result<Trace, SimError> {
        let rounds = checkpoints(self.horizon, self.points);
        if !self.monitor {
            return play(environment, &mut *policy, &rounds, streams, keep_going);
        }
        let mut watched = Watched::new(policy, environment.problem().clone(), MonitorConfig::default())?;
        let trace = play(environment, &mut watched, &rounds, streams, keep_going)?;
        Ok(Trace { health: Some(watched.health()), ..trace })
    }

    /// Adds the names of the policy and the environment to an error of the policy. Some policies detect
    /// only while they are played that contexts change.
    fn refusal(&self, error: SimError) -> SimError {
        let SimError::Core(error) = error else { return error };
        let (policy, environment) = (self.policy.id(), self.environment.name());
        SimError::Entry { entry: format!("{policy} on {environment}"), reason: error.to_string() }
    }
}
