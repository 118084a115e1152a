//! Rounds with a sparse context: the same sums without the terms that are zero, so with the same bits.
//!
//! p = Mx needs the columns of M where x is not zero, O(d·nnz). A row of M with pₖ = 0 is multiplied by
//! √(αₖ₋₁/αₖ) = 1 and nothing is subtracted from it, so the update visits the other rows only. If blocks of
//! columns never occur in one context together (one block per arm), M stays block diagonal, and a round costs
//! the square of a block instead of d².

use super::Gram;
use super::update::{Support, Update};
use crate::kernel::{LANES, Lanes, Unit, Vector, axpy, blocks};

impl Gram {
    /// Computes p = Mx over the blocks where x is not zero. Each entry has the bits of the full product.
    #[inline(always)]
    pub(super) fn sparse_image<S: Unit>(&self, simd: S, x: &[Lanes], update: &mut Update) {
        let Update { image, support: Support { blocks: stored, rows, .. }, .. } = update;
        image.clear();
        image.resize(blocks(self.dim) * LANES, 0.0);
        rows.clear();
        let (mut n, first) = (0, stored.first().map_or(self.dim, |block| block * LANES));
        for k in first..self.dim {
            // Only up to the diagonal: beyond it M is zero.
            while n < stored.len() && stored[n] <= k / LANES {
                n += 1;
            }
            let (row, mut sum) = (self.row(k), Vector::splat(simd, 0.0));
            for &block in &stored[..n] {
                sum = Vector::load(simd, &row[block]).mul_add(Vector::load(simd, &x[block]), sum);
            }
            image[k] = sum.sum();
            if image[k] != 0.0 {
                rows.push(k);
            }
        }
    }

    /// Writes Mᵀp into `out`, over the rows where p is not zero.
    #[inline(always)]
    pub(super) fn combine_rows<S: Unit>(&self, simd: S, update: &Update, out: &mut [Lanes]) {
        out.fill(Lanes::ZERO);
        for &k in &update.support.rows {
            let n = k / LANES + 1;
            axpy(simd, &mut out[..n], update.image[k], &self.row(k)[..n]);
        }
    }

    /// Updates the rows of M that change, and writes s_d into `direction`.
    #[inline(always)]
    pub(super) fn update_rows<S: Unit>(&mut self, simd: S, update: &Update, direction: &mut [Lanes]) {
        direction.fill(Lanes::ZERO);
        let length = direction.len();
        for &k in &update.support.rows {
            let splat = |value: f64| Vector::splat(simd, value);
            let (image, keep, take) = (splat(update.image[k]), splat(update.keep[k]), splat(update.take[k]));
            let row = &mut self.rows[k * length..][..k / LANES + 1];
            for (entry, sum) in row.iter_mut().zip(&mut *direction) {
                let (old, before) = (Vector::load(simd, entry), Vector::load(simd, sum));
                keep.mul_add(old, take.mul(before)).store(entry);
                image.mul_add(old, before).store(sum);
            }
        }
    }
}
