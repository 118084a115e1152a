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

use crate::gram::stride;
use crate::kernel::{axpy, dot, norm, scale};
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
    let mut v = u.to_vec();
    v.resize(stride(u.len()), 0.0);
    Projection::default().apply(&mut v, z, radius);
    v.truncate(u.len());
    check_finite("a projection", &v)?;
    Ok(v)
}

/// So many radii away the answer no longer depends on the distance.
const FAR: f64 = 1e60;

/// Scratch of the projection, kept between calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Projection {
    /// The Lanczos vectors, end to end, each filled up to whole blocks of lanes.
    basis: Vec<f64>,
    tridiagonal: Tridiagonal,
}

impl Projection {
    /// Moves `u`, filled up to whole blocks of lanes, to its projection; says whether it had to move.
    #[inline(always)]
    pub(crate) fn apply(&mut self, u: &mut [f64], z: &Gram, radius: f64) -> bool {
        let length = norm(u);
        if length <= radius {
            return false;
        }
        if length <= FAR * radius {
            self.project(u, length, z, radius);
        } else {
            // Brought closer and in units of the radius, so that no square overflows or vanishes.
            let largest = u.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            u.iter_mut().for_each(|x| *x = *x / largest * FAR);
            self.project(u, norm(u), z, 1.0);
            scale(u, radius);
        }
        shrink(u, radius);
        true
    }

    #[inline(always)]
    fn project(&mut self, u: &mut [f64], length: f64, z: &Gram, radius: f64) {
        let (dim, stride) = (z.dim(), u.len());
        self.start(u, length);
        let mut nu = 0.0;
        for k in 0.. {
            let off_diagonal = self.extend(k, stride, z);
            nu = self.tridiagonal.solve(length, radius, nu);
            // The residual of (I + ν Z⁻¹)v = u is ν β |last coefficient|.
            let residual = nu * off_diagonal * self.tridiagonal.solution[k].abs();
            // An off-diagonal at the level of rounding means that the space is invariant: nothing is left to add.
            if k + 1 == dim
                || residual <= 1e-15 * length
                || off_diagonal <= 1e-15 * self.tridiagonal.diagonal[0]
            {
                break;
            }
            scale(&mut self.basis[(k + 1) * stride..], 1.0 / off_diagonal);
        }
        u.fill(0.0);
        for (q, s) in self.basis.chunks_exact(stride).zip(&self.tridiagonal.solution) {
            axpy(u, *s, q);
        }
        // T knows Z⁻¹ to rounding of its largest eigenvalue, and ν multiplies that error.
        let largest: f64 = self.tridiagonal.diagonal.iter().sum();
        if nu * largest > 1e3 {
            let start: Vec<f64> = self.basis[..dim].iter().map(|q| q * length).collect();
            polish(&mut u[..dim], &start, z, radius, nu);
        }
    }

    #[inline(always)]
    fn start(&mut self, u: &[f64], length: f64) {
        self.basis.clear();
        self.basis.extend(u.iter().map(|x| x / length));
        self.tridiagonal.clear();
    }

    /// One more Lanczos step: appends the unnormalized next vector to the basis and returns its length β.
    #[inline(always)]
    fn extend(&mut self, k: usize, stride: usize, z: &Gram) -> f64 {
        self.basis.extend_from_within(k * stride..(k + 1) * stride);
        let (basis, next) = self.basis.split_at_mut((k + 1) * stride);
        z.solve_in_place(next);
        let mut diagonal = 0.0;
        // Twice is enough to keep the basis orthogonal to rounding.
        for _ in 0..2 {
            for (a, q) in basis.chunks_exact(stride).enumerate() {
                let along = dot(next, q);
                axpy(next, -along, q);
                if a == k {
                    diagonal += along;
                }
            }
        }
        let off_diagonal = norm(next);
        self.tridiagonal.push(diagonal, off_diagonal);
        off_diagonal
    }
}

/// The projection by Newton's method on (Z + νI)v = Zu with a factorization per step (Moré and Sorensen): O(d³), and
/// accurate where Z is stretched and u is far. Starts at a ν that is right to a few digits, so two or three steps do.
fn polish(v: &mut [f64], u: &[f64], z: &Gram, radius: f64, start: f64) {
    let right: Vec<f64> = z.to_dense().rows().map(|row| dot(row, u)).collect();
    let mut nu = start;
    for _ in 0..20 {
        // A Z near the largest numbers cannot be shifted: v is then what it was.
        let Ok(shifted) = z.shifted(nu) else { break };
        v.copy_from_slice(&shifted.solve(&right));
        let size = norm(v);
        if (size - radius).abs() <= 1e-14 * radius {
            break;
        }
        // ‖q‖² = vᵀ(Z + νI)⁻¹v.
        let step = size * size / shifted.squared_norm_inv(v) * ((size - radius) / radius);
        nu = (nu + step).max(0.0);
    }
}

/// Removes the rounding of the solve, so that ‖v‖ ≤ D holds exactly for callers.
fn shrink(v: &mut [f64], radius: f64) {
    scale(v, radius / norm(v));
    for _ in 0..4 {
        if norm(v) > radius {
            scale(v, 1.0 - f64::EPSILON);
        }
    }
}

/// T = Qᵀ Z⁻¹ Q and the solution s of (I + νT)s = ‖u‖e₁ with ‖s‖ = D.
#[derive(Debug, Clone, Default)]
struct Tridiagonal {
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
    solution: Vec<f64>,
    pivots: Vec<f64>,
    multipliers: Vec<f64>,
    work: Vec<f64>,
}

impl Tridiagonal {
    fn clear(&mut self) {
        self.diagonal.clear();
        self.off_diagonal.clear();
        for vector in [&mut self.solution, &mut self.pivots, &mut self.multipliers, &mut self.work] {
            vector.clear();
        }
    }

    fn push(&mut self, diagonal: f64, off_diagonal: f64) {
        self.diagonal.push(diagonal);
        self.off_diagonal.push(off_diagonal);
        for vector in [&mut self.solution, &mut self.pivots, &mut self.multipliers, &mut self.work] {
            vector.push(0.0);
        }
    }

    /// Newton's method on 1/‖s(ν)‖ − 1/D, which is concave and increasing: from the left the steps grow to the root
    /// without passing it, from the right one step leads to the left.
    fn solve(&mut self, length: f64, radius: f64, start: f64) -> f64 {
        let mut nu = start;
        for _ in 0..50 {
            self.factor(nu);
            self.solution.fill(0.0);
            self.solution[0] = length;
            solve_ldl(&self.multipliers, &self.pivots, &mut self.solution);
            let size = norm(&self.solution);
            // What is left is below what `shrink` removes.
            if (size - radius).abs() <= 1e-14 * radius {
                break;
            }
            self.multiply();
            solve_ldl(&self.multipliers, &self.pivots, &mut self.work);
            let slope = dot(&self.solution, &self.work);
            let step = size * size / slope * ((size - radius) / radius);
            nu = (nu + step).max(0.0);
        }
        nu
    }

    /// I + νT = M diag(pivots) Mᵀ; positive definite, so no pivoting.
    fn factor(&mut self, nu: f64) {
        self.pivots[0] = 1.0 + nu * self.diagonal[0];
        for i in 1..self.diagonal.len() {
            let off = nu * self.off_diagonal[i - 1];
            self.multipliers[i] = off / self.pivots[i - 1];
            self.pivots[i] = 1.0 + nu * self.diagonal[i] - self.multipliers[i] * off;
        }
    }

    /// work ← T·solution.
    fn multiply(&mut self) {
        let last = self.diagonal.len() - 1;
        for i in 0..=last {
            let mut sum = self.diagonal[i] * self.solution[i];
            if i > 0 {
                sum += self.off_diagonal[i - 1] * self.solution[i - 1];
            }
            if i < last {
                sum += self.off_diagonal[i] * self.solution[i + 1];
            }
            self.work[i] = sum;
        }
    }
}

/// b ← (M diag(pivots) Mᵀ)⁻¹ b for a unit lower bidiagonal M.
fn solve_ldl(multipliers: &[f64], pivots: &[f64], b: &mut [f64]) {
    for i in 1..b.len() {
        b[i] -= multipliers[i] * b[i - 1];
    }
    b.iter_mut().zip(pivots).for_each(|(b, pivot)| *b /= pivot);
    for i in (1..b.len()).rev() {
        b[i - 1] -= multipliers[i] * b[i];
    }
}
