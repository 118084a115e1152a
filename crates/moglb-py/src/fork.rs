//! Locks after a fork. The child has only the thread that forked, so a lock that another thread held at that
//! moment would never be released there. Such a lock is recognized at its first use in the child. If it
//! cannot be replaced, its use is refused with a typed error, so that the child does not hang.

use moglb::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The number of forks between the process that loaded this module and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Counts a fork. Python calls it in the child, before the child has a second thread.
pub(crate) fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The state of a lock in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The lock works as usual.
    Usable = 0,
    /// The lock was held when the process was forked, and another lock has replaced it.
    Replaced = 1,
    /// The lock was held when the process was forked, so it is never released.
    Lost = 2,
}

impl Fate {
    /// The fate in the two lowest bits of a stored number; none while a thread tests the lock.
    fn of(known: u64) -> Option<Self> {
        [Self::Usable, Self::Replaced, Self::Lost].into_iter().find(|&fate| fate as u64 == known & 3)
    }
}

/// The value of the two lowest bits while a thread tests the lock; no [`Fate`] has it.
const IN_TEST: u64 = 3;

/// The [`Fate`] of a lock, tested at its first use after each fork.
///
/// It is stored as four times the number of forks, plus the fate. So a use without a fork in between costs
/// one load and one comparison.
pub(crate) struct Tested(AtomicU64);

impl Default for Tested {
    fn default() -> Self {
        Self(AtomicU64::new(FORKS.load(Ordering::Relaxed) << 2))
    }
}

impl Tested {
    /// Returns the fate of a lock. After a fork `test` determines it; `test` must not wait for the lock.
    #[inline]
    pub(crate) fn fate(&self, test: impl FnOnce() -> Fate) -> Fate {
        let usable = FORKS.load(Ordering::Relaxed) << 2;
        if self.0.load(Ordering::Acquire) == usable { Fate::Usable } else { self.find_out(usable, test) }
    }

    /// Determines the fate after a fork. One thread runs `test`, other threads wait for its result.
    #[cold]
    fn find_out(&self, usable: u64, test: impl FnOnce() -> Fate) -> Fate {
        loop {
            let known = self.0.load(Ordering::Acquire);
            let fate = Fate::of(known);
            if known & !3 == usable {
                if let Some(fate) = fate {
                    return fate;
                }
                std::thread::yield_now();
                continue;
            }
            // A thread that was testing before this fork does not exist here, so the test begins again.
            let mine = usable | IN_TEST;
            if self.0.compare_exchange(known, mine, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                let fate = fate.filter(|&fate| fate != Fate::Usable).unwrap_or_else(test);
                self.0.store(usable | fate as u64, Ordering::Release);
                return fate;
            }
        }
    }
}

/// A value behind a lock that reports an error, instead of hanging, if the lock was lost in a fork.
pub(crate) struct Guarded<T> {
    value: Mutex<T>,
    tested: Tested,
}

impl<T> Guarded<T> {
    /// An unlocked value.
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), tested: Tested::default() }
    }

    /// Checks that the value can be used in this process.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`] if another thread held the lock when the process was forked.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let test = || match self.value.try_lock() {
            Err(TryLockError::WouldBlock) => Fate::Lost,
            Ok(_) | Err(TryLockError::Poisoned(_)) => Fate::Usable,
        };
        if self.tested.fate(test) == Fate::Usable { Ok(()) } else { Err(Error::Forked) }
    }

    /// Locks the value, even if a thread panicked while it held the lock. Call it with the GIL released,
    /// unless no thread that holds this lock ever waits for the GIL.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`] if another thread held the lock when the process was forked.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, T>, Error> {
        self.check()?;
        Ok(self.lock_checked())
    }

    /// Locks the value. The caller has called [`check`](Self::check) before.
    pub(crate) fn lock_checked(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send> Guarded<T> {
    /// Runs `work` with the value locked and the GIL released.
    pub(crate) fn ask<R: Send>(
        &self,
        py: pyo3::Python<'_>,
        work: impl FnOnce(&mut T) -> R + Send,
    ) -> pyo3::PyResult<R> {
        let done = py.detach(|| Ok(work(&mut *self.lock()?)));
        done.map_err(|error: Error| crate::errors::refused(py, &error))
    }
}
