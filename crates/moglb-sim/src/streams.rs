//! Random streams: one for each purpose of each trial, all derived from one seed.
//!
//! The key of a stream is written out, not hashed: seed, namespace and purpose, size, trial. So a trial
//! does not depend on which other trials, sizes or policies run next to it, nor on the order in which
//! threads take them; and two namespaces never share a stream.

use chacha20::ChaCha8Rng;
use rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

/// The purpose of trials. Streams of different namespaces are disjoint.
///
/// Example: [`play`].
///
/// [`play`]: crate::play()
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Namespace {
    /// Trials that are reported.
    Report,
    /// Trials on which parameters are chosen.
    Tune,
    /// Trials that confirm results which were developed on the others. Only
    /// [`Confirming`](crate::Confirming) plays them, so nothing can be fitted to them. Outside of this
    /// crate the variant cannot be constructed.
    ///
    /// ```compile_fail,E0603
    /// let namespace = moglb_sim::Namespace::Confirm;
    /// ```
    #[non_exhaustive]
    Confirm,
}

/// The random streams of one trial.
///
/// Example: [`play`].
///
/// [`play`]: crate::play()
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
    namespace: Namespace,
    dim: u64,
    trial: u64,
}

impl Streams {
    /// Returns the streams of a trial at a dimension.
    pub fn new(seed: u64, namespace: Namespace, dim: usize, trial: usize) -> Self {
        Self { seed, namespace, dim: dim as u64, trial: trial as u64 }
    }

    /// The stream for drawing the instance (coefficients and arms). It is the same for all policies.
    pub fn instance(self) -> ChaCha8Rng {
        self.stream(b"inst")
    }

    /// The stream for the rewards. It is the same for all policies.
    pub fn rewards(self) -> ChaCha8Rng {
        self.stream(b"rewd")
    }

    /// The stream for the policy's own draws. It is the same for all policies too, so that their
    /// differences do not come from luck.
    pub fn policy(self) -> ChaCha8Rng {
        self.stream(b"play")
    }

    /// The stream for delays and losses of rewards. It is the same for all policies.
    pub fn arrivals(self) -> ChaCha8Rng {
        self.stream(b"late")
    }

    /// The stream of a purpose, with a key of 32 bytes.
    fn stream(self, purpose: &[u8; 4]) -> ChaCha8Rng {
        let namespace = match self.namespace {
            Namespace::Report => b"eval",
            Namespace::Tune => b"tune",
            // `conf` is used up: it confirmed the first version of MOGLB-EB, and its results were known
            // when the second was made.
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
