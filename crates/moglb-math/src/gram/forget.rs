//! The discount of past contexts, for coefficients that drift.

use super::{Gram, Update};
use crate::kernel::{LANES, Lanes, Unit, Vector, blocks, places, scale};
use libm::log;

/// The term that discounting adds to a Gram matrix: `weight` times e_je_jᵀ for the axis j.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Renewal {
    /// The axis j.
    pub axis: usize,
    /// The weight (1 − γ)λd.
    pub weight: f64,
}

impl Gram {
    /// Discounts the past: Z ← γZ + (1 − γ)λd·e_je_jᵀ, for γ ≥ 1 − 1/(2d). The second term restores what γ
    /// takes from λI, so the trace of that part stays the same. The axis j is the one about which the least
    /// is known, with the largest (Z⁻¹)_jj. Writes Z⁻¹e_j for the new Z into `direction`.
    ///
    /// No direction is forgotten completely: tr Z⁻¹ ≤ 2d/λ forever. With σ = tr Z⁻¹/γ and r = (1 − γ)λd the
    /// step leaves at most σ − rσ²/(d² + rdσ), as (Z⁻¹)_jj ≥ σ/d and ‖Z⁻¹e_j‖ ≥ (Z⁻¹)_jj. That is increasing
    /// in σ, and its fixed point, tr Z⁻¹ = γd/(λ(1 − d(1 − γ))), is neither below d/λ nor above 2d/λ.
    #[inline(always)]
    #[doc(hidden)]
    pub fn forget<S: Unit>(
        &mut self,
        simd: S,
        discount: f64,
        direction: &mut [Lanes],
        update: &mut Update,
    ) -> Renewal {
        self.floor = floor(self.lambda, discount, self.dim);
        scale(simd, &mut self.rows, 1.0 / discount.sqrt());
        self.log_det.add(self.dim as f64 * log(discount));
        let axis = self.thinnest_axis(simd, direction);
        update.support.is_known = false;
        update.image.resize(blocks(self.dim) * LANES, 0.0);
        for (k, image) in update.image[..self.dim].iter_mut().enumerate() {
            *image = self.entry(k, axis);
        }
        let weight = (1.0 - discount) * self.lambda * self.dim as f64;
        self.add_image(simd, weight, direction, update);
        Renewal { axis, weight }
    }

    /// The axis j with the largest (Z⁻¹)_jj, the first one if several are equal. `sums` is scratch.
    #[inline(always)]
    fn thinnest_axis<S: Unit>(&self, simd: S, sums: &mut [Lanes]) -> usize {
        sums.fill(Lanes::ZERO);
        for row in self.rows.chunks_exact(sums.len()) {
            for (sum, row) in sums.iter_mut().zip(row) {
                let row = Vector::load(simd, row);
                row.mul_add(row, Vector::load(simd, sum)).store(sum);
            }
        }
        let larger = |(j, most): (usize, f64), (k, sum): (usize, f64)| {
            if sum > most { (k, sum) } else { (j, most) }
        };
        places(sums).take(self.dim).enumerate().fold((0, 0.0), larger).0
    }
}

/// A lower bound on the eigenvalues of a Z that is discounted by γ = `discount` each round: see
/// [`Gram::forget`].
pub fn floor(lambda: f64, discount: f64, dim: usize) -> f64 {
    if discount < 1.0 { 0.5 * lambda / dim as f64 } else { lambda }
}
