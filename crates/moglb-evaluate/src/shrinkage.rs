//! Weights that are cut or shrunk, and how far: by a bound on the mean squared error (Su et al. 2020, Section 5).
//!
//! With ŵ the changed weights and ρ = r − q̂ the residuals, the bias is −E[(w − ŵ)ρ]. It is at most its mean in the log plus what
//! Bernstein's inequality adds with chance δ; the parameter that makes the square of that plus the variance least is taken.

use crate::Estimator;

/// One minus the chance with which the bias is below its bound.
const DELTA: f64 = 0.05;

/// Parameters that are tried: quantiles of the weights that are not zero, and no change at all.
const TRIED: usize = 30;

/// A weight as an estimator uses it.
pub(crate) fn changed(estimator: Estimator, w: f64) -> f64 {
    match estimator {
        Estimator::Dm => 0.0,
        Estimator::SwitchDr(Some(tau)) if w > tau => 0.0,
        Estimator::DrOs(Some(lambda)) if lambda.is_finite() => lambda * w / (w * w + lambda),
        _ => w,
    }
}

/// What no changed weight exceeds where no weight exceeds `bound`.
pub(crate) fn largest(estimator: Estimator, bound: f64) -> f64 {
    match estimator {
        Estimator::SwitchDr(Some(tau)) => tau.min(bound),
        // λw/(w² + λ) grows up to w = √λ, where it is √λ/2.
        Estimator::DrOs(Some(lambda)) => changed(estimator, lambda.sqrt().min(bound)),
        other => changed(other, bound),
    }
}

/// The estimator with its parameter, which is chosen where it is not given: from the weights, what the model says of each
/// round, and the residuals. An infinite parameter changes nothing.
pub(crate) fn chosen(
    estimator: Estimator,
    weights: &[f64],
    expected: &[f64],
    residuals: &[f64],
) -> Estimator {
    let with: fn(f64) -> Estimator = match estimator {
        Estimator::SwitchDr(None) => |tau| Estimator::SwitchDr(Some(tau)),
        // λ is on the scale of squared weights.
        Estimator::DrOs(None) => |root| Estimator::DrOs(Some(root * root)),
        given => return given,
    };
    let mut positive: Vec<f64> = weights.iter().copied().filter(|&w| w > 0.0).collect();
    positive.sort_unstable_by(f64::total_cmp);
    let quantile = |k: usize| positive[(positive.len() - 1) * k / (TRIED - 1)];
    let mut best = (f64::INFINITY, with(f64::INFINITY));
    let tried = (0..if positive.is_empty() { 0 } else { TRIED }).map(quantile);
    for parameter in tried.flat_map(|w| [w, 4.0 * w]).chain([f64::INFINITY]) {
        let candidate = with(parameter);
        let error = error_bound(candidate, weights, expected, residuals);
        if error < best.0 {
            best = (error, candidate);
        }
    }
    best.1
}

/// A bound on the mean squared error.
fn error_bound(estimator: Estimator, weights: &[f64], expected: &[f64], residuals: &[f64]) -> f64 {
    let n = weights.len() as f64;
    let (mut sum, mut squares, mut lost, mut lost_squares, mut most) = (0.0, 0.0, 0.0, 0.0, 0.0f64);
    for ((&w, &v), &rho) in weights.iter().zip(expected).zip(residuals) {
        let kept = changed(estimator, w);
        let (term, missing) = (v + kept * rho, (w - kept) * rho);
        sum += term;
        squares += term * term;
        lost += missing;
        lost_squares += missing * missing;
        most = most.max(missing.abs());
    }
    let variance = (squares / n - (sum / n) * (sum / n)).max(0.0) / n;
    let log = libm::log(2.0 / DELTA);
    let bias = (lost / n).abs() + (2.0 * lost_squares / n * log / n).sqrt() + 2.0 * most * log / (3.0 * n);
    variance + bias * bias
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_changed_weight_exceeds_its_bound() {
        for estimator in [Estimator::Dr, Estimator::SwitchDr(Some(3.0)), Estimator::DrOs(Some(5.0))] {
            for bound in [0.5, 2.0, 8.0] {
                let largest = largest(estimator, bound);
                let over = (0..=100).map(|k| changed(estimator, bound * f64::from(k) / 100.0));
                assert!(over.fold(0.0, f64::max) <= largest * (1.0 + 1e-12), "{estimator} {bound}");
            }
        }
    }

    /// One round of weight 1000 whose residual is small: cutting it costs little bias and saves much variance.
    #[test]
    fn a_wild_weight_is_shrunk_and_even_weights_are_left_alone() {
        let n = 400;
        let residuals: Vec<f64> = (0..n).map(|t| if t % 2 == 0 { 0.3 } else { -0.3 }).collect();
        let expected = vec![0.5; n];
        let mut weights = vec![1.0; n];
        let even = chosen(Estimator::SwitchDr(None), &weights, &expected, &residuals);
        assert!(changed(even, 1.0) == 1.0, "{even}");
        weights[7] = 1000.0;
        for estimator in [Estimator::SwitchDr(None), Estimator::DrOs(None)] {
            let chosen = chosen(estimator, &weights, &expected, &residuals);
            assert!(changed(chosen, 1000.0) <= 1000.0, "{chosen}");
            let plain = error_bound(Estimator::Dr, &weights, &expected, &residuals);
            assert!(error_bound(chosen, &weights, &expected, &residuals) <= plain, "{chosen}");
        }
    }
}
