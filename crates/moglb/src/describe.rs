//! Descriptions of policies and their parameters, for `moglb policies`, the reports and Python.

use crate::Error;
use serde::Serialize;
use std::ops::RangeInclusive;

/// What is known about a policy: for `moglb policies` and for the reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PolicyInfo {
    /// The id, as in configurations.
    pub id: &'static str,
    /// The name, as in papers.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What kind of problem it is made for.
    pub setting: &'static str,
    /// What is proved about it.
    pub guarantee: &'static str,
    /// The cost of a round.
    pub cost: &'static str,
    /// Whether it has a front, so that a Jaccard index is defined.
    pub has_front: bool,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// Where it departs from its source.
    pub departures: &'static str,
}

/// What the values of a parameter look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A real number.
    Number,
    /// A whole number, not negative.
    Count,
    /// Yes or no.
    Flag,
    /// One of a few words.
    Word,
    /// A list of real numbers.
    Numbers,
    /// A list of lists of real numbers.
    Table,
    /// A list of lists of whole numbers.
    Groups,
    /// What a single-objective policy pursues: see [`Target`](crate::Target).
    Target,
    /// What is believed about each objective: see [`Prior`](crate::Prior).
    Priors,
    /// Another policy, by its id and with its parameters: see [`PolicyConfig`](crate::PolicyConfig).
    Policy,
}

/// A parameter of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The name, as in configurations.
    pub name: &'static str,
    /// What values look like.
    pub kind: Kind,
    /// The default, as it would be written.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

impl Parameter {
    /// The parameter that all single-objective policies have.
    pub(crate) const TARGET: Parameter = Parameter {
        name: "target",
        kind: Kind::Target,
        default: "0",
        meaning: "what is pursued: the number of an objective (from 0), or one weight per objective for a weighted sum of the \
                  rewards mapped to [0, 1]",
    };

    /// The parameter of policies that must know how long they will play.
    pub(crate) const HORIZON: Parameter = Parameter {
        name: "horizon",
        kind: Kind::Count,
        default: "3000",
        meaning: "T, the number of rounds that it is made for; what follows from T stays the same after them",
    };

    /// Refuses a horizon of no rounds, or one that f64 cannot count.
    pub(crate) fn check_horizon(horizon: u64) -> Result<(), Error> {
        Self::check("horizon", horizon as f64, 1.0..=(1u64 << 53) as f64)
    }

    /// Refuses a value out of its bounds, NaN included.
    pub(crate) fn check(name: &'static str, got: f64, bounds: RangeInclusive<f64>) -> Result<(), Error> {
        if bounds.contains(&got) {
            return Ok(());
        }
        Err(Error::ParameterBounds { name, least: *bounds.start(), most: *bounds.end(), got })
    }
}
