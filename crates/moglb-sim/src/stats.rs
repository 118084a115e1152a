//! Means over trials and their 95 % intervals.

use libm::{exp, lgamma, log};
use serde::{Deserialize, Serialize};

/// A mean over trials with half the width of its 95 % interval (Student's t).
///
/// ```
/// let estimate = moglb_sim::Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
/// assert_eq!(estimate.mean, 3.0);
/// assert!((estimate.ci95 - 1.9633).abs() < 1e-4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; 0 for a single trial.
    pub ci95: f64,
}

impl Estimate {
    /// Returns the mean of values, one per trial, with its interval.
    pub fn of(values: &[f64]) -> Self {
        let (mean, ci95) = mean_ci95(values);
        Self { mean, ci95 }
    }
}

/// A mean over trials with its 95 % interval, at each of the rounds [`Run::t`](crate::Run::t).
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The mean over trials.
    pub mean: Vec<f64>,
    /// Half the width of the 95 % interval for that mean (Student's t).
    pub ci95: Vec<f64>,
}

impl Curve {
    /// Returns true if the curve has this many points.
    pub(crate) fn has_length(&self, length: usize) -> bool {
        self.mean.len() == length && self.ci95.len() == length
    }
}

/// Returns the mean of values and half the width of its 95 % interval (Student's t). The half-width is 0
/// for a single value.
pub fn mean_ci95(values: &[f64]) -> (f64, f64) {
    mean_interval(values, quantile(values.len()))
}

/// Returns the mean curve of trials, each a list of values at the same rounds.
pub fn mean_curve(trials: &[&[f64]]) -> Curve {
    let (points, quantile) = (trials.first().map_or(0, |trial| trial.len()), quantile(trials.len()));
    let at = |k: usize| mean_interval(&trials.iter().map(|trial| trial[k]).collect::<Vec<f64>>(), quantile);
    let (mean, ci95) = (0..points).map(at).unzip();
    Curve { mean, ci95 }
}

/// The quantile for an interval over this many trials; 0 for a single trial, which has no interval.
fn quantile(trials: usize) -> f64 {
    if trials < 2 { 0.0 } else { student_quantile(trials - 1) }
}

/// The mean and half the width of its interval, from a quantile.
fn mean_interval(values: &[f64], quantile: f64) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, 0.0);
    }
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
    (mean, quantile * (variance / n).sqrt())
}

/// Returns the 95 % interval of a chance, from `times` successes in `n` trials (Wilson 1927).
pub fn wilson95(times: usize, n: usize) -> (f64, f64) {
    const Z: f64 = 1.959963984540054;
    let (n, rate) = (n as f64, times as f64 / n as f64);
    let scale = 1.0 / (1.0 + Z * Z / n);
    let middle = rate + Z * Z / (2.0 * n);
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((scale * (middle - half)).max(0.0), (scale * (middle + half)).min(1.0))
}

/// Returns the 97.5 % quantile of Student's t, found by bisection on its distribution function.
pub fn student_quantile(degrees: usize) -> f64 {
    let nu = degrees as f64;
    // P(|T| > t) = I_x(ν/2, 1/2) with x = ν/(ν + t²).
    let outside = |t: f64| incomplete_beta(nu / 2.0, 0.5, nu / (nu + t * t));
    let (mut low, mut high) = (1.9, 13.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if outside(middle) > 0.05 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The regularized incomplete beta function I_x(a, b), by Lentz's continued fraction.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1.0 - x)) / a;
    let (mut c, mut d) = (1.0, 1.0 / (1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for k in 1..500 {
        let m = f64::from(k);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / (1.0 + term * d);
            c = 1.0 + term / c;
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_student_are_those_of_the_tables() {
        for (degrees, expected) in [
            (1, 12.7062),
            (2, 4.3027),
            (4, 2.7764),
            (9, 2.2622),
            (29, 2.0452),
            (199, 1.9720),
            (100_000, 1.95999),
        ] {
            let got = student_quantile(degrees);
            assert!((got - expected).abs() < 6e-5, "{degrees}: {got}, expected {expected}");
        }
    }

    #[test]
    fn wilsons_interval_is_that_of_the_tables() {
        // 15 of 20: (0.5313, 0.8881); 20 of 20: (0.8389, 1).
        for ((times, n), (low, high)) in
            [((15, 20), (0.5313, 0.8881)), ((20, 20), (0.8389, 1.0)), ((0, 20), (0.0, 0.1611))]
        {
            let got = wilson95(times, n);
            assert!((got.0 - low).abs() < 1e-4 && (got.1 - high).abs() < 1e-4, "{times} of {n}: {got:?}");
        }
    }

    #[test]
    fn an_interval_is_the_formula_by_hand() {
        // Mean 3, variance 2.5, t(4) = 2.7764: 2.7764 · √(2.5/5) = 1.9633.
        let (mean, ci) = mean_ci95(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(mean == 3.0 && (ci - 1.9633).abs() < 1e-4, "{mean} {ci}");
        assert_eq!(mean_ci95(&[7.0]), (7.0, 0.0));
        let curve = mean_curve(&[&[1.0, 5.0], &[3.0, 5.0]]);
        assert_eq!((curve.mean, curve.ci95[1]), (vec![2.0, 5.0], 0.0));
    }
}
