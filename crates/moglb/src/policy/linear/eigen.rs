//! The eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's rotations in a fixed order.

/// After so many sweeps nothing is left off the diagonal of any matrix; usually after six.
const SWEEPS: usize = 30;

/// What is off the diagonal may weigh so little beside the whole, squared.
const REST: f64 = 1e-30;

/// A = Σ lₖ·uₖuₖᵀ, in no particular order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Eigen {
    /// lₖ.
    pub(super) values: Vec<f64>,
    /// uₖ, end to end.
    pub(super) vectors: Vec<f64>,
}

impl Eigen {
    /// Of a symmetric matrix of finite entries, by rows of d.
    pub(super) fn of(mut a: Vec<f64>, dim: usize) -> Self {
        let mut vectors = vec![0.0; dim * dim];
        (0..dim).for_each(|k| vectors[k * dim + k] = 1.0);
        let enough = REST * a.iter().map(|a| a * a).sum::<f64>();
        for _ in 0..SWEEPS {
            if off_diagonal(&a, dim) <= enough {
                break;
            }
            for p in 0..dim {
                for q in p + 1..dim {
                    rotate(&mut a, &mut vectors, dim, p, q);
                }
            }
        }
        Self { values: (0..dim).map(|k| a[k * dim + k]).collect(), vectors }
    }

    /// uₖ with its lₖ.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.values.iter().copied().zip(self.vectors.chunks_exact(self.values.len()))
    }
}

/// Σ of the squares above the diagonal.
fn off_diagonal(a: &[f64], dim: usize) -> f64 {
    let above = |i: usize| a[i * dim + i + 1..(i + 1) * dim].iter().map(|a| a * a).sum::<f64>();
    (0..dim).map(above).sum()
}

/// Turns rows and columns p and q so that the entry (p, q) vanishes: with t = tan φ the smaller root of t² + 2θt − 1 for
/// θ = (a_qq − a_pp)/(2a_pq).
fn rotate(a: &mut [f64], vectors: &mut [f64], dim: usize, p: usize, q: usize) {
    let apq = a[p * dim + q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[q * dim + q] - a[p * dim + p]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    turn_rows(a, dim, p, q, c, s);
    for row in a.chunks_exact_mut(dim) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    turn_rows(vectors, dim, p, q, c, s);
    (a[p * dim + q], a[q * dim + p]) = (0.0, 0.0);
}

fn turn_rows(a: &mut [f64], dim: usize, p: usize, q: usize, c: f64, s: f64) {
    let (before, from_q) = a.split_at_mut(q * dim);
    for (x, y) in before[p * dim..(p + 1) * dim].iter_mut().zip(&mut from_q[..dim]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    /// `nalgebra` is the second opinion on the values; A = Σ l·uuᵀ and uᵀu = I say that the vectors are right.
    #[test]
    fn values_and_vectors_make_up_the_matrix() {
        let mut rng = draw::seeded(31);
        for dim in [1, 2, 3, 10, 23] {
            // Of a rank below d, too: contexts seldom span all directions.
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
