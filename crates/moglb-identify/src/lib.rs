//! Pure exploration: identifiers find the arms on the Pareto front with as few samples as possible.
//!
//! A policy is judged by the rewards of its plays; an identifier is judged by its final answer. It requests
//! an arm, learns the reward vector, and then requests another arm or stops. After it has stopped, its answer
//! is right with probability 1 − δ, in the sense of its [`Goal`]. Identifiers are deterministic: equal
//! rewards give equal requests and answers.
//!
//! - [`Auer`] and [`AuerCover`]: elimination and acceptance by confidence intervals, without contexts;
//! - [`Scalarized`]: the best arm of each of many weightings of the objectives;
//! - [`Gege`] and [`GegeBudget`]: rounds of optimal design for (generalized) linear rewards.
//!
//! Means are on the unit scale of the objectives, larger is better
//! ([`Objective::unit_reward`](moglb_core::Objective::unit_reward)). So are all quantities that are compared
//! with them: accuracies, gaps, and the constant σ of the noise.

pub(crate) mod auer;
mod confidence;
pub(crate) mod cover;
mod design;
mod fit;
mod gaps;
pub(crate) mod gege;
mod goal;
mod identifier;
mod parameters;
mod round;
pub(crate) mod scalarized;

pub use goal::Goal;
pub use identifier::{Identifier, IdentifierInfo};

pub use auer::{Auer, AuerConfig, UniformConfig};
pub use cover::{AuerCover, AuerCoverConfig};
pub use gege::{Gege, GegeBudget, GegeBudgetConfig, GegeConfig};
use moglb_core::{ArmSet, Problem};
use moglb_math::Error;
pub use scalarized::{BestArmRule, Scalarized, ScalarizedConfig};
use serde::{Deserialize, Serialize};

/// An identifier and its parameters, by its id: `{ id = "auer", accuracy = 0.1 }`.
///
/// ```
/// use moglb::{ArmSet, IdentifierConfig, Link, Objective, Problem};
///
/// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("stay", Link::Logit)];
/// let arms = ArmSet::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])?;
/// let problem = Problem::new(2, objectives)?.with_arms(3)?;
/// let mut identifier = IdentifierConfig::named("auer").expect("a known id").build(&problem, &arms)?;
/// let rewards = [[1.0, 0.5], [0.5, 1.0], [0.0, 0.0]]; // the observed rewards, here without noise
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
    /// The identifier with this id and default parameters. None if there is no such id, or if a parameter has
    /// no default.
    pub fn named(id: &str) -> Option<Self> {
        serde_json::from_value(serde_json::json!({ "id": id })).ok()
    }

    /// Builds the identifier for a problem and its arms. No other function knows all identifiers.
    ///
    /// # Errors
    ///
    /// Returns an error if a parameter is out of its bounds or the arms do not fit the problem.
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

    /// The description of the identifier.
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

/// The descriptions of all identifiers of the library.
pub const IDENTIFIERS: [&IdentifierInfo; 6] =
    [&auer::INFO, &cover::INFO, &auer::UNIFORM_INFO, &scalarized::INFO, &gege::INFO, &gege::BUDGET_INFO];

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
