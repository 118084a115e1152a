//! The generalized projection onto the ball of radius D in the norm of Z (the Π of Eq. (1)).
//!
//! For ‖u‖ > D the answer solves the secular equation: with multiplier ν > 0,
//!
//! ```text
//! (I + ν Z⁻¹) v = u,   ‖v‖ = D
//! ```
//!
//! A Lanczos process on Z⁻¹ started at u turns Z⁻¹ into a small tridiagonal T, on which Newton's method for
//! 1/‖v(ν)‖ = 1/D costs O(k) a step; the process stops as soon as the residual of the line above vanishes, usually
//! after six or seven products: O(d²) where a factorization per Newton step would be O(d³). Rescaling u to the
//! sphere instead (the Euclidean projection) is wrong unless Z is a multiple of the identity, and loses Lemma 3.

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
/// [`Error::Dimension`], [`Error::Radius`], or [`Error::NotFinite`], also where Z is too small or too stretched for the
/// answer to be found in numbers.
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

/// So many radii away the answer no longer depends on the distance.
const MOST_RADII: f64 = 1e60;

/// Scratch of the projection, kept between calls.
#[derive(Debug, Clone, Default)]
pub struct Projection {
    /// The Lanczos vectors, end to end, and one that is being made.
    basis: Vec<Lanes>,
    /// What a vector has along each of the basis.
    along: Vec<f64>,
    image: Vec<f64>,
    tridiagonal: TridiagonalSolve,
}

impl Projection {
    /// Moves `u`, filled up to whole blocks of lanes, to its projection; says whether it had to move.
    #[inline(always)]
    pub fn apply<S: Unit>(&mut self, simd: S, u: &mut [Lanes], z: &Gram, radius: f64) -> bool {
        let Some(length) = outside(simd, u, radius) else { return false };
        self.bring_back(u, length, z, radius);
        true
    }

    /// Moves a point outside of the ball, of some length, to its projection. It finds the vector unit again, so that this, the
    /// largest of all computations, is compiled once and not wherever an estimate moves.
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

    #[inline(always)]
    fn bring_back_on<S: Unit>(&mut self, simd: S, u: &mut [Lanes], length: f64, z: &Gram, radius: f64) {
        if length <= MOST_RADII * radius {
            self.project(simd, u, length, z, radius);
        } else {
            // Brought closer and in units of the radius, so that no square overflows or vanishes.
            let largest = places(u).fold(0.0_f64, |m, x| m.max(x.abs()));
            u.iter_mut().for_each(|block| block.iter_mut().for_each(|x| *x = *x / largest * MOST_RADII));
            self.project(simd, u, norm(simd, u), z, 1.0);
            scale(simd, u, radius);
        }
        shrink(simd, u, radius);
    }

    #[inline(always)]
    fn project<S: Unit>(&mut self, simd: S, u: &mut [Lanes], length: f64, z: &Gram, radius: f64) {
        let (dim, stride) = (z.dim(), u.len());
        self.basis.clear();
        self.basis.extend_from_slice(u);
        scale(simd, &mut self.basis, 1.0 / length);
        self.tridiagonal.start(length);
        for k in 0.. {
            let off_diagonal = self.extend(simd, k, stride, z);
            // An off-diagonal at the level of rounding means that the space is invariant: nothing is left to add.
            let last = k + 1 == dim || off_diagonal <= 1e-15 * self.tridiagonal.diagonal[0];
            if self.tridiagonal.approach(radius, last) {
                break;
            }
            scale(simd, &mut self.basis[(k + 1) * stride..], 1.0 / off_diagonal);
        }
        combine(simd, &self.basis, &self.tridiagonal.solution, |_| 0, u);
        // T knows Z⁻¹ to rounding of its largest eigenvalue, and ν multiplies that error.
        let largest: f64 = self.tridiagonal.diagonal.iter().sum();
        if self.tridiagonal.nu * largest > 1e3 {
            let start: Vec<f64> = places(&self.basis).take(dim).map(|q| q * length).collect();
            polish(simd, u, &start, z, radius, self.tridiagonal.nu);
        }
    }

    /// One more Lanczos step: appends the unnormalized next vector to the basis and returns its length β.
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
        // In exact numbers nothing is left along the basis; twice is enough to keep it orthogonal to rounding.
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

/// The length of a point outside of the ball, nothing for one in it.
#[inline(always)]
pub fn outside<S: Unit>(simd: S, u: &[Lanes], radius: f64) -> Option<f64> {
    let squared = dot(simd, u, u);
    // Mostly well inside, which can be told without waiting for a root.
    if squared <= radius * radius * (1.0 - 4.0 * f64::EPSILON) {
        return None;
    }
    let length = squared.sqrt();
    if length <= radius { None } else { Some(length) }
}

#[inline(always)]
fn norm<S: Unit>(simd: S, v: &[Lanes]) -> f64 {
    dot(simd, v, v).sqrt()
}

/// The projection by Newton's method on (Z + νI)v = Zu with a factorization per step (Moré and Sorensen): O(d³), and
/// accurate where Z is stretched and u is far. Starts at a ν that is right to a few digits, so two or three steps do.
#[cold]
fn polish<S: Unit>(simd: S, v: &mut [Lanes], u: &[f64], z: &Gram, radius: f64, start: f64) {
    let inner = |row: &[f64]| row.iter().zip(u).map(|(a, b)| a * b).sum();
    let right: Vec<f64> = z.to_dense().rows().map(inner).collect();
    let mut nu = start;
    for _ in 0..20 {
        // A Z near the largest numbers cannot be shifted: v is then what it was.
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

/// Removes the rounding of the solve, so that ‖v‖ ≤ D holds exactly for callers.
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
    length: f64,
    nu: f64,
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
    solution: Vec<f64>,
    inverse_pivots: Vec<f64>,
    multipliers: Vec<f64>,
}

impl TridiagonalSolve {
    #[inline(always)]
    fn start(&mut self, length: f64) {
        self.length = length;
        self.diagonal.clear();
        self.off_diagonal.clear();
        for vector in [&mut self.solution, &mut self.inverse_pivots, &mut self.multipliers] {
            vector.clear();
        }
    }

    #[inline(always)]
    fn push(&mut self, diagonal: f64, off_diagonal: f64) {
        self.diagonal.push(diagonal);
        self.off_diagonal.push(off_diagonal);
        for vector in [&mut self.solution, &mut self.inverse_pivots, &mut self.multipliers] {
            vector.push(0.0);
        }
    }

    /// Brings ν closer to the root of 1/‖s(ν)‖ = 1/D by Newton's method; says whether s is the answer.
    ///
    /// The function is concave and increasing: from the left the steps grow to the root without passing it, from the right
    /// one step leads to the left. While T still grows one step is enough, as the next T has another root; once the
    /// residual of (I + νZ⁻¹)v = u, which is νβ·|last entry of s|, has vanished or T is the `last`, ν goes all the way.
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
            // What is left is below what `shrink` removes.
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

    /// s for the present ν, by I + νT = N diag(pivots) Nᵀ with a unit lower bidiagonal N; positive definite, so no pivoting.
    /// Returns ‖s‖.
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

    /// sᵀ(I + νT)⁻¹Ts, which is (N⁻¹s)ᵀ diag(pivots)⁻¹ (N⁻¹Ts).
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
