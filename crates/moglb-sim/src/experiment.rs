//! Experiments: policies × environments × parameters, as they are written in TOML.
//!
//! Any parameter may be a value, `{ each = [..] }` for one run per value, or, for policies, `{ tune = [..] }` for a
//! search on seeds that the reported trials never see. A policy's `play` says how it is played: see [`PlayConfig`].

use crate::SimError;
use crate::entries::syntax_error;
use serde::{Deserialize, Serialize};
use toml::Table;

/// An experiment as it is written down. [`Experiment::plan`] checks it; a [`Plan`](crate::Plan) can be run.
///
/// ```
/// let text = r#"
/// name = "mine"
/// horizon = 100
/// trials = 2
/// environments = [{ id = "paper", dim = { each = [3, 5] } }]
/// policies = [{ id = "moglb-ucb", c = { tune = [0.01, 0.1] } }, { id = "p-ucb" }]
/// "#;
/// let experiment = moglb_sim::Experiment::from_toml(text)?;
/// assert_eq!(experiment.plan()?.runs().len(), 4);
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// A short name.
    #[serde(default = "unnamed")]
    pub name: String,
    /// The seed all random streams derive from.
    #[serde(default = "one")]
    pub seed: u64,
    /// The number of rounds T.
    #[serde(default = "paper_horizon")]
    pub horizon: u64,
    /// The number of reported trials.
    #[serde(default = "paper_trials")]
    pub trials: usize,
    /// The number of trials on which parameters are tuned.
    #[serde(default = "paper_trials")]
    pub tuning_trials: usize,
    /// At how many rounds the curves are given.
    #[serde(default = "curve_points")]
    pub points: u64,
    /// Whether a policy is left out of environments that lack what it needs, such as a fixed number of arms, instead of being
    /// an error there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applicable_only: bool,
    /// Whether the assumptions behind the policies are monitored: see [`Health`](moglb::Health). A round then costs a
    /// decision on fresh arms more, which is many times what one on fixed arms costs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub monitor: bool,
    /// The environments.
    pub environments: Vec<Table>,
    /// The policies.
    pub policies: Vec<Table>,
}

fn unnamed() -> String {
    "experiment".into()
}

fn one() -> u64 {
    1
}

fn paper_horizon() -> u64 {
    3000
}

fn paper_trials() -> usize {
    10
}

fn curve_points() -> u64 {
    300
}

impl Experiment {
    /// Reads an experiment. Its entries are read when it is planned.
    ///
    /// # Errors
    ///
    /// [`SimError::Syntax`] with the place in the text.
    pub fn from_toml(text: &str) -> Result<Self, SimError> {
        toml::from_str(text).map_err(|error| syntax_error(text, &error))
    }

    /// The experiment as TOML, to be read back exactly.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`] for numbers that TOML cannot hold.
    pub fn to_toml(&self) -> Result<String, SimError> {
        self.check_numbers()?;
        toml::to_string(self).map_err(|error| SimError::Syntax(error.to_string()))
    }

    pub(crate) fn check_numbers(&self) -> Result<(), SimError> {
        let most = i64::MAX as u64;
        for (name, least, most, got) in [
            ("seed", 0, most, self.seed),
            ("horizon", 1, most, self.horizon),
            ("trials", 1, 1_000_000, self.trials as u64),
            ("tuning_trials", 1, 1_000_000, self.tuning_trials as u64),
            ("points", 1, 100_000, self.points),
            ("the number of environments", 1, 1000, self.environments.len() as u64),
            ("the number of policies", 1, 1000, self.policies.len() as u64),
        ] {
            if got < least || got > most {
                return Err(SimError::Bounds { name, least, most, got });
            }
        }
        Ok(())
    }
}
