//! Intervals for the mean reward of every arm in every objective that hold at all times, without a model.
//!
//! Rewards lie in [0, 1] and have mean q; s is their sum and n their number. Then
//!
//! ```text
//! M_n(q) = ∫ pˢ(1 − p)ⁿ⁻ˢ dp / (qˢ(1 − q)ⁿ⁻ˢ) = B(s + 1, n − s + 1) / (qˢ(1 − q)ⁿ⁻ˢ)
//! ```
//!
//! is a nonnegative supermartingale that begins at one. For rewards of one bit it is a mixture of likelihood
//! ratios; for other rewards it is one because each factor is convex in the reward. By Ville's inequality
//! the set {q: M_n(q) < 1/δ} contains the mean for all n at once with probability 1 − δ. It is the interval
//! kl(s/n, q) < (log(1/δ) − log B + s log(s/n) + (n − s) log(1 − s/n))/n.

use libm::{exp, lgamma, log, log1p};
use moglb_core::arm_stats::ArmStats;
use moglb_core::{Objective, Problem};

/// A margin for rounding, added to log(1/δ). It does not cover the error of lgamma for extreme numbers of
/// rewards, such as 2⁵³.
const SLACK: f64 = 1e-6;

/// The most Newton steps. With too few steps the interval is too wide, never too narrow.
const STEPS: usize = 12;

/// The intervals of all arms, larger is better, in the units of the objectives up to a shift per objective.
#[derive(Debug, Clone)]
pub(super) struct Intervals {
    n_objectives: usize,
    /// The two ends of each interval, in a row of m for each arm.
    bounds: Vec<(f64, f64)>,
}

impl Intervals {
    /// Intervals that hold together with probability 1 − δ. Their distances from the mean are multiplied by
    /// `scale`.
    pub(super) fn new(problem: &Problem, stats: &ArmStats, delta: f64, scale: f64) -> Self {
        let n_objectives = problem.n_objectives();
        let confidence = log((stats.n_arms() * n_objectives) as f64) - log(delta);
        let mut bounds = Vec::with_capacity(stats.n_arms() * n_objectives);
        for arm in 0..stats.n_arms() {
            let count = stats.count(arm) as f64;
            for (objective, &sum) in problem.objectives().iter().zip(stats.sums(arm)) {
                bounds.push(interval(objective, count, sum, confidence, scale));
            }
        }
        Self { n_objectives, bounds }
    }

    /// Bounds on the mean of one arm minus that of another.
    pub(super) fn difference(&self, objective: usize, better: usize, worse: usize) -> (f64, f64) {
        let of = |arm: usize| self.bounds[arm * self.n_objectives + objective];
        let ((low, high), (worse_low, worse_high)) = (of(better), of(worse));
        (low - worse_high, high - worse_low)
    }
}

fn interval(objective: &Objective, count: f64, sum: f64, confidence: f64, scale: f64) -> (f64, f64) {
    let (low, high) = objective.rewards();
    if count == 0.0 {
        return (0.0, high - low);
    }
    let mean = (sum / count).clamp(0.0, 1.0);
    let (below, above) = reach(count, mean, confidence);
    let side = |bound: f64| (mean + scale * (bound - mean)) * (high - low);
    (side(below), side(above))
}

/// The ends of the interval on the unit scale, for `count` rewards of this mean; `confidence` is log(1/δ) of
/// this interval.
fn reach(count: f64, mean: f64, confidence: f64) -> (f64, f64) {
    let (sum, rest) = (count * mean, count * (1.0 - mean));
    let log_beta = lgamma(sum + 1.0) + lgamma(rest + 1.0) - lgamma(count + 2.0);
    let left = confidence + SLACK - log_beta + times_log(sum, mean) + times_log(rest, 1.0 - mean);
    let distance = left.max(0.0) / count;
    (lower(mean, distance), 1.0 - lower(1.0 - mean, distance))
}

/// The q ≤ p with kl(p, q) = distance, approached from below. kl is convex in q, so Newton's steps that begin
/// outside of the interval stay outside.
fn lower(p: f64, distance: f64) -> f64 {
    if p <= 0.0 {
        return 0.0;
    }
    // kl(p, q) ≥ 2(p − q)², and kl(p, q) ≥ p log(p/q) + (1 − p) log(1 − p).
    let by_square = p - (0.5 * distance).sqrt();
    let by_log = p * exp((times_log(1.0 - p, 1.0 - p) - distance) / p);
    let mut q = by_square.max(by_log);
    if q <= 0.0 {
        return 0.0;
    }
    for _ in 0..STEPS {
        let kl = p * log(p / q) + if p < 1.0 { (1.0 - p) * (log1p(-p) - log1p(-q)) } else { 0.0 };
        let step = (kl - distance) * q * (1.0 - q) / (p - q);
        // The step is NaN if p = q, because it divides by p − q.
        if step.is_nan() || step <= 1e-12 {
            break;
        }
        q = (q + step).min(p);
    }
    q
}

/// a·log b, or zero if a is zero.
fn times_log(a: f64, b: f64) -> f64 {
    if a > 0.0 { a * log(b) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kl(p: f64, q: f64) -> f64 {
        times_log(p, p / q) + times_log(1.0 - p, (1.0 - p) / (1.0 - q))
    }

    #[test]
    fn the_ends_are_where_the_divergence_is_used_up() {
        for p in [1e-6, 0.01, 0.3, 0.5, 0.9, 0.999_999] {
            for distance in [1e-6, 1e-3, 0.1, 1.0] {
                let q = lower(p, distance);
                assert!(q <= p && kl(p, q) >= distance * (1.0 - 1e-9), "{p} {distance}: {q}");
                assert!(
                    q < 1e-12 || kl(p, q) <= distance * (1.0 + 1e-3),
                    "{p} {distance}: {q}, {}",
                    kl(p, q)
                );
            }
        }
        assert_eq!(lower(0.0, 0.1), 0.0);
        assert!((lower(1.0, 0.1) - (-0.1_f64).exp()).abs() < 1e-12);
    }

    /// Twenty rewards, five of which are one: log B(6, 16) = log(5!·15!/21!) = −12.6928…, by hand.
    #[test]
    fn the_mixture_is_the_beta_function() {
        let log_beta = lgamma(6.0) + lgamma(16.0) - lgamma(22.0);
        let by_hand: f64 = (1..=5).map(|k| f64::from(k).ln()).sum::<f64>()
            - (16..=21).map(|k| f64::from(k).ln()).sum::<f64>();
        assert!((log_beta - by_hand).abs() < 1e-12);
        let (low, high) = reach(20.0, 0.25, 20.0_f64.ln());
        for q in [low, high] {
            let log_m = log_beta - 5.0 * q.ln() - 15.0 * (1.0 - q).ln();
            assert!((log_m - 20.0_f64.ln()).abs() < 1e-5, "{q}: {log_m}");
        }
    }
}
