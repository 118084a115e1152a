//! The places of rewards in their range, and rewards out of range (Assumption 4: |y| ≤ R).

use super::alarm::{Alarm, AlarmCode};
use moglb_core::{Link, Objective};
use serde::{Deserialize, Serialize};

/// The least share of rewards strictly within the range from which on they are not one-bit rewards.
const BETWEEN: f64 = 0.1;

/// The least share of rewards at an end of the range that counts as a pile.
const PILED: f64 = 0.05;
/// The least number of rewards at an end of the range that counts as a pile.
const PILE: u64 = 50;

/// Counts the rewards of an objective by their place in the range.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusedRewards {
    count: u64,
    at_low: u64,
    at_high: u64,
    pub refused: u64,
}

/// The places of an objective's rewards in their range.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RewardHealth {
    /// The number of rewards learned.
    pub count: u64,
    /// The number of rewards exactly at the lower end of the range.
    pub at_low: u64,
    /// The number of rewards exactly at the upper end.
    pub at_high: u64,
    /// The number of rewards that were rejected: out of range, or not a number.
    pub refused: u64,
    /// The alarm `rewards-refused` or `rewards-cut-off`.
    pub alarm: Option<Alarm>,
}

impl RefusedRewards {
    /// Counts a reward.
    pub fn learned(&mut self, y: f64, (low, high): (f64, f64)) {
        self.count += 1;
        self.at_low += u64::from(y == low);
        self.at_high += u64::from(y == high);
    }

    pub(super) fn health(&self, objective: &Objective) -> RewardHealth {
        let Self { count, at_low, at_high, refused } = *self;
        let alarm = if refused > 0 {
            let message =
                format!("{refused} rewards of `{}` were out of range and not learned", objective.name);
            Some(Alarm::new(AlarmCode::RewardsRefused, message))
        } else {
            self.pile(objective).map(|(pile, end)| {
                let share = 100.0 * pile as f64 / count as f64;
                let message =
                    format!("{share:.0} % of the rewards of `{}` are {end} exactly", objective.name);
                Alarm::new(AlarmCode::RewardsCutOff, message)
            })
        };
        RewardHealth { count, at_low, at_high, refused, alarm }
    }

    /// Returns the number of rewards at an end of the range and that end, if they are many and the
    /// link does not explain them.
    fn pile(&self, objective: &Objective) -> Option<(u64, f64)> {
        let between = self.count - self.at_low - self.at_high;
        if (between as f64) < BETWEEN * self.count as f64 {
            return None; // One-bit rewards lie at both ends by nature.
        }
        let (low, high) = objective.rewards();
        // Zero events is an ordinary count.
        let at_low = if objective.link == Link::Log && low == 0.0 { 0 } else { self.at_low };
        let (pile, end) = if at_low > self.at_high { (at_low, low) } else { (self.at_high, high) };
        (pile >= PILE && pile as f64 >= PILED * self.count as f64).then_some((pile, end))
    }

    pub(super) fn is_sound(&self) -> bool {
        self.at_low.checked_add(self.at_high).is_some_and(|ends| ends <= self.count)
    }
}
