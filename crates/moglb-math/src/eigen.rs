//! The eigenvalues and eigenvectors of a small symmetric matrix. Reflections make the matrix tridiagonal, and
//! implicit QL steps make it diagonal (EISPACK's tred2 and tql2). Rotations act on vectors that lie end to
//! end, so that a compiler can vectorize them.

use crate::dense::{add, dot, sum_of_squares};

/// The largest number of QL steps for one eigenvalue. Two or three are usual; after this many the value is
/// used as it is.
const STEPS: usize = 60;

/// The size up to which an off-diagonal entry counts as zero, in units of the largest entry of the matrix.
const REST: f64 = 1e-17;

/// The eigenvalues lₖ and eigenvectors uₖ of A = Σ lₖ·uₖuₖᵀ, in no particular order.
#[derive(Debug, Clone, PartialEq)]
pub struct Eigen {
    /// The eigenvalues lₖ.
    pub values: Vec<f64>,
    /// The eigenvectors uₖ, end to end, each of length one.
    pub vectors: Vec<f64>,
}

impl Eigen {
    /// Decomposes a symmetric matrix of finite entries, given by rows of length `dim`.
    pub fn of(mut a: Vec<f64>, dim: usize) -> Self {
        let size = a.iter().fold(0.0, |size: f64, entry| size.max(entry.abs()));
        if size > 0.0 {
            // In units of the largest entry no square overflows, and a square that underflows does not
            // matter.
            a.iter_mut().for_each(|entry| *entry /= size);
        }
        let mut tridiagonal = Tridiagonal::of(a, dim);
        tridiagonal.diagonalize();
        let Tridiagonal { mut diagonal, vectors, .. } = tridiagonal;
        diagonal.iter_mut().for_each(|value| *value *= size);
        Self { values: diagonal, vectors }
    }

    /// The pairs of an eigenvalue and its eigenvector.
    pub fn pairs(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.values.iter().copied().zip(self.vectors.chunks_exact(self.values.len()))
    }
}

/// The tridiagonal T of A = QTQᵀ, and Q.
struct Tridiagonal {
    /// The diagonal of T, which ends as the eigenvalues.
    diagonal: Vec<f64>,
    /// The entries next to the diagonal. The last one has no place in T and is zero.
    off_diagonal: Vec<f64>,
    /// The columns of Q, end to end, which end as the eigenvectors.
    vectors: Vec<f64>,
}

impl Tridiagonal {
    /// Makes A tridiagonal. A reflection I − s·vvᵀ for each row but the last two leaves one entry next to the
    /// diagonal.
    fn of(mut a: Vec<f64>, dim: usize) -> Self {
        let (mut off_diagonal, mut scales) = (vec![0.0; dim], vec![0.0; dim]);
        let mut image = vec![0.0; dim];
        for k in 0..dim.saturating_sub(1) {
            let (above, below) = a.split_at_mut((k + 1) * dim);
            let v = &mut above[k * dim + k + 1..];
            let (first, rest) = (v[0], sum_of_squares(&v[1..]));
            off_diagonal[k] = first;
            if rest == 0.0 {
                continue;
            }
            off_diagonal[k] = -(first * first + rest).sqrt().copysign(first);
            v[0] = first - off_diagonal[k];
            scales[k] = 2.0 / (v[0] * v[0] + rest);
            reflect_both_sides(below, k + 1, dim, v, scales[k], &mut image[k + 1..]);
        }
        let mut vectors = vec![0.0; dim * dim];
        (0..dim).for_each(|k| vectors[k * dim + k] = 1.0);
        for k in (0..dim.saturating_sub(1)).rev().filter(|&k| scales[k] > 0.0) {
            let v = &a[k * dim + k + 1..(k + 1) * dim];
            for column in vectors[(k + 1) * dim..].chunks_exact_mut(dim) {
                let by = -scales[k] * dot(&column[k + 1..], v);
                add(&mut column[k + 1..], by, v);
            }
        }
        Self { diagonal: (0..dim).map(|k| a[k * dim + k]).collect(), off_diagonal, vectors }
    }

    /// Rotates until all entries next to the diagonal are zero.
    fn diagonalize(&mut self) {
        let dim = self.diagonal.len();
        for first in 0..dim {
            for _ in 0..STEPS {
                let last = (first..dim - 1).find(|&k| self.is_split(k)).unwrap_or(dim - 1);
                if last == first {
                    break;
                }
                self.step(first, last);
            }
        }
    }

    /// Returns true if the entry next to the diagonal is zero up to rounding.
    fn is_split(&self, k: usize) -> bool {
        let size = self.diagonal[k].abs() + self.diagonal[k + 1].abs();
        self.off_diagonal[k].abs() <= (0.5 * f64::EPSILON * size).max(REST)
    }

    /// An implicit QL step with Wilkinson's shift on the block from `first` to `last`.
    fn step(&mut self, first: usize, last: usize) {
        let Self { diagonal, off_diagonal, vectors } = self;
        let slope = (diagonal[first + 1] - diagonal[first]) / (2.0 * off_diagonal[first]);
        let root = (slope * slope + 1.0).sqrt().copysign(slope);
        let mut g = diagonal[last] - diagonal[first] + off_diagonal[first] / (slope + root);
        let (mut sine, mut cosine, mut moved) = (1.0, 1.0, 0.0);
        for k in (first..last).rev() {
            let (f, b) = (sine * off_diagonal[k], cosine * off_diagonal[k]);
            let length = (f * f + g * g).sqrt();
            off_diagonal[k + 1] = length;
            if length == 0.0 {
                // The block splits here.
                diagonal[k + 1] -= moved;
                off_diagonal[last] = 0.0;
                return;
            }
            (sine, cosine) = (f / length, g / length);
            g = diagonal[k + 1] - moved;
            let r = (diagonal[k] - g) * sine + 2.0 * cosine * b;
            moved = sine * r;
            diagonal[k + 1] = g + moved;
            g = cosine * r - b;
            turn(vectors, diagonal.len(), k, cosine, sine);
        }
        diagonal[first] -= moved;
        off_diagonal[first] = g;
        off_diagonal[last] = 0.0;
    }
}

/// A ← (I − s·vvᵀ)A(I − s·vvᵀ) for the block of A from row and column `from` on, the only part that is still
/// needed.
fn reflect_both_sides(a: &mut [f64], from: usize, dim: usize, v: &[f64], scale: f64, image: &mut [f64]) {
    for (image, row) in image.iter_mut().zip(a.chunks_exact(dim)) {
        *image = scale * dot(&row[from..], v);
    }
    let along = -0.5 * scale * dot(image, v);
    add(image, along, v);
    for (i, row) in a.chunks_exact_mut(dim).enumerate() {
        let (by_v, by_image) = (image[i], v[i]);
        for (entry, (v, image)) in row[from..].iter_mut().zip(v.iter().zip(&*image)) {
            *entry -= by_v * v + by_image * image;
        }
    }
}

/// Rotates the vectors k and k + 1 into each other.
fn turn(vectors: &mut [f64], dim: usize, k: usize, cosine: f64, sine: f64) {
    let (a, b) = vectors[k * dim..(k + 2) * dim].split_at_mut(dim);
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    /// The eigenvalues are compared with those of `nalgebra`; A = Σ l·uuᵀ and uᵀu = I show that the vectors
    /// are right.
    #[test]
    fn values_and_vectors_make_up_the_matrix() {
        let mut rng = draw::seeded(31);
        for dim in [1, 2, 3, 10, 23] {
            // Ranks below d are tested too: contexts seldom span all directions.
            let x = nalgebra::DMatrix::from_fn(dim.min(7), dim, |_, _| draw::normal(&mut rng));
            let a = x.transpose() * &x;
            let eigen = Eigen::of(a.as_slice().to_vec(), dim);
            let mut values = eigen.values.clone();
            values.sort_by(f64::total_cmp);
            let mut expected: Vec<f64> = a.clone().symmetric_eigenvalues().iter().copied().collect();
            expected.sort_by(f64::total_cmp);
            let size = a.amax();
            for (got, expected) in values.iter().zip(&expected) {
                assert!((got - expected).abs() < 1e-12 * size, "d = {dim}: {got} for {expected}");
            }
            for i in 0..dim {
                for j in 0..dim {
                    let sum =
                        |f: &dyn Fn(f64, &[f64]) -> f64| eigen.pairs().map(|(l, u)| f(l, u)).sum::<f64>();
                    let (entry, one) = (sum(&|l, u| l * u[i] * u[j]), sum(&|_, u| u[i] * u[j]));
                    assert!((entry - a[(i, j)]).abs() < 1e-12 * size, "d = {dim}: entry {i}, {j}");
                    assert!((one - f64::from(u8::from(i == j))).abs() < 1e-13, "d = {dim}: not orthogonal");
                }
            }
        }
    }
}
