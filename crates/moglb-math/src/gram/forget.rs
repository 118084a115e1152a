//! Forgetting, for coefficients that drift.

use super::{Gram, Update};
use crate::kernel::{LANES, Lanes, Unit, Vector, blocks, places, scale};
use libm::log;

/// What forgetting put back into a Gram matrix: `weight` times the square of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Renewal {
    pub axis: usize,
    pub weight: f64,
}

impl Gram {
    /// Forgets: Z ← γZ + (1 − γ)λd·e_je_jᵀ, for γ ≥ 1 − 1/(2d). The second term renews what γ takes from λI, of which the
    /// trace stays the same; j is the axis of which least is known, (Z⁻¹)_jj the largest. Leaves Z⁻¹e_j for the new Z in
    /// `direction`.
    ///
    /// No direction is forgotten altogether: tr Z⁻¹ ≤ 2d/λ for ever. With σ = tr Z⁻¹/γ and r = (1 − γ)λd the step leaves at most
    /// σ − rσ²/(d² + rdσ), as (Z⁻¹)_jj ≥ σ/d and ‖Z⁻¹e_j‖ ≥ (Z⁻¹)_jj. That is increasing in σ, and its fixed point,
    /// tr Z⁻¹ = γd/(λ(1 − d(1 − γ))), is neither below d/λ nor above 2d/λ.
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

    /// The axis j with the largest (Z⁻¹)_jj, the first of equals. `sums` is memory for them.
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

/// No eigenvalue of Z is less: see [`Gram::forget`].
pub fn floor(lambda: f64, discount: f64, dim: usize) -> f64 {
    if discount < 1.0 { 0.5 * lambda / dim as f64 } else { lambda }
}
