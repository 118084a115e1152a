//! Estimates that have to be projected back onto the ball of radius D (Assumption 1: ‖θᵢ‖ ≤ D).
//!
//! While little is known, steps are long and projections common, whatever D is. What tells a D that is too small is that they
//! do not stop: the estimate is held at the boundary that the truth lies beyond.

use super::alarm::{Alarm, AlarmCode};
use super::blocks::{BLOCKS_BEFORE_ALARM, ROUNDS_PER_BLOCK};
use serde::{Deserialize, Serialize};

/// The share of estimates projected, late in a run, from which on D is called too small. On the paper's data with the right D it
/// was at most 0.08 in rounds 2801 to 3000 (0.11 at D = 5), with a quarter of it 0.20 in the median, with a tenth at least 0.36.
const OFTEN: f64 = 0.15;

/// Counts projections, block by block.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Projections {
    rounds: u64,
    /// The policy's count when it was last asked.
    count: u64,
    hits: u64,
    in_block: u64,
    first: Option<f64>,
    last: Option<f64>,
}

/// How often estimates were projected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RadiusHealth {
    /// Rewards learned.
    pub rounds: u64,
    /// Projections, of all objectives.
    pub hits: u64,
    /// The share of estimates that were projected, in the first 200 rewards.
    pub first_share: Option<f64>,
    /// The same in the last whole 200.
    pub last_share: Option<f64>,
    /// `radius-too-small`.
    pub alarm: Option<Alarm>,
}

impl Projections {
    /// After a reward was learned: the policy's count of projections.
    pub fn learned(&mut self, count: u64, n_objectives: usize) {
        self.rounds += 1;
        // The count of a policy that begins anew falls.
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
                "{:.0} % of the estimates of the last {ROUNDS_PER_BLOCK} rounds were projected onto the ball of radius {radius}",
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
