//! Policies for several objectives at once, beyond the paper's own: scalarized, lexicographic, sampled and fair ones.

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

/// Memory for the decisions of these policies.
#[derive(Debug, Clone, Default)]
struct MultiScratch {
    /// The width of every arm, the same in all objectives.
    widths: Vec<f64>,
    /// Intervals to be sorted.
    intervals: Vec<(f64, f64)>,
    /// Arms besides the candidates.
    links: Vec<ArmId>,
    marks: Vec<bool>,
    /// Some columns of the scores of some arms.
    table: Matrix,
    /// Sampled coefficients, or weights.
    samples: Vec<f64>,
    /// Normal numbers, for the samples of one objective.
    normals: Vec<f64>,
    effective: Effective,
}
