//! The lengths of contexts (Assumption 2: ‖x‖ ≤ 1).

use super::alarm::{Alarm, AlarmCode};
use moglb_core::ArmSet;
use moglb_math::kernel::norm;
use serde::{Deserialize, Serialize};

/// The least length of a context that counts as near the bound.
const LEAST_NEAR_LENGTH: f64 = 0.99;

/// The least length that the longest context should have. In a problem with shorter contexts, λ
/// outweighs what is learned.
const LEAST_USEFUL_LENGTH: f64 = 0.1;

/// The number of contexts that are measured before they are called short.
const ENOUGH: u64 = 100;

/// Counts contexts by their lengths.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextLengths {
    seen: u64,
    near: u64,
    pub refused: u64,
    pub clipped: u64,
    longest: f64,
}

/// The lengths of contexts so far.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextHealth {
    /// The number of contexts measured; fixed arms are measured once.
    pub seen: u64,
    /// The number of contexts longer than 0.99.
    pub near: u64,
    /// The number of times that arms were rejected because a context was too long.
    pub refused: u64,
    /// The number of contexts that were reported as shortened
    /// ([`Monitor::clipped`](super::Monitor::clipped)).
    pub clipped: u64,
    /// The largest norm.
    pub longest: f64,
    /// The alarm `contexts-too-long` or `contexts-too-short`.
    pub alarm: Option<Alarm>,
}

impl ContextLengths {
    /// Measures the contexts of all arms.
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
