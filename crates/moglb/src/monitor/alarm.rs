//! The alarm of a monitor about an assumption that does not seem to hold.

use serde::{Deserialize, Serialize};

/// The cause of an alarm. `docs/alarms.md` has a section for each: what it means, how it is
/// computed, what to do.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AlarmCode {
    /// Contexts were refused or shortened because they are longer than one (Assumption 2).
    ContextsTooLong,
    /// All contexts are far shorter than allowed.
    ContextsTooShort,
    /// Estimates keep being projected onto the ball of radius D (Assumption 1).
    RadiusTooSmall,
    /// Rewards were refused because they are out of their range (Assumption 4).
    RewardsRefused,
    /// Rewards pile up at an end of their range, as if they had been cut off there.
    RewardsCutOff,
    /// Predicted and observed means differ by more than the tolerance (Assumption 3).
    Miscalibrated,
    /// From some round on, rewards have moved away from their predictions.
    ResidualDrift,
    /// Rewards lie beyond the bounds of the confidence set.
    NotCovered,
    /// The front has shrunk to one arm or to very few.
    FrontCollapsed,
    /// All arms have been on the front for a long time.
    FrontUnresolved,
    /// Arms are played more or less often than their probabilities say.
    ExposureSkewed,
}

impl AlarmCode {
    /// All codes, in the order of the documentation.
    pub const ALL: [AlarmCode; 11] = [
        AlarmCode::ContextsTooLong,
        AlarmCode::ContextsTooShort,
        AlarmCode::RadiusTooSmall,
        AlarmCode::RewardsRefused,
        AlarmCode::RewardsCutOff,
        AlarmCode::Miscalibrated,
        AlarmCode::ResidualDrift,
        AlarmCode::NotCovered,
        AlarmCode::FrontCollapsed,
        AlarmCode::FrontUnresolved,
        AlarmCode::ExposureSkewed,
    ];

    /// Returns the name that logs, files and other languages use.
    pub fn name(self) -> &'static str {
        match self {
            AlarmCode::ContextsTooLong => "contexts-too-long",
            AlarmCode::ContextsTooShort => "contexts-too-short",
            AlarmCode::RadiusTooSmall => "radius-too-small",
            AlarmCode::RewardsRefused => "rewards-refused",
            AlarmCode::RewardsCutOff => "rewards-cut-off",
            AlarmCode::Miscalibrated => "miscalibrated",
            AlarmCode::ResidualDrift => "residual-drift",
            AlarmCode::NotCovered => "not-covered",
            AlarmCode::FrontCollapsed => "front-collapsed",
            AlarmCode::FrontUnresolved => "front-unresolved",
            AlarmCode::ExposureSkewed => "exposure-skewed",
        }
    }

    /// Returns the severity. Facts that also occur in a sound problem are notices.
    pub fn severity(self) -> Severity {
        match self {
            AlarmCode::ContextsTooShort | AlarmCode::FrontCollapsed | AlarmCode::FrontUnresolved => {
                Severity::Notice
            }
            _ => Severity::Warning,
        }
    }

    /// Returns the address of its section in the documentation.
    pub fn page(self) -> String {
        format!("alarms.html#{}", self.name())
    }
}

/// The severity of an alarm.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// An unusual fact that may be harmless.
    Notice,
    /// An assumption does not hold, so guarantees may not hold either.
    Warning,
}

/// One alarm of a monitor.
///
/// Example: [`Monitor`].
///
/// [`Monitor`]: super::Monitor
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// The cause.
    pub code: AlarmCode,
    /// The severity.
    pub severity: Severity,
    /// The observation, in a sentence.
    pub message: String,
    /// The page of the documentation about it.
    pub page: String,
}

impl Alarm {
    #[doc(hidden)]
    pub fn new(code: AlarmCode, message: String) -> Self {
        Self { code, severity: code.severity(), message, page: code.page() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alarm_has_a_section_of_the_page() {
        let page = include_str!("../../../../docs/alarms.md");
        for code in AlarmCode::ALL {
            let heading = format!("{{#{}}}", code.name());
            let section = page.split("\n## ").find(|part| part.lines().next().unwrap().ends_with(&heading));
            let section = section.unwrap_or_else(|| panic!("no section for {}", code.name()));
            for part in ["**What it means.**", "**How it is computed.**", "**What to do.**"] {
                assert!(section.contains(part), "{}: {part}", code.name());
            }
        }
    }

    #[test]
    fn names_are_what_files_hold() {
        for code in AlarmCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
    }
}
