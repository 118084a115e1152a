//! The lock around a policy: many threads may read at once, or one may change.

use crate::engine::Engine;
use crate::fork::{Fate, Tested};
use moglb::Error;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// An engine that many may read at once, or one may change.
#[derive(Default)]
pub(crate) struct SharedEngine {
    /// None until the constructor of its class has made one: Python makes objects first, and then what is in
    /// them.
    engine: RwLock<Option<Engine>>,
    /// The thread that learns, so that it is refused where it would wait for itself.
    writer: AtomicU64,
    /// Whether the lock survived the latest fork.
    tested: Tested,
    /// A copy, in a process that was forked while a thread read the engine: in the child nobody ends that
    /// reading.
    copy: OnceLock<Box<SharedEngine>>,
}

impl SharedEngine {
    /// The engine, to be read. Refused to what is called while the very same thread learns: a link written in
    /// Python, say.
    pub(crate) fn read(&self) -> Result<Reading<'_>, Error> {
        self.check_not_mine()?;
        let engine = self.usable()?.engine.read().unwrap_or_else(PoisonError::into_inner);
        check_made(&engine)?;
        Ok(Reading { engine })
    }

    /// The engine, to be changed.
    pub(crate) fn write(&self) -> Result<Writing<'_>, Error> {
        self.check_not_mine()?;
        let shared = self.usable()?;
        let engine = shared.engine.write().unwrap_or_else(PoisonError::into_inner);
        check_made(&engine)?;
        // Of the one that was asked, so that its thread is recognized there.
        self.writer.store(this_thread(), Ordering::Relaxed);
        Ok(Writing { engine, writer: &self.writer })
    }

    /// Another engine in the place of the one there is, if there is any.
    pub(crate) fn replace(&self, engine: Engine) -> Result<(), Error> {
        self.check_not_mine()?;
        *self.usable()?.engine.write().unwrap_or_else(PoisonError::into_inner) = Some(engine);
        Ok(())
    }

    fn check_not_mine(&self) -> Result<(), Error> {
        if self.writer.load(Ordering::Relaxed) == this_thread() {
            let what = "the policy is in the middle of learning: what it calls cannot use it";
            return Err(Error::Parameters { what });
        }
        Ok(())
    }

    /// Itself, or the copy in its place.
    #[inline]
    fn usable(&self) -> Result<&SharedEngine, Error> {
        match self.tested.fate(|| self.tested_lock()) {
            Fate::Usable => Ok(self),
            Fate::Replaced => self.copy.get().ok_or(Error::Forked)?.usable(),
            Fate::Lost => Err(Error::Forked),
        }
    }

    /// Finds out whether a thread that is not there holds the lock. If that thread only read, a copy takes
    /// its place; if it learned, the engine is half changed.
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

fn check_made(engine: &Option<Engine>) -> Result<(), Error> {
    let what = "the policy has not been made: the __init__ of a subclass calls super().__init__";
    if engine.is_some() { Ok(()) } else { Err(Error::Parameters { what }) }
}

/// The engine while nobody changes it.
pub(crate) struct Reading<'a> {
    engine: RwLockReadGuard<'a, Option<Engine>>,
}

impl Deref for Reading<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.engine.as_ref().expect("checked when it was opened")
    }
}

/// The engine in the hands of one thread.
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

/// A number for this thread, from 1.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static MINE: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    MINE.with(|mine| *mine)
}
