//! The errors of the whole library: each is a fact about an input, with its values.

use crate::echo::{Echo, EchoList, EchoMessage, EchoNumber, EchoNumbers};

/// The reason why the library rejects an input. A rejected input changes nothing.
///
/// ```
/// let error = moglb::Matrix::new(2, vec![1.0, 0.5, 0.0]).unwrap_err();
/// assert_eq!(error.to_string(), "3 values do not make rows of 2");
/// assert_eq!(error.code(), "shape");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A context does not have the problem's number of features.
    #[error("the context has {got} features, expected {expected}")]
    Dimension {
        /// The number of features of the problem.
        expected: usize,
        /// The number received.
        got: usize,
    },
    /// A flat table of contexts or points does not divide into rows.
    #[error("{got} values do not make rows of {columns}")]
    Shape {
        /// The length of a row.
        columns: usize,
        /// The number of values received.
        got: usize,
    },
    /// Rows of a table differ in length.
    #[error("row {row} has {got} values, the rows before it have {expected}")]
    Ragged {
        /// The index of the row.
        row: usize,
        /// The length of the rows before it.
        expected: usize,
        /// The length received.
        got: usize,
    },
    /// A table is too large to be addressed, or above the [memory limit](crate::set_memory_limit).
    #[error("{}", too_large(*rows, *columns))]
    TooLarge {
        /// The number of rows; [`usize::MAX`] if it is larger than that.
        rows: usize,
        /// The number of columns; [`usize::MAX`] if it is larger than that.
        columns: usize,
    },
    /// A value is NaN or infinite.
    #[error("{what} must be finite, got {value} at position {index}")]
    NotFinite {
        /// The name of the input.
        what: &'static str,
        /// The position of the value in the input.
        index: usize,
        /// The value received.
        value: f64,
    },
    /// A context is longer than one (Assumption 2).
    #[error(
        "the context of arm {arm} has norm {}, expected at most 1: scale the contexts or enable scaling",
        EchoNumber(*norm)
    )]
    Norm {
        /// The arm.
        arm: usize,
        /// Its norm.
        norm: f64,
    },
    /// The scale for contexts is not a positive number.
    #[error("the scale of contexts must be a positive number, got {}", EchoNumber(*got))]
    Scale {
        /// The value received.
        got: f64,
    },
    /// Raw rows cannot be scaled before the scale is frozen.
    #[error("the scale of the features is not frozen: set it, or freeze it from a sample of rows")]
    NotFrozen,
    /// The row starts of a sparse table do not rise from 0 to the number of its values.
    #[error("row starts must begin with 0, never decrease and end with {values}, the number of values")]
    RowStarts {
        /// The number of values.
        values: usize,
    },
    /// A row of a sparse table has an entry in a column that the table does not have.
    #[error("row {row} has an entry in column {column}, there are {n_columns} columns, counted from 0")]
    Column {
        /// The row.
        row: usize,
        /// The column received.
        column: usize,
        /// The number of columns.
        n_columns: usize,
    },
    /// An arm set has no arms.
    #[error("the arm set is empty")]
    NoArms,
    /// Contexts have no features, d = 0.
    #[error("contexts need at least one feature")]
    NoFeatures,
    /// A problem has no objectives, m = 0.
    #[error("a problem needs at least one objective")]
    NoObjectives,
    /// The name of an objective is empty, or another objective has it.
    #[error("objective {index} needs a nonempty name that no other objective has, got `{}`", Echo(name))]
    ObjectiveName {
        /// The position of the objective.
        index: usize,
        /// The name received.
        name: String,
    },
    /// The range of an objective's rewards is empty, not finite, too wide or too short.
    #[error(
        "the rewards of objective `{}` need a range low < high within ±1e100 that is at least 1e-200 long \
         and at least 1e-12 of its larger end, got [{}, {}]",
        Echo(objective),
        EchoNumber(*low),
        EchoNumber(*high)
    )]
    Range {
        /// The objective.
        objective: String,
        /// The lower end received.
        low: f64,
        /// The upper end received.
        high: f64,
    },
    /// The policy keeps statistics per arm, so the problem must state the number of arms.
    #[error("policy {policy} keeps statistics per arm: the problem must state the number of arms")]
    ArmCountNeeded {
        /// The policy's id.
        policy: &'static str,
    },
    /// An arm set does not have the stated number of arms.
    #[error("the arm set has {got} arms, the policy was built for {expected}")]
    ArmCount {
        /// The number of arms of the problem.
        expected: usize,
        /// The number received.
        got: usize,
    },
    /// An arm id is not in the arm set.
    #[error("arm {arm} does not exist, there are {n_arms} arms")]
    UnknownArm {
        /// The id received.
        arm: usize,
        /// The number of arms.
        n_arms: usize,
    },
    /// A reward vector has the wrong length.
    #[error("the reward has {got} entries, the problem has {expected} objectives")]
    RewardLength {
        /// The number of objectives m.
        expected: usize,
        /// The number of entries received.
        got: usize,
    },
    /// A reward lies outside of the range of its objective (Assumption 4), or is NaN or infinite.
    #[error(
        "the reward {} of objective `{}` lies outside [{}, {}]",
        EchoNumber(*value),
        Echo(objective),
        EchoNumber(*low),
        EchoNumber(*high)
    )]
    Reward {
        /// The objective.
        objective: String,
        /// The value received.
        value: f64,
        /// The lower end of the range.
        low: f64,
        /// The upper end of the range.
        high: f64,
    },
    /// A reward vector is incomplete, and the policy learns from complete vectors only.
    #[error("a part of the reward is missing, and this policy learns from whole rewards only")]
    WholeRewards,
    /// The objectives of the policy cannot change once it is built.
    #[error("the objectives of this policy cannot change once it is built")]
    ObjectivesFixed,
    /// The arms of the policy cannot change once it is built.
    #[error("the arms of this policy cannot change once it is built")]
    ArmsFixed,
    /// A prior does not fit its objective.
    #[error("the prior of objective {objective}: {what}")]
    Prior {
        /// The index of the objective.
        objective: usize,
        /// The reason.
        what: &'static str,
    },
    /// A reward belongs to a decision that was never recorded.
    #[error("no decision has the number {decision}; the next one will be {next}")]
    UnknownDecision {
        /// The number received.
        decision: u64,
        /// The number that the next decision will have.
        next: u64,
    },
    /// A reward was received before, with another value.
    #[error(
        "decision {decision} already has the reward {} for objective `{}`, got {}",
        EchoNumber(*first),
        Echo(objective),
        EchoNumber(*got)
    )]
    RewardConflict {
        /// The decision.
        decision: u64,
        /// The objective.
        objective: String,
        /// The value received first.
        first: f64,
        /// The value received now.
        got: f64,
    },
    /// The radius D is not a usable positive number.
    #[error("the radius D must lie between 1e-100 and 1e100, got {}", EchoNumber(*got))]
    Radius {
        /// The value received.
        got: f64,
    },
    /// A link's slope vanishes, or its mean overflows, on [-D, D] (Assumption 3).
    #[error(
        "the {} link of objective `{}` has slope {} and mean up to {} on [-{radius}, {radius}]: choose a \
         smaller D",
        Echo(link),
        Echo(objective),
        EchoNumber(*kappa),
        EchoNumber(*bound),
        radius = EchoNumber(*radius)
    )]
    Curvature {
        /// The objective.
        objective: String,
        /// The link.
        link: &'static str,
        /// The radius D.
        radius: f64,
        /// The smallest slope κ.
        kappa: f64,
        /// The largest mean U.
        bound: f64,
    },
    /// λ is below the bound of the policy (max(1, κ/2) for MOGLB-UCB), above 1e100, or NaN.
    #[error("lambda must lie between {} and 1e100, got {}", EchoNumber(*bound), EchoNumber(*got))]
    Lambda {
        /// The smallest λ allowed.
        bound: f64,
        /// The value received.
        got: f64,
    },
    /// δ lies outside of (0, 1).
    #[error("delta must lie strictly between 0 and 1, got {}", EchoNumber(*got))]
    Delta {
        /// The value received.
        got: f64,
    },
    /// The width factor c is negative, above 1e100, or NaN.
    #[error("the width factor c must lie between 0 and 1e100, got {}", EchoNumber(*got))]
    WidthFactor {
        /// The value received.
        got: f64,
    },
    /// A threshold is not a probability.
    #[error("threshold must lie between 0 and 1, got {}", EchoNumber(*got))]
    Threshold {
        /// The value received.
        got: f64,
    },
    /// The number of samples is too small for an estimate, or too large to store.
    #[error("samples must lie between 2 and 10000, got {got}")]
    Samples {
        /// The number received.
        got: usize,
    },
    /// The problem has no objective with this index.
    #[error("objective {got} does not exist, there are {n_objectives} objectives, counted from 0")]
    UnknownObjective {
        /// The number received.
        got: usize,
        /// The number of objectives m.
        n_objectives: usize,
    },
    /// The weights are not one nonnegative number per objective with a positive sum.
    #[error("weights must be {expected} nonnegative numbers with a positive sum, got {}", EchoNumbers(got))]
    Weights {
        /// The number of objectives m.
        expected: usize,
        /// The values received.
        got: Vec<f64>,
    },
    /// An accuracy is not a distance on the unit scale.
    #[error("accuracy must lie between 0 and 1, got {}", EchoNumber(*got))]
    Accuracy {
        /// The value received.
        got: f64,
    },
    /// A parameter is not a usable positive number.
    #[error("{name} must lie between 1e-100 and 1e100, got {}", EchoNumber(*got))]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// The value received.
        got: f64,
    },
    /// The budget of samples is too small for the rounds that it has to cover.
    #[error("budget must be at least {least} samples for these arms, got {got}")]
    Budget {
        /// The smallest budget.
        least: u64,
        /// The value received.
        got: u64,
    },
    /// A reward belongs to another arm than the next one of the identifier, or follows the last one.
    #[error(
        "arm {got} was not asked for, expected {}",
        asked.map_or("no arm: sampling has stopped".into(), |arm| format!("arm {arm}"))
    )]
    NotAsked {
        /// The next arm of the identifier; none once sampling has stopped.
        asked: Option<usize>,
        /// The arm received.
        got: usize,
    },
    /// The size of the true front given to P-UCB is zero or above the number of arms.
    #[error("front_size must lie between 1 and {n_arms}, the number of arms, got {got}")]
    FrontSize {
        /// The number of arms.
        n_arms: usize,
        /// The value received.
        got: usize,
    },
    /// A parameter is outside of its bounds.
    #[error(
        "{name} must lie between {} and {}, got {}",
        EchoNumber(*least),
        EchoNumber(*most),
        EchoNumber(*got)
    )]
    ParameterBounds {
        /// The parameter.
        name: &'static str,
        /// The smallest value allowed.
        least: f64,
        /// The largest value allowed.
        most: f64,
        /// The value received.
        got: f64,
    },
    /// Parameters contradict each other, or one of them needs another one.
    #[error("{what}")]
    Parameters {
        /// The reason, in a sentence.
        what: &'static str,
    },
    /// A list has the wrong number of entries.
    #[error("{name} must have {expected} entries, got {got}")]
    Entries {
        /// The name of the list.
        name: &'static str,
        /// The number of entries that the list needs.
        expected: usize,
        /// The number of entries received.
        got: usize,
    },
    /// The problem has no objective with this name.
    #[error("there is no objective `{}`, there are: {}", Echo(name), EchoList(known))]
    ObjectiveNotFound {
        /// The name received.
        name: String,
        /// The names of the objectives of the problem.
        known: Vec<String>,
    },
    /// The shares are not numbers from 0 to 1 that add up to 1.
    #[error("shares must be numbers from 0 to 1 that add up to 1, got {}", EchoNumbers(got))]
    Shares {
        /// The values received.
        got: Vec<f64>,
    },
    /// A preference over the front is set for a policy that has no front.
    #[error("a preference needs a front to choose from, this policy has none")]
    NoFront,
    /// The lists of included and excluded arms leave no arm to play.
    #[error("the lists of included and excluded arms leave no arm to play")]
    NothingAllowed,
    /// A baseline with a guaranteed share is excluded.
    #[error("arm {arm} is the baseline and must not be excluded")]
    BaselineExcluded {
        /// The arm.
        arm: usize,
    },
    /// A preference returned numbers that are not probabilities.
    #[error(
        "a preference must give probabilities of allowed arms that add up to 1, their sum is {}",
        EchoNumber(*sum)
    )]
    NotProbabilities {
        /// The sum of the numbers; NaN if a number is not a probability or is of an arm that is not allowed.
        sum: f64,
    },
    /// The length of a list is zero, or more than the number of arms that may be played.
    #[error("a list must have between 1 and {allowed} arms, the number that may be played, got {got}")]
    ListLength {
        /// The number of arms that may be played.
        allowed: usize,
        /// The length received.
        got: usize,
    },
    /// The name of a custom link is empty, or a built-in link has it.
    #[error("a link needs a nonempty name that no built-in link has, got `{}`", Echo(name))]
    LinkName {
        /// The name received.
        name: String,
    },
    /// A process registers more custom links than it may have: a registered link is never freed.
    #[error(
        "a process can register {most} links, and links are never freed: register each once and reuse it"
    )]
    TooManyLinks {
        /// The largest number of registered links.
        most: usize,
    },
    /// A custom link returned no usable mean.
    #[error("the mean of the link `{}` at {} is {}", Echo(link), EchoNumber(*z), EchoNumber(*mean))]
    LinkMean {
        /// The link.
        link: &'static str,
        /// The argument of the link.
        z: f64,
        /// The value received.
        mean: f64,
    },
    /// A custom link returned no usable slope.
    #[error("the slope of the link `{}` at {} is {}", Echo(link), EchoNumber(*z), EchoNumber(*slope))]
    LinkSlope {
        /// The link.
        link: &'static str,
        /// The argument of the link.
        z: f64,
        /// The value received.
        slope: f64,
    },
    /// The inverse of a link is called with a value outside of the range of the link.
    #[error("{} is not a mean of the {} link", EchoNumber(*value), Echo(link))]
    NotAMean {
        /// The link.
        link: &'static str,
        /// The value received.
        value: f64,
    },
    /// A matrix is not symmetric positive definite.
    #[error("the matrix is not symmetric positive definite")]
    NotPositiveDefinite,
    /// A point set is empty, and at least one point is needed.
    #[error("{what} needs at least one point")]
    NoPoints {
        /// The function that was called.
        what: &'static str,
    },
    /// A snapshot has another format, or is of a later version.
    #[error("expected a snapshot of format {}, got {}", Echo(expected), Echo(got))]
    SnapshotFormat {
        /// The format that this version reads.
        expected: String,
        /// The format of the snapshot.
        got: String,
    },
    /// A snapshot is truncated or altered, or its state is impossible.
    #[error("the snapshot is damaged: {}", EchoMessage(reason))]
    SnapshotDamaged {
        /// The part that does not fit.
        reason: String,
    },
    /// A custom policy failed.
    #[error("the policy failed: {}", EchoMessage(reason))]
    Foreign {
        /// The message of the policy.
        reason: String,
    },
    /// Another thread changed an array while it was read.
    #[error("an array was changed while it was read: {reason}")]
    ArrayChanged {
        /// The inconsistency that showed the change.
        reason: String,
    },
    /// Another thread was using the object when the process was forked. That thread does not exist in the
    /// child, so its work on the object is never finished.
    #[error(
        "another thread was using this object when the process was forked, so the child cannot use it: \
         create it in the child"
    )]
    Forked,
    /// A snapshot is of another policy than the caller expects.
    #[error("the snapshot is of policy {got}, expected {expected}")]
    SnapshotPolicy {
        /// The id of the expected policy.
        expected: &'static str,
        /// The id of the policy in the snapshot.
        got: &'static str,
    },
}

impl Error {
    /// Returns the name of the kind of error. It stays the same when messages change, for other languages,
    /// logs and tests.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Dimension { .. } => "dimension",
            Error::Shape { .. } => "shape",
            Error::Ragged { .. } => "ragged",
            Error::TooLarge { .. } => "too-large",
            Error::NotFinite { .. } => "not-finite",
            Error::Norm { .. } => "norm",
            Error::Scale { .. } => "scale",
            Error::NotFrozen => "not-frozen",
            Error::RowStarts { .. } => "row-starts",
            Error::Column { .. } => "column",
            Error::NoArms => "no-arms",
            Error::NoFeatures => "no-features",
            Error::NoObjectives => "no-objectives",
            Error::ObjectiveName { .. } => "objective-name",
            Error::Range { .. } => "range",
            Error::ArmCountNeeded { .. } => "arm-count-needed",
            Error::ArmCount { .. } => "arm-count",
            Error::UnknownArm { .. } => "unknown-arm",
            Error::RewardLength { .. } => "reward-length",
            Error::Reward { .. } => "reward",
            Error::WholeRewards => "whole-rewards",
            Error::ObjectivesFixed => "objectives-fixed",
            Error::ArmsFixed => "arms-fixed",
            Error::Prior { .. } => "prior",
            Error::UnknownDecision { .. } => "unknown-decision",
            Error::RewardConflict { .. } => "reward-conflict",
            Error::Radius { .. } => "radius",
            Error::Curvature { .. } => "curvature",
            Error::Lambda { .. } => "lambda",
            Error::Delta { .. } => "delta",
            Error::WidthFactor { .. } => "width-factor",
            Error::Threshold { .. } => "threshold",
            Error::Samples { .. } => "samples",
            Error::UnknownObjective { .. } => "unknown-objective",
            Error::Weights { .. } => "weights",
            Error::Accuracy { .. } => "accuracy",
            Error::NotPositive { .. } => "not-positive",
            Error::Budget { .. } => "budget",
            Error::NotAsked { .. } => "not-asked",
            Error::FrontSize { .. } => "front-size",
            Error::ParameterBounds { .. } => "parameter-bounds",
            Error::Parameters { .. } => "parameters",
            Error::Entries { .. } => "entries",
            Error::ObjectiveNotFound { .. } => "objective-not-found",
            Error::Shares { .. } => "shares",
            Error::NoFront => "no-front",
            Error::NothingAllowed => "nothing-allowed",
            Error::BaselineExcluded { .. } => "baseline-excluded",
            Error::NotProbabilities { .. } => "not-probabilities",
            Error::ListLength { .. } => "list-length",
            Error::LinkName { .. } => "link-name",
            Error::TooManyLinks { .. } => "too-many-links",
            Error::LinkMean { .. } => "link-mean",
            Error::LinkSlope { .. } => "link-slope",
            Error::NotAMean { .. } => "not-a-mean",
            Error::NotPositiveDefinite => "not-positive-definite",
            Error::NoPoints { .. } => "no-points",
            Error::SnapshotFormat { .. } => "snapshot-format",
            Error::SnapshotDamaged { .. } => "snapshot-damaged",
            Error::Foreign { .. } => "foreign",
            Error::ArrayChanged { .. } => "array-changed",
            Error::Forked => "forked",
            Error::SnapshotPolicy { .. } => "snapshot-policy",
        }
    }
}

/// Describes a size in words. Products that overflow are stored as [`usize::MAX`]; the message does not show
/// that number, which is not a size in the input.
fn too_large(rows: usize, columns: usize) -> String {
    match (rows, columns) {
        (usize::MAX, usize::MAX) => {
            "more rows and columns than can be counted are too many for this machine or its memory limit"
                .into()
        }
        (usize::MAX, _) => {
            format!(
                "more rows than can be counted, of {columns} values each, are too many for this machine or \
                 its memory limit"
            )
        }
        (_, usize::MAX) => {
            format!(
                "{rows} rows of more values than can be counted are too many for this machine or its memory \
                 limit"
            )
        }
        _ => format!("{rows} rows of {columns} values are too many for this machine or its memory limit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_overflow_are_told_in_words() {
        let told = |rows, columns| Error::TooLarge { rows, columns }.to_string();
        assert_eq!(told(3, 5), "3 rows of 5 values are too many for this machine or its memory limit");
        for (rows, columns) in [(usize::MAX, 5), (5, usize::MAX), (usize::MAX, usize::MAX)] {
            let message = told(rows, columns);
            assert!(
                message.contains("than can be counted") && !message.contains("18446744073709551615"),
                "{message}"
            );
        }
    }

    #[test]
    fn values_from_outside_are_short_and_on_one_line() {
        let name = format!("\u{1b}[31m\u{202e}\n{}", "x".repeat(5 << 20));
        let errors = [
            Error::ObjectiveName { index: 0, name: name.clone() },
            Error::Range { objective: name.clone(), low: -1e300, high: 1e300 },
            Error::Reward { objective: name.clone(), value: 1e300, low: 0.0, high: 1.0 },
            Error::RewardConflict { decision: 1, objective: name.clone(), first: 0.0, got: 1.0 },
            Error::Weights { expected: 2, got: vec![1e300; 1 << 20] },
            Error::Shares { got: vec![0.1; 1 << 20] },
            Error::ObjectiveNotFound { name: name.clone(), known: vec![name.clone(); 5] },
            Error::LinkName { name: name.clone() },
            Error::SnapshotFormat { expected: "one".into(), got: name.clone() },
            Error::SnapshotDamaged { reason: format!("unknown field `{name}`, expected `a` or `b`") },
            Error::Foreign { reason: name.clone() },
        ];
        for error in errors {
            let message = error.to_string();
            let code = error.code();
            assert!(message.chars().count() < 1000, "{code}: {} characters", message.chars().count());
            assert!(!message.contains(|c: char| c.is_control() || c == '\u{202e}'), "{code}: {message:?}");
        }
    }
}
