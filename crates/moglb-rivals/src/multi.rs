//! Policies for several objectives at once, other than that of the paper: by scalarization, in lexicographic
//! order, by Thompson sampling, and fair between objectives.

pub(crate) mod beta_posteriors;
pub mod hypervolume_ucb;
mod lexicographic;
pub mod linear_model;
pub mod mo_ogde;
pub mod mol_ts;
mod moslb;
pub mod moslb_pc;
pub mod moslb_pl;
pub mod mtlo;
pub mod s_ts;
pub mod scalarization;
pub mod stlo;

use moglb_math::Matrix;
use moglb_pareto::ArmId;
use moglb_pareto::front::Effective;

/// Buffers for the decisions of these policies.
#[derive(Debug, Clone, Default)]
struct MultiScratch {
    /// The width of every arm, the same in all objectives.
    widths: Vec<f64>,
    /// Confidence intervals, to be sorted by their upper ends.
    intervals: Vec<(f64, f64)>,
    /// A second list of arms, next to the candidates.
    links: Vec<ArmId>,
    /// For each arm, true if it is on the front.
    marks: Vec<bool>,
    /// A part of the scores, or a number computed from them for each arm.
    table: Matrix,
    /// Sampled coefficients, or sampled weights.
    samples: Vec<f64>,
    /// Normal draws for the samples of one objective.
    normals: Vec<f64>,
    /// Buffers of the effective front.
    effective: Effective,
}
