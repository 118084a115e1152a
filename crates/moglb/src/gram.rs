//! The Gram matrix Z_t and all that is read from it, Eq. (2).
//!
//! Z, its inverse and its determinant must agree, so they have one owner and one form: the Cholesky factor L with
//! Z = LLᵀ. Adding (κ/2)xxᵀ rotates a column into L (O(d²), backward stable because the update is positive), so that
//! rounding adds up slowly: after 10⁷ updates of the worst kind (`cargo xtask soak`) widths agree with a fresh
//! factorization to 6e-11, where an updated inverse (Sherman–Morrison) or a plainly summed Z lose four digits more.

use crate::kernel::{LANES, axpy, dot, rotate};
use crate::matrix::check_finite;
use crate::{Error, Matrix};
use libm::{log, log1p};
use serde::{Deserialize, Serialize};

/// Z = λI + h Σ x xᵀ, kept as its Cholesky factor.
///
/// ```
/// use moglb::Gram;
/// let mut z = Gram::new(2, 1.0, 0.5);
/// z.add(&[1.0, 0.0]); // Z = diag(1.5, 1)
/// assert!((z.squared_norm_inv(&[1.0, 0.0]) - 1.0 / 1.5).abs() < 1e-15);
/// assert!((z.log_det_ratio() - 1.5_f64.ln()).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Gram {
    dim: usize,
    /// λ: Z_1 = λI.
    lambda: f64,
    /// h: the weight of one context, κ/2 in the paper.
    weight: f64,
    /// L below its diagonal, by columns of `stride(dim)` places. All other places are zero and stay zero, so that loops
    /// run over whole blocks of lanes and never over a remainder.
    below: Vec<f64>,
    /// The diagonal of L.
    pivots: Vec<f64>,
    /// Its inverses, so that solving does not wait for divisions.
    inverse: Vec<f64>,
    /// log(det Z_t / det Z_1), summed up. The pivots give it too, but not for contexts so small that they leave no
    /// trace in a pivot; the tests hold the two together.
    log_det: Sum,
}

/// A sum with what its additions rounded off (Neumaier).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.rest += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }

    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        self.sum + self.rest
    }
}

/// The length of a vector of d values with its last block of lanes filled up.
pub(crate) fn stride(dim: usize) -> usize {
    dim.next_multiple_of(LANES)
}

impl Gram {
    /// Z_1 = λI, to which contexts will be added with weight h.
    ///
    /// # Panics
    ///
    /// If λ is not positive or h is negative: the caller's configuration has been checked.
    pub fn new(dim: usize, lambda: f64, weight: f64) -> Self {
        assert!(lambda > 0.0 && weight >= 0.0, "λ = {lambda}, h = {weight}");
        Self::of_factor(dim, lambda, weight, vec![0.0; dim * stride(dim)], vec![lambda.sqrt(); dim])
    }

    fn of_factor(dim: usize, lambda: f64, weight: f64, below: Vec<f64>, pivots: Vec<f64>) -> Self {
        let inverse = pivots.iter().map(|l| 1.0 / l).collect();
        let mut gram = Self { dim, lambda, weight, below, pivots, inverse, log_det: Sum::default() };
        gram.log_det.add(gram.log_det_of_pivots());
        gram
    }

    /// Column k below the diagonal, from the block of lanes that holds place k on.
    #[inline(always)]
    fn column(&self, k: usize) -> &[f64] {
        let stride = stride(self.dim);
        &self.below[k * stride + k / LANES * LANES..(k + 1) * stride]
    }

    /// The Gram matrix with the entries of a given Z (rows of d), λ = 1 and weight 1.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`], [`Error::NotFinite`] or [`Error::NotPositiveDefinite`].
    pub fn from_dense(z: &Matrix) -> Result<Self, Error> {
        let dim = z.n_cols();
        if dim == 0 || z.n_rows() != dim {
            return Err(Error::Shape { columns: dim, got: z.as_slice().len() });
        }
        z.check_finite("a matrix")?;
        let stride = stride(dim);
        let (mut below, mut pivots) = (vec![0.0; dim * stride], vec![0.0; dim]);
        for k in 0..dim {
            for i in k..dim {
                // Symmetric up to rounding: users compute XᵀX in many ways.
                let (lower, upper) = (z.row(i)[k], z.row(k)[i]);
                if (lower - upper).abs() > 1e-9 * z.row(i)[i].abs().sqrt() * z.row(k)[k].abs().sqrt() {
                    return Err(Error::NotPositiveDefinite);
                }
                let left = |row: usize, j: usize| if j == row { pivots[j] } else { below[j * stride + row] };
                let known: f64 = (0..k).map(|j| left(i, j) * left(k, j)).sum();
                if i == k {
                    pivots[k] = (lower - known).sqrt();
                } else {
                    below[k * stride + i] = (lower - known) / pivots[k];
                }
            }
            if !(pivots[k].is_finite() && pivots[k] > 0.0) {
                return Err(Error::NotPositiveDefinite);
            }
        }
        Ok(Self::of_factor(dim, 1.0, 1.0, below, pivots))
    }

    /// The number of features d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// λ, with Z_1 = λI.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// h, the weight of one context.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Z ← Z + h·xxᵀ, Eq. (2).
    ///
    /// # Panics
    ///
    /// If x does not have d entries, here as below.
    pub fn add(&mut self, x: &[f64]) {
        self.check(x);
        let mut scratch = vec![0.0; 2 * stride(self.dim)];
        let (direction, scratch) = scratch.split_at_mut(stride(self.dim));
        self.add_and_solve(x, direction, scratch);
    }

    fn check(&self, x: &[f64]) {
        assert_eq!(x.len(), self.dim, "a vector of another length than d");
    }

    /// Z ← Z + h·xxᵀ, and Z⁻¹x for the new Z into `direction`; both vectors have `stride(dim)` places. Returns xᵀZ⁻¹x.
    ///
    /// The rotations G that bring w = √h·x into L, [L w]G = [L' 0], also solve with the new L: w = L'g with
    /// g_k = s_k · c_1 ⋯ c_{k−1}. What is left of Z⁻¹x is the backward substitution.
    #[inline(always)]
    pub(crate) fn add_and_solve(&mut self, x: &[f64], direction: &mut [f64], scratch: &mut [f64]) -> f64 {
        let (dim, stride) = (self.dim, stride(self.dim));
        debug_assert!(x.len() == dim && direction.len() == stride && scratch.len() == stride);
        let root = self.weight.sqrt();
        scratch[dim..].fill(0.0);
        direction[dim..].fill(0.0);
        scratch.iter_mut().zip(x).for_each(|(w, x)| *w = root * x);
        let mut left = 1.0 / root;
        for k in 0..dim {
            let head = std::mem::take(&mut scratch[k]);
            direction[k] = 0.0;
            if head == 0.0 {
                continue; // Not only for speed: a rotation by nothing would still round.
            }
            let pivot = self.pivots[k];
            let length = (pivot * pivot + head * head).sqrt();
            let (c, s) = (pivot / length, head / length);
            self.pivots[k] = length;
            self.inverse[k] = 1.0 / length;
            direction[k] = s * left;
            left *= c;
            let first = k / LANES * LANES;
            rotate(c, s, &mut self.below[k * stride + first..(k + 1) * stride], &mut scratch[first..]);
        }
        let squared = dot(direction, direction);
        // det Z_t / det Z_{t+1} = 1 − h·xᵀZ_{t+1}⁻¹x.
        self.log_det.add(-log1p(-self.weight * squared));
        self.solve_upper(direction);
        squared
    }

    /// Z⁻¹b.
    ///
    /// # Panics
    ///
    /// As [`Gram::add`].
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut v = self.padded(b);
        self.solve_in_place(&mut v);
        v.truncate(self.dim);
        v
    }

    fn padded(&self, x: &[f64]) -> Vec<f64> {
        self.check(x);
        let mut padded = x.to_vec();
        padded.resize(stride(self.dim), 0.0);
        padded
    }

    /// v ← Z⁻¹v, for a vector of `stride(dim)` places.
    #[inline(always)]
    pub(crate) fn solve_in_place(&self, v: &mut [f64]) {
        self.solve_lower(v);
        self.solve_upper(v);
    }

    /// v ← L⁻¹v.
    #[inline(always)]
    fn solve_lower(&self, v: &mut [f64]) {
        for k in 0..self.dim {
            let head = v[k] * self.inverse[k];
            // The places up to k hold zeros below the diagonal: they are not touched.
            axpy(&mut v[k / LANES * LANES..], -head, self.column(k));
            v[k] = head;
        }
    }

    /// v ← L⁻ᵀv.
    #[inline(always)]
    fn solve_upper(&self, v: &mut [f64]) {
        for k in (0..self.dim).rev() {
            v[k] = (v[k] - dot(self.column(k), &v[k / LANES * LANES..])) * self.inverse[k];
        }
    }

    /// ‖x‖²_{Z⁻¹} = ‖L⁻¹x‖².
    ///
    /// # Panics
    ///
    /// As [`Gram::add`].
    pub fn squared_norm_inv(&self, x: &[f64]) -> f64 {
        let mut y = self.padded(x);
        self.solve_lower(&mut y);
        dot(&y, &y)
    }

    /// ‖x‖²_Z = ‖Lᵀx‖².
    ///
    /// # Panics
    ///
    /// As [`Gram::add`].
    pub fn squared_norm(&self, x: &[f64]) -> f64 {
        let padded = self.padded(x);
        let product = |k: usize| self.pivots[k] * x[k] + dot(self.column(k), &padded[k / LANES * LANES..]);
        let products: Vec<f64> = (0..self.dim).map(product).collect();
        dot(&products, &products)
    }

    /// log(det Z_t / det Z_1).
    pub fn log_det_ratio(&self) -> f64 {
        self.log_det.value()
    }

    /// The same from the factor.
    fn log_det_of_pivots(&self) -> f64 {
        let root = self.lambda.sqrt();
        2.0 * self.pivots.iter().map(|pivot| log(pivot / root)).sum::<f64>()
    }

    /// The sum behind [`Gram::log_det_ratio`], for a snapshot.
    pub(crate) fn log_det(&self) -> Sum {
        self.log_det
    }

    /// Z + νI, if its entries are finite.
    pub(crate) fn shifted(&self, nu: f64) -> Result<Self, Error> {
        let mut dense = self.to_dense();
        (0..self.dim).for_each(|k| dense.row_mut(k)[k] += nu);
        Self::from_dense(&dense)
    }

    /// Z itself, for display and tests.
    pub fn to_dense(&self) -> Matrix {
        let l =
            |i: usize, k: usize| if k == i { self.pivots[k] } else { self.below[k * stride(self.dim) + i] };
        let entry = |i: usize, j: usize| (0..=i.min(j)).map(|k| l(i, k) * l(j, k)).sum();
        let data = (0..self.dim * self.dim).map(|n| entry(n / self.dim, n % self.dim)).collect();
        Matrix::new(self.dim, data).expect("d rows of d")
    }

    /// Writes the rows of L end to end, each ending with the inverse of its diagonal entry.
    pub(crate) fn rows_into(&self, rows: &mut Vec<f64>) {
        rows.clear();
        for i in 0..self.dim {
            rows.extend((0..i).map(|k| self.below[k * stride(self.dim) + i]));
            rows.push(self.inverse[i]);
        }
    }

    /// The lower triangle of L by columns, for a snapshot.
    pub(crate) fn packed(&self) -> Vec<f64> {
        let stride = stride(self.dim);
        let column = |k: usize| &self.below[k * stride + k + 1..k * stride + self.dim];
        (0..self.dim).flat_map(|k| std::iter::once(self.pivots[k]).chain(column(k).iter().copied())).collect()
    }

    /// The Gram matrix of a snapshot, if it is a possible one.
    pub(crate) fn from_packed(
        dim: usize,
        lambda: f64,
        weight: f64,
        squared_norms: f64,
        packed: &[f64],
        log_det: Sum,
    ) -> Result<Self, Error> {
        let damaged = |reason: String| Error::SnapshotDamaged { reason };
        if packed.len() != dim * (dim + 1) / 2 {
            return Err(damaged(format!("a factor of {} values for d = {dim}", packed.len())));
        }
        check_finite("a factor", packed).map_err(|error| damaged(error.to_string()))?;
        let (mut below, mut pivots) = (vec![0.0; dim * stride(dim)], Vec::with_capacity(dim));
        let mut start = 0;
        for k in 0..dim {
            let column = &packed[start..start + dim - k];
            start += dim - k;
            // Z ⪰ λI, so every pivot is at least √λ.
            if column[0] < lambda.sqrt() * (1.0 - 1e-9) {
                return Err(damaged(format!("pivot {k} of the factor is {}", column[0])));
            }
            pivots.push(column[0]);
            below[k * stride(dim) + k + 1..k * stride(dim) + dim].copy_from_slice(&column[1..]);
        }
        // The trace of Z = λI + h Σ x xᵀ is known.
        let (trace, expected) = (dot(packed, packed), dim as f64 * lambda + weight * squared_norms);
        if !trace.is_finite() || (trace - expected).abs() > 1e-6 * expected {
            return Err(damaged(format!("the factor has trace {trace}, the contexts add up to {expected}")));
        }
        let mut gram = Self::of_factor(dim, lambda, weight, below, pivots);
        let (sum, factor) = (log_det.value(), gram.log_det_ratio());
        if !(log_det.sum.is_finite()
            && log_det.rest.is_finite()
            && (sum - factor).abs() <= 1e-6 * (1.0 + factor))
        {
            return Err(damaged(format!("log det is {sum}, the factor says {factor}")));
        }
        gram.log_det = log_det;
        Ok(gram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million contexts of norm 1e-8 change no pivot at all, and log det still is what it is.
    #[test]
    fn the_log_determinant_holds_its_digits_for_tiny_contexts() {
        for size in [1e-3, 1e-5, 1e-7, 1e-8] {
            let (mut z, n) = (Gram::new(1, 1.0, 0.0983), 1_000_000);
            (0..n).for_each(|_| z.add(&[size]));
            let expected = log1p(0.0983 * f64::from(n) * size * size);
            let error = (z.log_det_ratio() - expected).abs() / expected;
            assert!(error < 1e-8, "norm {size}: {} for {expected}, off by {error}", z.log_det_ratio());
        }
    }

    #[test]
    fn the_summed_log_determinant_is_that_of_the_factor() {
        let mut rng = crate::draw::seeded(9);
        let mut z = Gram::new(5, 2.0, 0.5);
        for _ in 0..2000 {
            let x: Vec<f64> = (0..5).map(|_| 0.4 * crate::draw::normal(&mut rng)).collect();
            z.add(&x);
            let (sum, factor) = (z.log_det_ratio(), z.log_det_of_pivots());
            assert!((sum - factor).abs() < 1e-12 * factor.max(1.0), "{sum} {factor}");
        }
    }
}
