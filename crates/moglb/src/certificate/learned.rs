//! What a certificate has learned: verdicts, and what they come from.

use super::sequence::SequenceState;
use moglb_core::arm_stats::ArmStats;
use serde::{Deserialize, Serialize};

/// What is certain about an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Pareto optimal.
    In,
    /// Dominated.
    Out,
    /// Not yet known.
    #[default]
    Undecided,
}

/// What is known about an arm, and where to look first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verdict {
    pub(super) status: Status,
    /// The arm that came closest to keeping this one from being IN.
    pub(super) rival: usize,
}

/// What a certificate has learned; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateState {
    /// Counts and sums per arm.
    pub(crate) stats: ArmStats,
    /// The states of the confidence sequences that have one.
    pub(crate) sequences: Vec<SequenceState>,
    /// Where the likelihood was last found to be largest, for each objective.
    pub(crate) thetas: Vec<Vec<f64>>,
    /// What is known about each arm.
    pub(crate) verdicts: Vec<Verdict>,
    /// The number of rewards at which the arms are looked at again.
    pub(crate) next_look: u64,
}
