//! Certificates as snapshots: a restored certificate continues bit for bit.

use crate::certificate::learned::{CertificateState, Verdict};
use crate::certificate::{Certificate, CertificateConfig};
use moglb_core::saved::damaged;
use moglb_core::{ArmSet, Norms, Problem, ProblemConfig};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The name and version of the format of a [`CertificateSnapshot`].
pub const CERTIFICATE_FORMAT: &str = "moglb.certificate/1";

/// A whole certificate: problem, arms, parameters and learned state.
///
/// Example: [`Certificate`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateSnapshot {
    /// Always [`CERTIFICATE_FORMAT`].
    pub format: String,
    /// The problem.
    pub problem: ProblemConfig,
    /// The contexts of the arms, one after the other.
    pub contexts: Vec<f64>,
    /// The parameters.
    pub config: CertificateConfig,
    /// The learned state.
    pub state: CertificateState,
}

impl Certificate {
    /// The whole certificate as a snapshot.
    pub fn snapshot(&self) -> CertificateSnapshot {
        CertificateSnapshot {
            format: CERTIFICATE_FORMAT.into(),
            problem: self.problem.config().clone(),
            contexts: self.arms.iter().flat_map(|arm| arm.context().iter().copied()).collect(),
            config: self.config.clone(),
            state: self.state(),
        }
    }

    /// The snapshot as JSON; numbers are written so that they read back exactly.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.snapshot()).expect("a snapshot holds finite numbers and string keys")
    }

    /// Reads a certificate from JSON.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`], [`Error::SnapshotDamaged`], or an error about the problem, the arms or the
    /// parameters.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let snapshot: CertificateSnapshot = serde_json::from_str(text).map_err(|error| damaged(&error))?;
        snapshot.restore()
    }

    pub(crate) fn state(&self) -> CertificateState {
        let mut state = CertificateState {
            stats: self.evidence.stats.clone(),
            sequences: Vec::new(),
            thetas: Vec::new(),
            verdicts: self.verdicts.clone(),
            next_look: self.next_look,
        };
        self.evidence.state_into(&mut state);
        state
    }

    /// Restores a saved state. On an error nothing changes.
    pub(crate) fn resume(&mut self, state: &CertificateState) -> Result<(), Error> {
        let n_arms = self.arms.n_arms();
        let known = |verdict: &Verdict| verdict.rival < n_arms;
        if state.verdicts.len() != n_arms || !state.verdicts.iter().all(known) {
            return Err(damaged(&"the verdicts are on other arms"));
        }
        self.evidence.resume(state)?;
        self.verdicts.clone_from(&state.verdicts);
        self.next_look = state.next_look;
        Ok(())
    }
}

impl CertificateSnapshot {
    /// Restores the certificate.
    ///
    /// # Errors
    ///
    /// As [`Certificate::from_json`].
    pub fn restore(self) -> Result<Certificate, Error> {
        if self.format != CERTIFICATE_FORMAT {
            return Err(Error::SnapshotFormat { expected: CERTIFICATE_FORMAT.into(), got: self.format });
        }
        // Check sizes before memory is allocated: a damaged d or K could require more memory than there is.
        let arms = ArmSet::new(self.problem.dim, self.contexts, Norms::Strict)?;
        if self.problem.n_arms != Some(arms.n_arms()) || self.state.verdicts.len() != arms.n_arms() {
            return Err(damaged(&"the arms are of another number"));
        }
        let mut certificate = Certificate::new(Problem::from_config(self.problem)?, &arms, self.config)?;
        certificate.resume(&self.state)?;
        Ok(certificate)
    }
}
