//! Lengths of contexts (Assumption 2: ‖x‖ ≤ 1).

use super::alarm::{Alarm, AlarmCode};
use crate::ArmSet;
use moglb_math::kernel::norm;
use serde::{Deserialize, Serialize};

/// From here on a context is near the bound.
const LEAST_NEAR_LENGTH: f64 = 0.99;

/// A problem whose longest context is shorter than this wastes scale: λ outweighs what is learned.
const LEAST_USEFUL_LENGTH: f64 = 0.1;

/// So many contexts are looked at before they are called short.
const ENOUGH: u64 = 100;

/// Counts lengths.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextLengths {
    seen: u64,
    near: u64,
    pub refused: u64,
    pub clipped: u64,
    longest: f64,
}

/// How long contexts were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextHealth {
    /// The contexts looked at: once where arms are fixed.
    pub seen: u64,
    /// Those longer than 0.99.
    pub near: u64,
    /// The times that arms were refused because one was too long.
    pub refused: u64,
    /// The contexts that were shortened on their way in, as far as the monitor was told.
    pub clipped: u64,
    /// The largest norm.
    pub longest: f64,
    /// `contexts-too-long` or `contexts-too-short`.
    pub alarm: Option<Alarm>,
}

impl ContextLengths {
    pub fn offered(&mut self, arms: &ArmSet) {
        for arm in arms.iter() {
            let length = norm(arm.context());
            self.seen += 1;
            self.near += u64::from(length > LEAST_NEAR_LENGTH);
            self.longest = self.longest.max(length);
        }
    }

    pub(super) fn health(&self) -> ContextHealth {
        let Self { seen, near, refused, clipped, longest } = *self;
        let alarm = if refused + clipped > 0 {
            let message =
                format!("arms were refused {refused} times and {clipped} contexts shortened: ‖x‖ > 1");
            Some(Alarm::new(AlarmCode::ContextsTooLong, message))
        } else if seen >= ENOUGH && longest < LEAST_USEFUL_LENGTH {
            let message = format!("the longest of {seen} contexts has norm {longest:.3}, and 1 is allowed");
            Some(Alarm::new(AlarmCode::ContextsTooShort, message))
        } else {
            None
        };
        ContextHealth { seen, near, refused, clipped, longest, alarm }
    }

    pub(super) fn is_sound(&self) -> bool {
        (0.0..=2.0).contains(&self.longest) && self.near <= self.seen
    }
}
