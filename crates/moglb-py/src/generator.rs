//! The random number generator of a policy, shared by all threads that decide with the policy.

use crate::fork::Guarded;
use chacha20::ChaCha8Rng;
use moglb::{Error, draw};
use rand_core::{Infallible, SeedableRng, TryRng};
use std::sync::MutexGuard;

/// A generator that threads share.
pub(crate) type SharedGenerator = Guarded<ChaCha8Rng>;

/// A shared generator that is locked from the first number that a decision draws to the end of the decision.
/// Scoring comes before that number, so threads can score at the same time. A single thread draws the
/// same numbers as without a lock.
pub(crate) struct LockedGenerator<'a> {
    shared: &'a SharedGenerator,
    /// The lock; none before the first number.
    mine: Option<MutexGuard<'a, ChaCha8Rng>>,
}

impl<'a> LockedGenerator<'a> {
    /// A generator that is not locked yet.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`] if another thread held the lock when the process was forked.
    pub(crate) fn new(shared: &'a SharedGenerator) -> Result<Self, Error> {
        shared.check()?;
        Ok(Self { shared, mine: None })
    }

    /// The generator; locks it on the first call.
    fn rng(&mut self) -> &mut ChaCha8Rng {
        self.mine.get_or_insert_with(|| self.shared.lock_checked())
    }
}

impl TryRng for LockedGenerator<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.rng().try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.rng().try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rng().try_fill_bytes(bytes)
    }
}

/// The state of a generator as text: its key, its stream and its position.
pub(crate) fn to_text(rng: &ChaCha8Rng) -> String {
    let key: String = rng.get_seed().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("chacha8:{key}:{}:{}", rng.get_stream(), rng.get_word_pos())
}

/// Restores a generator from the text of [`to_text`]; none if the text has another form.
pub(crate) fn from_text(text: &str) -> Option<ChaCha8Rng> {
    let mut parts = text.split(':');
    let (kind, hex, stream, position) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    if kind != "chacha8" || hex.len() != 64 || !hex.is_ascii() || parts.next().is_some() {
        return None;
    }
    let mut key = [0; 32];
    for (k, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).ok()?;
    }
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(stream.parse().ok()?);
    rng.set_word_pos(position.parse().ok()?);
    Some(rng)
}

/// The generator for a seed, the same as `moglb::draw::seeded`.
pub(crate) fn seeded(seed: u64) -> ChaCha8Rng {
    draw::seeded(seed)
}
