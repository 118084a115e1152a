//! Small dense matrices, stored by rows, for posteriors that are recomputed from time to time.
//!
//! Every inner loop goes over a row from left to right and adds to entries that do not depend on each other,
//! so a compiler may vectorize it without changing a bit. Matrices are upper triangles only, unless
//! stated otherwise.

/// Replaces A by its Cholesky factor U, UᵀU = A. Returns false if A is not positive definite up to rounding.
///
/// A is known to contain `least`·I, so no pivot is below `least` except by rounding, and such a pivot is
/// raised to it. With a `least` above zero, the result is false only if entries are not finite.
pub fn factor(a: &mut [f64], dim: usize, least: f64) -> bool {
    for k in 0..dim {
        let (above, below) = a.split_at_mut((k + 1) * dim);
        let row = &mut above[k * dim + k..];
        row[0] = row[0].max(least);
        let pivot = row[0].sqrt();
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        row.iter_mut().for_each(|entry| *entry /= pivot);
        for (i, lower) in below.chunks_exact_mut(dim).enumerate() {
            let by = row[i + 1];
            lower[k + 1 + i..].iter_mut().zip(&row[i + 1..]).for_each(|(entry, u)| *entry -= by * u);
        }
    }
    true
}

/// Writes W = U⁻¹, with zeros below the diagonal.
pub fn invert(u: &[f64], w: &mut [f64], dim: usize) {
    w.fill(0.0);
    for i in (0..dim).rev() {
        let (above, below) = w.split_at_mut((i + 1) * dim);
        let (row, pivot) = (&mut above[i * dim..], u[i * dim + i]);
        row[i] = 1.0;
        for (k, lower) in below.chunks_exact(dim).enumerate() {
            let k = i + 1 + k;
            let by = u[i * dim + k];
            row[k..].iter_mut().zip(&lower[k..]).for_each(|(entry, w)| *entry -= by * w);
        }
        row[i..].iter_mut().for_each(|entry| *entry /= pivot);
    }
}

/// Writes the transpose of W into `turned`.
pub fn transpose(w: &[f64], turned: &mut [f64], dim: usize) {
    for i in 0..dim {
        for j in 0..dim {
            turned[j * dim + i] = w[i * dim + j];
        }
    }
}

/// Writes A⁻¹ = WWᵀ, both triangles, from the transpose of W.
pub fn square(turned: &[f64], inverse: &mut [f64], dim: usize) {
    inverse.fill(0.0);
    for (k, column) in turned.chunks_exact(dim).enumerate() {
        for (i, row) in inverse.chunks_exact_mut(dim).enumerate().take(k + 1) {
            add(row, column[i], &column[..=k]);
        }
    }
}

/// Writes Σ aₖ·rowₖ into `out`, over the rows of a matrix.
pub fn combine(rows: &[f64], a: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (row, &a) in rows.chunks_exact(out.len()).zip(a) {
        add(out, a, row);
    }
}

/// y ← y + a·x, over the length of x.
pub fn add(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// Adds w·xxᵀ to A, in the upper triangle.
pub fn add_square(a: &mut [f64], weight: f64, x: &[f64]) {
    for (i, row) in a.chunks_exact_mut(x.len()).enumerate() {
        add(&mut row[i..], weight * x[i], &x[i..]);
    }
}

/// The dot product aᵀb, summed from left to right.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The sum of squares Σ xⱼ², from left to right.
pub fn sum_of_squares(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    /// Inverses and products are compared with those of `nalgebra`.
    #[test]
    fn factor_and_inverse_are_those_of_another_library() {
        let mut rng = draw::seeded(5);
        for dim in [1, 2, 3, 7, 16, 33] {
            let x = nalgebra::DMatrix::from_fn(dim + 3, dim, |_, _| draw::normal(&mut rng));
            let a = x.transpose() * &x;
            let mut u: Vec<f64> = a.as_slice().to_vec();
            assert!(factor(&mut u, dim, 0.0));
            let (mut w, mut turned, mut inverse) =
                (vec![0.0; dim * dim], vec![0.0; dim * dim], vec![0.0; dim * dim]);
            invert(&u, &mut w, dim);
            transpose(&w, &mut turned, dim);
            square(&turned, &mut inverse, dim);
            let expected = a.clone().try_inverse().unwrap();
            let size = expected.amax();
            for (got, expected) in inverse.iter().zip(expected.as_slice()) {
                assert!((got - expected).abs() < 1e-9 * size, "d = {dim}: {got} for {expected}");
            }
            let (v, mut product) = (vec![1.0; dim], vec![0.0; dim]);
            combine(&inverse, &v, &mut product);
            let expected = expected * nalgebra::DVector::from_element(dim, 1.0);
            assert!(product.iter().zip(expected.iter()).all(|(a, b)| (a - b).abs() < 1e-8 * size));
        }
    }

    /// Rounding reduces xxᵀ + ε·I to xxᵀ or less, which is singular. The lower bound on the pivots makes up
    /// for it.
    #[test]
    fn a_matrix_that_rounding_made_singular_has_a_factor() {
        let a = [0.01, 0.03, 0.03, 0.09];
        assert!(!factor(&mut a.clone(), 2, 0.0));
        let mut u = a;
        assert!(factor(&mut u, 2, 2.0_f64.powi(-60)));
        assert_eq!(u[3], 2.0_f64.powi(-30));
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        for mut a in [[1.0, 2.0, 2.0, 1.0], [0.0; 4], [f64::NAN; 4], [f64::INFINITY, 0.0, 0.0, 1.0]] {
            assert!(!factor(&mut a, 2, 0.0));
        }
    }
}
