//! Weights that are cut or shrunk, and the choice of the parameter by a bound on the mean squared error (Su
//! et al. 2020, Section 5).
//!
//! With ŵ the changed weights and ρ = r − q̂ the residuals, the bias is −E[(w − ŵ)ρ]. It is at most
//!
//! - its mean in the log plus the term of Bernstein's inequality, with chance δ of error; and,
//! - if the log has the probabilities of all arms and rewards have a range, the length of the range times the
//!   lost share of the target's plays, Σ_a π(a|x)(1 − ŵ/w), which needs no rewards (Wang et al. 2017, Section
//!   4).
//!
//! The chosen parameter minimizes the square of the smaller bound plus the variance.

use crate::target::Chances;
use crate::{Estimator, Log};
use moglb_data::LEAST_PROPENSITY;
use rayon::prelude::*;

/// δ: the chance that the bias exceeds its bound.
const DELTA: f64 = 0.05;

/// The number of parameters that are tried, in even ratios from the least positive weight to 64 times the
/// largest. In addition, no change at all is tried.
const TRIED_PARAMETERS: usize = 50;

/// The changed weight ŵ that an estimator uses for a weight w.
pub(crate) fn changed(estimator: Estimator, w: f64) -> f64 {
    match estimator {
        Estimator::Dm => 0.0,
        Estimator::SwitchDr(Some(tau)) if w > tau => 0.0,
        // An equal form, for the case that the product overflows.
        Estimator::DrOs(Some(lambda)) if lambda.is_finite() && (lambda * w).is_infinite() => {
            w / (w * w / lambda + 1.0)
        }
        Estimator::DrOs(Some(lambda)) if lambda.is_finite() => lambda * w / (w * w + lambda),
        _ => w,
    }
}

/// The largest changed weight if no weight exceeds `bound`.
pub(crate) fn largest(estimator: Estimator, bound: f64) -> f64 {
    match estimator {
        Estimator::SwitchDr(Some(tau)) => tau.min(bound),
        // λw/(w² + λ) grows up to w = √λ, where it is √λ/2.
        Estimator::DrOs(Some(lambda)) => changed(estimator, lambda.sqrt().min(bound)),
        other => changed(other, bound),
    }
}

/// The estimators to choose from, which is a single one if the parameter is set. For each estimator the share
/// of the target's plays that it loses, if that is known.
pub(crate) struct Choices {
    estimators: Vec<Estimator>,
    lost: Option<Vec<f64>>,
}

impl Choices {
    pub(crate) fn new(estimator: Estimator, weights: &[f64], log: &Log, chances: &Chances) -> Self {
        let estimators = candidates(estimator, weights);
        let lost = match estimators.len() {
            1 => None,
            _ => estimators.par_iter().map(|one| lost_share(*one, log, chances)).collect(),
        };
        Self { estimators, lost }
    }

    /// The best estimator for an objective, from the model's expected reward of each round, the residuals,
    /// and the length of the range of rewards, if they have one.
    pub(crate) fn best(
        &self,
        weights: &[f64],
        expected: &[f64],
        residuals: &[f64],
        length: Option<f64>,
    ) -> Estimator {
        let bound = |k: usize| {
            let lost = self.lost.as_ref().zip(length).map(|(lost, length)| lost[k] * length);
            error_bound(self.estimators[k], lost, weights, expected, residuals)
        };
        let mut best = self.estimators.len() - 1;
        if best > 0 {
            let bounds: Vec<f64> = (0..=best).map(bound).collect();
            (0..best).for_each(|k| best = if bounds[k] < bounds[best] { k } else { best });
        }
        self.estimators[best]
    }
}

/// The estimators to try. The last one changes no weight: its parameter is infinite.
fn candidates(estimator: Estimator, weights: &[f64]) -> Vec<Estimator> {
    let with: fn(f64) -> Estimator = match estimator {
        Estimator::SwitchDr(None) => |tau| Estimator::SwitchDr(Some(tau)),
        // λ is on the scale of squared weights.
        Estimator::DrOs(None) => |root| Estimator::DrOs(Some(root * root)),
        given => return vec![given],
    };
    let positive = || weights.iter().copied().filter(|&w| w > 0.0);
    let (least, most) = (positive().fold(f64::INFINITY, f64::min), 64.0 * positive().fold(0.0, f64::max));
    let step = libm::log(most / least) / (TRIED_PARAMETERS - 1) as f64;
    let tried = (0..TRIED_PARAMETERS).map(|k| least * libm::exp(k as f64 * step)).filter(|w| w.is_finite());
    tried.chain([f64::INFINITY]).map(with).collect()
}

/// The share of the target's plays that is lost to changed weights. Arms that the log never plays are lost to
/// any weights, and so are those with probabilities too small for a log.
fn lost_share(estimator: Estimator, log: &Log, chances: &Chances) -> Option<f64> {
    let (table, mut row, mut sum) = (log.probabilities()?, vec![0.0; log.n_arms()], 0.0);
    for round in 0..log.n_rounds() {
        chances.write(log, round, &mut row)?;
        for (pi, p) in
            row.iter().zip(table.row(round)).filter(|(pi, p)| **pi > 0.0 && **p >= LEAST_PROPENSITY)
        {
            let w = pi / p;
            sum += pi * (1.0 - changed(estimator, w) / w);
        }
    }
    Some(sum / log.n_rounds() as f64)
}

/// A bound on the mean squared error. `lost` is another bound on the bias, if there is one.
fn error_bound(
    estimator: Estimator,
    lost: Option<f64>,
    weights: &[f64],
    expected: &[f64],
    residuals: &[f64],
) -> f64 {
    let n = weights.len() as f64;
    let (mut sum, mut squares, mut missed, mut missed_squares, mut most) = (0.0, 0.0, 0.0, 0.0, 0.0f64);
    for ((&w, &v), &rho) in weights.iter().zip(expected).zip(residuals) {
        let kept = changed(estimator, w);
        let (term, missing) = (v + kept * rho, (w - kept) * rho);
        sum += term;
        squares += term * term;
        missed += missing;
        missed_squares += missing * missing;
        most = most.max(missing.abs());
    }
    let variance = (squares / n - (sum / n) * (sum / n)).max(0.0) / n;
    let log = libm::log(2.0 / DELTA);
    let bernstein =
        (missed / n).abs() + (2.0 * missed_squares / n * log / n).sqrt() + 2.0 * most * log / (3.0 * n);
    let bias = lost.map_or(bernstein, |lost| lost.min(bernstein));
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

    /// Two rounds of 400 have a weight of 100, on arms that the target plays with a chance of 0.005. Cutting
    /// them causes a bias of at most 0.005 and reduces the standard error by 0.1.
    #[test]
    fn a_wild_weight_is_cut_where_little_is_lost_and_even_weights_are_left_alone() {
        let residuals: Vec<f64> = (0..400).map(|t| if t % 2 == 0 { 0.3 } else { -0.3 }).collect();
        let (expected, mut weights) = (vec![0.5; 400], vec![1.0; 400]);
        let choose = |weights: &[f64], estimator, lost: fn(Estimator) -> f64| {
            let estimators = candidates(estimator, weights);
            let lost = Some(estimators.iter().map(|one| lost(*one)).collect());
            Choices { estimators, lost }.best(weights, &expected, &residuals, Some(1.0))
        };
        let even = choose(&weights, Estimator::SwitchDr(None), |one| 1.0 - changed(one, 1.0));
        assert_eq!(changed(even, 1.0), 1.0, "{even}");
        (weights[7], weights[8]) = (100.0, 100.0);
        let lost = |one| 0.995 * (1.0 - changed(one, 1.0)) + 0.005 * (1.0 - changed(one, 100.0) / 100.0);
        let cut = choose(&weights, Estimator::SwitchDr(None), lost);
        assert_eq!((changed(cut, 1.0), changed(cut, 100.0)), (1.0, 0.0), "{cut}");
        let shrunk = choose(&weights, Estimator::DrOs(None), lost);
        assert!(changed(shrunk, 100.0) < 50.0, "{shrunk}");
    }
}
