//! The Gram matrix Z_t and everything that is computed from it, Eq. (2).
//!
//! Z, its inverse and its determinant must agree, so they have one owner and one form: the inverse M = L⁻¹ of
//! the Cholesky factor, Z = LLᵀ, Z⁻¹ = MᵀM. Solving with Z is then two products with rows that do not depend
//! on each other, and so are the widths ‖x‖_{Z⁻¹} = ‖Mx‖ of any number of arms.
//!
//! With p = Mx, adding h·xxᵀ multiplies M from the left by the inverse factor of I + h·ppᵀ (Carlson 1973),
//! which is known in closed form: with αₖ = 1 + h(p₁² + … + pₖ²) and sₖ = p₁M₁ + … + pₖMₖ over the rows of M,
//!
//! ```text
//! M'ₖ = √(αₖ₋₁/αₖ) · Mₖ − h pₖ/√(αₖ₋₁αₖ) · sₖ₋₁      Z'⁻¹x = s_d / α_d      det Z'/det Z = α_d
//! ```
//!
//! The multiplier is a contraction, and a rounding error weighs less with every further context, so errors
//! add up slowly: after 10⁷ updates of the worst kind (`cargo xtask soak`) widths agree with a fresh
//! factorization to 8e-11, where an updated inverse (Sherman–Morrison) or a plainly summed Z lose four digits
//! more.

pub mod forget;
pub mod sparse;
pub mod update;
pub mod written;

pub use forget::Renewal;
pub use update::Update;

use crate::kernel::{
    LANES, Lanes, Unit, Vector, axpy, blocks, combine, dot, dots, padded, places, scale, vectorized,
};
use crate::matrix::check_finite;
use crate::{Error, Matrix};
use libm::{log, log1p};
use serde::{Deserialize, Serialize};

/// The Gram matrix Z = λI + h Σ x xᵀ, stored as the inverse of its Cholesky factor.
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
    /// The number of features d.
    dim: usize,
    /// λ. Without a prior, Z_1 = λI.
    lambda: f64,
    /// h: the weight of one context, κ/2 in the paper.
    weight: f64,
    /// A lower bound on the eigenvalues of Z: λ, or less if Z was discounted.
    floor: f64,
    /// The trace of the matrix that a prior added to λI.
    added: f64,
    /// log(det Z_1 / det λI), zero without a prior.
    begun: f64,
    /// M by rows of `blocks(dim)` blocks. All entries above the diagonal are zero and stay zero.
    rows: Vec<Lanes>,
    /// The sum log(det Z_t / det λI). The diagonal of M gives it too, but not for contexts so small that they
    /// do not change the diagonal. The tests compare the two.
    log_det: Sum,
}

/// A compensated sum (Neumaier): the sum, and what its additions rounded off.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Sum {
    sum: f64,
    rest: f64,
}

impl Sum {
    /// Adds x, and collects the rounding error in `rest`.
    #[inline(always)]
    pub fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.rest += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }

    /// The sum with the collected rounding errors.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.sum + self.rest
    }
}

/// The share of the trace by which an eigenvalue of a symmetric matrix may be below zero and still count as
/// rounding. Such a matrix is accepted as positive semidefinite.
pub const LIFT: f64 = 1e-9;

impl Gram {
    /// Returns Z_1 = λI, to which contexts will be added with weight h.
    ///
    /// # Panics
    ///
    /// If λ is not positive or h is negative: the caller's configuration has been checked.
    pub fn new(dim: usize, lambda: f64, weight: f64) -> Self {
        assert!(lambda > 0.0 && weight >= 0.0, "λ = {lambda}, h = {weight}");
        let root = 1.0 / lambda.sqrt();
        Self::of_entries(dim, lambda, weight, |i, j| if i == j { root } else { 0.0 })
    }

    /// Returns Z_1 = λI + A for the symmetric and positive semidefinite A that a prior adds. The log
    /// determinant stays relative to that of λI.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`] if rounding leaves nothing of λ.
    #[doc(hidden)]
    pub fn with_added(&self, added: &Matrix) -> Result<Self, Error> {
        let mut added = added.clone();
        // An eigenvalue a little below zero counts as rounding ([`LIFT`]). It would still leave Z below λI,
        // and bounds on widths rest on λ; so A is lifted until no eigenvalue is below zero.
        if Self::from_dense(&added.clone().lifted(LIFT * self.lambda)).is_err() {
            let trace = added.trace();
            added = added.lifted(LIFT * trace);
        }
        let factor = Self::from_dense(&added.clone().lifted(self.lambda))?;
        let mut gram = Self::of_entries(self.dim, self.lambda, self.weight, |i, j| factor.entry(i, j));
        gram.added = added.trace();
        gram.begun = gram.log_det_ratio();
        Ok(gram)
    }

    /// Builds Z from the entries of M on and below the diagonal, with the log determinant of that factor.
    fn of_entries(dim: usize, lambda: f64, weight: f64, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut rows = vec![Lanes::ZERO; dim * blocks(dim)];
        for i in 0..dim {
            (0..=i).for_each(|j| rows[i * blocks(dim) + j / LANES][j % LANES] = entry(i, j));
        }
        let mut gram = Self {
            dim,
            lambda,
            weight,
            floor: lambda,
            added: 0.0,
            begun: 0.0,
            rows,
            log_det: Sum::default(),
        };
        gram.log_det.add(gram.log_det_of_diagonal());
        gram
    }

    /// Row k of M.
    #[inline(always)]
    #[doc(hidden)]
    pub fn row(&self, k: usize) -> &[Lanes] {
        &self.rows[k * blocks(self.dim)..][..blocks(self.dim)]
    }

    /// The rows of M, one after the other, each in whole blocks.
    #[inline(always)]
    #[doc(hidden)]
    pub fn rows(&self) -> &[Lanes] {
        &self.rows
    }

    /// One entry of M.
    #[inline]
    #[doc(hidden)]
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.rows[i * blocks(self.dim) + j / LANES][j % LANES]
    }

    /// Returns the Gram matrix of a dense Z, with λ = 1 and weight 1.
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
        let inverse = invert_lower(&cholesky(z)?, dim);
        check_finite("a factor", &inverse).map_err(|_| Error::NotPositiveDefinite)?;
        Ok(Self::of_entries(dim, 1.0, 1.0, |i, j| inverse[i * dim + j]))
    }

    /// The number of features d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// λ, the regularization: Z_1 = λI without a prior.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// h, the weight of one context: κ/2 in the paper.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Z ← Z + h·xxᵀ, Eq. (2).
    ///
    /// # Panics
    ///
    /// If x does not have d entries.
    pub fn add(&mut self, x: &[f64]) {
        self.add_weighted(x, self.weight);
    }

    /// Z ← Z + w·xxᵀ, for rounds of different weights.
    ///
    /// # Panics
    ///
    /// If w is negative or NaN, or x does not have d entries.
    pub fn add_weighted(&mut self, x: &[f64], weight: f64) {
        assert!(weight >= 0.0, "w = {weight}");
        let (x, mut direction) = (self.padded(x), vec![Lanes::ZERO; blocks(self.dim)]);
        vectorized!(
            {
                gram: &'a mut Gram = self,
                x: &'a [Lanes] = &x,
                weight: f64 = weight,
                direction: &'a mut [Lanes] = &mut direction,
            },
            f64,
            |simd| {
                let mut update = Update::default();
                gram.image_into(simd, x, &mut update.image);
                gram.add_image(simd, weight, direction, &mut update)
            }
        );
    }

    /// Copies another Gram matrix of the same size into this one, without allocating.
    #[doc(hidden)]
    pub fn copy_from(&mut self, other: &Self) {
        debug_assert_eq!(self.dim, other.dim);
        self.rows.copy_from_slice(&other.rows);
        (self.lambda, self.weight, self.floor) = (other.lambda, other.weight, other.floor);
        (self.added, self.begun) = (other.added, other.begun);
        self.log_det = other.log_det;
    }

    /// x in whole blocks, filled up with zeros.
    fn padded(&self, x: &[f64]) -> Vec<Lanes> {
        assert_eq!(x.len(), self.dim, "a vector of another length than d");
        padded(x)
    }

    /// Adds a context, Z ← Z + h·xxᵀ, and writes Z⁻¹x for the new Z into `direction`. Returns xᵀZ⁻¹x for the
    /// new Z.
    #[inline(always)]
    #[doc(hidden)]
    pub fn add_and_solve<S: Unit>(
        &mut self,
        simd: S,
        x: &[Lanes],
        direction: &mut [Lanes],
        update: &mut Update,
    ) -> f64 {
        self.hold(simd, x, update);
        self.add_image(simd, self.weight, direction, update)
    }

    /// Writes p = Mx into `update`, over the nonzero blocks only if x is known to be sparse.
    #[inline(always)]
    fn hold<S: Unit>(&self, simd: S, x: &[Lanes], update: &mut Update) {
        if update.support.is_known {
            self.sparse_image(simd, x, update);
        } else {
            self.image_into(simd, x, &mut update.image);
        }
    }

    /// Writes Z⁻¹x into `direction`, and p = Mx into `update` for a later [`Gram::add_image`]. Returns
    /// xᵀZ⁻¹x.
    #[inline(always)]
    #[doc(hidden)]
    pub fn solve_and_hold<S: Unit>(
        &self,
        simd: S,
        x: &[Lanes],
        direction: &mut [Lanes],
        update: &mut Update,
    ) -> f64 {
        self.hold(simd, x, update);
        if update.support.is_known {
            self.combine_rows(simd, update, direction);
        } else {
            combine(simd, &self.rows, &update.image[..self.dim], |block| block * LANES, direction);
        }
        let mut squared = 0.0;
        for image in &update.image {
            squared = image.mul_add(*image, squared);
        }
        squared
    }

    /// Z ← Z + w·xxᵀ for the x whose image is in `update`; writes Z⁻¹x for the new Z into `direction`.
    /// Returns xᵀZ⁻¹x for the new Z.
    #[inline(always)]
    #[doc(hidden)]
    pub fn add_image<S: Unit>(
        &mut self,
        simd: S,
        weight: f64,
        direction: &mut [Lanes],
        update: &mut Update,
    ) -> f64 {
        let squared = update.prepare(simd, weight);
        self.log_det.add(log1p(weight * squared));
        if update.support.is_known {
            self.update_rows(simd, update, direction);
        } else {
            self.update_all(simd, update, direction);
        }
        let inverse = 1.0 / weight.mul_add(squared, 1.0);
        scale(simd, direction, inverse);
        squared * inverse
    }

    /// Updates every row of M, and writes s_d into `direction`.
    #[inline(always)]
    fn update_all<S: Unit>(&mut self, simd: S, update: &Update, direction: &mut [Lanes]) {
        let mut start = 0;
        while start < direction.len() {
            start += match direction.len() - start {
                1 => self.update_blocks::<S, 1>(simd, update, start, direction),
                2 => self.update_blocks::<S, 2>(simd, update, start, direction),
                3 => self.update_blocks::<S, 3>(simd, update, start, direction),
                _ => self.update_blocks::<S, 4>(simd, update, start, direction),
            };
        }
    }

    /// Updates N blocks of every row of M, and writes the same blocks of s_d into `direction`. Returns N.
    #[inline(always)]
    fn update_blocks<S: Unit, const N: usize>(
        &mut self,
        simd: S,
        update: &Update,
        start: usize,
        direction: &mut [Lanes],
    ) -> usize {
        let first = start * LANES;
        let rows = self.rows.chunks_exact_mut(direction.len()).skip(first);
        let steps = update.image.iter().zip(&update.keep).zip(&update.take).skip(first);
        let mut sums = [Vector::splat(simd, 0.0); N];
        for (row, ((image, keep), take)) in rows.zip(steps) {
            let row: &mut [Lanes; N] = (&mut row[start..start + N]).try_into().expect("N blocks");
            let (image, keep) = (Vector::splat(simd, *image), Vector::splat(simd, *keep));
            let take = Vector::splat(simd, *take);
            for n in 0..N {
                let old = Vector::load(simd, &row[n]);
                keep.mul_add(old, take.mul(sums[n])).store(&mut row[n]);
                sums[n] = image.mul_add(old, sums[n]);
            }
        }
        for n in 0..N {
            sums[n].store(&mut direction[start + n]);
        }
        N
    }

    /// Writes p = Mx, filled up with zeros.
    #[inline(always)]
    fn image_into<S: Unit>(&self, simd: S, x: &[Lanes], image: &mut Vec<f64>) {
        image.resize(blocks(self.dim) * LANES, 0.0);
        let (groups, rest) = image[..self.dim].as_chunks_mut::<4>();
        let grouped = groups.len() * 4;
        for (group, image) in groups.iter_mut().enumerate() {
            // Only up to the diagonal of the last row: beyond it all four rows are zero.
            let (first, length) = (group * 4, (group * 4 + 3) / LANES + 1);
            let rows = [self.row(first), self.row(first + 1), self.row(first + 2), self.row(first + 3)];
            *image = dots(simd, rows, &x[..length]);
        }
        for (k, image) in rest.iter_mut().enumerate() {
            *image = dot(simd, &self.row(grouped + k)[..x.len()], x);
        }
    }

    /// Returns Z⁻¹b.
    ///
    /// # Panics
    ///
    /// If b does not have d entries.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (b, mut solution) = (self.padded(b), vec![Lanes::ZERO; blocks(self.dim)]);
        vectorized!(
            { gram: &'a Gram = self, b: &'a [Lanes] = &b, solution: &'a mut [Lanes] = &mut solution },
            (),
            |simd| gram.solve_into(simd, b, solution, &mut Vec::new())
        );
        places(&solution).take(self.dim).collect()
    }

    /// Writes Z⁻¹b = Mᵀ(Mb) into `solution`; `image` is scratch for Mb.
    #[inline(always)]
    pub(crate) fn solve_into<S: Unit>(
        &self,
        simd: S,
        b: &[Lanes],
        solution: &mut [Lanes],
        image: &mut Vec<f64>,
    ) {
        self.image_into(simd, b, image);
        combine(simd, &self.rows, &image[..self.dim], |block| block * LANES, solution);
    }

    /// The squared width ‖x‖²_{Z⁻¹} = ‖Mx‖².
    ///
    /// # Panics
    ///
    /// If x does not have d entries.
    pub fn squared_norm_inv(&self, x: &[f64]) -> f64 {
        self.image(x).iter().map(|p| p * p).sum()
    }

    /// The image Mx, whose length is the width ‖x‖_{Z⁻¹}, filled up with zeros.
    #[doc(hidden)]
    pub fn image(&self, x: &[f64]) -> Vec<f64> {
        let (x, mut image) = (self.padded(x), Vec::new());
        vectorized!(
            { gram: &'a Gram = self, x: &'a [Lanes] = &x, image: &'a mut Vec<f64> = &mut image },
            (),
            |simd| gram.image_into(simd, x, image)
        );
        image
    }

    /// The squared norm ‖x‖²_Z = ‖Lᵀx‖².
    ///
    /// # Panics
    ///
    /// If x does not have d entries.
    pub fn squared_norm(&self, x: &[f64]) -> f64 {
        self.squared_norm_of(&mut self.padded(x))
    }

    /// [`Gram::squared_norm`] of a padded vector. Overwrites `x`.
    #[doc(hidden)]
    pub fn squared_norm_of(&self, x: &mut [Lanes]) -> f64 {
        vectorized!(
            { gram: &'a Gram = self, rest: &'a mut [Lanes] = x },
            f64,
            |simd| {
                // Lᵀx = y where Mᵀy = x, by backward substitution.
                let mut total = 0.0;
                for k in (0..gram.dim).rev() {
                    let (row, n_blocks) = (gram.row(k), k / LANES + 1);
                    let y = rest[k / LANES][k % LANES] / row[k / LANES][k % LANES];
                    total += y * y;
                    axpy(simd, &mut rest[..n_blocks], -y, &row[..n_blocks]);
                }
                total
            }
        )
    }

    /// An upper bound on √λ_max(Z⁻¹) = ‖M‖: the one that follows from the least eigenvalue of Z, or
    /// √(‖M‖₁‖M‖∞) if that is less.
    #[doc(hidden)]
    pub fn inverse_span(&self, columns: &mut Vec<f64>) -> f64 {
        let mut largest_row = 0.0_f64;
        columns.clear();
        columns.resize(self.dim, 0.0);
        for i in 0..self.dim {
            let mut row = 0.0;
            for (j, column) in columns[..=i].iter_mut().enumerate() {
                let size = self.entry(i, j).abs();
                row += size;
                *column += size;
            }
            largest_row = largest_row.max(row);
        }
        let largest_column = columns.iter().fold(0.0_f64, |a, b| a.max(*b));
        (largest_row * largest_column).sqrt().min(1.0 / self.floor.sqrt())
    }

    /// The log determinant log(det Z_t / det λI), where λI is Z_1 unless there is a prior.
    pub fn log_det_ratio(&self) -> f64 {
        self.log_det.value()
    }

    /// The log determinant log(det Z_t / det Z_1), for a Z_1 that includes the prior.
    #[doc(hidden)]
    pub fn log_det_since_start(&self) -> f64 {
        self.log_det.value() - self.begun
    }

    /// [`Gram::log_det_ratio`] from the diagonal of M.
    fn log_det_of_diagonal(&self) -> f64 {
        let root = self.lambda.sqrt();
        -2.0 * (0..self.dim).map(|k| log(self.entry(k, k) * root)).sum::<f64>()
    }

    /// The sum behind [`Gram::log_det_ratio`], for a snapshot.
    #[doc(hidden)]
    pub fn log_det(&self) -> Sum {
        self.log_det
    }

    /// Returns Z + νI, with λ = 1 and weight 1.
    ///
    /// # Errors
    ///
    /// As [`Gram::from_dense`]: the entries of Z + νI may not be finite.
    pub(crate) fn shifted(&self, nu: f64) -> Result<Self, Error> {
        Self::from_dense(&self.to_dense().lifted(nu))
    }

    /// Returns Z as a dense matrix, for display and tests.
    pub fn to_dense(&self) -> Matrix {
        let dim = self.dim;
        let inverse: Vec<f64> = (0..dim * dim).map(|n| self.entry(n / dim, n % dim)).collect();
        let factor = invert_lower(&inverse, dim);
        let entry =
            |i: usize, j: usize| (0..=i.min(j)).map(|k| factor[i * dim + k] * factor[j * dim + k]).sum();
        let data = (0..dim * dim).map(|n| entry(n / dim, n % dim)).collect();
        Matrix::new(dim, data).expect("d rows of d")
    }

    /// Returns Z − λI: what was learned, prior included. It is a difference, so the rounding of Z can leave
    /// eigenvalues below zero.
    #[doc(hidden)]
    pub fn learned(&self) -> Matrix {
        self.to_dense().lifted(-self.lambda)
    }

    /// Returns Z⁻¹ = MᵀM as a dense matrix.
    #[doc(hidden)]
    pub fn inverse(&self) -> Matrix {
        let dim = self.dim;
        let entry = |i: usize, j: usize| (i.max(j)..dim).map(|k| self.entry(k, i) * self.entry(k, j)).sum();
        let data = (0..dim * dim).map(|n| entry(n / dim, n % dim)).collect();
        Matrix::new(dim, data).expect("d rows of d")
    }
}

impl Update {
    /// Computes the multipliers of every row from the image p. Returns ‖p‖² = xᵀZ⁻¹x for the old Z.
    #[inline(always)]
    fn prepare<S: Unit>(&mut self, simd: S, weight: f64) -> f64 {
        let Self { image, keep, take, .. } = self;
        keep.resize(image.len(), 0.0);
        take.resize(image.len(), 0.0);
        let (images, keeps, takes) =
            (image.as_chunks::<LANES>().0, keep.as_chunks_mut().0, take.as_chunks_mut().0);
        let (mut squared, mut alpha) = (0.0, 1.0);
        for ((image, keep), take) in images.iter().zip(keeps).zip(takes) {
            let (mut before, mut after) = (Lanes::ZERO, Lanes::ZERO);
            for k in 0..LANES {
                before[k] = alpha;
                squared = image[k].mul_add(image[k], squared);
                alpha = weight.mul_add(squared, 1.0);
                after[k] = alpha;
            }
            let (before, after) = (Vector::load(simd, &before), Vector::load(simd, &after));
            let kept = before.div(after).sqrt();
            let image = Vector::load(simd, &Lanes(*image)).mul(Vector::splat(simd, -weight));
            *keep = kept.lanes().0;
            *take = image.mul(kept).div(before).lanes().0;
        }
        squared
    }
}

/// The Cholesky factor L of a symmetric matrix, by rows of length d.
fn cholesky(z: &Matrix) -> Result<Vec<f64>, Error> {
    let dim = z.n_cols();
    let mut factor = vec![0.0; dim * dim];
    for i in 0..dim {
        for k in 0..=i {
            // Symmetric only up to rounding: users compute XᵀX in many ways.
            let (lower, upper) = (z.row(i)[k], z.row(k)[i]);
            if (lower - upper).abs() > 1e-9 * z.row(i)[i].abs().sqrt() * z.row(k)[k].abs().sqrt() {
                return Err(Error::NotPositiveDefinite);
            }
            let known: f64 = (0..k).map(|j| factor[i * dim + j] * factor[k * dim + j]).sum();
            factor[i * dim + k] =
                if i == k { (lower - known).sqrt() } else { (lower - known) / factor[k * dim + k] };
        }
        let pivot = factor[i * dim + i];
        if !(pivot.is_finite() && pivot > 0.0) {
            return Err(Error::NotPositiveDefinite);
        }
    }
    Ok(factor)
}

/// The inverse of a lower triangular matrix, by rows of length d.
fn invert_lower(lower: &[f64], dim: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; dim * dim];
    for i in 0..dim {
        let pivot = lower[i * dim + i];
        inverse[i * dim + i] = 1.0 / pivot;
        for j in 0..i {
            let known: f64 = (j..i).map(|k| lower[i * dim + k] * inverse[k * dim + j]).sum();
            inverse[i * dim + j] = -known / pivot;
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million contexts of norm 1e-8 change no pivot, but log det is still exact.
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
    fn contexts_of_their_own_weight_are_longer_contexts_of_weight_one() {
        let mut rng = crate::draw::seeded(5);
        let [mut weighted, mut longer] = [Gram::new(4, 3.0, 1.0), Gram::new(4, 3.0, 1.0)];
        for _ in 0..300 {
            let (x, weight) = ([(); 4].map(|()| crate::draw::normal(&mut rng)), crate::draw::unit(&mut rng));
            weighted.add_weighted(&x, weight);
            longer.add(&x.map(|x| x * weight.sqrt()));
        }
        let off = |a: &f64, b: &f64| (a - b).abs();
        let (a, b) = (weighted.packed(), longer.packed());
        assert!(a.iter().zip(&b).all(|(a, b)| off(a, b) < 1e-13), "{a:?} {b:?}");
        assert!(off(&weighted.log_det_ratio(), &longer.log_det_ratio()) < 1e-12);
    }

    #[test]
    fn the_summed_log_determinant_is_that_of_the_factor() {
        let mut rng = crate::draw::seeded(9);
        let mut z = Gram::new(5, 2.0, 0.5);
        for _ in 0..2000 {
            let x: Vec<f64> = (0..5).map(|_| 0.4 * crate::draw::normal(&mut rng)).collect();
            z.add(&x);
            let (sum, factor) = (z.log_det_ratio(), z.log_det_of_diagonal());
            assert!((sum - factor).abs() < 1e-12 * factor.max(1.0), "{sum} {factor}");
        }
    }
}
