//! Policies for several objectives at once, beyond the paper's own: scalarized, lexicographic, sampled and fair ones.

pub(crate) mod beta_posteriors;
pub(crate) mod hypervolume_ucb;
mod lexicographic;
pub(crate) mod linear_model;
pub(crate) mod mo_ogde;
pub(crate) mod mol_ts;
mod moslb;
pub(crate) mod moslb_pc;
pub(crate) mod moslb_pl;
pub(crate) mod mtlo;
pub(crate) mod s_ts;
pub(crate) mod scalarization;
pub(crate) mod stlo;

use crate::pareto::Effective;
use crate::{ArmId, Matrix};

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
