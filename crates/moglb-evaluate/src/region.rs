//! Intervals for each objective and regions for all objectives together.

use crate::Interval;
use crate::quantile::{chi_square, normal, normal_distribution, of_sorted};
use moglb::Matrix;
use serde::Serialize;

/// An interval for each objective.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bounds {
    /// The lower end in each objective.
    pub low: Vec<f64>,
    /// The upper end in each objective.
    pub high: Vec<f64>,
}

impl Bounds {
    /// True if each entry of a point is between the ends of its interval.
    pub fn contains(&self, point: &[f64]) -> bool {
        let mut ends = self.low.iter().zip(&self.high).zip(point);
        ends.all(|((low, high), value)| low <= value && value <= high)
    }
}

/// A region for the value vector in all objectives together: all v with (v − V̂)ᵀ Σ⁻¹ (v − V̂) ≤ r².
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ellipsoid {
    /// The center V̂.
    pub center: Vec<f64>,
    /// The covariance Σ, row by row.
    pub covariance: Vec<Vec<f64>>,
    /// r²: a quantile of the chi-square distribution with m degrees of freedom.
    pub radius_squared: f64,
}

impl Ellipsoid {
    pub(crate) fn new(center: &[f64], covariance: &Matrix, level: f64) -> Self {
        let rows = covariance.rows().map(<[f64]>::to_vec).collect();
        let radius_squared = chi_square(level, center.len());
        Self { center: center.to_vec(), covariance: rows, radius_squared }
    }

    /// True if a point is inside. If Σ is singular the region is flat.
    pub fn contains(&self, point: &[f64]) -> bool {
        self.distance_squared(point) <= self.radius_squared
    }

    /// (v − V̂)ᵀ Σ⁻¹ (v − V̂), or infinity for a point outside of a flat region's plane.
    pub fn distance_squared(&self, point: &[f64]) -> f64 {
        let m = self.center.len();
        let mut factor = vec![vec![0.0; m]; m];
        let mut solved = vec![0.0; m];
        let mut sum = 0.0;
        for i in 0..m {
            for j in 0..i {
                let products: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
                let left = self.covariance[i][j] - products;
                factor[i][j] = if factor[j][j] > 0.0 { left / factor[j][j] } else { 0.0 };
            }
            let own: f64 = (0..i).map(|k| factor[i][k] * factor[i][k]).sum();
            let pivot = self.covariance[i][i] - own;
            let before: f64 = (0..i).map(|k| factor[i][k] * solved[k]).sum();
            let rest = point[i] - self.center[i] - before;
            // If earlier objectives explain a variance completely, the rest is rounding.
            if pivot > FLAT_VARIANCE_SHARE * self.covariance[i][i] {
                factor[i][i] = pivot.sqrt();
                solved[i] = rest / factor[i][i];
                sum += solved[i] * solved[i];
            } else if rest.abs() > 1e-9 * (1.0 + self.center[i].abs()) {
                return f64::INFINITY;
            }
        }
        sum
    }
}

/// The share of a variance below which its rest counts as zero.
const FLAT_VARIANCE_SHARE: f64 = 1e-10;

/// The data from which the intervals of one objective are made.
pub(crate) struct Facts<'a> {
    pub(crate) value: f64,
    pub(crate) std_error: f64,
    /// The influence of each round on the estimate.
    pub(crate) influences: Vec<f64>,
    /// The estimates on resampled logs, sorted; empty if rounds were not resampled.
    pub(crate) resampled: &'a [f64],
    /// The length of the interval that the terms of the mean lie in, and the range of the objective, if they
    /// are known.
    pub(crate) spans: Option<(f64, (f64, f64))>,
}

impl Facts<'_> {
    /// The ends of an interval that misses the truth with chance α.
    pub(crate) fn ends(&self, kind: Interval, alpha: f64) -> (f64, f64) {
        match kind {
            Interval::Normal => {
                let reach = normal(1.0 - alpha / 2.0) * self.std_error;
                (self.value - reach, self.value + reach)
            }
            Interval::Percentile => self.between(alpha / 2.0, 1.0 - alpha / 2.0),
            Interval::Bca => self.corrected(alpha),
            Interval::Bernstein => self.bernstein(alpha),
        }
    }

    /// The quantiles of the resampled estimates.
    fn between(&self, low: f64, high: f64) -> (f64, f64) {
        (of_sorted(self.resampled, low), of_sorted(self.resampled, high))
    }

    /// The BCa interval: the quantiles at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), where z₀ is the bias and a the
    /// acceleration. The acceleration is the skewness of the influences over six.
    fn corrected(&self, alpha: f64) -> (f64, f64) {
        let b = self.resampled.len() as f64;
        let below = self.resampled.partition_point(|value| *value < self.value) as f64;
        let not_above = self.resampled.partition_point(|value| *value <= self.value) as f64;
        // Ties, which are common for rewards of 0 and 1, count half.
        let share = (0.5 * (below + not_above) / b).clamp(0.5 / b, 1.0 - 0.5 / b);
        // Division by a power of two changes no digit and keeps the cubes finite.
        let largest = self.influences.iter().fold(0.0, |most: f64, pull| most.max(pull.abs()));
        let unit = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
        let (mut squares, mut cubes) = (0.0, 0.0);
        for pull in self.influences.iter().map(|pull| pull / unit) {
            squares += pull * pull;
            cubes += pull * pull * pull;
        }
        let a = if squares > 0.0 { cubes / (6.0 * squares * squares.sqrt()) } else { 0.0 };
        let z0 = normal(share);
        let level = |p: f64| {
            let z = z0 + normal(p);
            // If the denominator is not positive, the correction is meaningless; then that end is the last
            // quantile.
            let by = (1.0 - a * z).max(f64::EPSILON);
            normal_distribution(z0 + z / by)
        };
        self.between(level(alpha / 2.0), level(1.0 - alpha / 2.0))
    }

    /// The interval of Maurer and Pontil 2009, Theorem 4, with α/2 on either side, within the range of the
    /// objective:
    ///
    /// ```text
    /// |V − V̂| ≤ √(2 S² ln(4/α) / n) + 7 R ln(4/α) / (3 (n − 1))
    /// ```
    ///
    /// for n independent terms with sample variance S² in an interval of length R.
    fn bernstein(&self, alpha: f64) -> (f64, f64) {
        let (length, (low, high)) = self.spans.expect("Bernstein intervals are checked to have spans");
        let (n, log) = (self.influences.len() as f64, libm::log(4.0 / alpha));
        let reach = self.std_error * (2.0 * log).sqrt() + 7.0 * length * log / (3.0 * (n - 1.0));
        ((self.value - reach).max(low).min(high), (self.value + reach).min(high).max(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipsoid_is_that_of_its_covariance() {
        let region = Ellipsoid::new(&[1.0, 2.0], &Matrix::new(2, vec![4.0, 2.0, 2.0, 5.0]).unwrap(), 0.95);
        // Σ⁻¹ = [5, −2; −2, 4] / 16.
        assert!((region.distance_squared(&[3.0, 1.0]) - (20.0 + 8.0 + 4.0) / 16.0).abs() < 1e-12);
        assert!(region.contains(&[1.0, 2.0]) && !region.contains(&[10.0, 2.0]));
    }

    /// Half of the rewards are 0 and half are 1. Then S² = n/(4(n − 1)), so that the bound is known in closed
    /// form.
    #[test]
    fn empirical_bernstein_bounds_are_those_of_the_theorem() {
        let n = 1000.0f64;
        let influences: Vec<f64> = (0..1000).map(|t| if t % 2 == 0 { 0.5 } else { -0.5 }).collect();
        let variance = n / (4.0 * (n - 1.0));
        let std_error = (variance / n).sqrt();
        let facts =
            Facts { value: 0.5, std_error, influences, resampled: &[], spans: Some((2.0, (0.0, 0.55))) };
        let log = libm::log(4.0 / 0.05);
        let reach = (2.0 * variance * log / n).sqrt() + 7.0 * 2.0 * log / (3.0 * (n - 1.0));
        let (low, high) = facts.ends(Interval::Bernstein, 0.05);
        assert!((low - (0.5 - reach)).abs() < 1e-12);
        assert_eq!(high, 0.55, "no value is beyond the range");
    }

    #[test]
    fn objectives_that_move_together_make_a_flat_region() {
        let region = Ellipsoid::new(&[0.0, 0.0], &Matrix::new(2, vec![1.0, 1.0, 1.0, 1.0]).unwrap(), 0.95);
        assert!(region.contains(&[1.0, 1.0]) && !region.contains(&[1.0, 0.5]));
    }
}
