//! Work on borrowed ("lent") arrays, to which other threads may write during the work.
//!
//! Numbers are checked and then used, so a write in between can break every property that was checked:
//! indices may run over, and scores may be NaN. So such work may panic, without a message on the terminal,
//! and its result counts only if it is finite.

use crate::engine::Engine;
use crate::errors::shown;
use crate::generator;
use moglb::{ArmSet, Decision, Error, Norms};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The arms of a call.
#[derive(Clone, Copy)]
pub(crate) struct Offered<'a> {
    pub(crate) set: &'a ArmSet<'a>,
    /// True if other threads can write to the contexts.
    pub(crate) is_lent: bool,
}

/// The number of calls that work on lent arrays now. No panic is printed while it is above zero, because the
/// work may panic on any thread.
static QUIET: AtomicUsize = AtomicUsize::new(0);

/// Installs a panic hook that does not print the panics that [`unchanged`] catches.
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

/// Has panics printed again in the child of a fork. The work of the parent's other threads never ends in the
/// child, so it would never be counted down there.
pub(crate) fn forget_others() {
    QUIET.store(0, Ordering::Relaxed);
}

/// A guard that counts one call in [`QUIET`] until it is dropped.
struct Quiet;

impl Quiet {
    /// Counts a call.
    fn new() -> Self {
        QUIET.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // After a fork the count may be zero already.
        QUIET.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1)).ok();
    }
}

/// Runs `work` that reads arrays. It panics only if another thread writes to a lent array. The panic is
/// caught, is not printed, and becomes [`Error::ArrayChanged`]. Without a lent array a panic is a bug, and
/// becomes [`Error::Foreign`].
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

/// The message of a panic, shortened for an error.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    shown(text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message"))
}

impl Offered<'_> {
    /// Refuses a decision that contains NaN or infinities because the contexts changed during the decision.
    ///
    /// # Errors
    ///
    /// [`Error::ArrayChanged`].
    pub(crate) fn check(self, engine: &Engine, decision: &Decision) -> Result<(), Error> {
        if !self.is_lent || tables(decision).into_iter().all(is_finite) {
            return Ok(());
        }
        // Some policies give infinite widths to arms without data. Then a decision on a copy of the arms has
        // the same infinities.
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

/// The numbers of a decision that the caller can read.
fn tables(decision: &Decision) -> [&[f64]; 3] {
    if decision.tables {
        [&decision.probabilities, decision.estimates.as_slice(), decision.widths.as_slice()]
    } else {
        [&decision.probabilities, &[], &[]]
    }
}

/// True if no number is NaN or infinite.
///
/// The exponent of NaN and of infinities is all ones. Adding one to the exponent then carries into the sign
/// bit. So the test takes three operations per number, without a branch.
pub(crate) fn is_finite(numbers: &[f64]) -> bool {
    const EXPONENT: u64 = 0x7ff0 << 48;
    let carried = |x: &f64| (x.to_bits() & EXPONENT).wrapping_add(1 << 52);
    numbers.iter().fold(0, |any, x| any | carried(x)) >> 63 == 0
}

/// True if two tables have NaN and infinities at the same places.
fn are_alike(one: &[f64], other: &[f64]) -> bool {
    let alike = |(x, y): (&f64, &f64)| x.is_finite() == y.is_finite() && x.is_nan() == y.is_nan();
    one.len() == other.len() && one.iter().zip(other).all(alike)
}
