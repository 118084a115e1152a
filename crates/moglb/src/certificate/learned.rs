//! The learned state of a certificate: the verdicts and the state of their sources.

use super::sequence::SequenceState;
use moglb_core::arm_stats::ArmStats;
use serde::{Deserialize, Serialize};

/// The verdict on an arm.
///
/// Example: [`Certificate`].
///
/// [`Certificate`]: crate::Certificate
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The arm is certainly Pareto optimal.
    In,
    /// The arm is certainly dominated.
    Out,
    /// Neither is certain yet.
    #[default]
    Undecided,
}

/// The verdict on an arm, and the arm to compare it with first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verdict {
    pub(super) status: Status,
    /// The arm that last prevented the verdict `In`: no bound excludes yet that it dominates this arm.
    pub(super) rival: usize,
}

/// The learned state of a certificate; its size does not depend on t.
///
/// Example: [`Certificate`].
///
/// [`Certificate`]: crate::Certificate
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateState {
    /// Counts and sums per arm.
    pub(crate) stats: ArmStats,
    /// The states of the confidence sequences that have one.
    pub(crate) sequences: Vec<SequenceState>,
    /// The maximum likelihood estimate of each objective when it was last computed.
    pub(crate) thetas: Vec<Vec<f64>>,
    /// The verdict on each arm.
    pub(crate) verdicts: Vec<Verdict>,
    /// The number of rewards at which the undecided arms are checked again.
    pub(crate) next_look: u64,
}
