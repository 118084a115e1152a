//! Work on arrays that other threads may write to while it goes on.
//!
//! Numbers are checked and then used, so a write in between can make any rule about them untrue: indices run
//! over, and scores are no numbers. Such work may panic, quietly, and what it decides counts only if it is
//! finite.

use crate::engine::Engine;
use crate::errors::shown;
use crate::generator;
use moglb::{ArmSet, Decision, Error, Norms};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Arms, and whether others can write to their contexts.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'a> {
    pub(crate) set: &'a ArmSet<'a>,
    pub(crate) is_lent: bool,
}

/// The number of pieces of work on lent arrays that go on now. Panics are not printed meanwhile: they may be
/// on any thread.
static QUIET: AtomicUsize = AtomicUsize::new(0);

/// Has this module print no panic that [`unchanged`] will catch.
pub(crate) fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            if QUIET.load(Ordering::Relaxed) == 0 {
                usual(info);
            }
        }));
    });
}

/// Has panics printed again in a child of a fork: work on other threads of its parent does not end there.
pub(crate) fn forget_others() {
    QUIET.store(0, Ordering::Relaxed);
}

/// Counts itself among the quiet pieces of work until it is dropped.
struct Quiet;

impl Quiet {
    fn new() -> Self {
        QUIET.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // After a fork there may be nothing left to count down.
        QUIET.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1)).ok();
    }
}

/// Does a piece of work that reads arrays. Nothing in it panics, unless another thread writes to an array
/// that was lent: that is an error then, and nothing is printed.
pub(crate) fn unchanged<R, E: From<Error>>(
    is_lent: bool,
    work: impl FnOnce() -> Result<R, E>,
) -> Result<R, E> {
    let quiet = is_lent.then(Quiet::new);
    let done = catch_unwind(AssertUnwindSafe(work));
    drop(quiet);
    done.unwrap_or_else(|panic| {
        let reason = said(&*panic);
        let reason = if is_lent { reason } else { format!("no array was lent, so this is a bug: {reason}") };
        Err(E::from(if is_lent { Error::ArrayChanged { reason } } else { Error::Foreign { reason } }))
    })
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    shown(text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message"))
}

impl Offered<'_> {
    /// Refuses a decision that holds NaN or infinities because the contexts changed while it was made.
    pub(crate) fn check(self, engine: &Engine, decision: &Decision) -> Result<(), Error> {
        if !self.is_lent || tables(decision).into_iter().all(is_finite) {
            return Ok(());
        }
        // Some policies give infinite widths to what they have never seen: then a copy of the arms gives the
        // same ones.
        let changed =
            || Error::ArrayChanged { reason: "the decision holds numbers that are not finite".into() };
        let mut contexts = Vec::new();
        contexts.try_reserve_exact(self.set.n_arms() * self.set.dim()).map_err(|_| changed())?;
        self.set.iter().for_each(|arm| contexts.extend_from_slice(arm.context()));
        let copy = ArmSet::new(self.set.dim(), contexts, Norms::Strict).map_err(|_| changed())?;
        let mut again = Decision { tables: decision.tables, ..Decision::default() };
        engine.policy().decide_into(&copy, &mut generator::seeded(0), &mut again)?;
        let alike =
            tables(decision).into_iter().zip(tables(&again)).all(|(one, other)| are_alike(one, other));
        if alike { Ok(()) } else { Err(changed()) }
    }
}

/// All numbers that a decision shows.
fn tables(decision: &Decision) -> [&[f64]; 3] {
    if decision.tables {
        [&decision.probabilities, decision.estimates.as_slice(), decision.widths.as_slice()]
    } else {
        [&decision.probabilities, &[], &[]]
    }
}

/// Whether no number is NaN or infinite.
// The exponent of those is all ones, and one more carries into the sign: three operations for each number,
// without a branch.
pub(crate) fn is_finite(numbers: &[f64]) -> bool {
    const EXPONENT: u64 = 0x7ff0 << 48;
    let carried = |x: &f64| (x.to_bits() & EXPONENT).wrapping_add(1 << 52);
    numbers.iter().fold(0, |any, x| any | carried(x)) >> 63 == 0
}

/// Whether the same numbers of two tables are not finite.
fn are_alike(one: &[f64], other: &[f64]) -> bool {
    let alike = |(x, y): (&f64, &f64)| x.is_finite() == y.is_finite() && x.is_nan() == y.is_nan();
    one.len() == other.len() && one.iter().zip(other).all(alike)
}
