//! Cells: one trial of one policy on one environment.

use crate::entries::build;
use crate::play::{Trace, checkpoints, play};
use crate::{Environment, EnvironmentConfig, Namespace, SimError, Streams, json};
use moglb::{MonitorConfig, PlayConfig, Policy, PolicyConfig, Watched};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The name of a cell: what it is for, the run, the candidate and the trial.
pub type CellKey = (Namespace, usize, usize, usize);

/// A cell with all that is needed to play it, here or on another machine. No plan is made for it: the plan that it is from has checked it.
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

pub(crate) fn no_such_cell(entry: String) -> SimError {
    SimError::Entry { entry, reason: "there is no such cell".into() }
}

impl Cell {
    /// The cell as JSON.
    pub fn to_json(&self) -> String {
        json::text(self)
    }

    /// A cell from [`Cell::to_json`].
    ///
    /// # Errors
    ///
    /// [`SimError::Syntax`], or [`SimError::Entry`] for a cell of a confirmation and for one without rounds or points.
    pub fn from_json(text: &str) -> Result<Self, SimError> {
        let cell: Self =
            serde_json::from_str(text).map_err(|error| SimError::Syntax(format!("a cell: {error}")))?;
        if cell.namespace == Namespace::Confirm || cell.horizon == 0 || cell.points == 0 {
            let Self { namespace, horizon, points, .. } = cell;
            return Err(no_such_cell(format!("{namespace:?}, horizon {horizon}, points {points}")));
        }
        Ok(cell)
    }

    /// Plays the trial. `keep_going` receives the rounds played since it was last called, and may end the trial.
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

    /// An error of the policy while it is played, with its name: some see only then that contexts change.
    fn refusal(&self, error: SimError) -> SimError {
        let SimError::Core(error) = error else { return error };
        let (policy, environment) = (self.policy.id(), self.environment.name());
        SimError::Entry { entry: format!("{policy} on {environment}"), reason: error.to_string() }
    }
}
