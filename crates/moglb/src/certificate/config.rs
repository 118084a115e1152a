//! The parameters of a certificate.

use serde::{Deserialize, Serialize};

/// Where bounds come from. Each holds for all t with a probability of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Theorem 1 of the paper, Eq. (8), with κ per objective.
    #[serde(rename = "theorem-1")]
    Theorem1,
    /// The same proof without its loose steps: [`Width::Tightened`](moglb_core::Width::Tightened).
    Tightened,
    /// The set of GLB-OMD, for logit and identity links.
    GlbOmd,
    /// Likelihood ratios around the maximum likelihood of all rewards, for logit, probit and identity links.
    LikelihoodRatio,
    /// The mean of each arm by itself, whatever its context and the link.
    Intervals,
}

/// The parameters of a [`Certificate`](crate::Certificate).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CertificateConfig {
    /// The chance δ that anything said is ever wrong.
    pub delta: f64,
    /// The sources in use. They share δ equally, and the best bound counts.
    pub sources: Vec<Source>,
    /// A factor of all widths. Nothing is proved below one.
    pub scale: f64,
}

impl Default for CertificateConfig {
    fn default() -> Self {
        Self { delta: 0.05, sources: vec![Source::Tightened, Source::Intervals], scale: 1.0 }
    }
}
