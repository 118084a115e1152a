//! What is learned of one objective, and of the objectives that share a Gram matrix.

use crate::LinkConstants;
use crate::estimate::Estimate;

/// What was added to a Gram matrix.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    /// The number of contexts.
    pub rounds: u64,
    /// Σ‖x_s‖², as far as it is not forgotten.
    pub squared_norms: f64,
}

/// One objective: its estimate and what its γ needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectiveModel {
    pub estimate: Estimate,
    /// The index of this objective's Z.
    pub gram: usize,
    pub constants: LinkConstants,
    /// The squared lengths of all gradients: Σ (y_s − μ(θ̂_sᵀx_s))² ‖x_s‖²_{Z_{s+1}⁻¹}.
    pub gradients: f64,
}
