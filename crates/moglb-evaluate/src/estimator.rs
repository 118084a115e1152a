//! The estimators by name.
//!
//! With w = π(a|x)/p, q̂ a model of rewards (the direct method) and v̂ = Σ_a π(a|x) q̂(x, a):
//!
//! ```text
//! ips        mean of w·r                       unbiased; any variance
//! snips      Σ w·r / Σ w                       a ratio: small bias, much smaller variance
//! dm         mean of v̂                         as good as the model
//! dr         mean of v̂ + w·(r − q̂)             unbiased, small variance if the model is good
//! sndr       mean of v̂, plus Σ w·(r − q̂) / Σ w
//! switch-dr  mean of v̂ + w·1{w ≤ τ}·(r − q̂)    the model for large weights (Wang et al. 2017)
//! dr-os      mean of v̂ + λw/(w² + λ)·(r − q̂)   shrinks weights smoothly (Su et al. 2020)
//! ```

use crate::EvaluateError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The method by which values are estimated. In text form it is the name, followed for some by a colon and a
/// parameter, as in `switch-dr:10`.
///
/// Example: [`evaluate`].
///
/// [`evaluate`]: crate::evaluate()
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Estimator {
    /// Inverse propensity scores.
    Ips,
    /// Self-normalized inverse propensity scores.
    Snips,
    /// The direct method.
    Dm,
    /// Doubly robust.
    Dr,
    /// Doubly robust, self-normalized.
    Sndr,
    /// Doubly robust for weights of at most τ, the direct method for larger ones. If τ is not set, it is
    /// chosen by a bound on the mean squared error.
    SwitchDr(Option<f64>),
    /// Doubly robust with optimistic shrinkage by λ. If λ is not set, it is chosen by a bound on the mean
    /// squared error.
    DrOs(Option<f64>),
}

/// The names of all estimators, for messages.
const NAMES: &str = "ips, snips, dm, dr, sndr, switch-dr[:τ], dr-os[:λ]";

impl Estimator {
    /// True if the estimator needs a model of rewards.
    pub fn uses_model(self) -> bool {
        !matches!(self, Estimator::Ips | Estimator::Snips)
    }

    /// True if the estimator divides by the sum of weights.
    pub fn is_ratio(self) -> bool {
        matches!(self, Estimator::Snips | Estimator::Sndr)
    }

    /// Refuses a parameter that is not a positive number.
    pub(crate) fn check(self) -> Result<(), EvaluateError> {
        let (name, value) = match self {
            Estimator::SwitchDr(Some(tau)) => ("τ of switch-dr", tau),
            Estimator::DrOs(Some(lambda)) => ("λ of dr-os", lambda),
            _ => return Ok(()),
        };
        let (low, high) = (f64::MIN_POSITIVE, f64::MAX);
        if value >= low && value <= high {
            return Ok(());
        }
        Err(EvaluateError::Parameter { name, low, high, value })
    }
}

impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, parameter) = match self {
            Estimator::Ips => ("ips", None),
            Estimator::Snips => ("snips", None),
            Estimator::Dm => ("dm", None),
            Estimator::Dr => ("dr", None),
            Estimator::Sndr => ("sndr", None),
            Estimator::SwitchDr(tau) => ("switch-dr", *tau),
            Estimator::DrOs(lambda) => ("dr-os", *lambda),
        };
        f.write_str(name)?;
        parameter.map_or(Ok(()), |parameter| write!(f, ":{parameter}"))
    }
}

impl FromStr for Estimator {
    type Err = EvaluateError;

    fn from_str(text: &str) -> Result<Self, EvaluateError> {
        let unknown = || EvaluateError::Unknown { what: "estimator", got: text.into(), known: NAMES };
        let (name, parameter) = match text.split_once(':') {
            None => (text, None),
            Some((name, number)) => (name, Some(number.trim().parse::<f64>().map_err(|_| unknown())?)),
        };
        let found = match (name.trim(), parameter) {
            ("ips", None) => Estimator::Ips,
            ("snips", None) => Estimator::Snips,
            ("dm", None) => Estimator::Dm,
            ("dr", None) => Estimator::Dr,
            ("sndr", None) => Estimator::Sndr,
            ("switch-dr", tau) => Estimator::SwitchDr(tau),
            ("dr-os", lambda) => Estimator::DrOs(lambda),
            _ => return Err(unknown()),
        };
        found.check().map(|()| found)
    }
}

impl TryFrom<String> for Estimator {
    type Error = EvaluateError;

    fn try_from(text: String) -> Result<Self, EvaluateError> {
        text.parse()
    }
}

impl From<Estimator> for String {
    fn from(estimator: Estimator) -> Self {
        estimator.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_estimator_reads_back_from_its_name() {
        for text in ["ips", "snips", "dm", "dr", "sndr", "switch-dr", "switch-dr:10", "dr-os", "dr-os:2.5"] {
            assert_eq!(text.parse::<Estimator>().unwrap().to_string(), text);
        }
        for text in
            ["", "IPS", "ips:3", "dr-os:", "dr-os:x", "dr-os:0", "switch-dr:-1", "dr-os:NaN", "dr-os:inf"]
        {
            assert!(text.parse::<Estimator>().is_err(), "{text}");
        }
    }
}
