//! The overlap of a target with the log.

use crate::Log;
use crate::target::Chances;
use serde::Serialize;

/// With fewer effective rounds than this, intervals may cover far less often than their level. On logs of
/// policies that learn, an overlap of 2 to 30 effective rounds reduced the coverage of nominal 95 % intervals
/// by 10 to 40 points.
const FEW_EFFECTIVE_ROUNDS: f64 = 50.0;

/// The evidence for and against an estimate from the weights of the log.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overlap {
    /// (Σ w)² / Σ w²: the log has about as much information as this many rounds of the target itself.
    pub effective_rounds: f64,
    /// The mean of the weights. It is 1 up to chance if the propensities are right and the log explores all
    /// arms that the target plays.
    pub mean_weight: f64,
    /// The standard error of that mean.
    pub mean_weight_error: f64,
    /// The largest weight.
    pub max_weight: f64,
    /// The share of the target's plays on arms whose propensity is below the bound, including unplayed arms.
    /// If the log has propensities of played arms only, this share is estimated by weighting.
    pub thin: f64,
    /// The arms that were never played.
    pub unplayed_arms: Vec<usize>,
    /// The share of the target's plays on unplayed arms, about which the log has no information. Unknown for
    /// the log's own policy if the log has only the probabilities of played arms.
    pub unplayed: Option<f64>,
}

impl Overlap {
    /// Reasons to doubt an estimate, in words.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let off = (self.mean_weight - 1.0).abs();
        // By chance alone this happens in one of 15 000 logs.
        if off > 4.0 * self.mean_weight_error && off > 1e-9 {
            doubts.push(format!(
                "the mean weight is {:.4} ± {:.4} where it should be 1: propensities are wrong, or arms are \
                 missing",
                self.mean_weight, self.mean_weight_error
            ));
        }
        if self.unplayed.is_some_and(|share| share > 0.0) {
            let share = 100.0 * self.unplayed.unwrap_or(0.0);
            doubts.push(format!("{share:.1} % of its plays are on arms that were never logged"));
        }
        if self.effective_rounds < FEW_EFFECTIVE_ROUNDS {
            let rounds = self.effective_rounds;
            doubts.push(format!(
                "the log is worth {rounds:.1} rounds of it, fewer than {FEW_EFFECTIVE_ROUNDS}: intervals may \
                 be too short"
            ));
        }
        doubts
    }

    pub(crate) fn of(log: &Log, chances: &Chances, weights: &[f64], thin: f64) -> Self {
        let n = weights.len() as f64;
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
        let mean = sum / n;
        let spread: f64 = weights.iter().map(|w| (w - mean) * (w - mean)).sum();
        let mut seen = vec![false; log.n_arms()];
        log.played().iter().for_each(|&arm| seen[arm] = true);
        let unplayed = unplayed_share(log, chances, &seen);
        let below = |(w, p): (&f64, &f64)| if *p < thin { *w } else { 0.0 };
        let weighted =
            weights.iter().zip(log.propensities()).map(below).sum::<f64>() / n + unplayed.unwrap_or(0.0);
        Self {
            effective_rounds: if squares > 0.0 { sum * sum / squares } else { 0.0 },
            mean_weight: mean,
            mean_weight_error: (spread / (n - 1.0) / n).sqrt(),
            max_weight: weights.iter().fold(0.0, |most, w| w.max(most)),
            thin: exact_thin(log, chances, thin).unwrap_or(weighted),
            unplayed_arms: (0..seen.len()).filter(|&arm| !seen[arm]).collect(),
            unplayed,
        }
    }
}

/// The share of the target's plays on arms with a propensity below `thin`; none if the probabilities of all
/// arms are not known.
fn exact_thin(log: &Log, chances: &Chances, thin: f64) -> Option<f64> {
    let (table, mut row) = (log.probabilities()?, vec![0.0; log.n_arms()]);
    let mut sum = 0.0;
    for round in 0..log.n_rounds() {
        chances.write(log, round, &mut row)?;
        sum += row.iter().zip(table.row(round)).map(|(pi, p)| if *p < thin { *pi } else { 0.0 }).sum::<f64>();
    }
    Some(sum / log.n_rounds() as f64)
}

/// The share of the target's plays on arms that the log never played; none if the target's probabilities are
/// not known.
fn unplayed_share(log: &Log, chances: &Chances, seen: &[bool]) -> Option<f64> {
    if seen.iter().all(|seen| *seen) {
        return Some(0.0);
    }
    let (mut row, mut sum) = (vec![0.0; log.n_arms()], 0.0);
    for round in 0..log.n_rounds() {
        chances.write(log, round, &mut row)?;
        sum += row.iter().zip(seen).map(|(pi, seen)| if *seen { 0.0 } else { *pi }).sum::<f64>();
    }
    Some(sum / log.n_rounds() as f64)
}
