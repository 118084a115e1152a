//! Finding the front (pure exploration): which arms are on the Pareto front, with as few samples as possible.
//!
//! A policy is judged by what it plays; an identifier by what it says once it has stopped. It asks for an arm, learns the
//! reward vector, and either asks again or has stopped; its answer is then right with probability 1 − δ, in the sense of its
//! [`Goal`]. Identifiers are deterministic: the rewards decide everything.
//!
//! - [`Auer`] and [`AuerCover`]: elimination and acceptance by confidence intervals, without contexts;
//! - [`Scalarized`]: the best arm of each of many weightings of the objectives;
//! - [`Gege`] and [`GegeBudget`]: rounds of optimal design for (generalized) linear rewards.
//!
//! Means are on the unit scale of the objectives, larger is better ([`Objective::unit_reward`](crate::Objective::unit_reward)),
//! and so is everything that is compared with them: accuracies, gaps, and the constant σ of the noise.

pub(crate) mod auer;
mod confidence;
pub(crate) mod cover;
mod design;
mod fit;
mod gaps;
pub(crate) mod gege;
mod goal;
mod round;
pub(crate) mod scalarized;

pub use goal::Goal;

use crate::{Arm, ArmId, ArmSet, Error, Front, Kind, Parameter, Problem};
use auer::{Auer, AuerConfig, UniformConfig};
use cover::{AuerCover, AuerCoverConfig};
use gege::{Gege, GegeBudget, GegeBudgetConfig, GegeConfig};
use scalarized::{Scalarized, ScalarizedConfig};
use serde::{Deserialize, Serialize};

/// Asks for arms until it knows the front well enough. A state machine: the same rewards give the same questions and the
/// same answer. Learning is all or nothing: a refused reward leaves it as it was.
pub trait Identifier: Send {
    /// The arm to sample next; none once it has stopped.
    fn next_arm(&self) -> Option<ArmId>;

    /// Learns the reward vector of the arm that was asked for.
    ///
    /// # Errors
    ///
    /// When arm or reward do not fit the problem, or [`Error::NotAsked`] for another arm than [`Identifier::next_arm`].
    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error>;

    /// The front as far as it is known: once stopped the answer, before that all that is not ruled out.
    fn answer(&self) -> Front;

    /// How many rewards were learned.
    fn samples(&self) -> u64;

    /// What makes an answer right.
    fn goal(&self) -> Goal;
}

/// An identifier and its parameters, by its id: `{ id = "auer", accuracy = 0.1 }`.
///
/// ```
/// use moglb::{ArmSet, IdentifierConfig, Link, Objective, Problem};
///
/// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("stay", Link::Logit)];
/// let arms = ArmSet::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])?;
/// let problem = Problem::new(2, objectives)?.with_arms(3)?;
/// let mut identifier = IdentifierConfig::named("auer").expect("a known id").build(&problem, &arms)?;
/// let rewards = [[1.0, 0.5], [0.5, 1.0], [0.0, 0.0]]; // what the world answers, here without noise
/// while let Some(arm) = identifier.next_arm() {
///     identifier.learn(arms.arm(arm), &rewards[arm.0])?;
/// }
/// assert_eq!(identifier.answer().arms(), [moglb::ArmId(0), moglb::ArmId(1)]);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum IdentifierConfig {
    /// Pareto front identification.
    Auer(AuerConfig),
    /// Pareto front identification, thinned out to a sparse cover.
    AuerCover(AuerCoverConfig),
    /// The control: every arm in every round, with the stopping rule of [`Auer`].
    Uniform(UniformConfig),
    /// The best arms of many scalarizations.
    Scalarized(ScalarizedConfig),
    /// Rounds of optimal design until the front is known.
    Gege(GegeConfig),
    /// Rounds of optimal design within a budget of samples.
    GegeBudget(GegeBudgetConfig),
}

impl IdentifierConfig {
    /// The identifier of an id with all its defaults.
    pub fn named(id: &str) -> Option<Self> {
        serde_json::from_value(serde_json::json!({ "id": id })).ok()
    }

    /// The identifier for a problem and its arms. The only place that knows all identifiers.
    ///
    /// # Errors
    ///
    /// When a parameter is out of its bounds, or the arms do not fit the problem.
    pub fn build(&self, problem: &Problem, arms: &ArmSet<'_>) -> Result<Box<dyn Identifier>, Error> {
        problem.check_arms(arms)?;
        let problem = problem.clone().with_arms(arms.n_arms())?;
        Ok(match self {
            IdentifierConfig::Auer(config) => Box::new(Auer::new(problem, config)?),
            IdentifierConfig::AuerCover(config) => Box::new(AuerCover::new(problem, config)?),
            IdentifierConfig::Uniform(config) => Box::new(Auer::uniform(problem, config)?),
            IdentifierConfig::Scalarized(config) => Box::new(Scalarized::new(problem, config)?),
            IdentifierConfig::Gege(config) => Box::new(Gege::new(problem, arms, config)?),
            IdentifierConfig::GegeBudget(config) => Box::new(GegeBudget::new(problem, arms, config)?),
        })
    }

    /// What is known about the identifier.
    pub fn info(&self) -> &'static IdentifierInfo {
        match self {
            IdentifierConfig::Auer(_) => &auer::INFO,
            IdentifierConfig::AuerCover(_) => &cover::INFO,
            IdentifierConfig::Uniform(_) => &auer::UNIFORM_INFO,
            IdentifierConfig::Scalarized(_) => &scalarized::INFO,
            IdentifierConfig::Gege(_) => &gege::INFO,
            IdentifierConfig::GegeBudget(_) => &gege::BUDGET_INFO,
        }
    }

    /// The identifier's id.
    pub fn id(&self) -> &'static str {
        self.info().id
    }
}

/// What is known about an identifier: for `moglb policies` and for the reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct IdentifierInfo {
    /// The id, as in configurations.
    pub id: &'static str,
    /// The name, as in papers.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What kind of problem it is made for.
    pub setting: &'static str,
    /// What is proved about its answer.
    pub guarantee: &'static str,
    /// The cost of computing.
    pub cost: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// Where it departs from its source.
    pub departures: &'static str,
}

/// All identifiers of the library.
pub const IDENTIFIERS: [&IdentifierInfo; 6] =
    [&auer::INFO, &cover::INFO, &auer::UNIFORM_INFO, &scalarized::INFO, &gege::INFO, &gege::BUDGET_INFO];

const ACCURACY: Parameter = Parameter {
    name: "accuracy",
    kind: Kind::Number,
    default: "0.05",
    meaning: "ε₀, on the unit scale of the objectives: how far from the front an arm of the answer may be",
};
const DELTA: Parameter = Parameter {
    name: "delta",
    kind: Kind::Number,
    default: "0.05",
    meaning: "δ, the chance that the answer is wrong",
};
const SIGMA: Parameter = Parameter {
    name: "sigma",
    kind: Kind::Number,
    default: "0.5",
    meaning: "σ: rewards on the unit scale are σ-sub-Gaussian around their means; ½ holds for all of them",
};

fn default_accuracy() -> f64 {
    0.05
}

fn default_delta() -> f64 {
    0.05
}

fn default_sigma() -> f64 {
    0.5
}

fn check_accuracy(got: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&got) { Ok(()) } else { Err(Error::Accuracy { got }) }
}

fn check_delta(got: f64) -> Result<(), Error> {
    if got > 0.0 && got < 1.0 { Ok(()) } else { Err(Error::Delta { got }) }
}

fn check_positive(name: &'static str, got: f64) -> Result<(), Error> {
    if (1e-100..=1e100).contains(&got) { Ok(()) } else { Err(Error::NotPositive { name, got }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_identifier_of_the_list_has_a_configuration_of_its_id() {
        for info in IDENTIFIERS {
            // Only the budget has no default.
            let written = serde_json::json!({ "id": info.id, "budget": 100 });
            let config = IdentifierConfig::named(info.id)
                .or_else(|| serde_json::from_value(written).ok())
                .unwrap_or_else(|| panic!("{}", info.id));
            assert_eq!(config.info(), info);
            let text = serde_json::to_value(&config).unwrap();
            assert_eq!(serde_json::from_value::<IdentifierConfig>(text.clone()).unwrap(), config);
            let written: Vec<&str> = text.as_object().unwrap().keys().map(String::as_str).collect();
            let documented: Vec<&str> = info.parameters.iter().map(|parameter| parameter.name).collect();
            assert!(written.iter().all(|name| *name == "id" || documented.contains(name)), "{written:?}");
            let unknown = serde_json::json!({ "id": info.id, "budget": 100, "colour": 1 });
            assert!(serde_json::from_value::<IdentifierConfig>(unknown).is_err());
        }
    }
}
