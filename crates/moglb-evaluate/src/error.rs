//! The errors of an evaluation.

use moglb::{Echo, EchoLine, EchoList, EchoMessage, EchoNumber};
use moglb_data::{DataError, FitError};

/// An error about a log, a target policy or a configuration.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// A log without rounds, arms or objectives.
    #[error(
        "a log needs rounds, arms and objectives, got {rounds} rounds, {arms} arms and {objectives} \
         objectives"
    )]
    EmptyLog {
        /// The number of rounds.
        rounds: usize,
        /// The number of arms.
        arms: usize,
        /// The number of objectives.
        objectives: usize,
    },
    /// Parts whose sizes do not match.
    #[error("{what}: expected {expected}, got {got}")]
    Size {
        /// The things that were counted.
        what: &'static str,
        /// The required number.
        expected: usize,
        /// The number in the input.
        got: usize,
    },
    /// A number that is NaN or infinite.
    #[error("round {round}: {what} must be finite, got {value}")]
    NotFinite {
        /// The kind of number.
        what: &'static str,
        /// The round, from 0.
        round: usize,
        /// The number in the input.
        value: f64,
    },
    /// An arm that does not exist.
    #[error("{place}: there are {n_arms} arms, numbered from 0, got {}", Echo(arm))]
    UnknownArm {
        /// The place that names the arm.
        place: String,
        /// The number of arms.
        n_arms: usize,
        /// The arm.
        arm: String,
    },
    /// A propensity that is impossible or too small.
    #[error(
        "round {round}: the propensity of the played arm must lie between 1e-40 and 1, got {}",
        EchoNumber(*value)
    )]
    Propensity {
        /// The round, from 0.
        round: usize,
        /// The propensity in the input.
        value: f64,
    },
    /// A row that is not a distribution over the arms.
    #[error(
        "{}, round {round}: probabilities must be at least 0 and add up to 1, they add up to {}",
        Echo(of),
        EchoNumber(*sum)
    )]
    NotProbabilities {
        /// The log or the target that the row belongs to.
        of: String,
        /// The round, from 0.
        round: usize,
        /// The sum of the row.
        sum: f64,
    },
    /// The log has no propensities.
    #[error(
        "the log has no propensities: estimate them from the contexts if only the contexts decided the arms"
    )]
    NoPropensities,
    /// The probabilities of all arms are needed, but the log has only those of the played arms.
    #[error("{what} needs the log's probability of every arm, the log has that of the played one only")]
    NoProbabilities {
        /// The part of the evaluation that needs them.
        what: &'static str,
    },
    /// A reward outside of the stated range.
    #[error(
        "round {round}: `{}` must lie between {} and {} as stated, got {}",
        Echo(objective),
        EchoNumber(*low),
        EchoNumber(*high),
        EchoNumber(*value)
    )]
    Reward {
        /// The round, from 0.
        round: usize,
        /// The objective.
        objective: String,
        /// The lower end of the range.
        low: f64,
        /// The upper end of the range.
        high: f64,
        /// The reward in the input.
        value: f64,
    },
    /// A reward whose powers are too large for f64.
    #[error("round {round}: rewards of `{}` must lie within ±1e100, got {value:e}", Echo(objective))]
    RewardSize {
        /// The round, from 0.
        round: usize,
        /// The objective.
        objective: String,
        /// The reward.
        value: f64,
    },
    /// The range of an objective is empty, too wide or too short.
    #[error(
        "the rewards of `{}` need a range low < high within ±1e100 that is at least 1e-200 long and at least \
         1e-12 of its larger end, got [{low:?}, {high:?}]",
        Echo(objective)
    )]
    Range {
        /// The objective.
        objective: String,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A result that is not a finite number.
    #[error(
        "`{}`: {what} is not finite: rewards, weights or predictions of the model are too large",
        Echo(policy)
    )]
    Overflow {
        /// The target.
        policy: String,
        /// The number that is not finite.
        what: &'static str,
    },
    /// A bound that needs the range of rewards, for an objective without one.
    #[error("empirical Bernstein intervals need the range of `{}`: state it", Echo(objective))]
    NoRange {
        /// The objective.
        objective: String,
    },
    /// Empirical Bernstein bounds for a ratio: they exist for means only.
    #[error(
        "{} is a ratio of means: empirical Bernstein intervals are for ips, dm, dr, switch-dr and dr-os",
        Echo(estimator)
    )]
    Ratio {
        /// The estimator.
        estimator: String,
    },
    /// A parameter out of its bounds.
    #[error(
        "{name} must lie between {} and {}, got {}",
        EchoNumber(*low),
        EchoNumber(*high),
        EchoNumber(*value)
    )]
    Parameter {
        /// The name of the parameter.
        name: &'static str,
        /// The lower bound.
        low: f64,
        /// The upper bound.
        high: f64,
        /// The value in the input.
        value: f64,
    },
    /// An estimator, interval, layout or target with an unknown name.
    #[error("there is no {what} `{}`, there are: {known}", Echo(got))]
    Unknown {
        /// The kind of thing that was named.
        what: &'static str,
        /// The name in the input.
        got: String,
        /// The valid names.
        known: &'static str,
    },
    /// An objective that the log does not have.
    #[error("there is no objective `{}`, there are: {}", Echo(got), EchoList(known))]
    UnknownObjective {
        /// The name in the input.
        got: String,
        /// The names of the objectives of the log.
        known: Vec<String>,
    },
    /// The target never plays an arm that was logged.
    #[error("`{}` never plays a logged arm: the log has no information about it", Echo(policy))]
    NoOverlap {
        /// The target.
        policy: String,
    },
    /// Ratios that resampled logs do not have, because they have no weight.
    #[error(
        "{draws} resampled logs in a row had no weight at all for some policy: evaluate policies that have \
         weight in few rounds one by one, or take an estimator that is no ratio (ips, dr)"
    )]
    Resample {
        /// The number of resampled logs.
        draws: usize,
    },
    /// The model has no data on an arm.
    #[error(
        "`{}` plays arm {arm}, for which the direct method has no data in fold {fold}, {}: share \
         coefficients between arms (layout hybrid, or additive where arms have features), or take an \
         estimator without a model",
        Echo(policy),
        where_it_was(*rounds)
    )]
    UnseenArm {
        /// The target that plays the arm.
        policy: String,
        /// The arm.
        arm: usize,
        /// The fold whose rounds are predicted from the others.
        fold: usize,
        /// The rounds of the log in which the arm was played, all of them in that fold.
        rounds: usize,
    },
    /// A model that needs features of arms where there are none.
    #[error("the layout `{}` needs features of arms, the log has none", Echo(layout))]
    NoArmFeatures {
        /// The layout.
        layout: String,
    },
    /// A model could not be fitted.
    #[error("{}: {error} (another layout or the link `identity` may help)", Echo(what))]
    Fit {
        /// The model that could not be fitted.
        what: String,
        /// The reason.
        error: FitError,
    },
    /// A policy refused the arms.
    #[error("`{}`: {error}", Echo(policy))]
    Policy {
        /// The target.
        policy: String,
        /// The error of the policy.
        error: moglb::Error,
    },
    /// A table that is too large for this machine.
    #[error("{what}: {error}")]
    Memory {
        /// The table.
        what: &'static str,
        /// The error, with the size of the table.
        error: moglb::Error,
    },
    /// Data that cannot be read.
    #[error("{0}")]
    Data(#[from] DataError),
    /// A problem of another kind.
    #[error("problem `{}` is not of kind `logged`: it has no decisions to learn from", Echo(problem))]
    NotLogged {
        /// The problem.
        problem: String,
    },
    /// Threads that could not be started.
    #[error("the threads could not be started: {}", EchoMessage(reason))]
    Threads {
        /// The reason.
        reason: String,
    },
    /// A file that cannot be read as a log.
    #[error(
        "{}{}: {}",
        Echo(file),
        line.map(|line| format!(", line {line}")).unwrap_or_default(),
        EchoLine(reason)
    )]
    File {
        /// The file.
        file: String,
        /// The line, from 1.
        line: Option<u64>,
        /// The reason, with values from the input as [`moglb::Echo`] shows them.
        reason: String,
    },
}

impl EvaluateError {
    /// Refuses a table above the [memory limit](moglb::set_memory_limit) before it is made.
    pub(crate) fn check_memory(what: &'static str, rows: usize, columns: usize) -> Result<(), Self> {
        moglb::check_memory(rows, columns).map_err(|error| Self::Memory { what, error })
    }

    /// The name of the kind of error. It stays the same when messages change.
    pub fn code(&self) -> &'static str {
        use EvaluateError as E;
        match self {
            E::EmptyLog { .. } => "empty-log",
            E::Size { .. } => "log-size",
            E::NotFinite { .. } | E::Overflow { .. } => "not-finite",
            E::UnknownArm { .. } => "unknown-arm",
            E::Propensity { .. } => "propensity",
            E::NotProbabilities { .. } => "not-probabilities",
            E::NoPropensities => "no-propensities",
            E::NoProbabilities { .. } => "no-probabilities",
            E::Reward { .. } | E::RewardSize { .. } => "reward",
            E::Range { .. } => "range",
            E::NoRange { .. } => "no-range",
            E::Ratio { .. } => "ratio-estimator",
            E::Parameter { .. } => "parameter-bounds",
            E::Unknown { .. } => "unknown-choice",
            E::UnknownObjective { .. } => "objective-not-found",
            E::NoOverlap { .. } => "no-overlap",
            E::Resample { .. } => "no-resample",
            E::UnseenArm { .. } => "unseen-arm",
            E::NoArmFeatures { .. } => "no-arm-features",
            E::Fit { .. } => "no-fit",
            E::Policy { error, .. } | E::Memory { error, .. } => error.code(),
            E::Data(error) => error.code(),
            E::NotLogged { .. } => "not-logged",
            E::Threads { .. } => "threads",
            E::File { .. } => "log-file",
        }
    }
}

/// The reason why the other folds do not have an arm.
fn where_it_was(rounds: usize) -> String {
    match rounds {
        0 => "because the log never played it".into(),
        1 => "because its only round is in that fold".into(),
        rounds => format!("because its {rounds} rounds are all in that fold"),
    }
}
