//! The lock around a policy: many threads may read it at once, or one thread may change it.

use crate::engine::Engine;
use crate::fork::{Fate, Tested};
use moglb::Error;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// An engine that many threads may read at once, or one thread may change.
#[derive(Default)]
pub(crate) struct SharedEngine {
    /// The engine; none until `__init__` has made it. Python creates an object before it initializes it.
    engine: RwLock<Option<Engine>>,
    /// The number of the thread that changes the engine; 0 if there is none. That thread is refused a second
    /// lock, because it would wait for itself.
    writer: AtomicU64,
    /// The state of the lock after the latest fork.
    tested: Tested,
    /// The copy that replaces the engine in a process that was forked while another thread read the engine.
    /// In the child that read lock is never released.
    copy: OnceLock<Box<SharedEngine>>,
}

impl SharedEngine {
    /// Locks the engine for reading.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] if this thread is changing the engine, as when a link written in Python uses the
    /// policy while it learns, or if the engine is not made. [`Error::Forked`] if the lock was lost in a
    /// fork.
    pub(crate) fn read(&self) -> Result<Reading<'_>, Error> {
        self.check_not_mine()?;
        let engine = self.usable()?.engine.read().unwrap_or_else(PoisonError::into_inner);
        check_made(&engine)?;
        Ok(Reading { engine })
    }

    /// Locks the engine for writing.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn write(&self) -> Result<Writing<'_>, Error> {
        self.check_not_mine()?;
        let shared = self.usable()?;
        let engine = shared.engine.write().unwrap_or_else(PoisonError::into_inner);
        check_made(&engine)?;
        // Stored in `self`, not in a copy after a fork: `check_not_mine` looks it up there.
        self.writer.store(this_thread(), Ordering::Relaxed);
        Ok(Writing { engine, writer: &self.writer })
    }

    /// Puts an engine in place of the current one, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] if this thread is changing the engine, [`Error::Forked`] if the lock was lost in
    /// a fork.
    pub(crate) fn replace(&self, engine: Engine) -> Result<(), Error> {
        self.check_not_mine()?;
        *self.usable()?.engine.write().unwrap_or_else(PoisonError::into_inner) = Some(engine);
        Ok(())
    }

    /// Refuses a thread that already has the engine locked for writing: it would wait for itself.
    fn check_not_mine(&self) -> Result<(), Error> {
        if self.writer.load(Ordering::Relaxed) == this_thread() {
            let what = "the policy is in the middle of learning: functions that it calls cannot use it";
            return Err(Error::Parameters { what });
        }
        Ok(())
    }

    /// The engine to use in this process: itself, or the copy after a fork.
    #[inline]
    fn usable(&self) -> Result<&SharedEngine, Error> {
        match self.tested.fate(|| self.tested_lock()) {
            Fate::Usable => Ok(self),
            Fate::Replaced => self.copy.get().ok_or(Error::Forked)?.usable(),
            Fate::Lost => Err(Error::Forked),
        }
    }

    /// Tests after a fork if a thread of the parent holds the lock. If that thread was reading, a copy
    /// replaces the engine. If it was writing, the engine may be half changed, so the lock is lost.
    fn tested_lock(&self) -> Fate {
        if !matches!(self.engine.try_write(), Err(TryLockError::WouldBlock)) {
            return Fate::Usable;
        }
        let engine = match self.engine.try_read() {
            Ok(engine) => engine,
            Err(TryLockError::Poisoned(engine)) => engine.into_inner(),
            Err(TryLockError::WouldBlock) => return Fate::Lost,
        };
        let Ok(copy) = engine.as_ref().map(Engine::copied).transpose() else { return Fate::Lost };
        let shared = SharedEngine { engine: RwLock::new(copy), ..SharedEngine::default() };
        if self.copy.set(Box::new(shared)).is_ok() { Fate::Replaced } else { Fate::Lost }
    }
}

/// Refuses a policy without an engine, whose `__init__` has not run.
fn check_made(engine: &Option<Engine>) -> Result<(), Error> {
    let what = "the policy is not initialized: the __init__ of a subclass must call super().__init__";
    if engine.is_some() { Ok(()) } else { Err(Error::Parameters { what }) }
}

/// The engine, locked for reading.
pub(crate) struct Reading<'a> {
    engine: RwLockReadGuard<'a, Option<Engine>>,
}

impl Deref for Reading<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.engine.as_ref().expect("checked when it was opened")
    }
}

/// The engine, locked for writing by one thread. Dropping it clears the number of the thread.
pub(crate) struct Writing<'a> {
    engine: RwLockWriteGuard<'a, Option<Engine>>,
    writer: &'a AtomicU64,
}

impl Deref for Writing<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.engine.as_ref().expect("checked when it was opened")
    }
}

impl DerefMut for Writing<'_> {
    fn deref_mut(&mut self) -> &mut Engine {
        self.engine.as_mut().expect("checked when it was opened")
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.writer.store(0, Ordering::Relaxed);
    }
}

/// The number of this thread, from 1. No other thread of the process has the same number.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static MINE: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    MINE.with(|mine| *mine)
}
