//! Data that was read and checked.

use crate::DataError;
use moglb::{Link, Matrix};
use serde::{Deserialize, Serialize};

/// What is known of rewards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The reward of every arm in every round.
    Full,
    /// That of one arm a round, with the probability with which it was drawn.
    Logged,
    /// The mean rewards of one fixed arm set.
    Arms,
    /// All rewards of a new arm set each round.
    Candidates,
}

/// A folder of tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// Its name.
    pub name: String,
    /// Its problems.
    pub problems: Vec<DataProblem>,
}

impl Dataset {
    /// A problem by its id; without one the only problem.
    ///
    /// # Errors
    ///
    /// [`DataError::UnknownProblem`].
    pub fn problem(&self, id: Option<&str>) -> Result<&DataProblem, DataError> {
        let found = match (id, &self.problems[..]) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(id), all) => all.iter().find(|problem| problem.id == id),
        };
        found.ok_or_else(|| DataError::UnknownProblem {
            got: id.unwrap_or_default().into(),
            known: self.problems.iter().map(|problem| problem.id.clone()).collect(),
        })
    }
}

/// One problem. All numbers are finite and in the ranges of the format, all arms and rounds are there.
#[derive(Debug, Clone, PartialEq)]
pub struct DataProblem {
    /// Its id.
    pub id: String,
    /// Its objectives, in the order of the columns of rewards.
    pub objectives: Vec<DataObjective>,
    /// The names of the context features `x_*`.
    pub features: Vec<String>,
    /// The arms; empty where every round has its own and there are no features of arms.
    pub arms: ArmTable,
    /// Contexts and rewards.
    pub content: Content,
    /// What is reported beside the rewards and never learned from.
    pub measures: Measures,
    /// No feature row is longer than this: the largest norm there is, or as `meta.json` states it where that is more.
    pub x_max_norm: f64,
}

/// An objective: its column, and the link that suits it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataObjective {
    /// The column.
    pub column: String,
    /// The link.
    #[serde(default = "identity")]
    pub link: Link,
}

fn identity() -> Link {
    Link::Identity
}

/// The arms and their features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArmTable {
    /// The id of each arm.
    pub ids: Vec<String>,
    /// The name of each arm, its id where the table has no column `name`.
    pub names: Vec<String>,
    /// The names of the features `a_*`; there may be none.
    pub features: Vec<String>,
    /// The features of each arm (rows).
    pub values: Matrix,
}

/// The columns `raw_*` beside the rewards: the same things in units that people pay in, such as dollars or seconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measures {
    /// The names of the columns; there may be none.
    pub names: Vec<String>,
    /// A row for each row of rewards.
    pub values: Matrix,
}

impl Measures {
    /// The measures beside a row of rewards; empty where there are none.
    pub fn row(&self, row: usize) -> &[f64] {
        if self.names.is_empty() { &[] } else { self.values.row(row) }
    }
}

/// Contexts and rewards, by kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Every reward is known.
    Full(Full),
    /// The reward of one arm a round is known.
    Logged(Logged),
    /// The mean reward of each arm (rows) in each objective (columns).
    Arms(Matrix),
    /// Each round has arms of its own.
    Candidates(Candidates),
}

impl Content {
    /// What is known of rewards.
    pub fn kind(&self) -> Kind {
        match self {
            Content::Full(_) => Kind::Full,
            Content::Logged(_) => Kind::Logged,
            Content::Arms(_) => Kind::Arms,
            Content::Candidates(_) => Kind::Candidates,
        }
    }

    /// The number of rounds; none for arms that stay.
    pub fn n_rounds(&self) -> Option<usize> {
        match self {
            Content::Full(full) => Some(full.contexts.n_rows()),
            Content::Logged(logged) => Some(logged.contexts.n_rows()),
            Content::Arms(_) => None,
            Content::Candidates(candidates) => Some(candidates.starts.len() - 1),
        }
    }
}

/// Every reward is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Full {
    /// The context of each round (rows).
    pub contexts: Matrix,
    /// The rewards of the arms of the first round, then of the second, and so on.
    pub rewards: Matrix,
    /// The column `split` of the rounds, where there is one.
    pub splits: Option<Vec<String>>,
}

/// The reward of one arm a round is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// The context of each round (rows).
    pub contexts: Matrix,
    /// The position of the arm that was played.
    pub arms: Vec<usize>,
    /// The probability with which it was drawn.
    pub propensities: Vec<f64>,
    /// Its rewards (rows).
    pub rewards: Matrix,
}

/// Each round has arms of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// Where the rows of each round begin, and where those of the last one end.
    pub starts: Vec<usize>,
    /// The features of each candidate (rows).
    pub contexts: Matrix,
    /// The position of each candidate in the table of arms, where it has features there.
    pub arms: Option<Vec<usize>>,
    /// The rewards of each candidate (rows).
    pub rewards: Matrix,
}
