//! The document of an evaluation.

use crate::region::{Bounds, Ellipsoid};
use crate::{Estimator, Interval, LoggedBy, Overlap, Standing};
use moglb::Direction;
use serde::Serialize;

/// The name and version of the form in which an evaluation is written down.
pub const EVALUATION_FORMAT: &str = "moglb.evaluation/1";

/// What a log says about some policies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// Always [`EVALUATION_FORMAT`].
    pub format: &'static str,
    /// The names of the objectives.
    pub objectives: Vec<String>,
    /// Which way is better in each.
    pub directions: Vec<Direction>,
    /// The number of rounds of the log.
    pub n_rounds: usize,
    /// The number of arms.
    pub n_arms: usize,
    /// The estimator.
    pub estimator: Estimator,
    /// How intervals were made.
    pub interval: Interval,
    /// The nominal chance with which they cover: that of independent rounds, and enough of them.
    pub level: f64,
    /// The kind of policy that wrote the log, where it was stated or the log shows it.
    pub logged_by: Option<LoggedBy>,
    /// Reasons not to believe any estimate from this log, in words.
    pub doubts: Vec<String>,
    /// The policies, in the order in which they came.
    pub policies: Vec<PolicyValue>,
}

/// What a log says about one policy. Values are in each objective's own orientation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyValue {
    /// The name of the policy.
    pub policy: String,
    /// The estimated value in each objective.
    pub value: Vec<f64>,
    /// Its standard error.
    pub std_error: Vec<f64>,
    /// The interval of each objective by itself.
    pub each: Bounds,
    /// Intervals that cover in all objectives together (Bonferroni).
    pub together: Bounds,
    /// A region that covers all objectives together, from the covariance of the estimates.
    pub ellipsoid: Ellipsoid,
    /// τ or λ in each objective, given or chosen, of estimators that have one; infinite where nothing is shrunk.
    pub parameter: Option<Vec<f64>>,
    /// Reasons not to believe it, in words.
    pub doubts: Vec<String>,
    /// How much of the policy the log has seen.
    pub overlap: Overlap,
    /// Where it stands among the others.
    pub standing: Standing,
}
