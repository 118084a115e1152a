//! Experiments as they are written in TOML: policies × environments × parameters.
//!
//! Any parameter may be a value, `{ each = [..] }` for one run per value, or, for policies,
//! `{ tune = [..] }` for a search on seeds that the reported trials never use. The `play` of a policy changes
//! how it draws arms: see [`PlayConfig`](moglb::PlayConfig).

use crate::SimError;
use crate::entries::{check_bounds, syntax_error};
use serde::{Deserialize, Serialize};
use toml::Table;

/// An experiment as it is written. [`Experiment::plan`] checks it; a [`Plan`](crate::Plan) can be run.
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
    /// The seed of all random streams.
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
    /// The number of rounds at which the curves are given.
    #[serde(default = "curve_points")]
    pub points: u64,
    /// True if a policy is skipped on environments that lack a property that it needs, such as a fixed
    /// number of arms. Otherwise such a policy is an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applicable_only: bool,
    /// True if the assumptions of the policies are monitored: see [`Health`](moglb::Health). Each round
    /// then also costs a decision on fresh arms, which takes many times as long as one on fixed arms.
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
    /// Reads an experiment. Its entries are checked later, by [`Experiment::plan`].
    ///
    /// # Errors
    ///
    /// [`SimError::Syntax`] with the line of the text.
    pub fn from_toml(text: &str) -> Result<Self, SimError> {
        toml::from_str(text).map_err(|error| syntax_error(text, &error))
    }

    /// Returns the experiment as TOML, from which it can be read back exactly.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`] for numbers that TOML cannot hold.
    pub fn to_toml(&self) -> Result<String, SimError> {
        self.check_numbers()?;
        toml::to_string(self).map_err(|error| SimError::Syntax(error.to_string()))
    }

    /// Checks the numbers of the experiment against their bounds.
    pub(crate) fn check_numbers(&self) -> Result<(), SimError> {
        let most = i64::MAX as u64;
        check_bounds(&[
            ("seed", 0, most, self.seed),
            ("horizon", 1, most, self.horizon),
            ("trials", 1, 1_000_000, self.trials as u64),
            ("tuning_trials", 1, 1_000_000, self.tuning_trials as u64),
            ("points", 1, 100_000, self.points),
            ("the number of environments", 1, 1000, self.environments.len() as u64),
            ("the number of policies", 1, 1000, self.policies.len() as u64),
        ])
    }
}
