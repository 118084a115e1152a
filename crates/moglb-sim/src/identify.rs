//! Experiments in finding the front: identifiers × environments × parameters, with the number of samples
//! until they stop, their errors and their success rates.

mod runner;
mod summary;

pub use runner::{Identified, IdentifiedRun, IdentifiedTrial, identify};
pub use summary::{
    IDENTIFY_FORMAT, IdentificationInfo, IdentificationRun, IdentificationSummary, Samples, Success,
};

use crate::entries::{check_bounds, entry_error, expand, read, read_environments, syntax_error};
use crate::{EnvironmentConfig, Namespace, SimError, Streams};
use moglb::IdentifierConfig;
use serde::{Deserialize, Serialize};
use toml::Table;

/// An experiment in finding the front, as it is written. [`Identification::plan`] checks it.
///
/// ```
/// use moglb_sim::{IdentificationPlan, Unwatched, identify};
///
/// let plan = IdentificationPlan::from_toml(r#"
///     trials = 5
///     environments = [{ id = "spread", dim = 4, gap = 0.2 }]
///     identifiers = [
///         { id = "auer", accuracy = { each = [0.1, 0.2] } },
///         { id = "gege-budget", budget = 2000 },
///     ]
/// "#)?;
/// let summary = identify(&plan, 0, &Unwatched)?.summary();
/// assert_eq!(summary.runs.len(), 3);
/// assert!(summary.runs[0].samples.mean > summary.runs[1].samples.mean, "accuracy has its price");
/// assert_eq!(summary.runs[0].success.rate, 1.0);
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identification {
    /// A short name.
    #[serde(default = "unnamed")]
    pub name: String,
    /// The seed of all random streams.
    #[serde(default = "one")]
    pub seed: u64,
    /// The number of trials.
    #[serde(default = "hundred")]
    pub trials: usize,
    /// The largest number of samples of a trial. A trial that has not stopped by then is cut off and is not
    /// a success.
    #[serde(default = "ten_million")]
    pub most_samples: u64,
    /// The environments; their arms must be fixed.
    pub environments: Vec<Table>,
    /// The identifiers.
    pub identifiers: Vec<Table>,
}

fn unnamed() -> String {
    "identification".into()
}

fn one() -> u64 {
    1
}

fn hundred() -> usize {
    100
}

fn ten_million() -> u64 {
    10_000_000
}

/// An identifier on an environment. Both are checked.
///
/// Example: [`Identification`].
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedIdentification {
    /// The environment.
    pub environment: EnvironmentConfig,
    /// The identifier.
    pub identifier: IdentifierConfig,
}

/// A checked experiment in finding the front, with its runs.
///
/// Example: [`Identification`].
#[derive(Debug, Clone, PartialEq)]
pub struct IdentificationPlan {
    experiment: Identification,
    runs: Vec<PlannedIdentification>,
}

impl IdentificationPlan {
    /// Reads an experiment and plans it.
    ///
    /// # Errors
    ///
    /// As [`Identification::from_toml`] and [`Identification::plan`].
    pub fn from_toml(text: &str) -> Result<Self, SimError> {
        Identification::from_toml(text)?.plan()
    }

    /// The experiment as it was written.
    pub fn experiment(&self) -> &Identification {
        &self.experiment
    }

    /// The runs, environment by environment, and for each environment identifier by identifier.
    pub fn runs(&self) -> &[PlannedIdentification] {
        &self.runs
    }
}

impl Identification {
    /// Reads an experiment. Its entries are checked later, by [`Identification::plan`].
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

    /// Checks the experiment: the arms of every environment must be fixed, and every identifier must be
    /// buildable for them.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`] or [`SimError::Entry`].
    pub fn plan(self) -> Result<IdentificationPlan, SimError> {
        self.check_numbers()?;
        let mut runs = Vec::new();
        for environment in read_environments(&self.environments)? {
            if environment.problem()?.n_arms().is_none() {
                let reason =
                    "its arms change from round to round; a front can be found among fixed arms only";
                return Err(SimError::Entry { entry: environment.id().into(), reason: reason.into() });
            }
            let first = environment.instance(self.streams(&environment, 0))?;
            let stage = first.stage(1)?;
            for (index, table) in self.identifiers.iter().enumerate() {
                let entry = |error: String| entry_error("identifiers", index, table, error);
                for variant in expand(table, "each").map_err(entry)? {
                    let identifier: IdentifierConfig = read(variant).map_err(entry)?;
                    let built = identifier.build(first.problem(), &stage.arms);
                    built.map_err(|error| entry(error.to_string()))?;
                    let environment = environment.clone();
                    runs.push(PlannedIdentification { environment, identifier });
                }
            }
        }
        Ok(IdentificationPlan { experiment: self, runs })
    }

    /// The random streams of a trial, which are the same for every identifier.
    fn streams(&self, environment: &EnvironmentConfig, trial: usize) -> Streams {
        Streams::new(self.seed, Namespace::Report, environment.dim(), trial)
    }

    /// Checks the numbers of the experiment against their bounds.
    fn check_numbers(&self) -> Result<(), SimError> {
        let most = i64::MAX as u64;
        check_bounds(&[
            ("seed", 0, most, self.seed),
            ("trials", 1, 1_000_000, self.trials as u64),
            ("most_samples", 1, most, self.most_samples),
            ("the number of environments", 1, 1000, self.environments.len() as u64),
            ("the number of identifiers", 1, 1000, self.identifiers.len() as u64),
        ])
    }
}
