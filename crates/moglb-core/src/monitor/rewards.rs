//! Rewards and the ends of their range (Assumption 4: |y| ≤ R).

use super::alarm::{Alarm, AlarmCode};
use crate::{Link, Objective};
use serde::{Deserialize, Serialize};

/// Rewards with at least this share strictly within their range are not one-bit.
const BETWEEN: f64 = 0.1;

/// From this share on, and so many, rewards pile up at an end.
const PILED: f64 = 0.05;
const PILE: u64 = 50;

/// Counts where rewards of an objective fall.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusedRewards {
    count: u64,
    at_low: u64,
    at_high: u64,
    pub refused: u64,
}

/// Where rewards of an objective fell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RewardHealth {
    /// Rewards learned.
    pub count: u64,
    /// Those at the lower end of the range, exactly.
    pub at_low: u64,
    /// Those at the upper end.
    pub at_high: u64,
    /// Those that were refused: out of range, or no numbers.
    pub refused: u64,
    /// `rewards-refused` or `rewards-cut-off`.
    pub alarm: Option<Alarm>,
}

impl RefusedRewards {
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

    /// The rewards at an end where the link gives no reason for them, if they are many.
    fn pile(&self, objective: &Objective) -> Option<(u64, f64)> {
        let between = self.count - self.at_low - self.at_high;
        if (between as f64) < BETWEEN * self.count as f64 {
            return None; // One-bit rewards: both ends are where they belong.
        }
        let (low, high) = objective.rewards();
        // No event at all is a count like others.
        let at_low = if objective.link == Link::Log && low == 0.0 { 0 } else { self.at_low };
        let (pile, end) = if at_low > self.at_high { (at_low, low) } else { (self.at_high, high) };
        (pile >= PILE && pile as f64 >= PILED * self.count as f64).then_some((pile, end))
    }

    pub(super) fn is_sound(&self) -> bool {
        self.at_low.checked_add(self.at_high).is_some_and(|ends| ends <= self.count)
    }
}
