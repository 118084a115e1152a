//! The parameters of an environment over data.

use moglb_data::Layout;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The parameters of an environment over data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// The folder, seen from where the program runs.
    pub path: PathBuf,
    /// The problem in it; the only one unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The objectives by their columns; all unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objectives: Option<Vec<String>>,
    /// How contexts and arms become vectors; `block` where arms stay and contexts change, otherwise `additive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Layout>,
    /// Where rewards come from.
    #[serde(default)]
    pub rewards: Rewards,
    /// The standard deviation of normal noise on objectives with an identity link, where rewards are not replayed exactly. Without it they
    /// are 0 or 1 with the right mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// For fitted rewards: as many pseudo-rounds with the mean reward, spread evenly over all rows, so that the maximum of the likelihood is
    /// finite where rewards are separated (Clogg et al., JASA 86:413, 1991, take as many as there are coefficients). None unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pseudo_rounds: Option<f64>,
    /// The splits of the rounds that are played, one after the other; all rounds in one unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splits: Option<Vec<String>>,
    /// Splits that are played before these, with any arm drawn evenly: they are learned from and do not count. None unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub practice: Option<Vec<String>>,
    /// The radius D that policies are told; the norm of fitted coefficients, otherwise twice the norm that vectors were divided by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
}

/// Where rewards come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewards {
    /// The table.
    #[default]
    Replay,
    /// A generalized linear model, fitted to the table by maximum likelihood.
    Fitted,
}

impl DataConfig {
    /// A problem of a folder, replayed.
    pub fn new(path: impl Into<PathBuf>, problem: &str) -> Self {
        Self {
            path: path.into(),
            problem: Some(problem.into()),
            objectives: None,
            features: None,
            rewards: Rewards::default(),
            noise: None,
            pseudo_rounds: None,
            splits: None,
            practice: None,
            radius: None,
        }
    }
}
