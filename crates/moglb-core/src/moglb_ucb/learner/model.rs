//! The learned state of one objective, and of the objectives that share a Gram matrix.

use crate::LinkConstants;
use crate::estimate::Estimate;

/// Sums over the contexts that were added to a Gram matrix.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    /// The number of contexts.
    pub rounds: u64,
    /// Σ‖x_s‖², discounted if the policy has a discount.
    pub squared_norms: f64,
}

/// The estimate of one objective and the sums for its γ.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectiveModel {
    /// θ̂ᵢ.
    pub estimate: Estimate,
    /// The index of this objective's Z.
    pub gram: usize,
    /// κ, L and U: of this objective's link, or shared by all objectives.
    pub constants: LinkConstants,
    /// The squared lengths of all gradients: Σ (y_s − μ(θ̂_sᵀx_s))² ‖x_s‖²_{Z_{s+1}⁻¹}.
    pub gradients: f64,
}
