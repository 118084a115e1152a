//! The log: for each round the arms on offer, the played arm and its propensity, and the rewards.

mod data;
mod decisions;
mod dsjson;
mod features;
mod lines;
mod obd;
mod read;
mod trail;

pub use read::{Form, ReadOptions, read};

use crate::EvaluateError;
use crate::propensity;
use moglb::{Matrix, Objective};
use moglb_data::LEAST_PROPENSITY;

/// The features of arms.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ArmFeatures {
    /// Arms have no features.
    #[default]
    None,
    /// The features of each arm (rows), equal in all rounds.
    Fixed(Matrix),
    /// The features of the arms (rows) of the first round, then of the second, and so on.
    PerRound(Matrix),
}

/// The parts of a log before they are checked.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogParts {
    /// The objectives. Set a range if rewards have one: if [`Objective::range`] is `None`, no range is
    /// assumed.
    pub objectives: Vec<Objective>,
    /// The names of the arms.
    pub arms: Vec<String>,
    /// The number of arms on offer in each round, which are the first ones; all arms if not set.
    pub offered: Option<Vec<usize>>,
    /// The context of each round (rows); without columns if there are no contexts.
    pub contexts: Matrix,
    /// The features of arms.
    pub arm_features: ArmFeatures,
    /// The arm that was played in each round.
    pub played: Vec<usize>,
    /// The propensity of the played arm in each round; `None` if it was not recorded.
    pub propensities: Option<Vec<f64>>,
    /// The probability of each arm (columns) in each round (rows), if known.
    pub probabilities: Option<Matrix>,
    /// True if propensities were estimated. Then they are no evidence of how the log was written.
    pub estimated: bool,
    /// A number for each round, equal for rounds with the same context and arms. If not set, the contexts and
    /// the features of arms are compared.
    pub situations: Option<Vec<u64>>,
    /// The first round that was decided by another version of the policy than the rounds before, if the log
    /// names versions.
    pub revised: Option<usize>,
    /// The rewards (columns) of the played arm in each round (rows).
    pub rewards: Matrix,
}

/// The most arms. A larger number is a mistake, and would require tables that no machine can hold.
pub(crate) const MOST_ARMS: usize = 1 << 20;

impl LogParts {
    /// Names for arms: their numbers.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::Parameter`] for more than 2²⁰ arms.
    pub fn numbered(n_arms: usize) -> Result<Vec<String>, EvaluateError> {
        if n_arms > MOST_ARMS {
            let (high, value) = (MOST_ARMS as f64, n_arms as f64);
            return Err(EvaluateError::Parameter { name: "the number of arms", low: 1.0, high, value });
        }
        Ok((0..n_arms).map(|arm| arm.to_string()).collect())
    }

    /// The number of arms on offer in a round.
    fn n_offered(&self, round: usize) -> usize {
        self.offered.as_ref().map_or(self.arms.len(), |offered| offered[round])
    }

    /// These parts with some of the objectives only.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::UnknownObjective`].
    pub fn keeping(mut self, names: &[String]) -> Result<Self, EvaluateError> {
        let places = names.iter().map(|name| self.place_of(name)).collect::<Result<Vec<_>, _>>()?;
        let value = |t: usize, k: usize| self.rewards.row(t)[places[k]];
        self.rewards = Matrix::from_fn(self.rewards.n_rows(), places.len(), value);
        self.objectives = places.into_iter().map(|place| self.objectives[place].clone()).collect();
        Ok(self)
    }

    /// The position of an objective.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::UnknownObjective`].
    pub fn place_of(&self, name: &str) -> Result<usize, EvaluateError> {
        let found = self.objectives.iter().position(|objective| objective.name == name);
        let known = || self.objectives.iter().map(|objective| objective.name.clone()).collect();
        found.ok_or_else(|| EvaluateError::UnknownObjective { got: name.into(), known: known() })
    }

    /// These parts with propensities estimated from the contexts: see [`propensity::estimate`].
    ///
    /// # Errors
    ///
    /// As [`Log::new`], and [`EvaluateError::Fit`].
    pub fn with_estimated_propensities(mut self) -> Result<Self, EvaluateError> {
        check_sizes(&self)?;
        check_numbers(&self)?;
        if let Some(&got) = self.offered.iter().flatten().find(|&&offered| offered != self.arms.len()) {
            let what = "arms on offer in every round, for propensities to be estimated";
            return Err(EvaluateError::Size { what, expected: self.arms.len(), got });
        }
        let probabilities = propensity::estimate(&self.contexts, &self.played, self.arms.len())?;
        let of_played = |(row, &arm): (&[f64], &usize)| row[arm];
        self.propensities = Some(probabilities.rows().zip(&self.played).map(of_played).collect());
        self.probabilities = Some(probabilities);
        self.estimated = true;
        Ok(self)
    }
}

/// A checked log: every number is finite, every arm exists, every propensity is positive.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    parts: LogParts,
    propensities: Vec<f64>,
}

/// The largest reward in absolute value. Weights are at most 1/[`LEAST_PROPENSITY`] = 1e40, so a weighted
/// reward is at most 1e140 and its square 1e280. The largest f64 is 1.8e308, so sums of such squares over
/// 1e28 rounds are finite.
const LARGEST_REWARD: f64 = 1e100;

/// The largest error of a sum of probabilities: some logs have them in single precision.
const SUM_TOLERANCE: f64 = 1e-5;

impl Log {
    /// A log of these parts, after they are checked.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::NoPropensities`] if there are none, because none are assumed. Otherwise an error
    /// about the parts.
    pub fn new(mut parts: LogParts) -> Result<Self, EvaluateError> {
        check_sizes(&parts)?;
        check_numbers(&parts)?;
        if let Some(table) = &parts.probabilities {
            let check = |(round, row): (usize, &[f64])| {
                check_probabilities("the log", round, &row[..parts.n_offered(round)])
            };
            table.rows().enumerate().try_for_each(check)?;
        }
        let of_played =
            |table: &Matrix| table.rows().zip(&parts.played).map(|(row, &arm)| row[arm]).collect();
        let propensities: Option<Vec<f64>> = match parts.propensities.take() {
            Some(propensities) => Some(propensities),
            None => parts.probabilities.as_ref().map(of_played),
        };
        let propensities = propensities.ok_or(EvaluateError::NoPropensities)?;
        for (round, &value) in propensities.iter().enumerate() {
            if !(LEAST_PROPENSITY..=1.0).contains(&value) {
                return Err(EvaluateError::Propensity { round, value });
            }
        }
        Ok(Self { parts, propensities })
    }

    /// The number of rounds n.
    pub fn n_rounds(&self) -> usize {
        self.parts.played.len()
    }

    /// The number of arms K.
    pub fn n_arms(&self) -> usize {
        self.parts.arms.len()
    }

    /// The number of arms on offer in a round. These are the first arms.
    pub fn n_offered(&self, round: usize) -> usize {
        self.parts.n_offered(round)
    }

    /// The number of objectives m.
    pub fn n_objectives(&self) -> usize {
        self.parts.objectives.len()
    }

    /// The objectives.
    pub fn objectives(&self) -> &[Objective] {
        &self.parts.objectives
    }

    /// The names of the arms.
    pub fn arms(&self) -> &[String] {
        &self.parts.arms
    }

    /// The context of each round.
    pub fn contexts(&self) -> &Matrix {
        &self.parts.contexts
    }

    /// The arm that was played in each round.
    pub fn played(&self) -> &[usize] {
        &self.parts.played
    }

    /// The propensity of the played arm in each round.
    pub fn propensities(&self) -> &[f64] {
        &self.propensities
    }

    /// The probability of every arm in each round, if known.
    pub fn probabilities(&self) -> Option<&Matrix> {
        self.parts.probabilities.as_ref()
    }

    /// True if propensities were estimated.
    pub(crate) fn is_estimated(&self) -> bool {
        self.parts.estimated
    }

    /// A number for each round, equal for rounds with the same context and arms, if the reader recorded it.
    pub(crate) fn situations(&self) -> Option<&[u64]> {
        self.parts.situations.as_deref()
    }

    /// The first round that another version of the policy decided.
    pub(crate) fn revised(&self) -> Option<usize> {
        self.parts.revised
    }

    /// The rewards of the played arms.
    pub fn rewards(&self) -> &Matrix {
        &self.parts.rewards
    }

    /// The number of features of an arm.
    pub fn n_arm_features(&self) -> usize {
        match &self.parts.arm_features {
            ArmFeatures::None => 0,
            ArmFeatures::Fixed(table) | ArmFeatures::PerRound(table) => table.n_cols(),
        }
    }

    /// The features of an arm in a round if they vary from round to round; otherwise none.
    pub(crate) fn varying_features(&self, round: usize, arm: usize) -> &[f64] {
        match &self.parts.arm_features {
            ArmFeatures::PerRound(_) => self.arm_features(round, arm),
            _ => &[],
        }
    }

    /// The features of an arm in a round.
    pub fn arm_features(&self, round: usize, arm: usize) -> &[f64] {
        match &self.parts.arm_features {
            ArmFeatures::None => &[],
            ArmFeatures::Fixed(table) => table.row(arm),
            ArmFeatures::PerRound(table) => table.row(round * self.n_arms() + arm),
        }
    }
}

/// Refuses a row that is not a distribution.
pub(crate) fn check_probabilities(of: &str, round: usize, row: &[f64]) -> Result<(), EvaluateError> {
    let sum: f64 = row.iter().sum();
    let fine = row.iter().all(|&p| p >= 0.0) && (sum - 1.0).abs() <= SUM_TOLERANCE;
    if fine { Ok(()) } else { Err(EvaluateError::NotProbabilities { of: of.into(), round, sum }) }
}

/// Refuses parts whose sizes do not match.
fn check_sizes(parts: &LogParts) -> Result<(), EvaluateError> {
    let (rounds, arms, objectives) = (parts.played.len(), parts.arms.len(), parts.objectives.len());
    if rounds == 0 || arms == 0 || objectives == 0 {
        return Err(EvaluateError::EmptyLog { rounds, arms, objectives });
    }
    let features = match &parts.arm_features {
        ArmFeatures::None => (0, 0),
        ArmFeatures::Fixed(table) => (arms, table.n_rows()),
        ArmFeatures::PerRound(table) => (rounds * arms, table.n_rows()),
    };
    let probabilities = parts.probabilities.as_ref();
    for (what, expected, got) in [
        ("rows of rewards", rounds, parts.rewards.n_rows()),
        ("columns of rewards", objectives, parts.rewards.n_cols()),
        ("rows of contexts", rounds, parts.contexts.n_rows()),
        ("propensities", rounds, parts.propensities.as_ref().map_or(rounds, Vec::len)),
        ("rows of probabilities", rounds, probabilities.map_or(rounds, Matrix::n_rows)),
        ("columns of probabilities", arms, probabilities.map_or(arms, Matrix::n_cols)),
        ("rows of arm features", features.0, features.1),
        ("numbers of situations", rounds, parts.situations.as_ref().map_or(rounds, Vec::len)),
        ("numbers of arms on offer", rounds, parts.offered.as_ref().map_or(rounds, Vec::len)),
    ] {
        if expected != got {
            return Err(EvaluateError::Size { what, expected, got });
        }
    }
    Ok(())
}

/// Refuses unknown arms, numbers that are not finite, and rewards or ranges that are out of bounds.
fn check_numbers(parts: &LogParts) -> Result<(), EvaluateError> {
    let n_arms = parts.arms.len();
    for (round, &arm) in parts.played.iter().enumerate() {
        let offered = parts.n_offered(round);
        if offered > n_arms {
            return Err(EvaluateError::Size {
                what: "arms on offer, at most",
                expected: n_arms,
                got: offered,
            });
        }
        if arm >= offered {
            let (place, arm) = (format!("round {round}"), arm.to_string());
            return Err(EvaluateError::UnknownArm { place, n_arms: offered, arm });
        }
    }
    finite("a context", &parts.contexts, 1)?;
    finite("a reward", &parts.rewards, 1)?;
    match &parts.arm_features {
        ArmFeatures::None => {}
        ArmFeatures::Fixed(table) => finite("a feature of an arm", table, usize::MAX)?,
        ArmFeatures::PerRound(table) => finite("a feature of an arm", table, n_arms)?,
    }
    let inside = |value: f64| (-LARGEST_REWARD..=LARGEST_REWARD).contains(&value);
    for (objective, (low, high)) in parts.objectives.iter().filter_map(|one| Some((one, one.range?))) {
        if objective.check_range().is_err() {
            return Err(EvaluateError::Range { objective: objective.name.clone(), low, high });
        }
    }
    for (round, row) in parts.rewards.rows().enumerate() {
        for (objective, &value) in parts.objectives.iter().zip(row) {
            if !inside(value) {
                return Err(EvaluateError::RewardSize { round, objective: objective.name.clone(), value });
            }
            let Some((low, high)) = objective.range else { continue };
            if value < low || value > high {
                let objective = objective.name.clone();
                return Err(EvaluateError::Reward { round, objective, low, high, value });
            }
        }
    }
    Ok(())
}

/// Refuses NaN and infinities in a table with this many rows per round.
fn finite(what: &'static str, table: &Matrix, rows_a_round: usize) -> Result<(), EvaluateError> {
    for (index, row) in table.rows().enumerate() {
        if let Some(&value) = row.iter().find(|value| !value.is_finite()) {
            return Err(EvaluateError::NotFinite { what, round: index / rows_a_round, value });
        }
    }
    Ok(())
}
