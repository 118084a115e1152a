//! Memory of decisions that have been made, for the next ones.

use moglb::{Front, Matrix};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a decision on more arms shows is not kept once nobody holds it.
const KEPT_ARMS: usize = 1 << 12;

/// Decisions of a policy that nobody is making at the moment.
// Boxed: they are large, and moved twice in every call.
#[derive(Default)]
pub(crate) struct Spare(Mutex<Vec<Box<moglb::Decision>>>);

/// What a decision shows.
#[derive(Default)]
pub(crate) struct Numbers {
    pub(crate) front: Front,
    pub(crate) probabilities: Vec<f64>,
    pub(crate) estimates: Matrix,
    pub(crate) widths: Matrix,
}

impl Numbers {
    /// What a decision shows, taken out of it; the memory that it was made with stays.
    pub(crate) fn of(decision: &mut moglb::Decision) -> Self {
        let mut numbers = Self {
            front: std::mem::take(&mut decision.front),
            probabilities: std::mem::take(&mut decision.probabilities),
            ..Self::default()
        };
        if decision.tables {
            numbers.estimates = std::mem::take(&mut decision.estimates);
            numbers.widths = std::mem::take(&mut decision.widths);
        }
        numbers
    }
}

impl Spare {
    /// A decision to be made.
    pub(crate) fn take(&self) -> Box<moglb::Decision> {
        self.locked().pop().unwrap_or_default()
    }

    /// Takes back a decision that was made.
    pub(crate) fn give_back(&self, decision: Box<moglb::Decision>) {
        self.locked().push(decision);
    }

    /// Takes back what was shown, or was never asked for.
    pub(crate) fn give_back_numbers(&self, numbers: &mut Numbers, n_arms: usize) {
        if n_arms > KEPT_ARMS {
            return;
        }
        let mut spare = self.locked();
        let Some(decision) = spare.last_mut() else { return };
        if decision.probabilities.capacity() == 0 {
            std::mem::swap(&mut decision.front, &mut numbers.front);
            std::mem::swap(&mut decision.probabilities, &mut numbers.probabilities);
        }
        if decision.estimates.as_slice().is_empty() {
            std::mem::swap(&mut decision.estimates, &mut numbers.estimates);
            std::mem::swap(&mut decision.widths, &mut numbers.widths);
        }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Box<moglb::Decision>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
