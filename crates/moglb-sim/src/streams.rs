//! Random streams: one for each purpose of each trial, derived from one seed.
//!
//! The key of a stream is written out, not hashed: seed, namespace and purpose, size, trial. So a trial does not
//! depend on which other trials, sizes or policies are run beside it, nor on the order in which threads take them;
//! and two namespaces never share a stream.

use chacha20::ChaCha8Rng;
use rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

/// What the trials are for. Streams of different namespaces are disjoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Namespace {
    /// Trials that are reported.
    Report,
    /// Trials on which parameters are chosen.
    Tune,
    /// Trials that confirm what was developed on the others. Only [`Confirming`](crate::Confirming) plays them, so that
    /// nothing is ever fitted to them: outside of this crate the name cannot even be written.
    ///
    /// ```compile_fail,E0603
    /// let namespace = moglb_sim::Namespace::Confirm;
    /// ```
    #[non_exhaustive]
    Confirm,
}

/// The streams of one trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
    namespace: Namespace,
    dim: u64,
    trial: u64,
}

impl Streams {
    /// The streams of a trial at a dimension.
    pub fn new(seed: u64, namespace: Namespace, dim: usize, trial: usize) -> Self {
        Self { seed, namespace, dim: dim as u64, trial: trial as u64 }
    }

    /// For drawing the instance: coefficients and arms. The same for all policies.
    pub fn instance(self) -> ChaCha8Rng {
        self.stream(b"inst")
    }

    /// For the rewards. The same for all policies.
    pub fn rewards(self) -> ChaCha8Rng {
        self.stream(b"rewd")
    }

    /// For the policy's own draws. The same for all policies too: their differences are then not those of luck.
    pub fn policy(self) -> ChaCha8Rng {
        self.stream(b"play")
    }

    /// For delays and losses of rewards. The same for all policies.
    pub fn arrivals(self) -> ChaCha8Rng {
        self.stream(b"late")
    }

    fn stream(self, purpose: &[u8; 4]) -> ChaCha8Rng {
        let namespace = match self.namespace {
            Namespace::Report => b"eval",
            Namespace::Tune => b"tune",
            // `conf` is used up: it confirmed the first version of MOGLB-EB, and its results were known to the second.
            Namespace::Confirm => b"cnf2",
        };
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..12].copy_from_slice(namespace);
        key[12..16].copy_from_slice(purpose);
        key[16..24].copy_from_slice(&self.dim.to_le_bytes());
        key[24..].copy_from_slice(&self.trial.to_le_bytes());
        ChaCha8Rng::from_seed(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_streams_are_the_same() {
        let mut first = BTreeSet::new();
        let mut count = 0;
        for seed in [0, 1] {
            for namespace in [Namespace::Report, Namespace::Tune, Namespace::Confirm] {
                for (dim, trial) in [(5, 0), (5, 1), (10, 0)] {
                    let streams = Streams::new(seed, namespace, dim, trial);
                    for mut stream in
                        [streams.instance(), streams.rewards(), streams.policy(), streams.arrivals()]
                    {
                        first.insert(stream.next_u64());
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(first.len(), count);
    }
}
