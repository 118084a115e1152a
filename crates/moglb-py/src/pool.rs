//! Memory of decisions that have been made, for the next ones.

use moglb::{Front, Matrix};
use std::mem::take;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a decision on more arms shows is not kept once nobody holds it.
const KEPT_ARMS: usize = 1 << 12;

/// A decision that is not in use. Boxed: it is large, and moved twice in every call.
type Idle = Box<moglb::Decision>;

/// Decisions of a policy that are not in use at the moment.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Idle>>);

/// A decision that goes back to its pool when it is dropped.
pub(crate) struct Pooled<'a> {
    pool: &'a Arc<Pool>,
    /// None only while it is dropped.
    decision: Option<Idle>,
}

impl<'a> Pooled<'a> {
    /// A decision to be made, with or without tables.
    pub(crate) fn new(pool: &'a Arc<Pool>, tables: bool) -> Self {
        let mut decision = pool.locked().pop().unwrap_or_default();
        decision.tables = tables;
        Self { pool, decision: Some(decision) }
    }

    /// The pool that it goes back to.
    pub(crate) fn pool(&self) -> &'a Arc<Pool> {
        self.pool
    }
}

impl Deref for Pooled<'_> {
    type Target = moglb::Decision;

    fn deref(&self) -> &moglb::Decision {
        self.decision.as_ref().expect("it is there until it is dropped")
    }
}

impl DerefMut for Pooled<'_> {
    fn deref_mut(&mut self) -> &mut moglb::Decision {
        self.decision.as_mut().expect("it is there until it is dropped")
    }
}

impl Drop for Pooled<'_> {
    fn drop(&mut self) {
        self.pool.locked().extend(self.decision.take());
    }
}

/// What a decision shows.
#[derive(Default)]
pub(crate) struct DecisionNumbers {
    pub(crate) front: Front,
    pub(crate) probabilities: Vec<f64>,
    pub(crate) estimates: Matrix,
    pub(crate) widths: Matrix,
}

impl DecisionNumbers {
    /// What a decision shows. It is taken out of it, unless its memory is far larger: who keeps the numbers
    /// would keep all of that.
    pub(crate) fn of(decision: &mut moglb::Decision) -> Self {
        let n_arms = decision.probabilities.len();
        // Tables are never larger for their kind: they come and go together.
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
    /// Takes back what never became an array, if it is of more use than what is there.
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

    fn locked(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
