//! Tests whether rewards are compatible with the confidence set. The test uses predictions that are
//! made before the rewards are learned.
//!
//! If the set covers the coefficients, E[y | past] ≤ μ(θ̂ᵀx + width). So rewards that are above
//! this bound on average are evidence against the set, and so are rewards below the lower bound.
//! The test is about the mean along the played arms, from any round on. A set that covers the
//! coefficients passes at its level. A set that passes need not cover them: it may miss arms that
//! are not played, or err in both directions in turn, and a set that is far too wide always passes.

use super::alarm::{Alarm, AlarmCode};
use super::e_process::Bet;
use moglb_core::Objective;
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// Bets on rewards beyond the bounds, and the sums of rewards and bounds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Coverage {
    above: Bet,
    below: Bet,
    count: u64,
    low: f64,
    observed: f64,
    high: f64,
}

/// The mean rewards of an objective next to their predicted bounds.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoverageHealth {
    /// The number of rewards judged.
    pub count: u64,
    /// The mean of the lower bounds.
    pub low: f64,
    /// The mean of the rewards.
    pub observed: f64,
    /// The mean of the upper bounds.
    pub high: f64,
    /// The largest e-value so far against "means were never beyond the bounds", above or below.
    pub evidence: f64,
    /// The alarm `not-covered`.
    pub alarm: Option<Alarm>,
}

impl Coverage {
    /// Adds a reward and the bounds on its mean, all mapped to [0, 1].
    pub fn learned(&mut self, low: f64, y: f64, high: f64) {
        self.above.on(y - high);
        self.below.on(low - y);
        self.count += 1;
        self.low += low;
        self.observed += y;
        self.high += high;
    }

    pub(super) fn health(&self, objective: &Objective, level: f64) -> CoverageHealth {
        let (least, most) = objective.rewards();
        let mean = |sum: f64| least + (most - least) * sum / self.count.max(1) as f64;
        let evidence = self.above.evidence().max(self.below.evidence());
        let alarm = (evidence >= 2.0 / level).then(|| {
            let message =
                format!("rewards of `{}` are beyond the bounds of the confidence set", objective.name);
            Alarm::new(AlarmCode::NotCovered, message)
        });
        let (low, observed, high) = (mean(self.low), mean(self.observed), mean(self.high));
        CoverageHealth { count: self.count, low, observed, high, evidence, alarm }
    }

    pub fn check(&self) -> Result<(), Error> {
        self.above.check()?;
        self.below.check()
    }

    pub(super) fn is_sound(&self) -> bool {
        let most = 1.000001 * self.count as f64;
        [self.low, self.observed, self.high].iter().all(|sum| (0.0..=most).contains(sum))
    }
}
