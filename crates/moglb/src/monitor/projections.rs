//! The projections of estimates back onto the ball of radius D (Assumption 1: ‖θᵢ‖ ≤ D).
//!
//! While little is learned, steps are long and projections are common, whatever D is. If D is too
//! small, the projections do not stop: the truth lies beyond the boundary of the ball, and the
//! estimate is held there.

use super::alarm::{Alarm, AlarmCode};
use super::blocks::{BLOCKS_BEFORE_ALARM, ROUNDS_PER_BLOCK};
use serde::{Deserialize, Serialize};

/// The share of projected estimates, late in a run, from which on D is called too small. Measured
/// on the paper's data in rounds 2801 to 3000: with the right D at most 0.08 (0.11 at D = 5), with
/// a quarter of it 0.20 in the median, with a tenth of it at least 0.36.
const OFTEN: f64 = 0.15;

/// Counts projections, block by block.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Projections {
    rounds: u64,
    /// The policy's count at the last report.
    count: u64,
    hits: u64,
    in_block: u64,
    first: Option<f64>,
    last: Option<f64>,
}

/// The projections of estimates so far.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RadiusHealth {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The number of projections, over all objectives.
    pub hits: u64,
    /// The share of estimates that were projected in the first block of 200 rewards.
    pub first_share: Option<f64>,
    /// The share of estimates that were projected in the last complete block of 200 rewards.
    pub last_share: Option<f64>,
    /// The alarm `radius-too-small`.
    pub alarm: Option<Alarm>,
}

impl Projections {
    /// Adds a learned reward. `count` is the policy's count of projections after it.
    pub fn learned(&mut self, count: u64, n_objectives: usize) {
        self.rounds += 1;
        // The count falls when a policy begins again.
        let hits = count.saturating_sub(self.count).min(n_objectives as u64);
        self.count = count;
        self.hits += hits;
        self.in_block += hits;
        if self.rounds.is_multiple_of(ROUNDS_PER_BLOCK) {
            let share = self.in_block as f64 / (ROUNDS_PER_BLOCK * n_objectives as u64) as f64;
            self.first.get_or_insert(share);
            self.last = Some(share);
            self.in_block = 0;
        }
    }

    pub(super) fn health(&self, radius: f64) -> RadiusHealth {
        let late = self
            .last
            .filter(|share| self.rounds >= BLOCKS_BEFORE_ALARM * ROUNDS_PER_BLOCK && *share >= OFTEN);
        let alarm = late.map(|share| {
            let message = format!(
                "{:.0} % of the estimates of the last {ROUNDS_PER_BLOCK} rounds were projected \
                 onto the ball of radius {radius}",
                100.0 * share
            );
            Alarm::new(AlarmCode::RadiusTooSmall, message)
        });
        let Self { rounds, hits, first, last, .. } = *self;
        RadiusHealth { rounds, hits, first_share: first, last_share: last, alarm }
    }

    pub(super) fn is_sound(&self) -> bool {
        let share = |share: Option<f64>| share.is_none_or(|share| (0.0..=1.0).contains(&share));
        self.in_block <= self.hits && self.hits <= 1 << 53 && share(self.first) && share(self.last)
    }
}
