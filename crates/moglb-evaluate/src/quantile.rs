//! Quantiles of the normal distribution, of the chi-square distribution and of samples.

use libm::{exp, lgamma, log};
use moglb::Link;

/// Φ(z), the distribution function of the standard normal distribution.
pub(crate) fn normal_distribution(z: f64) -> f64 {
    Link::Probit.mean(z)
}

/// The z with Φ(z) = p. A p that was rounded to 0 or 1 is replaced by the nearest number between them.
pub(crate) fn normal(p: f64) -> f64 {
    let p = p.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
    Link::Probit.inverse(p).expect("a probability that is neither 0 nor 1")
}

/// The x with P(χ²_k ≤ x) = p, for k = `freedom`.
pub(crate) fn chi_square(p: f64, freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, freedom as f64 + 1.0);
    while chi_square_distribution(high, freedom) < p {
        high *= 2.0;
    }
    // After sixty halvings the remaining interval is below the last digits.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if chi_square_distribution(middle, freedom) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// P(χ²_k ≤ x) by the series of the incomplete gamma function, all of whose terms are positive.
fn chi_square_distribution(x: f64, freedom: usize) -> f64 {
    let (a, x) = (0.5 * freedom as f64, 0.5 * x);
    if x <= 0.0 {
        return 0.0;
    }
    let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
    while term > 1e-17 * sum {
        k += 1.0;
        term *= x / k;
        sum += term;
    }
    (sum * exp(a * log(x) - x - lgamma(a))).min(1.0)
}

/// The quantile of a sorted sample, interpolated between its neighbors.
pub(crate) fn of_sorted(sorted: &[f64], p: f64) -> f64 {
    let place = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values are from tables of the chi-square distribution; with two degrees of freedom it is −2 log(1
    /// − p).
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in
            [(1, 3.841459), (2, 5.991465), (3, 7.814728), (4, 9.487729), (10, 18.307038)]
        {
            assert!((chi_square(0.95, freedom) - expected).abs() < 1e-6, "{freedom}");
        }
        assert!((chi_square(0.5, 2) + 2.0 * log(0.5)).abs() < 1e-12);
        assert!((normal(0.975) - 1.959963984540054).abs() < 1e-12);
    }

    #[test]
    fn the_quantile_of_a_sample_is_between_its_neighbors() {
        let sorted = [1.0, 2.0, 4.0];
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|p| of_sorted(&sorted, p)), [1.0, 1.5, 2.0, 3.0, 4.0]);
    }
}
