//! A pool of decision buffers. A policy reuses the memory of earlier decisions for the next ones.

use moglb::{Front, Matrix};
use std::mem::take;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The largest number of arms of a decision whose numbers return to the pool. Larger ones are freed.
const KEPT_ARMS: usize = 1 << 12;

/// An idle decision buffer. It is boxed because it is large and moved twice in every call.
type Idle = Box<moglb::Decision>;

/// A policy's idle decision buffers.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Idle>>);

/// A decision buffer that returns to its pool when it is dropped.
pub(crate) struct Pooled<'a> {
    pool: &'a Arc<Pool>,
    /// The buffer; none only during the drop.
    decision: Option<Idle>,
}

impl<'a> Pooled<'a> {
    /// A buffer from the pool, or a new one. Estimates and widths are filled only with `tables`.
    pub(crate) fn new(pool: &'a Arc<Pool>, tables: bool) -> Self {
        let mut decision = pool.locked().pop().unwrap_or_default();
        decision.tables = tables;
        Self { pool, decision: Some(decision) }
    }

    /// The pool to which the buffer returns.
    pub(crate) fn pool(&self) -> &'a Arc<Pool> {
        self.pool
    }
}

impl Deref for Pooled<'_> {
    type Target = moglb::Decision;

    fn deref(&self) -> &moglb::Decision {
        self.decision.as_ref().expect("only drop takes the buffer")
    }
}

impl DerefMut for Pooled<'_> {
    fn deref_mut(&mut self) -> &mut moglb::Decision {
        self.decision.as_mut().expect("only drop takes the buffer")
    }
}

impl Drop for Pooled<'_> {
    fn drop(&mut self) {
        self.pool.locked().extend(self.decision.take());
    }
}

/// The numbers of a decision that callers can read.
#[derive(Default)]
pub(crate) struct DecisionNumbers {
    pub(crate) front: Front,
    pub(crate) probabilities: Vec<f64>,
    pub(crate) estimates: Matrix,
    pub(crate) widths: Matrix,
}

impl DecisionNumbers {
    /// Takes the numbers out of a decision buffer. If the buffer has far more memory than they need, they are
    /// copied: otherwise a caller that keeps the decision would keep all of that memory.
    pub(crate) fn of(decision: &mut moglb::Decision) -> Self {
        let n_arms = decision.probabilities.len();
        // The probabilities decide for the tables too: both are taken and returned together.
        let is_large = decision.probabilities.capacity() > 4 * n_arms + 64;
        let (front, probabilities) = (&mut decision.front, &mut decision.probabilities);
        let mut numbers = Self {
            front: if is_large { front.clone() } else { take(front) },
            probabilities: if is_large { probabilities.clone() } else { take(probabilities) },
            ..Self::default()
        };
        if decision.tables {
            let (estimates, widths) = (&mut decision.estimates, &mut decision.widths);
            numbers.estimates = if is_large { estimates.clone() } else { take(estimates) };
            numbers.widths = if is_large { widths.clone() } else { take(widths) };
        }
        numbers
    }
}

impl Pool {
    /// Takes back the memory of numbers that never became arrays, if it is larger than that of the last
    /// buffer.
    pub(crate) fn give_back_numbers(&self, numbers: &mut DecisionNumbers, n_arms: usize) {
        if n_arms > KEPT_ARMS {
            return;
        }
        let mut pool = self.locked();
        let Some(decision) = pool.last_mut() else { return };
        if numbers.probabilities.capacity() <= decision.probabilities.capacity() {
            return;
        }
        std::mem::swap(&mut decision.front, &mut numbers.front);
        std::mem::swap(&mut decision.probabilities, &mut numbers.probabilities);
        if !numbers.estimates.as_slice().is_empty() {
            std::mem::swap(&mut decision.estimates, &mut numbers.estimates);
            std::mem::swap(&mut decision.widths, &mut numbers.widths);
        }
    }

    /// The idle buffers, locked for this thread.
    fn locked(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
