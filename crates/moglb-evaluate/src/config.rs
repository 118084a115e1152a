//! What is asked of an evaluation.

use crate::{Estimator, EvaluateError, LoggedBy};
use moglb::Link;
use moglb_data::Layout;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How intervals are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interval {
    /// Estimate ± z standard errors: the law of large numbers.
    Normal,
    /// Quantiles of the bootstrap over rounds.
    Percentile,
    /// The same, corrected for bias and skewness (Efron 1987).
    Bca,
    /// Empirical Bernstein bounds (Maurer and Pontil 2009), for any number of rounds; see [`EvaluateConfig::weight_bound`].
    Bernstein,
}

impl Interval {
    /// Whether it is made of resampled rounds.
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

/// How to evaluate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvaluateConfig {
    /// The estimator.
    pub estimator: Estimator,
    /// The chance that an interval, or a region, is to cover the truth, where rounds are independent.
    pub level: f64,
    /// How intervals are made.
    pub interval: Interval,
    /// How often the rounds are resampled.
    pub replications: usize,
    /// What the resampling, the folds and policies that draw derive from.
    pub seed: u64,
    /// The direct method's number of folds: rewards of a round are predicted by a model that has not seen the round.
    pub folds: usize,
    /// How the direct method's model sees contexts and arms: by default [`Layout::Additive`] where arms have features and
    /// [`Layout::Block`], a model for each arm, where they have none.
    pub layout: Option<Layout>,
    /// The link of the direct method, where it is not that of the objective.
    pub link: Option<Link>,
    /// What no weight π/p can exceed, for empirical Bernstein intervals. Unless given it is the largest weight in the log, and
    /// the intervals are valid as far as that is the largest there can be.
    pub weight_bound: Option<f64>,
    /// The kind of policy that wrote the log. Unless given, the log is searched for signs of a policy that
    /// learns.
    pub logged_by: Option<LoggedBy>,
    /// Below this propensity an arm counts as hardly explored ([`Overlap::thin`](crate::Overlap::thin)).
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
