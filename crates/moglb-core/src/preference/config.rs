//! The configuration of preferences and ways to play, as users write it.

use super::{Belief, Choose, ObjectiveId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A preference and its parameters, by its kind: `{ kind = "weights", weights = [0.7, 0.3] }`.
///
/// Weights refer to values on the unit scale, where the range of rewards is [0, 1] and larger is
/// better. Bounds, tolerances and reference points are in the objectives' own units. Equally good
/// candidates get equal probabilities.
///
/// Example: [`PlayConfig`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum PreferenceConfig {
    /// The policy's own probabilities, among the candidates.
    Own {},
    /// Equal probabilities for all candidates.
    Uniform {},
    /// The candidates that are best in one objective.
    Best {
        /// The objective.
        objective: ObjectiveId,
    },
    /// The candidates with the largest weighted sum.
    Weights {
        /// A nonnegative number for each objective.
        weights: Vec<f64>,
    },
    /// The candidates with the smallest weighted distance from a goal, in the objective where it is
    /// largest.
    Chebyshev {
        /// A positive number for each objective.
        weights: Vec<f64>,
        /// The goal; by default the best possible rewards.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Vec<f64>>,
    },
    /// Bounds, then another preference among the candidates that satisfy them. If no candidate
    /// does, the candidates that violate them least.
    Constraints {
        /// Lower bounds, by the name of the objective.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        at_least: BTreeMap<String, f64>,
        /// Upper bounds, by the name of the objective.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        at_most: BTreeMap<String, f64>,
        /// The preference within the bounds; by default uniform.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        then: Option<Box<PreferenceConfig>>,
    },
    /// One objective after the other, each among the candidates that the earlier ones leave.
    Lexicographic {
        /// The objectives, the most important first. Objectives that are not in the list do not
        /// count.
        order: Vec<ObjectiveId>,
        /// The distances from the best that are still good enough, in the same order; by default 0.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tolerances: Vec<f64>,
    },
    /// The volume that a candidate alone dominates.
    Hypervolume {
        /// The point above which volumes are measured; by default the worst possible rewards.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<Vec<f64>>,
        /// The use of the volumes: probabilities in proportion, or the largest only.
        #[serde(default)]
        choose: Choose,
    },
    /// The candidates where the front bends most.
    Knee {},
    /// The candidates with the fewest plays.
    LeastExposed {},
    /// Several preferences, each for a share of the plays.
    Mix {
        /// The preferences with their shares, which add up to one.
        of: Vec<Share>,
    },
}

/// A preference and its share of the plays, as a part of [`PreferenceConfig::Mix`].
///
/// Example: [`PlayConfig`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// The share, in [0, 1].
    pub share: f64,
    /// The preference.
    pub prefer: PreferenceConfig,
}

/// A way to play: a preference over the front, the arms that are allowed, a floor, and a baseline.
///
/// ```
/// let config: moglb::PlayConfig = serde_json::from_str(
///     r#"{ "prefer": { "kind": "constraints", "at_least": { "quality": 0.8 },
///                      "then": { "kind": "best", "objective": "cost" } },
///          "floor": { "share": 0.1 }, "exclude": [3] }"#,
/// ).unwrap();
/// assert_eq!(config.to_string(), "quality ≥ 0.8, then best in cost; floor 0.1; without 3");
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayConfig {
    /// The preference; by default the policy's own draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer: Option<PreferenceConfig>,
    /// The values that the preference compares.
    #[serde(default, skip_serializing_if = "Belief::is_mean")]
    pub belief: Belief,
    /// The objectives that count; by default all. The others are learned but ignored when playing.
    /// Lists in `prefer` that have one entry per objective, such as weights, then refer to these
    /// objectives only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objectives: Option<Vec<ObjectiveId>>,
    /// A share of the plays that is spread evenly; by default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Floor>,
    /// The only arms that are allowed; by default all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<usize>>,
    /// Arms that are not allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<usize>,
    /// An arm with a guaranteed share of the plays; by default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
}

/// A share of the plays that is spread evenly, so that other ways to play can be evaluated from the
/// recorded plays.
///
/// Example: [`PlayConfig`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// The share, in [0, 1].
    pub share: f64,
    /// The arms over which it is spread.
    #[serde(default)]
    pub over: Over,
}

/// The arms over which a floor is spread.
///
/// Example: [`PlayConfig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// All allowed arms.
    #[default]
    All,
    /// The candidates.
    Front,
}

/// An arm with a guaranteed share of the plays.
///
/// Example: [`PlayConfig`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The number of the arm, from 0.
    pub arm: usize,
    /// The share, in [0, 1].
    pub share: f64,
}
