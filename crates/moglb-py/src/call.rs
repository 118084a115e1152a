//! Calls of a policy. Each call reads its arguments, releases the GIL, locks the engine, does its work and
//! raises the error of the work, if there is one.

use crate::engine::Engine;
use crate::errors::{Refusal, refused};
use crate::generator::{self, LockedGenerator, SharedGenerator};
use crate::inputs::{InputArms, PlayedArm, PlayedContext};
use crate::lent::{Offered, unchanged};
use crate::locked::SharedEngine;
use crate::pool::{Pool, Pooled};
use moglb::{Arm, ArmId, Error};
use pyo3::prelude::*;
use std::sync::Arc;

/// A policy that threads share: the engine, the random number generator and a pool of decision buffers.
pub(crate) struct SharedPolicy {
    pub(crate) engine: SharedEngine,
    /// The generator that arms are drawn with.
    pub(crate) rng: SharedGenerator,
    pool: Arc<Pool>,
}

/// The engine and the arms of one call, while the GIL is released. The engine is locked for reading, so it
/// does not change during the call.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) arms: Offered<'a>,
}

impl Call<'_> {
    /// Decides into a buffer, and checks the decision if other threads can write to the arms.
    ///
    /// # Errors
    ///
    /// An error about the arms, or [`Error::ArrayChanged`] if another thread changed them during the
    /// decision.
    pub(crate) fn decide(
        self,
        rng: &mut dyn moglb::Rng,
        decision: &mut moglb::Decision,
    ) -> Result<(), Error> {
        self.engine.policy().decide_into(self.arms.set, rng, decision)?;
        self.arms.check(self.engine, decision)
    }

    /// Decides with a generator of seed 0, for its front, estimates and widths. The policy's own generator
    /// does not advance.
    pub(crate) fn score(self, decision: &mut moglb::Decision) -> Result<(), Error> {
        self.decide(&mut generator::seeded(0), decision)
    }
}

impl SharedPolicy {
    /// A policy without an engine; the constructor of its Python class makes the engine later.
    pub(crate) fn empty() -> Self {
        let rng = SharedGenerator::new(generator::seeded(0));
        Self { engine: SharedEngine::default(), rng, pool: Arc::default() }
    }

    /// The generator that arms are drawn with. It is locked when the first number is drawn.
    pub(crate) fn generator(&self) -> Result<LockedGenerator<'_>, Error> {
        LockedGenerator::new(&self.rng)
    }

    /// A decision buffer from the pool. Estimates and widths are filled only with `tables`.
    pub(crate) fn pooled(&self, tables: bool) -> Pooled<'_> {
        Pooled::new(&self.pool, tables)
    }

    /// Runs `work` with the engine locked for reading: other threads can read it at the same time. The GIL is
    /// released meanwhile, so `work` must not use Python objects.
    pub(crate) fn read<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Engine) -> Result<R, Refusal> + Send,
    ) -> PyResult<R> {
        py.detach(|| work(&*self.engine.read()?)).map_err(|refusal| refusal.raised(py))
    }

    /// Runs `work` that changes the engine, with the engine locked for writing and the GIL released. A
    /// function that `work` calls in Python, such as a custom link, takes the GIL again for its time.
    pub(crate) fn write<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Engine) -> Result<R, Refusal> + Send,
    ) -> PyResult<R> {
        py.detach(|| work(&mut *self.engine.write()?)).map_err(|refusal| refusal.raised(py))
    }

    /// Returns a value of the engine, such as a number or a text, by a function that cannot fail.
    pub(crate) fn ask<R: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Engine) -> R + Send,
    ) -> PyResult<R> {
        py.detach(|| Ok(question(&*self.engine.read()?))).map_err(|error: Error| refused(py, &error))
    }

    /// Returns a value that only some policies have; raises [`OTHER_KIND`] for the others.
    pub(crate) fn ask_some<R: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Engine) -> Option<R> + Send,
    ) -> PyResult<R> {
        self.read(py, |engine| question(engine).ok_or(OTHER_KIND))
    }

    /// The problem that the policy was built for.
    pub(crate) fn problem(&self, py: Python<'_>) -> PyResult<moglb::Problem> {
        self.ask(py, |engine| engine.policy().problem().clone())
    }

    /// The fixed arms, if `fix_arms` was called.
    pub(crate) fn fixed(&self, py: Python<'_>) -> PyResult<Option<Arc<moglb::ArmSet<'static>>>> {
        self.ask(py, |engine| engine.fixed.clone())
    }

    /// Runs `work` on the arms of the caller, or on the fixed arms if `arms` is none.
    pub(crate) fn on_arms<R: Send>(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(Call<'_>) -> Result<R, Refusal> + Send,
    ) -> PyResult<R> {
        self.try_on_arms(py, arms, work)?.map_err(|refusal| refusal.raised(py))
    }

    /// Runs `work` like [`on_arms`](Self::on_arms), but returns its refusal to the caller without raising it.
    pub(crate) fn try_on_arms<R: Send>(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(Call<'_>) -> Result<R, Refusal> + Send,
    ) -> PyResult<Result<R, Refusal>> {
        let arms = arms.map(|arms| InputArms::read(arms, "arms")).transpose()?;
        let rows = arms.as_ref().map(InputArms::rows).transpose()?.flatten();
        let checked = arms.as_ref().and_then(InputArms::checked);
        let is_lent = arms.as_ref().is_some_and(InputArms::is_lent);
        let locked = || {
            let engine = self.engine.read()?;
            let on = |set: &moglb::ArmSet<'_>| work(Call { engine: &engine, arms: Offered { set, is_lent } });
            match (rows, checked.or(engine.fixed.as_deref())) {
                (Some((dim, contexts)), _) => on(&moglb::ArmSet::borrowed(dim, contexts)?),
                (None, Some(set)) => on(set),
                (None, None) => Err(NO_ARMS),
            }
        };
        Ok(py.detach(|| unchanged(is_lent, locked)))
    }

    /// Runs `work` that changes the engine, with the played arm that the caller passed. A position without a
    /// context refers to the fixed arms, or suffices for a policy that learns by position only.
    pub(crate) fn on_played<R: Send>(
        &self,
        py: Python<'_>,
        played: &PlayedArm<'_>,
        work: impl FnOnce(&mut Engine, Arm<'_>) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        let (position, context) = (played.position, played.context()?);
        self.write(py, |engine| {
            let id = match position {
                Some(position) => ArmId(position),
                None if engine.wants_position() => return Err(BY_ARM),
                None => ArmId(0),
            };
            Ok(match context {
                PlayedContext::Numbers(context) => work(engine, Arm::new(id, context)?),
                PlayedContext::Sparse(arm) => work(engine, arm.renamed(id)),
                PlayedContext::None => match engine.fixed.clone() {
                    Some(fixed) => work(engine, fixed.get(id)?),
                    None if engine.wants_context() => return Err(NO_CONTEXT),
                    None => work(engine, Arm::new(id, &vec![0.0; engine.policy().problem().dim()])?),
                },
            }?)
        })
    }
}

/// The refusal of a value that policies of this kind do not have, such as θ̂ of a policy without a model.
pub(crate) const OTHER_KIND: Refusal =
    Refusal::Call { code: "input-type", message: "policies of this kind do not have that" };

/// The refusal of a decision without arms.
const NO_ARMS: Refusal = Refusal::Call {
    code: "no-arms",
    message: "no arms were given and none are fixed: pass them, or call fix_arms first",
};

/// The refusal of a context without a position, for a policy that learns by position.
const BY_ARM: Refusal = Refusal::Call {
    code: "input-type",
    message: "this policy learns by arm: pass arm=, or the position in place of the context",
};

/// The refusal of a position without a context, for a policy that learns from contexts and has no fixed arms.
const NO_CONTEXT: Refusal = Refusal::Call {
    code: "input-type",
    message: "the position of an arm is enough only after fix_arms: pass its context",
};
