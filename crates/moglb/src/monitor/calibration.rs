//! Tests whether rewards have the predicted means (Assumption 3: E y = μ(θᵀx)).
//!
//! Every prediction is made before its reward is learned, so no model judges a reward that it has
//! seen.

use super::alarm::{Alarm, AlarmCode};
use super::prediction::Prediction;
use libm::log;
use moglb_core::Objective;
use serde::{Deserialize, Serialize};

/// The number of bins of the reliability curve, over the range of rewards.
const BINS: usize = 10;

/// The stakes λ of the bets. For an excess of δ per reward the best stake is 4δ.
const STAKES: [f64; 6] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0];

/// Sums of predicted and observed rewards, mapped to [0, 1], by bins of the prediction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calibration {
    counts: [u64; BINS],
    predicted: [f64; BINS],
    observed: [f64; BINS],
    /// The largest evidence of any bin so far, as the logarithm of an e-value.
    evidence: f64,
}

/// The reliability curve of an objective.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationHealth {
    /// The points of the curve: the range of rewards is cut into ten equal bins by the prediction.
    /// Bins without predictions are left out.
    pub curve: Vec<Reliability>,
    /// The logarithm of the largest e-value so far against "no bin is off by more than the
    /// tolerance".
    pub evidence: f64,
    /// The alarm `miscalibrated`.
    pub alarm: Option<Alarm>,
}

/// One point of a reliability curve.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// The number of rewards in the bin.
    pub count: u64,
    /// The mean of their predictions.
    pub predicted: f64,
    /// The mean of the rewards.
    pub observed: f64,
}

impl Calibration {
    /// Adds a prediction and its reward, both mapped to [0, 1].
    pub fn learned(&mut self, p: f64, y: f64, tolerance: f64) {
        let bin = ((p * BINS as f64) as usize).min(BINS - 1);
        self.counts[bin] += 1;
        self.predicted[bin] += p;
        self.observed[bin] += y;
        self.evidence = self.evidence.max(self.evidence_of(bin, tolerance));
    }

    /// Returns the logarithm of the e-value of a bin with n rewards, from S = |Σ(y − p)| − nε, the
    /// excess over the tolerance.
    ///
    /// ```text
    /// exp(λS − λ²n/8)
    /// ```
    ///
    /// is at most a supermartingale for each sign and λ if every mean is within ε of its
    /// prediction, by Hoeffding's lemma. The result is the largest over six values of λ and both
    /// signs. The largest over all bins is reported, minus the logarithm of the number of all these
    /// choices.
    fn evidence_of(&self, bin: usize, tolerance: f64) -> f64 {
        let n = self.counts[bin] as f64;
        let excess = (self.observed[bin] - self.predicted[bin]).abs() - tolerance * n;
        STAKES.iter().map(|stake| stake * excess - stake * stake * n / 8.0).fold(0.0, f64::max)
    }

    pub(super) fn health(&self, objective: &Objective, tolerance: f64, level: f64) -> CalibrationHealth {
        let point = |bin: usize| {
            let (low, high) = objective.rewards();
            let mean = |sum: f64| low + (high - low) * sum / self.counts[bin] as f64;
            let (predicted, observed) = (mean(self.predicted[bin]), mean(self.observed[bin]));
            Reliability { count: self.counts[bin], predicted, observed }
        };
        let curve = (0..BINS).filter(|&bin| self.counts[bin] > 0).map(point).collect();
        let evidence = (self.evidence - log((2 * BINS * STAKES.len()) as f64)).max(0.0);
        let alarm = (evidence >= -log(level)).then(|| {
            let message = format!(
                "rewards of `{}` are not what is predicted, by more than {tolerance} of their range",
                objective.name
            );
            Alarm::new(AlarmCode::Miscalibrated, message)
        });
        CalibrationHealth { curve, evidence, alarm }
    }

    pub(super) fn is_sound(&self) -> bool {
        let sums = |sums: &[f64; BINS]| {
            sums.iter().zip(&self.counts).all(|(sum, &count)| (0.0..=1.000001 * count as f64).contains(sum))
        };
        sums(&self.predicted) && sums(&self.observed) && (0.0..=1e300).contains(&self.evidence)
    }
}

/// Returns the prediction, the reward and the two bounds, mapped to [0, 1]; `None` if one of them
/// is NaN.
pub fn scaled(objective: &Objective, prediction: Prediction, y: f64) -> Option<[f64; 4]> {
    let (low, high) = objective.rewards();
    let scale = |value: f64| ((value - low) / (high - low)).clamp(0.0, 1.0);
    let scaled = [prediction.mean, y, prediction.low, prediction.high].map(scale);
    scaled.iter().all(|value| !value.is_nan()).then_some(scaled)
}
