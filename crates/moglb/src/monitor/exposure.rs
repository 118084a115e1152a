//! Tests whether arms are played as often as their probabilities say.
//!
//! For an arm k, the sum of 1[a_t = k] − p_t(k) is a martingale; under Algorithm 1, p_t = 1/|O_t|
//! on the front. Arms whose numbers are equal modulo 64 are counted together, so that memory does
//! not grow with K.

use super::alarm::{Alarm, AlarmCode};
use libm::{expm1, log};
use moglb_core::Decision;
use serde::{Deserialize, Serialize};

/// The number of groups of arms.
pub(super) const GROUPS: usize = 64;

/// The stakes λ of the bets, for deviations from very small to large.
const STAKES: [f64; 8] =
    [1.0 / 512.0, 1.0 / 128.0, 1.0 / 64.0, 1.0 / 32.0, 1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0];

/// The number of rounds between two tests: a test of all groups costs as much as a small decision.
const LOOK: u64 = 16;

/// Returns the group of an arm.
pub fn group(arm: usize) -> usize {
    arm % GROUPS
}

/// The plays of every group, next to the expected plays.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exposure {
    rounds: u64,
    groups: Vec<Plays>,
    evidence: f64,
}

/// The plays of one group.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plays {
    count: u64,
    /// The expected number of plays, Σ p_t.
    expected: f64,
    /// The variance of the number of plays, Σ p_t(1 − p_t).
    variance: f64,
}

/// The plays of arms compared with their probabilities.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExposureHealth {
    /// The number of decisions counted.
    pub rounds: u64,
    /// Σ (plays − expected)²/variance over groups of arms.
    pub chi_square: f64,
    /// The number of groups whose draw was ever uncertain. It differs from the degrees of freedom
    /// of `chi_square` by one at most.
    pub groups: u64,
    /// The logarithm of the largest e-value so far against "arms are drawn as their probabilities
    /// say".
    pub evidence: f64,
    /// The alarm `exposure-skewed`.
    pub alarm: Option<Alarm>,
}

impl Exposure {
    /// Counts a decision, and tests once in a while.
    pub fn decided(&mut self, decision: &Decision) {
        self.groups.resize(GROUPS, Plays::default());
        let mut chances = [0.0; GROUPS];
        for (arm, p) in decision.probabilities.iter().enumerate() {
            chances[group(arm)] += p;
        }
        for (plays, p) in self.groups.iter_mut().zip(chances) {
            plays.expected += p;
            plays.variance += p * (1.0 - p).max(0.0);
        }
        self.groups[group(decision.arm.0)].count += 1;
        self.rounds += 1;
        if self.rounds.is_multiple_of(LOOK) {
            self.evidence = self.evidence.max(self.evidence_now());
        }
    }

    /// Returns the logarithm of an e-value from the deviations S and the variances V of all groups.
    /// By Bennett's inequality, for each sign
    ///
    /// ```text
    /// exp(±λS − V·(e^λ − 1 − λ))
    /// ```
    ///
    /// is at most a supermartingale. The result is the largest over all groups, signs and stakes,
    /// minus the logarithm of their number.
    fn evidence_now(&self) -> f64 {
        let mut most = 0.0_f64;
        for stake in STAKES {
            let price = expm1(stake) - stake;
            for Plays { count, expected, variance } in &self.groups {
                most = most.max(stake * (*count as f64 - expected).abs() - variance * price);
            }
        }
        (most - log((2 * GROUPS * STAKES.len()) as f64)).max(0.0)
    }

    pub(super) fn health(&self, level: f64) -> ExposureHealth {
        let evidence = self.evidence.max(self.evidence_now());
        let open = || self.groups.iter().filter(|plays| plays.variance > 1e-9);
        let square = |plays: &Plays| {
            let off = plays.count as f64 - plays.expected;
            off * off / plays.variance
        };
        let alarm = (evidence >= -log(level)).then(|| {
            let message = "arms are not played as often as their probabilities say".to_string();
            Alarm::new(AlarmCode::ExposureSkewed, message)
        });
        let (chi_square, groups) = (open().map(square).sum(), open().count() as u64);
        ExposureHealth { rounds: self.rounds, chi_square, groups, evidence, alarm }
    }

    pub(super) fn is_sound(&self) -> bool {
        let sum = self.groups.iter().try_fold(0_u64, |sum, plays| sum.checked_add(plays.count));
        let most = 1.000001 * self.rounds as f64;
        let fine =
            |plays: &Plays| (0.0..=most).contains(&plays.expected) && (0.0..=most).contains(&plays.variance);
        (self.groups.is_empty() || self.groups.len() == GROUPS)
            && sum == Some(self.rounds)
            && self.groups.iter().all(fine)
            && (0.0..=1e300).contains(&self.evidence)
    }
}
