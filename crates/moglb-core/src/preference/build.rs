//! Builds preferences and ways to play from their configurations. Only this file depends on all
//! preferences.

use super::best::Best;
use super::chebyshev::Chebyshev;
use super::constraints::{Constraints, RewardBound};
use super::hypervolume::Hypervolume;
use super::knee::Knee;
use super::least_exposed::LeastExposed;
use super::lexicographic::Lexicographic;
use super::mix::Mix;
use super::objective_id::{ObjectiveId, find};
use super::objective_subset::Counted;
use super::own::Own;
use super::uniform::Uniform;
use super::weights::Weights;
use super::{Play, PlayConfig, Preference, PreferenceConfig, Share};
use crate::Parameter;
use crate::{Problem, Scalarization};
use moglb_math::Error;
use std::collections::BTreeMap;

impl PlayConfig {
    /// Builds the way to play in a problem.
    ///
    /// # Errors
    ///
    /// The errors of [`PreferenceConfig::build`]; [`Error::ParameterBounds`] for a share outside
    /// [0, 1]; [`Error::UnknownArm`], [`Error::NothingAllowed`] or [`Error::BaselineExcluded`].
    pub fn build(&self, problem: &Problem) -> Result<Play, Error> {
        let (problem, counted) = self.counted(problem)?;
        let prefer = self.prefer.as_ref().map(|prefer| prefer.build(&problem)).transpose()?;
        Play::new(&problem, self.clone(), counted, prefer)
    }

    /// Builds the way to play with a custom preference in place of `prefer`.
    ///
    /// # Errors
    ///
    /// The errors of [`PlayConfig::build`].
    pub fn build_with(&self, prefer: Box<dyn Preference>, problem: &Problem) -> Result<Play, Error> {
        let (problem, counted) = self.counted(problem)?;
        Play::new(&problem, self.clone(), counted, Some(prefer))
    }

    /// Returns the problem with only the objectives that count, and their numbers if some do not
    /// count.
    fn counted(&self, problem: &Problem) -> Result<(Problem, Option<Counted>), Error> {
        let counted = self.objectives.as_ref().map(|ids| Counted::new(ids, problem)).transpose()?;
        let narrow = counted.as_ref().map_or(Ok(problem.clone()), |counted| counted.problem(problem))?;
        Ok((narrow, counted))
    }
}

impl PreferenceConfig {
    /// Builds the preference in a problem.
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

/// Returns a reference point on the unit scale, where the worst possible rewards are 0 and the best
/// are 1. Without a given point, every entry is `else_at`.
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

/// Returns the bounds of both sides, checked.
fn bounds(
    at_least: &BTreeMap<String, f64>,
    at_most: &BTreeMap<String, f64>,
    problem: &Problem,
) -> Result<Vec<RewardBound>, Error> {
    let sides = at_least.iter().map(|bound| (1.0, bound)).chain(at_most.iter().map(|bound| (-1.0, bound)));
    let bound = |(side, (name, &at)): (f64, (&String, &f64))| {
        check_value("a bound", at)?;
        Ok(RewardBound { objective: find(name, problem)?, at, side })
    };
    let bounds = sides.map(bound).collect::<Result<Vec<_>, Error>>()?;
    if bounds.is_empty() {
        return Err(Error::Parameters { what: "constraints need at_least or at_most" });
    }
    Ok(bounds)
}

/// Returns the objectives of an order with their tolerances, checked. Without given tolerances, all
/// are 0.
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

/// The largest difference between the sum of shares and one that counts as rounding.
const ROUNDING: f64 = 1e-9;

/// Returns a mix with the shares divided by their sum. The sum may differ from one by rounding
/// only.
fn mix(of: &[Share], problem: &Problem) -> Result<Mix, Error> {
    let sum: f64 = of.iter().map(|part| part.share).sum();
    let fine = of.iter().all(|part| (0.0..=1.0).contains(&part.share)) && (sum - 1.0).abs() <= ROUNDING;
    if !fine {
        return Err(Error::Shares { got: of.iter().map(|part| part.share).collect() });
    }
    let parts = of.iter().map(|part| Ok((part.share / sum, part.prefer.build(problem)?)));
    Ok(Mix { of: parts.collect::<Result<_, Error>>()? })
}

/// The largest absolute value of a bound, a tolerance or an entry of a reference point.
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
