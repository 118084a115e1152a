//! Confidence intervals for means of samples.

use super::parameters::{check_delta, check_positive};
use libm::log;
use moglb_math::Error;

/// Confidence intervals that hold for N series of samples at all times together, with probability 1 − δ:
///
/// ```text
/// β(n) = σ·√(2·log(4·N·n²/δ) / n)
/// ```
///
/// The chance that a mean of n samples has a larger error is at most δ/(2Nn²), and Σ 1/n² = π²/6.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Confidence {
    sigma: f64,
    /// log(4N/δ).
    level: f64,
}

impl Confidence {
    pub(super) fn new(series: usize, delta: f64, sigma: f64) -> Result<Self, Error> {
        check_delta(delta)?;
        check_positive("sigma", sigma)?;
        Ok(Self { sigma, level: log(4.0 * series as f64 / delta) })
    }

    /// β(n); infinite before the first sample.
    pub(super) fn width(&self, n: u64) -> f64 {
        if n == 0 {
            return f64::INFINITY;
        }
        let n = n as f64;
        self.sigma * (2.0 * (self.level + 2.0 * log(n)) / n).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_is_the_formula_by_hand() {
        let confidence = Confidence::new(10, 0.1, 0.5).unwrap();
        // 4·10/0.1 = 400, log 400 = 5.991465: ½·√(11.98293) = 1.730818.
        assert!((confidence.width(1) - 1.730818).abs() < 1e-6);
        // log 10 = 2.302585: 2·(5.991465 + 4.605170)/10 = 2.119327, ½·√… = 0.727895.
        assert!((confidence.width(10) - 0.727895).abs() < 1e-6);
        assert_eq!(confidence.width(0), f64::INFINITY);
    }
}
