//! Tests whether rewards have moved away from their predictions since some round, as when
//! coefficients drift.
//!
//! `Restart` reacts to such changes, with models of its own. This monitor judges the predictions of
//! any policy, and only reports.

use super::alarm::{Alarm, AlarmCode};
use super::e_process::Bet;
use moglb_core::Objective;
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// Bets on residuals above and below the tolerance.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Residuals {
    above: Bet,
    below: Bet,
    /// The exponential mean of y − prediction, over about the last hundred rewards, both mapped to
    /// [0, 1].
    recent: f64,
}

/// The weight of the latest reward in the recent mean.
const RECENT: f64 = 0.01;

/// The distance of an objective's rewards from their predictions.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriftHealth {
    /// The mean of (y − prediction)/range, over about the last hundred rewards.
    pub recent: f64,
    /// The largest e-value so far against "residuals were never off by more than the tolerance",
    /// above or below.
    pub evidence: f64,
    /// The alarm `residual-drift`.
    pub alarm: Option<Alarm>,
}

impl Residuals {
    /// Adds a prediction and its reward, both mapped to [0, 1].
    pub fn learned(&mut self, p: f64, y: f64, tolerance: f64) {
        self.above.on(y - p - tolerance);
        self.below.on(p - y - tolerance);
        self.recent += RECENT * (y - p - self.recent);
    }

    pub(super) fn health(&self, objective: &Objective, tolerance: f64, level: f64) -> DriftHealth {
        let evidence = self.above.evidence().max(self.below.evidence());
        let alarm = (evidence >= 2.0 / level).then(|| {
            let message = format!(
                "rewards of `{}` have moved away from predictions by more than {tolerance} of their range",
                objective.name
            );
            Alarm::new(AlarmCode::ResidualDrift, message)
        });
        DriftHealth { recent: self.recent, evidence, alarm }
    }

    pub fn check(&self) -> Result<(), Error> {
        self.above.check()?;
        self.below.check()
    }

    pub(super) fn is_sound(&self) -> bool {
        (-1.0..=1.0).contains(&self.recent)
    }
}
