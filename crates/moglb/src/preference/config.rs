//! Preferences and ways to play as they are written down.

use super::best::Best;
use super::chebyshev::Chebyshev;
use super::constraints::{Bound, Constraints};
use super::counted::Counted;
use super::hypervolume::Hypervolume;
use super::knee::Knee;
use super::least_exposed::LeastExposed;
use super::lexicographic::Lexicographic;
use super::mix::Mix;
use super::own::Own;
use super::uniform::Uniform;
use super::weights::Weights;
use super::{Belief, Choose, Play, Preference};
use crate::{Error, Parameter, Problem, Scalarization};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A preference and its parameters, by its kind: `{ kind = "weights", weights = [0.7, 0.3] }`.
///
/// Weights are of values on the unit scale, where the range of rewards is [0, 1] and larger is better; bounds, tolerances and
/// reference points are in the objectives' own units. Candidates that are equal share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PreferenceConfig {
    /// The policy's own probabilities, among the candidates.
    Own {},
    /// All candidates alike.
    Uniform {},
    /// The best in one objective.
    Best {
        /// The objective.
        objective: ObjectiveId,
    },
    /// The largest weighted sum.
    Weights {
        /// A nonnegative number for each objective.
        weights: Vec<f64>,
    },
    /// The smallest weighted distance from a goal, in the objective where it is largest.
    Chebyshev {
        /// A positive number for each objective.
        weights: Vec<f64>,
        /// The goal; the best possible rewards unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Vec<f64>>,
    },
    /// Bounds to be kept, then another preference. Where no candidate keeps them, those that miss them least.
    Constraints {
        /// Lower bounds, by objective.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        at_least: BTreeMap<String, f64>,
        /// Upper bounds, by objective.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        at_most: BTreeMap<String, f64>,
        /// What is preferred within the bounds; uniform unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        then: Option<Box<PreferenceConfig>>,
    },
    /// One objective after the other, each among what the earlier ones leave.
    Lexicographic {
        /// The most important first; others do not count.
        order: Vec<ObjectiveId>,
        /// How far from the best is good enough, in the same order; 0 unless given.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tolerances: Vec<f64>,
    },
    /// By the volume that a candidate alone dominates.
    Hypervolume {
        /// Above which point; the worst possible rewards unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Vec<f64>>,
        /// In proportion, or the largest.
        #[serde(default)]
        choose: Choose,
    },
    /// Where the front bends most.
    Knee {},
    /// Those played least.
    LeastExposed {},
    /// Several, each for a share of the plays.
    Mix {
        /// Shares that add up to one.
        of: Vec<Share>,
    },
}

/// A share of the plays for a preference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// The share.
    pub share: f64,
    /// The preference.
    pub prefer: PreferenceConfig,
}

/// An objective, by its name or its number from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ObjectiveId {
    /// Its number, from 0.
    Number(usize),
    /// Its name.
    Name(String),
}

/// How arms are played: a preference over the front, which arms are allowed, a floor, and a baseline.
///
/// ```
/// let config: moglb::PlayConfig = serde_json::from_str(
///     r#"{ "prefer": { "kind": "constraints", "at_least": { "quality": 0.8 }, "then": { "kind": "best", "objective": "cost" } },
///          "floor": { "share": 0.1 }, "exclude": [3] }"#,
/// ).unwrap();
/// assert_eq!(config.to_string(), "quality ≥ 0.8, then best in cost; floor 0.1; without 3");
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayConfig {
    /// The preference; the policy's own draw unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer: Option<PreferenceConfig>,
    /// Which values the preference compares.
    #[serde(default, skip_serializing_if = "Belief::is_mean")]
    pub belief: Belief,
    /// The objectives that count; all unless given. The others are in shadow: learned, with no say in what is played. What `prefer`
    /// says of objectives, such as weights in their order, is said of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objectives: Option<Vec<ObjectiveId>>,
    /// A share of the plays that is spread evenly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
    /// The only arms that are allowed; all unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<usize>>,
    /// Arms that are not allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<usize>,
    /// An arm with a guaranteed share of the plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
}

/// A share of the plays that is spread evenly, so that other ways to play can be evaluated on what was played.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// The share.
    pub share: f64,
    /// Over which arms.
    #[serde(default)]
    pub over: Over,
}

/// Over which arms a floor is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// All arms that are allowed.
    #[default]
    All,
    /// The candidates.
    Front,
}

/// An arm with a guaranteed share of the plays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The arm.
    pub arm: usize,
    /// The share.
    pub share: f64,
}

impl PlayConfig {
    /// The way to play in a problem.
    ///
    /// # Errors
    ///
    /// As [`PreferenceConfig::build`], and [`Error::ParameterBounds`] for a share out of [0, 1], [`Error::UnknownArm`],
    /// [`Error::NothingAllowed`] or [`Error::BaselineExcluded`].
    pub fn build(&self, problem: &Problem) -> Result<Play, Error> {
        let (problem, counted) = self.counted(problem)?;
        let prefer = self.prefer.as_ref().map(|prefer| prefer.build(&problem)).transpose()?;
        Play::new(&problem, self.clone(), counted, prefer)
    }

    /// The same with a preference of one's own in the place of `prefer`.
    ///
    /// # Errors
    ///
    /// As [`PlayConfig::build`].
    pub fn build_with(&self, prefer: Box<dyn Preference>, problem: &Problem) -> Result<Play, Error> {
        let (problem, counted) = self.counted(problem)?;
        Play::new(&problem, self.clone(), counted, Some(prefer))
    }

    /// The problem with the objectives that count, and which these are.
    fn counted(&self, problem: &Problem) -> Result<(Problem, Option<Counted>), Error> {
        let counted = self.objectives.as_ref().map(|ids| Counted::new(ids, problem)).transpose()?;
        let narrow = counted.as_ref().map_or(Ok(problem.clone()), |counted| counted.problem(problem))?;
        Ok((narrow, counted))
    }
}

impl PreferenceConfig {
    /// The preference in a problem.
    ///
    /// # Errors
    ///
    /// [`Error::Weights`], [`Error::UnknownObjective`], [`Error::ObjectiveNotFound`], [`Error::Entries`],
    /// [`Error::ParameterBounds`], [`Error::Parameters`] or [`Error::Shares`].
    pub fn build(&self, problem: &Problem) -> Result<Box<dyn Preference>, Error> {
        let m = problem.n_objectives();
        Ok(match self {
            Self::Own {} => Box::new(Own),
            Self::Uniform {} => Box::new(Uniform),
            Self::Best { objective } => Box::new(Best { objective: objective.find(problem)? }),
            Self::Weights { weights } => {
                Box::new(Weights { weights: Scalarization::Linear.normalized(weights, m)? })
            }
            Self::Chebyshev { weights, reference } => Box::new(Chebyshev {
                weights: Scalarization::Chebyshev.normalized(weights, m)?,
                reference: unit_reference(reference.as_deref(), 1.0, problem)?,
            }),
            Self::Constraints { at_least, at_most, then } => {
                let then = then.as_deref().unwrap_or(&PreferenceConfig::Uniform {}).build(problem)?;
                Box::new(Constraints { bounds: bounds(at_least, at_most, problem)?, then })
            }
            Self::Lexicographic { order, tolerances } => {
                Box::new(Lexicographic { order: with_tolerances(order, tolerances, problem)? })
            }
            &Self::Hypervolume { ref reference, choose } => Box::new(Hypervolume {
                reference: unit_reference(reference.as_deref(), 0.0, problem)?,
                choose,
            }),
            Self::Knee {} => Box::new(Knee),
            Self::LeastExposed {} => Box::new(LeastExposed),
            Self::Mix { of } => Box::new(mix(of, problem)?),
        })
    }
}

impl ObjectiveId {
    /// The number of the objective in a problem.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::ObjectiveNotFound`].
    pub fn find(&self, problem: &Problem) -> Result<usize, Error> {
        match self {
            &Self::Number(got) if got >= problem.n_objectives() => {
                Err(Error::UnknownObjective { got, n_objectives: problem.n_objectives() })
            }
            &Self::Number(index) => Ok(index),
            Self::Name(name) => find(name, problem),
        }
    }
}

/// An objective by its name, or by its number where a name is all that can be written, as in the keys of a table.
fn find(name: &str, problem: &Problem) -> Result<usize, Error> {
    let objectives = problem.objectives();
    let named = objectives.iter().position(|objective| objective.name == name);
    let numbered = || name.parse().ok().filter(|&index: &usize| index < objectives.len());
    named.or_else(numbered).ok_or_else(|| Error::ObjectiveNotFound {
        name: name.into(),
        known: objectives.iter().map(|objective| objective.name.clone()).collect(),
    })
}

/// A reference point on the unit scale, where the worst possible rewards are 0 and the best 1.
fn unit_reference(given: Option<&[f64]>, else_at: f64, problem: &Problem) -> Result<Vec<f64>, Error> {
    let Some(given) = given else { return Ok(vec![else_at; problem.n_objectives()]) };
    check_entries("reference", problem.n_objectives(), given)?;
    Ok(problem
        .objectives()
        .iter()
        .zip(given)
        .map(|(objective, &value)| objective.unit_reward(value))
        .collect())
}

fn bounds(
    at_least: &BTreeMap<String, f64>,
    at_most: &BTreeMap<String, f64>,
    problem: &Problem,
) -> Result<Vec<Bound>, Error> {
    let sides = at_least.iter().map(|bound| (1.0, bound)).chain(at_most.iter().map(|bound| (-1.0, bound)));
    let bound = |(side, (name, &at)): (f64, (&String, &f64))| {
        check_value("a bound", at)?;
        Ok(Bound { objective: find(name, problem)?, at, side })
    };
    let bounds = sides.map(bound).collect::<Result<Vec<_>, Error>>()?;
    if bounds.is_empty() {
        return Err(Error::Parameters { what: "constraints need at_least or at_most" });
    }
    Ok(bounds)
}

fn with_tolerances(
    order: &[ObjectiveId],
    given: &[f64],
    problem: &Problem,
) -> Result<Vec<(usize, f64)>, Error> {
    if order.is_empty() {
        return Err(Error::Parameters { what: "a lexicographic order needs an objective" });
    }
    let none = vec![0.0; order.len()];
    let tolerances = if given.is_empty() { &none } else { given };
    check_entries("tolerances", order.len(), tolerances)?;
    let pair = |(objective, &tolerance): (&ObjectiveId, &f64)| {
        Parameter::check("tolerance", tolerance, 0.0..=LARGEST)?;
        Ok((objective.find(problem)?, tolerance))
    };
    order.iter().zip(tolerances).map(pair).collect()
}

/// How far shares may be from adding up to one before they are taken for a mistake.
const ROUNDING: f64 = 1e-9;

fn mix(of: &[Share], problem: &Problem) -> Result<Mix, Error> {
    let sum: f64 = of.iter().map(|part| part.share).sum();
    let fine = of.iter().all(|part| (0.0..=1.0).contains(&part.share)) && (sum - 1.0).abs() <= ROUNDING;
    if !fine {
        return Err(Error::Shares { got: of.iter().map(|part| part.share).collect() });
    }
    let parts = of.iter().map(|part| Ok((part.share / sum, part.prefer.build(problem)?)));
    Ok(Mix { of: parts.collect::<Result<_, Error>>()? })
}

/// The largest size of a bound, a tolerance or an entry of a reference point.
const LARGEST: f64 = 1e100;

fn check_value(name: &'static str, value: f64) -> Result<(), Error> {
    Parameter::check(name, value, -LARGEST..=LARGEST)
}

fn check_entries(name: &'static str, expected: usize, given: &[f64]) -> Result<(), Error> {
    if given.len() != expected {
        return Err(Error::Entries { name, expected, got: given.len() });
    }
    given.iter().try_for_each(|&value| check_value(name, value))
}
