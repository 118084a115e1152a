//! Locks after a fork. The child has only the thread that forked: a lock that another thread held at that
//! moment would never be released there. Such a lock is recognized when it is first used in the child, and
//! refused with a typed error where it cannot be replaced.

use moglb::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The number of forks between the process that loaded this module and this one.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Counts a fork. Called in the child, before it has a second thread.
pub(crate) fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The state of a lock in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It works as usual.
    Usable = 0,
    /// It was held when the process was forked, and something else has taken its place.
    Replaced = 1,
    /// It was held when the process was forked: nobody will release it.
    Lost = 2,
}

impl Fate {
    fn of(known: u64) -> Option<Self> {
        [Self::Usable, Self::Replaced, Self::Lost].into_iter().find(|&fate| fate as u64 == known & 3)
    }
}

/// A thread is finding out the [`Fate`].
const IN_TEST: u64 = 3;

/// The [`Fate`] of a lock, tested at its first use after each fork.
// The number of forks, four times, plus the fate: one load and one comparison as long as nothing was forked.
pub(crate) struct Tested(AtomicU64);

impl Default for Tested {
    fn default() -> Self {
        Self(AtomicU64::new(FORKS.load(Ordering::Relaxed) << 2))
    }
}

impl Tested {
    /// The fate of a lock; `test` finds it out, and does not wait.
    #[inline]
    pub(crate) fn fate(&self, test: impl FnOnce() -> Fate) -> Fate {
        let usable = FORKS.load(Ordering::Relaxed) << 2;
        if self.0.load(Ordering::Acquire) == usable { Fate::Usable } else { self.find_out(usable, test) }
    }

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
            // A thread that was testing before this fork is gone: the test begins again.
            let mine = usable | IN_TEST;
            if self.0.compare_exchange(known, mine, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                let fate = fate.filter(|&fate| fate != Fate::Usable).unwrap_or_else(test);
                self.0.store(usable | fate as u64, Ordering::Release);
                return fate;
            }
        }
    }
}

/// A value that one thread at a time uses.
pub(crate) struct Guarded<T> {
    value: Mutex<T>,
    tested: Tested,
}

impl<T> Guarded<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), tested: Tested::default() }
    }

    /// Whether the value can be had at all in this process.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        let test = || match self.value.try_lock() {
            Err(TryLockError::WouldBlock) => Fate::Lost,
            Ok(_) | Err(TryLockError::Poisoned(_)) => Fate::Usable,
        };
        if self.tested.fate(test) == Fate::Usable { Ok(()) } else { Err(Error::Forked) }
    }

    /// The value, whatever happened to the thread that had it before. To be called with the interpreter's
    /// lock released, unless whoever holds this lock never waits for that one.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`].
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, T>, Error> {
        self.check()?;
        Ok(self.lock_checked())
    }

    /// The value, after [`check`](Self::check).
    pub(crate) fn lock_checked(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send> Guarded<T> {
    /// Does a piece of work with the value while other threads of the interpreter run.
    pub(crate) fn ask<R: Send>(
        &self,
        py: pyo3::Python<'_>,
        work: impl FnOnce(&mut T) -> R + Send,
    ) -> pyo3::PyResult<R> {
        let done = py.detach(|| Ok(work(&mut *self.lock()?)));
        done.map_err(|error: Error| crate::errors::refused(py, &error))
    }
}
