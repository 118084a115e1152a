//! The Cholesky factor and the solution of triangular systems.

/// L with LLᵀ = A, by rows, in the lower triangle; none if A is not numerically positive definite.
pub(super) fn cholesky(mut a: Vec<f64>, dim: usize) -> Option<Vec<f64>> {
    for i in 0..dim {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| a[i * dim + k] * a[j * dim + k]).sum();
            let left = a[i * dim + j] - known;
            if i > j {
                a[i * dim + j] = left / a[j * dim + j];
            } else if left > 0.0 && left.is_finite() {
                a[i * dim + i] = left.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(a)
}

/// Replaces x by L⁻¹x.
pub(super) fn solve_lower(l: &[f64], x: &mut [f64]) {
    let dim = x.len();
    for i in 0..dim {
        let known: f64 = (0..i).map(|k| l[i * dim + k] * x[k]).sum();
        x[i] = (x[i] - known) / l[i * dim + i];
    }
}

/// Replaces x by L⁻ᵀx.
pub(super) fn solve_lower_transposed(l: &[f64], x: &mut [f64]) {
    let dim = x.len();
    for i in (0..dim).rev() {
        let known: f64 = (i + 1..dim).map(|k| l[k * dim + i] * x[k]).sum();
        x[i] = (x[i] - known) / l[i * dim + i];
    }
}

/// Replaces x by R⁻¹x, for an R given by its columns.
pub(super) fn solve_upper(r: &[Vec<f64>], x: &mut [f64]) {
    for k in (0..x.len()).rev() {
        x[k] /= r[k][k];
        let by = x[k];
        x[..k].iter_mut().zip(&r[k]).for_each(|(x, r)| *x -= by * r);
    }
}
