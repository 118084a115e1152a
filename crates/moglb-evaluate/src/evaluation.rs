//! The result of an evaluation.

use crate::region::{Bounds, Ellipsoid};
use crate::{Estimator, Interval, LoggedBy, Overlap, Standing};
use moglb::Direction;
use serde::Serialize;

/// The name and version of the format in which an evaluation is saved.
pub const EVALUATION_FORMAT: &str = "moglb.evaluation/1";

/// The result of an evaluation: the values of some policies on a log.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Always [`EVALUATION_FORMAT`].
    pub format: &'static str,
    /// The names of the objectives.
    pub objectives: Vec<String>,
    /// The better direction of each objective.
    pub directions: Vec<Direction>,
    /// The number of rounds of the log.
    pub n_rounds: usize,
    /// The number of arms.
    pub n_arms: usize,
    /// The estimator.
    pub estimator: Estimator,
    /// The method by which intervals were made.
    pub interval: Interval,
    /// The nominal coverage of intervals. It holds for independent rounds if there are enough of them.
    pub level: f64,
    /// The kind of policy that wrote the log, if it was stated or the log shows it.
    pub logged_by: Option<LoggedBy>,
    /// Reasons to doubt all estimates from this log, in words.
    pub doubts: Vec<String>,
    /// The policies, in the order of the input.
    pub policies: Vec<PolicyValue>,
}

/// The estimates for one policy. Values are in the units and the direction of each objective.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyValue {
    /// The name of the policy.
    pub policy: String,
    /// The estimated value in each objective.
    pub value: Vec<f64>,
    /// The standard error of the value.
    pub std_error: Vec<f64>,
    /// The interval of each objective alone.
    pub each: Bounds,
    /// Intervals that cover all objectives together (Bonferroni).
    pub together: Bounds,
    /// A region that covers all objectives together, from the covariance of the estimates.
    pub ellipsoid: Ellipsoid,
    /// τ or λ in each objective, set or chosen, for estimators that have one; infinite if nothing is shrunk.
    pub parameter: Option<Vec<f64>>,
    /// Reasons to doubt the estimates of this policy, in words.
    pub doubts: Vec<String>,
    /// The overlap of the policy with the log.
    pub overlap: Overlap,
    /// The position of the policy among the others.
    pub standing: Standing,
}
