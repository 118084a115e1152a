//! What can be wrong with an input, as facts with their values.

use crate::echo::{Echo, EchoList, EchoMessage, EchoNumber, EchoNumbers};

/// Every way in which the core refuses an input. A refused input changes nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A context does not have the problem's number of features.
    #[error("the context has {got} features, expected {expected}")]
    Dimension {
        /// The number of features of the problem.
        expected: usize,
        /// The number that came.
        got: usize,
    },
    /// A flat table of contexts or points does not divide into rows.
    #[error("{got} values do not make rows of {columns}")]
    Shape {
        /// The length of a row.
        columns: usize,
        /// The number of values that came.
        got: usize,
    },
    /// Rows of a table differ in length.
    #[error("row {row} has {got} values, the rows before it have {expected}")]
    Ragged {
        /// The index of the row.
        row: usize,
        /// The length of the rows before it.
        expected: usize,
        /// The length that came.
        got: usize,
    },
    /// A table is too large to be addressed, or above the [memory limit](crate::set_memory_limit).
    #[error("{}", too_large(*rows, *columns))]
    TooLarge {
        /// The number of rows; [`usize::MAX`] where it is larger than that.
        rows: usize,
        /// The number of columns; [`usize::MAX`] where it is larger than that.
        columns: usize,
    },
    /// A NaN or an infinity.
    #[error("{what} must be finite, got {value} at position {index}")]
    NotFinite {
        /// What was read.
        what: &'static str,
        /// The position in it.
        index: usize,
        /// The value that came.
        value: f64,
    },
    /// A context is longer than one (Assumption 2).
    #[error(
        "the context of arm {arm} has norm {}, the bound is 1: scale the contexts or ask for scaling",
        EchoNumber(*norm)
    )]
    Norm {
        /// The arm.
        arm: usize,
        /// Its norm.
        norm: f64,
    },
    /// A scale for contexts that is not a positive number.
    #[error("the scale of contexts must be a positive number, got {}", EchoNumber(*got))]
    Scale {
        /// The value that came.
        got: f64,
    },
    /// Raw rows cannot be scaled before the scale is frozen.
    #[error("the scale of the features is not frozen: give it, or freeze it from a sample of rows")]
    NotFrozen,
    /// Rows of a sparse table that do not begin and end where its values do.
    #[error("row starts must begin with 0, never fall and end with the {values} values that there are")]
    RowStarts {
        /// The number of values.
        values: usize,
    },
    /// A column that a table does not have.
    #[error("row {row} names column {column}, there are {n_columns} columns, counted from 0")]
    Column {
        /// The row.
        row: usize,
        /// The column that came.
        column: usize,
        /// The number of columns.
        n_columns: usize,
    },
    /// An arm set without arms.
    #[error("the arm set is empty")]
    NoArms,
    /// Contexts without features, d = 0.
    #[error("contexts need at least one feature")]
    NoFeatures,
    /// A problem without objectives, m = 0.
    #[error("a problem needs at least one objective")]
    NoObjectives,
    /// An objective's name is empty or taken.
    #[error("objective {index} needs a name of its own, got `{}`", Echo(name))]
    ObjectiveName {
        /// The position of the objective.
        index: usize,
        /// The name that came.
        name: String,
    },
    /// The range of an objective's rewards is empty, not finite, too wide or too short.
    #[error(
        "the rewards of objective `{}` need a range low < high within ±1e100 that is at least 1e-200 long and at \
         least 1e-12 of its larger end, got [{}, {}]",
        Echo(objective),
        EchoNumber(*low),
        EchoNumber(*high)
    )]
    Range {
        /// The objective.
        objective: String,
        /// The lower end that came.
        low: f64,
        /// The upper end that came.
        high: f64,
    },
    /// The policy keeps statistics per arm and needs to know how many there are.
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
        /// The number that came.
        got: usize,
    },
    /// An arm id outside of the arm set.
    #[error("arm {arm} does not exist, there are {n_arms} arms")]
    UnknownArm {
        /// The id that came.
        arm: usize,
        /// The number of arms.
        n_arms: usize,
    },
    /// A reward vector of the wrong length.
    #[error("the reward has {got} entries, the problem has {expected} objectives")]
    RewardLength {
        /// The number of objectives m.
        expected: usize,
        /// The number of entries that came.
        got: usize,
    },
    /// A reward outside of its objective's range (Assumption 4), NaN and infinities included.
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
        /// The value that came.
        value: f64,
        /// The lower end of the range.
        low: f64,
        /// The upper end of the range.
        high: f64,
    },
    /// A part of a reward vector for a policy that learns from whole ones only.
    #[error("a part of the reward is missing, and this policy learns from whole rewards only")]
    WholeRewards,
    /// A policy whose objectives cannot change while it is at work.
    #[error("the objectives of this policy cannot change while it is at work")]
    ObjectivesFixed,
    /// A policy whose arms cannot change while it is at work.
    #[error("the arms of this policy cannot change while it is at work")]
    ArmsFixed,
    /// A prior that does not fit its objective.
    #[error("the prior of objective {objective}: {what}")]
    Prior {
        /// The objective's number.
        objective: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A reward for a decision that was never written down.
    #[error("no decision has the number {decision}; the next one will be {next}")]
    UnknownDecision {
        /// The number that came.
        decision: u64,
        /// The number that the next decision will have.
        next: u64,
    },
    /// Another value for a reward that has already come.
    #[error(
        "decision {decision} has the reward {} for objective `{}` already, now {} came",
        EchoNumber(*first),
        Echo(objective),
        EchoNumber(*got)
    )]
    RewardConflict {
        /// The decision.
        decision: u64,
        /// The objective.
        objective: String,
        /// The value that came first.
        first: f64,
        /// The value that came now.
        got: f64,
    },
    /// The radius D is not a usable positive number.
    #[error("the radius D must lie between 1e-100 and 1e100, got {}", EchoNumber(*got))]
    Radius {
        /// The value that came.
        got: f64,
    },
    /// A link's slope vanishes, or its mean overflows, on [-D, D] (Assumption 3).
    #[error(
        "the {} link of objective `{}` has slope {} and mean up to {} on [-{radius}, {radius}]: choose a smaller D",
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
    /// λ below the bound of the policy (max(1, κ/2) for MOGLB-UCB), above 1e100, or no number.
    #[error("lambda must lie between {} and 1e100, got {}", EchoNumber(*bound), EchoNumber(*got))]
    Lambda {
        /// The smallest λ allowed.
        bound: f64,
        /// The value that came.
        got: f64,
    },
    /// δ outside of (0, 1).
    #[error("delta must lie strictly between 0 and 1, got {}", EchoNumber(*got))]
    Delta {
        /// The value that came.
        got: f64,
    },
    /// A width factor c that is negative or not finite.
    #[error("the width factor c must lie between 0 and 1e100, got {}", EchoNumber(*got))]
    WidthFactor {
        /// The value that came.
        got: f64,
    },
    /// A threshold that is no chance.
    #[error("threshold must lie between 0 and 1, got {}", EchoNumber(*got))]
    Threshold {
        /// What came.
        got: f64,
    },
    /// A number of samples that is too small to count, or too large to hold.
    #[error("samples must lie between 2 and 10000, got {got}")]
    Samples {
        /// What came.
        got: usize,
    },
    /// An objective that the problem does not have.
    #[error("objective {got} does not exist, there are {n_objectives} objectives, counted from 0")]
    UnknownObjective {
        /// The number that came.
        got: usize,
        /// The number of objectives m.
        n_objectives: usize,
    },
    /// Weights that are not one nonnegative number per objective with a positive sum.
    #[error("weights must be {expected} nonnegative numbers with a positive sum, got {}", EchoNumbers(got))]
    Weights {
        /// The number of objectives m.
        expected: usize,
        /// What came.
        got: Vec<f64>,
    },
    /// An accuracy that is no distance on the unit scale.
    #[error("accuracy must lie between 0 and 1, got {}", EchoNumber(*got))]
    Accuracy {
        /// The value that came.
        got: f64,
    },
    /// A parameter that is not a usable positive number.
    #[error("{name} must lie between 1e-100 and 1e100, got {}", EchoNumber(*got))]
    NotPositive {
        /// The parameter.
        name: &'static str,
        /// The value that came.
        got: f64,
    },
    /// A budget of samples that is too small for the rounds it has to pay.
    #[error("budget must be at least {least} samples for these arms, got {got}")]
    Budget {
        /// The smallest budget.
        least: u64,
        /// The value that came.
        got: u64,
    },
    /// A reward of another arm than the one that was asked for, or after the last one.
    #[error("arm {got} was not asked for, expected {}", asked.map_or("no arm: sampling has stopped".into(), |arm| format!("arm {arm}")))]
    NotAsked {
        /// The arm that was asked for; none once sampling has stopped.
        asked: Option<usize>,
        /// The arm that came.
        got: usize,
    },
    /// The size of the true front given to P-UCB is zero or above the number of arms.
    #[error("front_size must lie between 1 and the {n_arms} arms, got {got}")]
    FrontSize {
        /// The number of arms.
        n_arms: usize,
        /// The value that came.
        got: usize,
    },
    /// A parameter out of its bounds.
    #[error(
        "{name} must lie between {} and {}, got {}",
        EchoNumber(*least),
        EchoNumber(*most),
        EchoNumber(*got)
    )]
    ParameterBounds {
        /// The parameter.
        name: &'static str,
        /// The least it may be.
        least: f64,
        /// The most it may be.
        most: f64,
        /// What came.
        got: f64,
    },
    /// Parameters that contradict each other or miss a partner.
    #[error("{what}")]
    Parameters {
        /// What is wrong, in a sentence.
        what: &'static str,
    },
    /// A list that needs an entry for each of something.
    #[error("{name} must have {expected} entries, got {got}")]
    Entries {
        /// The list.
        name: &'static str,
        /// How many entries it needs.
        expected: usize,
        /// How many came.
        got: usize,
    },
    /// An objective by a name that the problem does not have.
    #[error("there is no objective `{}`, there are: {}", Echo(name), EchoList(known))]
    ObjectiveNotFound {
        /// The name that came.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// Shares that are not numbers from 0 to 1 that add up to 1.
    #[error("shares must be numbers from 0 to 1 that add up to 1, got {}", EchoNumbers(got))]
    Shares {
        /// What came.
        got: Vec<f64>,
    },
    /// A preference over the front for a policy that has none.
    #[error("a preference needs a front to choose from, this policy has none")]
    NoFront,
    /// Lists of arms that leave none to play.
    #[error("the lists of included and excluded arms leave no arm to play")]
    NothingAllowed,
    /// A baseline with a guaranteed share that must not be played.
    #[error("arm {arm} is the baseline and must not be excluded")]
    BaselineExcluded {
        /// The arm.
        arm: usize,
    },
    /// A preference that did not give probabilities.
    #[error(
        "a preference must give probabilities of allowed arms that add up to 1, their sum is {}",
        EchoNumber(*sum)
    )]
    NotProbabilities {
        /// What they add up to; NaN if they are no probabilities or not of allowed arms.
        sum: f64,
    },
    /// A list of no arms, or of more than may be played.
    #[error("a list must have between 1 and the {allowed} arms that may be played, got {got}")]
    ListLength {
        /// How many arms may be played.
        allowed: usize,
        /// The length that was asked for.
        got: usize,
    },
    /// A name that a link of one's own cannot have.
    #[error("a link needs a name of its own, got `{}`", Echo(name))]
    LinkName {
        /// The name that came.
        name: String,
    },
    /// More links of one's own than a process may have: a registered link is never freed.
    #[error(
        "a process can register {most} links, and links are never freed: register each once and reuse it"
    )]
    TooManyLinks {
        /// The largest number.
        most: usize,
    },
    /// A link of one's own gave no usable mean.
    #[error("the mean of the link `{}` at {} is {}", Echo(link), EchoNumber(*z), EchoNumber(*mean))]
    LinkMean {
        /// The link.
        link: &'static str,
        /// Where it was asked for.
        z: f64,
        /// The value that came.
        mean: f64,
    },
    /// A link of one's own gave no usable slope.
    #[error("the slope of the link `{}` at {} is {}", Echo(link), EchoNumber(*z), EchoNumber(*slope))]
    LinkSlope {
        /// The link.
        link: &'static str,
        /// Where it was asked for.
        z: f64,
        /// The value that came.
        slope: f64,
    },
    /// A mean outside of the range of a link, handed to its inverse.
    #[error("{} is not a mean of the {} link", EchoNumber(*value), Echo(link))]
    NotAMean {
        /// The link.
        link: &'static str,
        /// The value that came.
        value: f64,
    },
    /// A matrix that is not symmetric positive definite.
    #[error("the matrix is not symmetric positive definite")]
    NotPositiveDefinite,
    /// A point set where at least one point is needed.
    #[error("{what} needs at least one point")]
    NoPoints {
        /// The function that was called.
        what: &'static str,
    },
    /// A snapshot written by another format or a later version.
    #[error("expected a snapshot of format {}, got {}", Echo(expected), Echo(got))]
    SnapshotFormat {
        /// The format this version reads.
        expected: String,
        /// The format found.
        got: String,
    },
    /// A snapshot that is truncated, altered or holds an impossible state.
    #[error("the snapshot is damaged: {}", EchoMessage(reason))]
    SnapshotDamaged {
        /// What does not fit.
        reason: String,
    },
    /// A policy that is not one of the library's failed for reasons of its own.
    #[error("the policy failed: {}", EchoMessage(reason))]
    Foreign {
        /// What it said.
        reason: String,
    },
    /// Numbers that another thread changed while they were read.
    #[error("an array was changed while it was read: {reason}")]
    ArrayChanged {
        /// How it was noticed.
        reason: String,
    },
    /// An object that another thread was using when the process was forked: in the child that thread does not exist, and what
    /// it was doing is never finished.
    #[error(
        "another thread was using this object when the process was forked, so the child cannot use it: make it in the child"
    )]
    Forked,
    /// A snapshot of another policy than the one asked for.
    #[error("the snapshot is of policy {got}, expected {expected}")]
    SnapshotPolicy {
        /// The policy asked for.
        expected: &'static str,
        /// The policy found.
        got: &'static str,
    },
}

impl Error {
    /// A name for the kind of error that stays the same when messages change: for other languages, logs and tests.
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

/// A size in words. Products that overflow arrive as [`usize::MAX`], which is no size that anybody asked for.
fn too_large(rows: usize, columns: usize) -> String {
    match (rows, columns) {
        (usize::MAX, usize::MAX) => {
            "more rows and columns than can be counted are too many for this machine or its memory limit"
                .into()
        }
        (usize::MAX, _) => {
            format!(
                "more rows than can be counted, of {columns} values each, are too many for this machine or its memory limit"
            )
        }
        (_, usize::MAX) => {
            format!(
                "{rows} rows of more values than can be counted are too many for this machine or its memory limit"
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
