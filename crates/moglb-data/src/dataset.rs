//! Data sets: data that was read and checked.

use crate::DataError;
use moglb::{Link, Matrix};
use serde::{Deserialize, Serialize};

/// The kind of a problem: which rewards are known.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The reward of every arm in every round.
    Full,
    /// The reward of one arm a round, with the probability with which the arm was drawn.
    Logged,
    /// The mean rewards of one fixed arm set.
    Arms,
    /// All rewards of a new arm set in each round.
    Candidates,
}

/// A data set: the content of a folder of tables.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The name.
    pub name: String,
    /// The problems.
    pub problems: Vec<DataProblem>,
}

impl Dataset {
    /// A problem by its id; without an id the only problem.
    ///
    /// # Errors
    ///
    /// [`DataError::UnknownProblem`] if there is no such problem, or if the id is missing and there are
    /// several problems.
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

/// One problem. All numbers are finite and in the ranges of the format; all arms and rounds are complete.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq)]
pub struct DataProblem {
    /// The id.
    pub id: String,
    /// The objectives, in the order of the columns of rewards.
    pub objectives: Vec<DataObjective>,
    /// The names of the context features `x_*`.
    pub features: Vec<String>,
    /// The arms; empty if every round has its own arms and arms have no features.
    pub arms: ArmTable,
    /// Contexts and rewards.
    pub content: Content,
    /// Quantities that are reported next to the rewards and never learned.
    pub measures: Measures,
    /// An upper bound on the norm of feature rows: the largest norm in the data, or the number in `meta.json`
    /// if that is larger.
    pub x_max_norm: f64,
}

/// An objective: its column, and the link that suits it.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
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
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArmTable {
    /// The id of each arm.
    pub ids: Vec<String>,
    /// The name of each arm; its id if the table has no column `name`.
    pub names: Vec<String>,
    /// The names of the features `a_*`; there may be none.
    pub features: Vec<String>,
    /// The features of each arm (rows).
    pub values: Matrix,
}

/// The columns `raw_*` next to the rewards: the same quantities in practical units, such as dollars or
/// seconds.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measures {
    /// The names of the columns; there may be none.
    pub names: Vec<String>,
    /// A row for each row of rewards.
    pub values: Matrix,
}

impl Measures {
    /// The measures that belong to a row of rewards; empty if there are none.
    pub fn row(&self, row: usize) -> &[f64] {
        if self.names.is_empty() { &[] } else { self.values.row(row) }
    }
}

/// Contexts and rewards, by kind.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Every reward is known.
    Full(Full),
    /// The reward of one arm a round is known.
    Logged(Logged),
    /// The mean reward of each arm (rows) in each objective (columns).
    Arms(Matrix),
    /// Each round has its own arms.
    Candidates(Candidates),
}

impl Content {
    /// The kind of the problem.
    pub fn kind(&self) -> Kind {
        match self {
            Content::Full(_) => Kind::Full,
            Content::Logged(_) => Kind::Logged,
            Content::Arms(_) => Kind::Arms,
            Content::Candidates(_) => Kind::Candidates,
        }
    }

    /// The number of rounds; none for fixed arms.
    pub fn n_rounds(&self) -> Option<usize> {
        match self {
            Content::Full(full) => Some(full.contexts.n_rows()),
            Content::Logged(logged) => Some(logged.contexts.n_rows()),
            Content::Arms(_) => None,
            Content::Candidates(candidates) => Some(candidates.starts.len() - 1),
        }
    }
}

/// The content of a problem in which every reward is known.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq)]
pub struct Full {
    /// The context of each round (rows).
    pub contexts: Matrix,
    /// The rewards of the arms of the first round, then of the second, and so on.
    pub rewards: Matrix,
    /// The column `split` of the rounds, if there is one.
    pub splits: Option<Vec<String>>,
}

/// The content of a problem in which the reward of one arm a round is known.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// The context of each round (rows).
    pub contexts: Matrix,
    /// The position of the played arm in each round.
    pub arms: Vec<usize>,
    /// The probability with which the played arm was drawn.
    pub propensities: Vec<f64>,
    /// The rewards (columns) of the played arm in each round (rows).
    pub rewards: Matrix,
}

/// The content of a problem in which each round has its own arms.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// The index of the first row of each round, and at the end the number of rows.
    pub starts: Vec<usize>,
    /// The features of each candidate (rows).
    pub contexts: Matrix,
    /// The position of each candidate in the table of arms, if there is a table of features.
    pub arms: Option<Vec<usize>>,
    /// The rewards of each candidate (rows).
    pub rewards: Matrix,
}
