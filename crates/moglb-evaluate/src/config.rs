//! The configuration of an evaluation.

use crate::{Estimator, EvaluateError, LoggedBy};
use moglb::Link;
use moglb_data::Layout;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The method by which intervals are made.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interval {
    /// Estimate ± z standard errors, by the central limit theorem.
    Normal,
    /// Quantiles of the bootstrap over rounds.
    Percentile,
    /// Quantiles of the bootstrap, corrected for bias and skewness (Efron 1987).
    Bca,
    /// Empirical Bernstein bounds (Maurer and Pontil 2009), for any number of rounds; see
    /// [`EvaluateConfig::weight_bound`].
    Bernstein,
}

impl Interval {
    /// True if the interval needs resampled rounds.
    pub fn uses_bootstrap(self) -> bool {
        matches!(self, Interval::Percentile | Interval::Bca)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Interval::Normal => "normal",
            Interval::Percentile => "percentile",
            Interval::Bca => "bca",
            Interval::Bernstein => "bernstein",
        })
    }
}

impl FromStr for Interval {
    type Err = EvaluateError;

    fn from_str(text: &str) -> Result<Self, EvaluateError> {
        let all = [Interval::Normal, Interval::Percentile, Interval::Bca, Interval::Bernstein];
        let found = all.into_iter().find(|kind| kind.to_string() == text);
        let known = "normal, percentile, bca, bernstein";
        found.ok_or_else(|| EvaluateError::Unknown { what: "interval", got: text.into(), known })
    }
}

/// The configuration of an evaluation.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluateConfig {
    /// The estimator.
    pub estimator: Estimator,
    /// The chance that an interval or a region covers the truth, for independent rounds.
    pub level: f64,
    /// The method by which intervals are made.
    pub interval: Interval,
    /// The number of times that the rounds are resampled.
    pub replications: usize,
    /// The seed of the resampling, of the folds and of policies that draw.
    pub seed: u64,
    /// The number of folds of the direct method. Rewards of a round are predicted by a model that was fitted
    /// without that round.
    pub folds: usize,
    /// The layout of contexts and arms for the model of the direct method. By default it is
    /// [`Layout::Additive`] if arms have features, and [`Layout::Block`], a model for each arm, if they have
    /// none.
    pub layout: Option<Layout>,
    /// The link of the direct method, if it is not that of the objective.
    pub link: Option<Link>,
    /// An upper bound on all weights π/p, for empirical Bernstein intervals. If not set, it is the largest
    /// weight in the log, and the intervals are valid only as far as no larger weight is possible.
    pub weight_bound: Option<f64>,
    /// The kind of policy that wrote the log. If not set, the log is searched for signs of a policy that
    /// learns.
    pub logged_by: Option<LoggedBy>,
    /// An arm counts as hardly explored if its propensity is below this
    /// ([`Overlap::thin`](crate::Overlap::thin)).
    pub thin: f64,
}

impl Default for EvaluateConfig {
    fn default() -> Self {
        Self {
            estimator: Estimator::Snips,
            level: 0.95,
            interval: Interval::Bca,
            replications: 2000,
            seed: 1,
            folds: 5,
            layout: None,
            link: None,
            weight_bound: None,
            logged_by: None,
            thin: 0.01,
        }
    }
}

impl EvaluateConfig {
    pub(crate) fn check(&self, n_rounds: usize) -> Result<(), EvaluateError> {
        self.estimator.check()?;
        let inside = f64::EPSILON;
        let bound = self.weight_bound.unwrap_or(1.0);
        for (name, value, low, high) in [
            ("the level", self.level, 0.5, 1.0 - inside),
            ("the number of replications", self.replications as f64, 100.0, 1e6),
            ("the number of rounds", n_rounds as f64, 2.0, f64::INFINITY),
            ("the bound of weights", bound, f64::MIN_POSITIVE, f64::MAX),
            ("the bound of hardly explored propensities", self.thin, 0.0, 1.0),
        ] {
            if !(value >= low && value <= high) {
                return Err(EvaluateError::Parameter { name, low, high, value });
            }
        }
        let (folds, most) = (self.folds as f64, n_rounds as f64);
        if self.estimator.uses_model() && !(2.0..=most).contains(&folds) {
            return Err(EvaluateError::Parameter {
                name: "the number of folds",
                low: 2.0,
                high: most,
                value: folds,
            });
        }
        Ok(())
    }
}
