//! What a monitor says when an assumption does not hold.

use serde::{Deserialize, Serialize};

/// What an alarm is about. `docs/alarms.md` has a section for each: what it means, how it is computed, what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AlarmCode {
    /// Contexts were refused or shortened because they are longer than one (Assumption 2).
    ContextsTooLong,
    /// All contexts are far shorter than they may be.
    ContextsTooShort,
    /// Estimates keep being projected onto the ball of radius D (Assumption 1).
    RadiusTooSmall,
    /// Rewards were refused because they are out of their range (Assumption 4).
    RewardsRefused,
    /// Rewards pile up at an end of their range, as if they had been cut off there.
    RewardsCutOff,
    /// Predicted and observed means differ by more than is tolerated (Assumption 3).
    Miscalibrated,
    /// Rewards have moved away from what is predicted, since some round.
    ResidualDrift,
    /// Rewards are beyond what the confidence set allows.
    NotCovered,
    /// The front has shrunk to next to nothing.
    FrontCollapsed,
    /// The front has been all arms for long.
    FrontUnresolved,
    /// Arms are not played as often as their probabilities say.
    ExposureSkewed,
}

impl AlarmCode {
    /// All of them, in the order of the documentation.
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

    /// The name that logs, files and other languages use.
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

    /// How much it matters: what can be right in a sound problem is a notice.
    pub fn severity(self) -> Severity {
        match self {
            AlarmCode::ContextsTooShort | AlarmCode::FrontCollapsed | AlarmCode::FrontUnresolved => {
                Severity::Notice
            }
            _ => Severity::Warning,
        }
    }

    /// Its section in the documentation.
    pub fn page(self) -> String {
        format!("alarms.html#{}", self.name())
    }
}

/// How much an alarm matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Something unusual, that may be right.
    Notice,
    /// An assumption does not hold: what is promised may not either.
    Warning,
}

/// One alarm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// What it is about.
    pub code: AlarmCode,
    /// How much it matters.
    pub severity: Severity,
    /// What was seen, in a sentence.
    pub message: String,
    /// Where to read on: a page of the documentation.
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
