//! An orthonormal basis of the columns of a table, column by column from the left (Gram and Schmidt, each
//! column twice).

use super::triangle::{solve_lower, solve_upper};
use moglb::Matrix;

/// A column is a combination of others if the part of it that they do not explain has less than this share of
/// its norm.
const DEPENDENT_SHARE: f64 = 1e-9;

/// The factorization X = QR of the columns of X that are not combinations of those before them.
pub(super) struct Basis {
    pub(super) n_columns: usize,
    n_rows: usize,
    /// The columns that are in the basis.
    pub(super) kept: Vec<usize>,
    /// The other columns, each with the columns that it is a combination of.
    pub(super) dependent: Vec<(usize, Vec<usize>)>,
    /// Q, stored by rows.
    q: Matrix,
    /// R, stored by columns: column k has k + 1 entries.
    r: Vec<Vec<f64>>,
    /// The norm of each kept column.
    norms: Vec<f64>,
}

impl Basis {
    pub(super) fn of(x: &Matrix) -> Self {
        let mut basis = Self {
            n_columns: x.n_cols(),
            n_rows: x.n_rows(),
            kept: Vec::new(),
            dependent: Vec::new(),
            q: Matrix::default(),
            r: Vec::new(),
            norms: Vec::new(),
        };
        let mut found: Vec<Vec<f64>> = Vec::new();
        for column in 0..x.n_cols() {
            let mut left: Vec<f64> = x.rows().map(|row| row[column]).collect();
            let whole = norm(&left);
            let mut along = vec![0.0; found.len()];
            // The second pass removes what rounding left in the first one.
            for _ in 0..2 {
                for (q, along) in found.iter().zip(&mut along) {
                    let by = dot(q, &left);
                    *along += by;
                    left.iter_mut().zip(q).for_each(|(left, q)| *left -= by * q);
                }
            }
            let rest = norm(&left);
            if rest <= DEPENDENT_SHARE * whole {
                let on = basis.made_of(along, whole);
                basis.dependent.push((column, on));
                continue;
            }
            left.iter_mut().for_each(|entry| *entry /= rest);
            along.push(rest);
            found.push(left);
            basis.kept.push(column);
            basis.r.push(along);
            basis.norms.push(whole);
        }
        let rows = (0..x.n_rows()).flat_map(|row| found.iter().map(move |q| q[row])).collect();
        if !found.is_empty() {
            basis.q = Matrix::new(found.len(), rows).expect("whole rows");
        }
        basis
    }

    /// The kept columns with a share in a column, from the components `along` of that column in the basis.
    fn made_of(&self, along: Vec<f64>, whole: f64) -> Vec<usize> {
        let shares = self.coefficients(&along);
        let counts = |(share, norm): (&f64, &f64)| share.abs() * norm > 1e-6 * whole;
        let all = shares.iter().zip(&self.norms).zip(&self.kept);
        all.filter(|(one, _)| counts(*one)).map(|(_, &column)| column).collect()
    }

    pub(super) fn rank(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.q.rows()
    }

    /// The scores Qφ of all rows.
    pub(super) fn scores(&self, phi: &[f64]) -> Vec<f64> {
        match phi {
            // A matrix without columns has no number of rows.
            [] => vec![0.0; self.n_rows],
            _ => self.rows().map(|q| dot(q, phi)).collect(),
        }
    }

    /// R⁻¹φ, the coefficients of the kept columns.
    pub(super) fn coefficients(&self, phi: &[f64]) -> Vec<f64> {
        let mut theta = phi.to_vec();
        solve_upper(&self.r, &mut theta);
        theta
    }

    /// The kept column with the largest part in a step.
    pub(super) fn main_column(&self, step: &[f64]) -> usize {
        let theta = self.coefficients(step);
        let sizes: Vec<f64> = theta.iter().zip(&self.norms).map(|(theta, norm)| theta.abs() * norm).collect();
        let most = (0..sizes.len()).reduce(|best, k| if sizes[k] > sizes[best] { k } else { best });
        self.kept[most.expect("a step has entries")]
    }

    /// The square roots of the diagonal of R⁻¹(LLᵀ)⁻¹R⁻ᵀ: row j is ‖L⁻¹R⁻ᵀeⱼ‖.
    pub(super) fn spreads(&self, factor: &[f64]) -> Vec<f64> {
        let unit = |j: usize| (0..self.rank()).map(|k| f64::from(u8::from(k == j))).collect::<Vec<f64>>();
        (0..self.rank())
            .map(|j| {
                let mut row = unit(j);
                // Rᵀ is lower triangular. Its rows are the columns of R.
                for k in 0..row.len() {
                    let known = dot(&self.r[k][..k], &row[..k]);
                    row[k] = (row[k] - known) / self.r[k][k];
                }
                solve_lower(factor, &mut row);
                norm(&row)
            })
            .collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
