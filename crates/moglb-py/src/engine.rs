//! A policy of the core as Python holds it: with its fixed arms, and in the hands of one thread while it learns.

use crate::fork::{Fate, Tested};
use moglb::{
    EkfUcb, Error, Gram, Kappa, LearnsBy, Matrix, MoglbEb, MoglbUcb, PolicyConfig, PolicySnapshot, Problem,
    ProblemConfig, Restorable, Target, Width,
};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// An engine that many may read at once, or one may change.
#[derive(Default)]
pub(crate) struct SharedEngine {
    /// None until the constructor of its class has made one: Python makes objects first, and then what is in them.
    engine: RwLock<Option<Engine>>,
    /// The thread that learns, so that it is refused where it would wait for itself.
    writer: AtomicU64,
    /// Whether the lock survived the latest fork.
    tested: Tested,
    /// A copy, in a process that was forked while a thread read the engine: in the child nobody ends that reading.
    copy: OnceLock<Box<SharedEngine>>,
}

impl SharedEngine {
    /// The engine, to be read. Refused to what is called while the very same thread learns: a link written in Python, say.
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

    /// Finds out whether a thread that is not there holds the lock. If that thread only read, a copy takes its place; if it
    /// learned, the engine is half changed.
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

/// A policy of the core, and what Python adds to it.
pub(crate) struct Engine {
    pub(crate) kind: Kind,
    pub(crate) fixed: Option<Arc<moglb::ArmSet<'static>>>,
    /// What it pursues, if that is not every objective.
    pub(crate) target: Option<Target>,
}

pub(crate) enum Kind {
    MoglbEb(Box<MoglbEb>),
    MoglbUcb(Box<MoglbUcb>),
    EkfUcb(Box<EkfUcb>),
    Other(Box<dyn Restorable>),
}

/// What optimistic policies show of their confidence sets.
pub(crate) trait ConfidenceSets {
    /// Z: one for all objectives, or one for each.
    fn grams(&self) -> Vec<&Gram>;
    /// γ: one for all objectives, or one for each.
    fn gammas(&self) -> Vec<f64>;
}

/// Whether all objectives have one Z, by configuration and because all were told the same rounds.
fn shares_gram(policy: &MoglbUcb) -> bool {
    let same = |i: usize| std::ptr::eq(policy.gram(0), policy.gram(i));
    policy.config().kappa == Kappa::Shared && (0..policy.problem().n_objectives()).all(same)
}

impl ConfidenceSets for MoglbUcb {
    fn grams(&self) -> Vec<&Gram> {
        let n = if shares_gram(self) { 1 } else { self.problem().n_objectives() };
        (0..n).map(|i| self.gram(i)).collect()
    }

    fn gammas(&self) -> Vec<f64> {
        let config = self.config();
        let one = shares_gram(self) && !matches!(config.width, Width::Tightened { .. });
        (0..if one { 1 } else { self.problem().n_objectives() }).map(|i| self.gamma(i)).collect()
    }
}

impl ConfidenceSets for EkfUcb {
    fn grams(&self) -> Vec<&Gram> {
        (0..self.problem().n_objectives()).map(|i| self.gram(i)).collect()
    }

    fn gammas(&self) -> Vec<f64> {
        (0..self.problem().n_objectives()).map(|i| self.gamma(i)).collect()
    }
}

impl Kind {
    /// θ̂, one row per objective.
    pub(crate) fn theta(&self) -> Option<Matrix> {
        match self {
            Kind::MoglbEb(policy) => Some(policy.theta()),
            Kind::MoglbUcb(policy) => Some(policy.theta()),
            Kind::EkfUcb(policy) => Some(policy.theta()),
            Kind::Other(_) => None,
        }
    }

    pub(crate) fn confidence_sets(&self) -> Option<&dyn ConfidenceSets> {
        match self {
            Kind::MoglbUcb(policy) => Some(&**policy),
            Kind::EkfUcb(policy) => Some(&**policy),
            Kind::MoglbEb(_) | Kind::Other(_) => None,
        }
    }

    pub(crate) fn moglb_eb(&self) -> Option<&MoglbEb> {
        match self {
            Kind::MoglbEb(policy) => Some(policy),
            _ => None,
        }
    }
}

impl Engine {
    /// The policy before the first round.
    pub(crate) fn build(problem: ProblemConfig, config: &PolicyConfig) -> Result<Self, Error> {
        let problem = Problem::from_config(problem)?;
        let kind = match config {
            PolicyConfig::MoglbEb(config) => Kind::MoglbEb(Box::new(MoglbEb::new(problem, config.clone())?)),
            PolicyConfig::MoglbUcb(config) => {
                Kind::MoglbUcb(Box::new(MoglbUcb::new(problem, config.clone())?))
            }
            PolicyConfig::EkfUcb(config) => Kind::EkfUcb(Box::new(EkfUcb::new(problem, config.clone())?)),
            other => Kind::Other(other.build(&problem)?),
        };
        Ok(Self { kind, fixed: None, target: target(config) })
    }

    /// A policy as it was written down.
    pub(crate) fn restore(snapshot: PolicySnapshot) -> Result<Self, Error> {
        let target = target(&snapshot.policy);
        let kind = match snapshot.policy {
            PolicyConfig::MoglbEb(_) => Kind::MoglbEb(Box::new(MoglbEb::from_bytes(&snapshot.to_bytes())?)),
            PolicyConfig::MoglbUcb(_) => {
                Kind::MoglbUcb(Box::new(MoglbUcb::from_bytes(&snapshot.to_bytes())?))
            }
            PolicyConfig::EkfUcb(_) => Kind::EkfUcb(Box::new(EkfUcb::from_bytes(&snapshot.to_bytes())?)),
            _ => Kind::Other(snapshot.restore()?),
        };
        Ok(Self { kind, fixed: None, target })
    }

    /// Whether the position of a played arm has to be known.
    pub(crate) fn wants_position(&self) -> bool {
        self.policy().facts().learns_by != LearnsBy::Context
    }

    /// Whether the context of a played arm has to be known.
    pub(crate) fn wants_context(&self) -> bool {
        self.policy().facts().learns_by != LearnsBy::Arm
    }

    pub(crate) fn policy(&self) -> &dyn Restorable {
        match &self.kind {
            Kind::MoglbEb(policy) => &**policy,
            Kind::MoglbUcb(policy) => &**policy,
            Kind::EkfUcb(policy) => &**policy,
            Kind::Other(policy) => &**policy,
        }
    }

    /// The same policy once more, without fixed arms.
    pub(crate) fn twin(&self) -> Result<Self, Error> {
        Self::restore(self.policy().snapshot())
    }

    /// The same policy once more, with its fixed arms.
    fn copied(&self) -> Result<Self, Error> {
        let mut twin = self.twin()?;
        if let Some(arms) = &self.fixed {
            // It only makes deciding faster, so a copy without it decides the same.
            twin.policy_mut().fix_arms(arms).ok();
            twin.fixed = Some(Arc::clone(arms));
        }
        Ok(twin)
    }

    /// Takes over what another has learned; the fixed arms stay.
    pub(crate) fn take_over(&mut self, mut other: Self) {
        if let Some(arms) = self.fixed.take() {
            // Fixed arms only make deciding faster. A policy that has learned from other arms refuses them when it decides.
            let _ = other.policy_mut().fix_arms(&arms);
            other.fixed = Some(arms);
        }
        *self = other;
    }

    /// Whether a link from outside has a say, so that learning may fail in the middle of a batch.
    pub(crate) fn has_foreign_links(&self) -> bool {
        let objectives = self.policy().problem().objectives();
        objectives.iter().any(|objective| matches!(objective.link, moglb::Link::Custom(_)))
    }

    pub(crate) fn policy_mut(&mut self) -> &mut dyn Restorable {
        match &mut self.kind {
            Kind::MoglbEb(policy) => &mut **policy,
            Kind::MoglbUcb(policy) => &mut **policy,
            Kind::EkfUcb(policy) => &mut **policy,
            Kind::Other(policy) => &mut **policy,
        }
    }
}

/// What a policy pursues, if it is made for a single objective; that of the policy inside, if there is one.
fn target(config: &PolicyConfig) -> Option<Target> {
    let written = serde_json::to_value(config).expect("a configuration can be written");
    let inside = |config: &serde_json::Value| config.get("policy").cloned();
    let innermost = std::iter::successors(Some(written), inside).last()?;
    innermost.get("target").and_then(|target| serde_json::from_value(target.clone()).ok())
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
