//! Coefficients that change while a policy plays.

use crate::SimError;
use libm::cos;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The change of the coefficients from one draw to another. The arms stay. Their means, and with them the
/// front and every gap, are those of the round, so that Pareto regret is dynamic regret.
///
/// ```
/// use moglb_sim::{Drift, DriftLaw, EnvironmentConfig, PaperConfig};
///
/// let drift = Drift { law: DriftLaw::Abrupt, every: 500 };
/// let environment = EnvironmentConfig::Paper(PaperConfig { drift: Some(drift), ..PaperConfig::new(5) });
/// assert!(environment.problem().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// The kind of change.
    pub law: DriftLaw,
    /// The number of rounds of a phase.
    pub every: u64,
}

/// The kind of change.
///
/// Example: [`Drift`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftLaw {
    /// The coefficients jump to a new draw at the end of every phase.
    Abrupt,
    /// The coefficients move on a straight line during every phase and reach a new draw at its end.
    Gradual,
    /// The coefficients move to a second draw and back in every phase, along a cosine.
    Seasonal,
}

impl Drift {
    /// Checks that a phase has at least one round.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`].
    pub fn check(self) -> Result<(), SimError> {
        let most = u64::MAX;
        if self.every > 0 { Ok(()) } else { Err(SimError::Bounds { name: "every", least: 1, most, got: 0 }) }
    }

    /// The two draws between which round `t` (from 1) is, and the fraction of the way from the first to the
    /// second.
    pub(super) fn between(self, t: u64) -> (u64, u64, f64) {
        let (phase, since) = ((t - 1) / self.every, (t - 1) % self.every);
        let share = since as f64 / self.every as f64;
        match self.law {
            DriftLaw::Abrupt => (phase, phase, 0.0),
            DriftLaw::Gradual => (phase, phase + 1, share),
            DriftLaw::Seasonal => (0, 1, 0.5 - 0.5 * cos(2.0 * PI * share)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_on_the_way_that_their_law_says() {
        let at = |law, t| Drift { law, every: 100 }.between(t);
        assert_eq!(at(DriftLaw::Abrupt, 100), (0, 0, 0.0));
        assert_eq!(at(DriftLaw::Abrupt, 101), (1, 1, 0.0));
        assert_eq!(at(DriftLaw::Gradual, 1), (0, 1, 0.0));
        assert_eq!(at(DriftLaw::Gradual, 176), (1, 2, 0.75));
        assert_eq!(at(DriftLaw::Seasonal, 1), (0, 1, 0.0));
        assert_eq!(at(DriftLaw::Seasonal, 151), (0, 1, 1.0));
        assert!(Drift { law: DriftLaw::Abrupt, every: 0 }.check().is_err());
    }
}
