//! The parameters of a certificate.

use serde::{Deserialize, Serialize};

/// A source of bounds. Each source holds for all t with a probability of its own.
///
/// Example: [`Certificate`].
///
/// [`Certificate`]: crate::Certificate
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Theorem 1 of the paper, Eq. (8), with κ per objective.
    #[serde(rename = "theorem-1")]
    Theorem1,
    /// Theorem 1 without the loose steps of its proof: [`Width::Tightened`](moglb_core::Width::Tightened).
    Tightened,
    /// The confidence set of GLB-OMD, for logit and identity links.
    GlbOmd,
    /// Likelihood ratios around the maximum likelihood estimate from all rewards, for logit, probit and
    /// identity links.
    LikelihoodRatio,
    /// Intervals for the mean of each arm alone, whatever its context and the link.
    Intervals,
}

/// The parameters of a certificate.
///
/// Example: [`Certificate`].
///
/// [`Certificate`]: crate::Certificate
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CertificateConfig {
    /// δ: the chance that any verdict or bound is ever wrong.
    pub delta: f64,
    /// The sources in use. They share δ equally. For each pair of arms the best bound counts.
    pub sources: Vec<Source>,
    /// A factor of all widths. Nothing is proved for factors below one.
    pub scale: f64,
}

impl Default for CertificateConfig {
    fn default() -> Self {
        Self { delta: 0.05, sources: vec![Source::Tightened, Source::Intervals], scale: 1.0 }
    }
}
