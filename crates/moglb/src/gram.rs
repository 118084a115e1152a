//! The Gram matrix Z_t and all that is read from it, Eq. (2).
//!
//! Z, its inverse and its determinant must agree, so they have one owner and one form: the Cholesky factor L with
//! Z = LLᵀ. Adding (κ/2)xxᵀ rotates a column into L (O(d²), backward stable because the update is positive), so that
//! rounding adds up slowly: after 10⁷ updates of the worst kind (`cargo xtask soak`) widths agree with a fresh
//! factorization to 6e-11, where an updated inverse (Sherman–Morrison) or a plainly summed Z lose four digits more.

use crate::kernel::{axpy, dot, rotate};
use crate::matrix::check_finite;
use crate::{Error, Matrix};
use libm::log;

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
    /// L by columns: column k takes `dim` places, of which the first k are not used and stay zero.
    factor: Vec<f64>,
}

impl Gram {
    /// Z_1 = λI, to which contexts will be added with weight h.
    ///
    /// # Panics
    ///
    /// If λ is not positive or h is negative: the caller's configuration has been checked.
    pub fn new(dim: usize, lambda: f64, weight: f64) -> Self {
        assert!(lambda > 0.0 && weight >= 0.0, "λ = {lambda}, h = {weight}");
        let mut factor = vec![0.0; dim * dim];
        factor.iter_mut().step_by(dim + 1).for_each(|l| *l = lambda.sqrt());
        Self { dim, lambda, weight, factor }
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
        let mut factor = vec![0.0; dim * dim];
        for k in 0..dim {
            for i in k..dim {
                // Symmetric up to rounding: users compute XᵀX in many ways.
                let (below, above) = (z.row(i)[k], z.row(k)[i]);
                if (below - above).abs() > 1e-9 * z.row(i)[i].abs().sqrt() * z.row(k)[k].abs().sqrt() {
                    return Err(Error::NotPositiveDefinite);
                }
                let known: f64 = (0..k).map(|j| factor[j * dim + i] * factor[j * dim + k]).sum();
                let rest = below - known;
                factor[k * dim + i] = if i == k { rest.sqrt() } else { rest / factor[k * dim + k] };
            }
            let pivot = factor[k * dim + k];
            if !(pivot.is_finite() && pivot > 0.0) {
                return Err(Error::NotPositiveDefinite);
            }
        }
        Ok(Self { dim, lambda: 1.0, weight: 1.0, factor })
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
        self.add_with(x, &mut vec![0.0; self.dim]);
    }

    fn check(&self, x: &[f64]) {
        assert_eq!(x.len(), self.dim, "a vector of another length than d");
    }

    /// [`Gram::add`] with scratch of d values from the caller.
    pub(crate) fn add_with(&mut self, x: &[f64], scratch: &mut [f64]) {
        debug_assert_eq!(x.len(), self.dim);
        let root = self.weight.sqrt();
        scratch.iter_mut().zip(x).for_each(|(w, x)| *w = root * x);
        for k in 0..self.dim {
            let (head, rest) = scratch[k..].split_first_mut().expect("k < d");
            if *head == 0.0 {
                continue;
            }
            let (pivot, column) =
                self.factor[k * self.dim + k..(k + 1) * self.dim].split_first_mut().expect("k < d");
            let length = (*pivot * *pivot + *head * *head).sqrt();
            let (c, s) = (*pivot / length, *head / length);
            *pivot = length;
            rotate(c, s, column, rest);
        }
    }

    /// Z⁻¹b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.check(b);
        let mut v = b.to_vec();
        self.solve_in_place(&mut v);
        v
    }

    /// v ← Z⁻¹v.
    pub(crate) fn solve_in_place(&self, v: &mut [f64]) {
        self.solve_lower(v);
        for k in (0..self.dim).rev() {
            let (head, rest) = v[k..].split_first_mut().expect("k < d");
            let column = &self.factor[k * self.dim + k..(k + 1) * self.dim];
            *head = (*head - dot(&column[1..], rest)) / column[0];
        }
    }

    /// v ← L⁻¹v.
    fn solve_lower(&self, v: &mut [f64]) {
        for k in 0..self.dim {
            let (head, rest) = v[k..].split_first_mut().expect("k < d");
            let column = &self.factor[k * self.dim + k..(k + 1) * self.dim];
            *head /= column[0];
            axpy(rest, -*head, &column[1..]);
        }
    }

    /// ‖x‖²_{Z⁻¹} = ‖L⁻¹x‖².
    pub fn squared_norm_inv(&self, x: &[f64]) -> f64 {
        self.check(x);
        let mut y = x.to_vec();
        self.solve_lower(&mut y);
        dot(&y, &y)
    }

    /// ‖x‖²_Z = ‖Lᵀx‖².
    pub fn squared_norm(&self, x: &[f64]) -> f64 {
        self.check(x);
        let column = |k: usize| &self.factor[k * self.dim + k..(k + 1) * self.dim];
        let products: Vec<f64> = (0..self.dim).map(|k| dot(column(k), &x[k..])).collect();
        dot(&products, &products)
    }

    /// log(det Z_t / det Z_1), never negative.
    pub fn log_det_ratio(&self) -> f64 {
        let root = self.lambda.sqrt();
        let mut sum = 0.0;
        // One logarithm for eight pivots: each is at most √(λ + h t), so the product does not overflow.
        for first in (0..self.dim).step_by(8) {
            let last = (first + 8).min(self.dim);
            let pivots = (first..last).map(|k| self.factor[k * self.dim + k] / root);
            let product: f64 = pivots.clone().product();
            // A Z that was given may be of any size.
            sum += if product.is_normal() { log(product) } else { pivots.map(log).sum() };
        }
        (2.0 * sum).max(0.0)
    }

    /// Z + νI, if its entries are finite.
    pub(crate) fn shifted(&self, nu: f64) -> Result<Self, Error> {
        let mut dense = self.to_dense();
        (0..self.dim).for_each(|k| dense.row_mut(k)[k] += nu);
        Self::from_dense(&dense)
    }

    /// Z itself, for display and tests.
    pub fn to_dense(&self) -> Matrix {
        let l = |i: usize, k: usize| if k <= i { self.factor[k * self.dim + i] } else { 0.0 };
        let entry = |i: usize, j: usize| (0..=i.min(j)).map(|k| l(i, k) * l(j, k)).sum();
        let data = (0..self.dim * self.dim).map(|n| entry(n / self.dim, n % self.dim)).collect();
        Matrix::new(self.dim, data).expect("d rows of d")
    }

    /// Writes the rows of L end to end, each ending with the inverse of its diagonal entry.
    pub(crate) fn rows_into(&self, rows: &mut Vec<f64>) {
        rows.clear();
        for i in 0..self.dim {
            rows.extend((0..i).map(|k| self.factor[k * self.dim + i]));
            rows.push(1.0 / self.factor[i * self.dim + i]);
        }
    }

    /// The lower triangle of L by columns, for a snapshot.
    pub(crate) fn packed(&self) -> Vec<f64> {
        (0..self.dim)
            .flat_map(|k| self.factor[k * self.dim + k..(k + 1) * self.dim].iter().copied())
            .collect()
    }

    /// The Gram matrix of a snapshot, if it is a possible one.
    pub(crate) fn from_packed(
        dim: usize,
        lambda: f64,
        weight: f64,
        squared_norms: f64,
        packed: &[f64],
    ) -> Result<Self, Error> {
        let damaged = |reason: String| Error::SnapshotDamaged { reason };
        if packed.len() != dim * (dim + 1) / 2 {
            return Err(damaged(format!("a factor of {} values for d = {dim}", packed.len())));
        }
        check_finite("a factor", packed).map_err(|error| damaged(error.to_string()))?;
        let mut gram = Self::new(dim, lambda, weight);
        let mut start = 0;
        for k in 0..dim {
            let column = &packed[start..start + dim - k];
            start += dim - k;
            // Z ⪰ λI, so every pivot is at least √λ.
            if column[0] < lambda.sqrt() * (1.0 - 1e-9) {
                return Err(damaged(format!("pivot {k} of the factor is {}", column[0])));
            }
            gram.factor[k * dim + k..(k + 1) * dim].copy_from_slice(column);
        }
        // The trace of Z = λI + h Σ x xᵀ is known.
        let (trace, expected) = (dot(packed, packed), dim as f64 * lambda + weight * squared_norms);
        if !trace.is_finite() || (trace - expected).abs() > 1e-6 * expected {
            return Err(damaged(format!("the factor has trace {trace}, the contexts add up to {expected}")));
        }
        Ok(gram)
    }
}
