//! The size of the front O_t: a test for fronts that shrink to almost nothing, or never shrink.

use super::alarm::{Alarm, AlarmCode};
use super::blocks::{BLOCKS_BEFORE_ALARM, ROUNDS_PER_BLOCK};
use super::exposure::{GROUPS, group};
use moglb_core::Decision;
use serde::{Deserialize, Serialize};

/// The share of its early median below which the median size of a collapsed front lies.
const COLLAPSED: f64 = 1.0 / 3.0;

/// The least share of the plays that one arm has while the front has collapsed.
const CONCENTRATED: f64 = 0.5;

/// The number of blocks with all arms on the front after which nothing seems to be learned.
const LONG: u64 = 2 * BLOCKS_BEFORE_ALARM;

/// The front sizes and plays of the current block, and a summary of the earlier blocks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fronts {
    sizes: Vec<u64>,
    plays: Vec<u64>,
    /// The number of rounds of this block in which all arms were on the front, if there are several
    /// arms.
    whole: u64,
    /// The median of the second block. The first block begins with all arms on the front.
    early: Option<u64>,
    blocks: u64,
    /// The last complete block: its median and the largest share of plays.
    last: Option<(u64, f64)>,
    /// The number of latest blocks in a row that had all arms on the front.
    unresolved: u64,
}

/// The sizes of fronts so far.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrontHealth {
    /// The median of |O_t| in rounds 201 to 400.
    pub early_median: Option<u64>,
    /// The median of |O_t| in the last complete block of 200 rounds.
    pub last_median: Option<u64>,
    /// The largest share of the plays in this block that went to one arm (or to the arms whose
    /// numbers are equal modulo 64).
    pub top_share: Option<f64>,
    /// The number of latest rounds, in complete blocks of 200, in which all arms were on the front.
    pub unresolved: u64,
    /// The alarm `front-collapsed` or `front-unresolved`.
    pub alarm: Option<Alarm>,
}

impl Fronts {
    /// Counts a decision; one without a front is skipped.
    pub fn decided(&mut self, decision: &Decision) {
        let (size, n_arms) = (decision.front.len(), decision.probabilities.len());
        if size == 0 {
            return;
        }
        self.plays.resize(GROUPS, 0);
        self.plays[group(decision.arm.0)] += 1;
        self.sizes.push(size as u64);
        self.whole += u64::from(size == n_arms && n_arms > 1);
        if self.sizes.len() as u64 == ROUNDS_PER_BLOCK {
            self.close();
        }
    }

    /// Summarizes a complete block and begins the next one.
    fn close(&mut self) {
        self.sizes.sort_unstable();
        let median = self.sizes[self.sizes.len() / 2];
        let top = self.plays.iter().copied().max().unwrap_or(0);
        self.blocks += 1;
        self.last = Some((median, top as f64 / ROUNDS_PER_BLOCK as f64));
        if self.blocks == 2 {
            self.early = Some(median);
        }
        self.unresolved = if self.whole == ROUNDS_PER_BLOCK { self.unresolved + 1 } else { 0 };
        self.sizes.clear();
        self.plays.fill(0);
        self.whole = 0;
    }

    pub(super) fn health(&self) -> FrontHealth {
        let unresolved = self.unresolved * ROUNDS_PER_BLOCK;
        let alarm = if self.unresolved >= LONG {
            let message = format!("all arms have been on the front for {unresolved} rounds");
            Some(Alarm::new(AlarmCode::FrontUnresolved, message))
        } else {
            self.collapse().map(|(early, now)| {
                let message = format!("the median front has fallen from {early} arms to {now}");
                Alarm::new(AlarmCode::FrontCollapsed, message)
            })
        };
        let (last_median, top_share) = self.last.unzip();
        FrontHealth { early_median: self.early, last_median, top_share, unresolved, alarm }
    }

    /// Returns the early median and the last one, if the front has collapsed.
    fn collapse(&self) -> Option<(u64, u64)> {
        let (early, (now, top)) = (self.early?, self.last?);
        let fallen = early > 1 && (now == 1 || (now as f64) < COLLAPSED * early as f64);
        (self.blocks >= BLOCKS_BEFORE_ALARM && fallen && top >= CONCENTRATED).then_some((early, now))
    }

    pub(super) fn is_sound(&self) -> bool {
        let share = self.last.is_none_or(|(_, top)| (0.0..=1.0).contains(&top));
        let plays = self.plays.is_empty() || self.plays.len() == GROUPS;
        let sum = self.plays.iter().try_fold(0_u64, |sum, &n| sum.checked_add(n));
        let whole = self.whole <= self.sizes.len() as u64 && self.unresolved <= self.blocks;
        let counted = sum == Some(self.sizes.len() as u64) && (self.sizes.len() as u64) < ROUNDS_PER_BLOCK;
        share && plays && whole && counted && self.blocks <= 1 << 53
    }
}
