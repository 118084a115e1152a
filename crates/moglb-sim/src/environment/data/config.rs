//! The parameters of an environment on real data.

use moglb_data::Layout;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The parameters of an environment on real data.
///
/// ```
/// use moglb_sim::{DataConfig, EnvironmentConfig};
///
/// let config = DataConfig { noise: Some(0.1), ..DataConfig::new("data/sw-config", "vp9") };
/// assert_eq!(EnvironmentConfig::Data(config.into()).name(), "sw-config/vp9");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// The folder of the data, relative to the working directory of the program.
    pub path: PathBuf,
    /// The name of the problem in the folder. By default the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The objectives, by the names of their columns. By default all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objectives: Option<Vec<String>>,
    /// The layout that makes vectors from contexts and arms. By default `block` if arms stay and contexts
    /// change, otherwise `additive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<Layout>,
    /// The source of the rewards.
    #[serde(default)]
    pub rewards: Rewards,
    /// The standard deviation of normal noise on objectives with an identity link, for rewards that are not
    /// replayed exactly. Without it the rewards are 0 or 1 with the right mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// For fitted rewards, the number of pseudo-rounds with the mean reward, spread evenly over all rows.
    /// They make the maximum of the likelihood finite if rewards are separated. By default none; Clogg et
    /// al. (JASA 86:413, 1991) use as many as there are coefficients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pseudo_rounds: Option<f64>,
    /// The splits whose rounds are played, one split after the other. By default all rounds are one split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splits: Option<Vec<String>>,
    /// The splits that are played before those, for practice: any arm is drawn with equal probability, and
    /// the policy learns from the rewards, but these rounds do not count. By default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub practice: Option<Vec<String>>,
    /// The radius D that policies receive. By default the norm of the fitted coefficients, or without a fit
    /// twice the number by which vectors were divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
}

/// The source of the rewards.
///
/// Example: [`DataConfig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewards {
    /// The rewards of the table.
    #[default]
    Replay,
    /// The rewards of a generalized linear model, fitted to the table by maximum likelihood.
    Fitted,
}

impl DataConfig {
    /// A problem of a folder with replayed rewards and every other parameter at its default.
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
