//! Preferences and ways to play as they are written down.

use super::{Belief, Choose, ObjectiveId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A preference and its parameters, by its kind: `{ kind = "weights", weights = [0.7, 0.3] }`.
///
/// Weights are of values on the unit scale, where the range of rewards is [0, 1] and larger is better; bounds, tolerances and
/// reference points are in the objectives' own units. Candidates that are equal share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PreferenceConfig {
    /// The policy's own probabilities, among the candidates.
    Own {},
    /// All candidates alike.
    Uniform {},
    /// The best in one objective.
    Best {
        /// The objective.
        objective: ObjectiveId,
    },
    /// The largest weighted sum.
    Weights {
        /// A nonnegative number for each objective.
        weights: Vec<f64>,
    },
    /// The smallest weighted distance from a goal, in the objective where it is largest.
    Chebyshev {
        /// A positive number for each objective.
        weights: Vec<f64>,
        /// The goal; the best possible rewards unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Vec<f64>>,
    },
    /// Bounds to be kept, then another preference. Where no candidate keeps them, those that miss them least.
    Constraints {
        /// Lower bounds, by objective.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        at_least: BTreeMap<String, f64>,
        /// Upper bounds, by objective.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        at_most: BTreeMap<String, f64>,
        /// What is preferred within the bounds; uniform unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        then: Option<Box<PreferenceConfig>>,
    },
    /// One objective after the other, each among what the earlier ones leave.
    Lexicographic {
        /// The most important first; others do not count.
        order: Vec<ObjectiveId>,
        /// How far from the best is good enough, in the same order; 0 unless given.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tolerances: Vec<f64>,
    },
    /// By the volume that a candidate alone dominates.
    Hypervolume {
        /// Above which point; the worst possible rewards unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Vec<f64>>,
        /// In proportion, or the largest.
        #[serde(default)]
        choose: Choose,
    },
    /// Where the front bends most.
    Knee {},
    /// Those played least.
    LeastExposed {},
    /// Several, each for a share of the plays.
    Mix {
        /// Shares that add up to one.
        of: Vec<Share>,
    },
}

/// A share of the plays for a preference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// The share.
    pub share: f64,
    /// The preference.
    pub prefer: PreferenceConfig,
}

/// How arms are played: a preference over the front, which arms are allowed, a floor, and a baseline.
///
/// ```
/// let config: moglb::PlayConfig = serde_json::from_str(
///     r#"{ "prefer": { "kind": "constraints", "at_least": { "quality": 0.8 }, "then": { "kind": "best", "objective": "cost" } },
///          "floor": { "share": 0.1 }, "exclude": [3] }"#,
/// ).unwrap();
/// assert_eq!(config.to_string(), "quality ≥ 0.8, then best in cost; floor 0.1; without 3");
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayConfig {
    /// The preference; the policy's own draw unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer: Option<PreferenceConfig>,
    /// Which values the preference compares.
    #[serde(default, skip_serializing_if = "Belief::is_mean")]
    pub belief: Belief,
    /// The objectives that count; all unless given. The others are in shadow: learned, with no say in what is played. What `prefer`
    /// says of objectives, such as weights in their order, is said of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objectives: Option<Vec<ObjectiveId>>,
    /// A share of the plays that is spread evenly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
    /// The only arms that are allowed; all unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<usize>>,
    /// Arms that are not allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<usize>,
    /// An arm with a guaranteed share of the plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
}

/// A share of the plays that is spread evenly, so that other ways to play can be evaluated on what was played.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// The share.
    pub share: f64,
    /// Over which arms.
    #[serde(default)]
    pub over: Over,
}

/// Over which arms a floor is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// All arms that are allowed.
    #[default]
    All,
    /// The candidates.
    Front,
}

/// An arm with a guaranteed share of the plays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The arm.
    pub arm: usize,
    /// The share.
    pub share: f64,
}
