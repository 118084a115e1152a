//! The generalized projection onto the ball of radius D in the norm of Z (the Π of Eq. (1)).
//!
//! For ‖u‖ > D the projection v solves the secular equation: with multiplier ν > 0,
//!
//! ```text
//! (I + ν Z⁻¹) v = u,   ‖v‖ = D
//! ```
//!
//! A Lanczos process on Z⁻¹ started at u reduces Z⁻¹ to a small tridiagonal T, on which Newton's method for
//! 1/‖v(ν)‖ = 1/D costs O(k) a step. The process stops as soon as the residual of the line above vanishes,
//! usually after six or seven products: O(d²) where a factorization per Newton step would be O(d³). Rescaling
//! u to the sphere instead (the Euclidean projection) is wrong unless Z is a multiple of the identity, and
//! loses Lemma 3.

use crate::kernel::{Lanes, Unit, axpy, combine, dot, fill, padded, places, scale, vectorized};
use crate::matrix::check_finite;
use crate::{Error, Gram};

/// The point of the ball ‖v‖ ≤ `radius` closest to `u` in the norm of Z: argmin (v − u)ᵀZ(v − u).
///
/// ```
/// use moglb::{project, Gram, Matrix};
/// let z = Gram::from_dense(&Matrix::new(2, vec![1.0, 0.0, 0.0, 9.0])?)?;
/// let v = project(&[1.0, 1.0], &z, 1.0)?;
/// assert!((v[0].hypot(v[1]) - 1.0).abs() < 1e-15);
/// assert!(v[1] > 1.9 * v[0], "moving along the second axis costs nine times as much: {v:?}");
/// # Ok::<(), moglb::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Dimension`], [`Error::Radius`], or [`Error::NotFinite`], also if Z is too small or too stretched
/// for the projection to be computed in floating point.
pub fn project(u: &[f64], z: &Gram, radius: f64) -> Result<Vec<f64>, Error> {
    if u.len() != z.dim() {
        return Err(Error::Dimension { expected: z.dim(), got: u.len() });
    }
    check_finite("a point", u)?;
    if !(1e-100..=1e100).contains(&radius) {
        return Err(Error::Radius { got: radius });
    }
    let mut v = padded(u);
    vectorized!({ v: &'a mut [Lanes] = &mut v, z: &'a Gram = z, radius: f64 = radius }, bool, |simd| {
        Projection::default().apply(simd, v, z, radius)
    });
    let v: Vec<f64> = places(&v).take(u.len()).collect();
    check_finite("a projection", &v)?;
    Ok(v)
}

/// The distance from the origin, in radii, beyond which the projection depends on the direction of u only.
const MOST_RADII: f64 = 1e60;

/// The scratch memory of the projection, reused between calls.
#[derive(Debug, Clone, Default)]
pub struct Projection {
    /// The Lanczos vectors, end to end, and the next one while it is computed.
    basis: Vec<Lanes>,
    /// The components of the next vector along the basis.
    along: Vec<f64>,
    /// Scratch for Mb in the products with Z⁻¹.
    image: Vec<f64>,
    /// The tridiagonal T, and the solution on it.
    tridiagonal: TridiagonalSolve,
}

impl Projection {
    /// Moves `u`, filled up to whole blocks of lanes, to its projection. Returns true if it had to move.
    #[inline(always)]
    pub fn apply<S: Unit>(&mut self, simd: S, u: &mut [Lanes], z: &Gram, radius: f64) -> bool {
        let Some(length) = outside(simd, u, radius) else { return false };
        self.bring_back(u, length, z, radius);
        true
    }

    /// Moves a point outside of the ball, whose length is given, to its projection. The vector unit is
    /// dispatched again here, so that this function, the largest of all computations, is compiled once and
    /// not wherever an estimate moves.
    #[inline(never)]
    fn bring_back(&mut self, u: &mut [Lanes], length: f64, z: &Gram, radius: f64) {
        vectorized!(
            {
                projection: &'a mut Projection = self,
                u: &'a mut [Lanes] = u,
                length: f64 = length,
                z: &'a Gram = z,
                radius: f64 = radius,
            },
            (),
            |simd| projection.bring_back_on(simd, u, length, z, radius)
        );
    }

    /// [`Projection::bring_back`] on a given vector unit.
    #[inline(always)]
    fn bring_back_on<S: Unit>(&mut self, simd: S, u: &mut [Lanes], length: f64, z: &Gram, radius: f64) {
        if length <= MOST_RADII * radius {
            self.project(simd, u, length, z, radius);
        } else {
            // The point is brought closer and measured in units of the radius, so that no square overflows or
            // vanishes.
            let largest = places(u).fold(0.0_f64, |m, x| m.max(x.abs()));
            u.iter_mut().for_each(|block| block.iter_mut().for_each(|x| *x = *x / largest * MOST_RADII));
            self.project(simd, u, norm(simd, u), z, 1.0);
            scale(simd, u, radius);
        }
        shrink(simd, u, radius);
    }

    /// Projects u by Lanczos steps, each followed by a Newton step, until the residual vanishes.
    #[inline(always)]
    fn project<S: Unit>(&mut self, simd: S, u: &mut [Lanes], length: f64, z: &Gram, radius: f64) {
        let (dim, stride) = (z.dim(), u.len());
        self.basis.clear();
        self.basis.extend_from_slice(u);
        scale(simd, &mut self.basis, 1.0 / length);
        self.tridiagonal.start(length);
        for k in 0.. {
            let off_diagonal = self.extend(simd, k, stride, z);
            // An off-diagonal at the level of rounding means that the space is invariant: no direction is
            // left to add.
            let last = k + 1 == dim || off_diagonal <= 1e-15 * self.tridiagonal.diagonal[0];
            if self.tridiagonal.approach(radius, last) {
                break;
            }
            scale(simd, &mut self.basis[(k + 1) * stride..], 1.0 / off_diagonal);
        }
        combine(simd, &self.basis, &self.tridiagonal.solution, |_| 0, u);
        // T has Z⁻¹ up to the rounding of its largest eigenvalue, and ν multiplies that error.
        let largest: f64 = self.tridiagonal.diagonal.iter().sum();
        if self.tridiagonal.nu * largest > 1e3 {
            let start: Vec<f64> = places(&self.basis).take(dim).map(|q| q * length).collect();
            polish(simd, u, &start, z, radius, self.tridiagonal.nu);
        }
    }

    /// Makes one more Lanczos step: appends the unnormalized next vector to the basis and returns its length
    /// β.
    #[inline(always)]
    fn extend<S: Unit>(&mut self, simd: S, k: usize, stride: usize, z: &Gram) -> f64 {
        let Self { basis, along, image, tridiagonal } = self;
        basis.resize((k + 2) * stride, Lanes::ZERO);
        let (basis, next) = basis.split_at_mut((k + 1) * stride);
        let newest = &basis[k * stride..];
        z.solve_into(simd, newest, next, image);
        let mut diagonal = dot(simd, next, newest);
        axpy(simd, next, -diagonal, newest);
        if let Some(before) = tridiagonal.off_diagonal.last() {
            axpy(simd, next, -before, &basis[(k - 1) * stride..k * stride]);
        }
        // In exact arithmetic nothing is left along the basis. Orthogonalizing twice keeps it orthogonal up
        // to rounding.
        along.resize(k + 1, 0.0);
        for (q, along) in basis.chunks_exact(stride).zip(&mut *along) {
            *along = dot(simd, next, q);
        }
        for (q, along) in basis.chunks_exact(stride).zip(&*along) {
            axpy(simd, next, -along, q);
        }
        diagonal += along[k];
        let off_diagonal = norm(simd, next);
        tridiagonal.push(diagonal, off_diagonal);
        off_diagonal
    }
}

/// Returns the length of a point outside of the ball, and none for a point inside.
#[inline(always)]
pub fn outside<S: Unit>(simd: S, u: &[Lanes], radius: f64) -> Option<f64> {
    let squared = dot(simd, u, u);
    // Most points are well inside, which is known without waiting for a square root.
    if squared <= radius * radius * (1.0 - 4.0 * f64::EPSILON) {
        return None;
    }
    let length = squared.sqrt();
    if length <= radius { None } else { Some(length) }
}

/// The Euclidean norm of a vector in blocks.
#[inline(always)]
fn norm<S: Unit>(simd: S, v: &[Lanes]) -> f64 {
    dot(simd, v, v).sqrt()
}

/// The projection by Newton's method on (Z + νI)v = Zu with a factorization per step (Moré and Sorensen):
/// O(d³), and accurate where Z is stretched and u is far. The first ν is right to a few digits, so two or
/// three steps are enough.
#[cold]
fn polish<S: Unit>(simd: S, v: &mut [Lanes], u: &[f64], z: &Gram, radius: f64, start: f64) {
    let inner = |row: &[f64]| row.iter().zip(u).map(|(a, b)| a * b).sum();
    let right: Vec<f64> = z.to_dense().rows().map(inner).collect();
    let mut nu = start;
    for _ in 0..20 {
        // A Z near the largest numbers cannot be shifted: v then keeps its value.
        let Ok(shifted) = z.shifted(nu) else { break };
        let solution = shifted.solve(&right);
        fill(v, &solution);
        let size = norm(simd, v);
        if (size - radius).abs() <= 1e-14 * radius {
            break;
        }
        // ‖q‖² = vᵀ(Z + νI)⁻¹v.
        let step = size * size / shifted.squared_norm_inv(&solution) * ((size - radius) / radius);
        nu = (nu + step).max(0.0);
    }
}

/// Removes the rounding error of the solve, so that ‖v‖ ≤ D holds exactly for callers.
#[inline(always)]
fn shrink<S: Unit>(simd: S, v: &mut [Lanes], radius: f64) {
    scale(simd, v, radius / norm(simd, v));
    for _ in 0..4 {
        if norm(simd, v) > radius {
            scale(simd, v, 1.0 - f64::EPSILON);
        }
    }
}

/// T = Qᵀ Z⁻¹ Q and the solution s of (I + νT)s = ‖u‖e₁ with ‖s‖ = D.
#[derive(Debug, Clone, Default)]
struct TridiagonalSolve {
    /// ‖u‖.
    length: f64,
    /// The multiplier ν.
    nu: f64,
    /// The diagonal of T.
    diagonal: Vec<f64>,
    /// The entries of T next to the diagonal; the last one is β, the length of the next Lanczos vector.
    off_diagonal: Vec<f64>,
    /// The solution s.
    solution: Vec<f64>,
    /// The inverse pivots of I + νT.
    inverse_pivots: Vec<f64>,
    /// The entries of N below its diagonal.
    multipliers: Vec<f64>,
}

impl TridiagonalSolve {
    /// Clears T and stores ‖u‖.
    #[inline(always)]
    fn start(&mut self, length: f64) {
        self.length = length;
        self.diagonal.clear();
        self.off_diagonal.clear();
        for vector in [&mut self.solution, &mut self.inverse_pivots, &mut self.multipliers] {
            vector.clear();
        }
    }

    /// Appends a row and a column to T.
    #[inline(always)]
    fn push(&mut self, diagonal: f64, off_diagonal: f64) {
        self.diagonal.push(diagonal);
        self.off_diagonal.push(off_diagonal);
        for vector in [&mut self.solution, &mut self.inverse_pivots, &mut self.multipliers] {
            vector.push(0.0);
        }
    }

    /// Moves ν closer to the root of 1/‖s(ν)‖ = 1/D by Newton's method. Returns true if s is the solution.
    ///
    /// The function is concave and increasing: from the left the iterates increase to the root without
    /// passing it, and from the right one step leads to the left. While T still grows one step is enough, as
    /// the next T has another root. Once the residual of (I + νZ⁻¹)v = u, which is νβ·|last entry of s|, has
    /// vanished, or T is the `last`, Newton's method runs until it converges.
    #[inline(always)]
    fn approach(&mut self, radius: f64, last: bool) -> bool {
        let size = self.diagonal.len();
        if size == 1 {
            self.nu = (self.length / radius - 1.0) / self.diagonal[0];
        }
        for _ in 0..50 {
            let length = self.solve();
            let residual = self.nu * self.off_diagonal[size - 1] * self.solution[size - 1].abs();
            let extend = !last && residual > 1e-13 * self.length;
            // The remaining error is below what `shrink` removes.
            if (length - radius).abs() <= 1e-14 * radius {
                return !extend;
            }
            let step = length * length / self.slope() * ((length - radius) / radius);
            self.nu = (self.nu + step).max(0.0);
            if extend {
                return false;
            }
        }
        true
    }

    /// Solves for s at the current ν, by I + νT = N diag(pivots) Nᵀ with a unit lower bidiagonal N. The
    /// matrix is positive definite, so no pivoting is needed. Returns ‖s‖.
    #[inline(always)]
    fn solve(&mut self) -> f64 {
        let (nu, size) = (self.nu, self.diagonal.len());
        let Self { diagonal, off_diagonal, solution, inverse_pivots, multipliers, .. } = self;
        let mut inverse = 1.0 / nu.mul_add(diagonal[0], 1.0);
        let mut right = self.length;
        inverse_pivots[0] = inverse;
        solution[0] = right * inverse;
        for i in 1..size {
            let off = nu * off_diagonal[i - 1];
            let multiplier = off * inverse;
            inverse = 1.0 / (nu.mul_add(diagonal[i], 1.0) - multiplier * off);
            right *= -multiplier;
            multipliers[i] = multiplier;
            inverse_pivots[i] = inverse;
            solution[i] = right * inverse;
        }
        let mut squared = solution[size - 1] * solution[size - 1];
        for i in (1..size).rev() {
            solution[i - 1] -= multipliers[i] * solution[i];
            squared += solution[i - 1] * solution[i - 1];
        }
        squared.sqrt()
    }

    /// The quantity sᵀ(I + νT)⁻¹Ts of the Newton step, which is (N⁻¹s)ᵀ diag(pivots)⁻¹ (N⁻¹Ts).
    #[inline(always)]
    fn slope(&self) -> f64 {
        let Self { diagonal, off_diagonal, solution, inverse_pivots, multipliers, .. } = self;
        let (mut plain, mut product, mut slope) = (0.0, 0.0, 0.0);
        let size = solution.len();
        for i in 0..size {
            let mut row = diagonal[i] * solution[i];
            if i > 0 {
                row += off_diagonal[i - 1] * solution[i - 1];
            }
            if i + 1 < size {
                row += off_diagonal[i] * solution[i + 1];
            }
            plain = solution[i] - multipliers[i] * plain;
            product = row - multipliers[i] * product;
            slope += plain * product * inverse_pivots[i];
        }
        slope
    }
}
