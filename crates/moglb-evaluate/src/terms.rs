//! The terms of an estimate, which is a mean or a ratio of means.

use moglb::Matrix;

/// The terms of an estimate. In objective i it is mean(bases) + mean(corrections) / mean(divisors), with
/// divisors of 1 unless it is self-normalized. Rounds are rows, objectives are columns.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    pub(crate) bases: Matrix,
    pub(crate) corrections: Matrix,
    /// The weights of a self-normalized estimate.
    pub(crate) divisors: Option<Vec<f64>>,
}

impl Terms {
    /// The estimate of each objective.
    pub(crate) fn value(&self) -> Vec<f64> {
        let by = self.mean_divisor();
        let means = column_means(&self.bases).into_iter().zip(column_means(&self.corrections));
        means.map(|(base, correction)| base + correction / by).collect()
    }

    fn mean_divisor(&self) -> f64 {
        let mean = |all: &Vec<f64>| all.iter().sum::<f64>() / all.len() as f64;
        self.divisors.as_ref().map_or(1.0, mean)
    }

    /// The influence of each round (rows) on the estimate of each objective (columns), to first order.
    /// Influences add up to zero, and their mean square over n is the variance of the estimate.
    pub(crate) fn influences(&self) -> Matrix {
        let (by, corrections) = (self.mean_divisor(), column_means(&self.corrections));
        let bases = column_means(&self.bases);
        Matrix::from_fn(self.bases.n_rows(), bases.len(), |t, i| {
            let divisor = self.divisors.as_ref().map_or(1.0, |all| all[t]);
            let pulled = (self.corrections.row(t)[i] - corrections[i] / by * divisor) / by;
            self.bases.row(t)[i] - bases[i] + pulled
        })
    }

    /// The covariance of the estimates: for means the sample covariance over n, for ratios the plain mean of
    /// squares, as is usual for the delta method.
    pub(crate) fn covariance(&self, influences: &Matrix) -> Matrix {
        let (n, m) = (influences.n_rows() as f64, influences.n_cols());
        let freedom = if self.divisors.is_some() { n } else { n - 1.0 };
        let mut sums = vec![0.0; m * m];
        for row in influences.rows() {
            for (left, sums) in row.iter().zip(sums.chunks_exact_mut(m)) {
                sums.iter_mut().zip(row).for_each(|(sum, right)| *sum += left * right);
            }
        }
        Matrix::from_fn(m, m, |i, j| sums[i * m + j] / (n * freedom))
    }
}

pub(crate) fn column_means(table: &Matrix) -> Vec<f64> {
    let mut sums = vec![0.0; table.n_cols()];
    for row in table.rows() {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    sums.iter_mut().for_each(|sum| *sum /= table.n_rows() as f64);
    sums
}
