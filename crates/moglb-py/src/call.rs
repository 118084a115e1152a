//! Calls of a policy: what a call needs is read, the interpreter's lock is released, and the engine is
//! locked; then one piece of work is done, and what it refuses is raised.

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

/// A policy that threads share: the engine, the generator that arms are drawn with, and decisions to be used
/// again.
pub(crate) struct SharedPolicy {
    pub(crate) engine: SharedEngine,
    pub(crate) rng: SharedGenerator,
    pool: Arc<Pool>,
}

/// A call on arms while the interpreter's lock is released: the engine, which nothing changes meanwhile, and
/// the arms.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) arms: Offered<'a>,
}

impl Call<'_> {
    /// Decides.
    pub(crate) fn decide(
        self,
        rng: &mut dyn moglb::Rng,
        decision: &mut moglb::Decision,
    ) -> Result<(), Error> {
        self.engine.policy().decide_into(self.arms.set, rng, decision)?;
        self.arms.check(self.engine, decision)
    }

    /// Scores the arms, without a number of the policy's own generator.
    pub(crate) fn score(self, decision: &mut moglb::Decision) -> Result<(), Error> {
        self.decide(&mut generator::seeded(0), decision)
    }
}

impl SharedPolicy {
    /// A policy with nothing in it.
    pub(crate) fn empty() -> Self {
        let rng = SharedGenerator::new(generator::seeded(0));
        Self { engine: SharedEngine::default(), rng, pool: Arc::default() }
    }

    /// The generator that arms are drawn with, locked when the first number is drawn.
    pub(crate) fn generator(&self) -> Result<LockedGenerator<'_>, Error> {
        LockedGenerator::new(&self.rng)
    }

    /// A decision to be made.
    pub(crate) fn pooled(&self, tables: bool) -> Pooled<'_> {
        Pooled::new(&self.pool, tables)
    }

    /// Does a piece of work with the engine while others may read it, too.
    pub(crate) fn read<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Engine) -> Result<R, Refusal> + Send,
    ) -> PyResult<R> {
        py.detach(|| work(&*self.engine.read()?)).map_err(|refusal| refusal.raised(py))
    }

    /// Does a piece of work that changes the engine.
    pub(crate) fn write<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Engine) -> Result<R, Refusal> + Send,
    ) -> PyResult<R> {
        py.detach(|| work(&mut *self.engine.write()?)).map_err(|refusal| refusal.raised(py))
    }

    /// A number or text of the engine.
    pub(crate) fn ask<R: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Engine) -> R + Send,
    ) -> PyResult<R> {
        py.detach(|| Ok(question(&*self.engine.read()?))).map_err(|error: Error| refused(py, &error))
    }

    /// An answer that only policies of some kinds have.
    pub(crate) fn ask_some<R: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Engine) -> Option<R> + Send,
    ) -> PyResult<R> {
        self.read(py, |engine| question(engine).ok_or(OTHER_KIND))
    }

    pub(crate) fn problem(&self, py: Python<'_>) -> PyResult<moglb::Problem> {
        self.ask(py, |engine| engine.policy().problem().clone())
    }

    /// The arms that are fixed.
    pub(crate) fn fixed(&self, py: Python<'_>) -> PyResult<Option<Arc<moglb::ArmSet<'static>>>> {
        self.ask(py, |engine| engine.fixed.clone())
    }

    /// Does a piece of work on arms as they were given, or on the fixed ones.
    pub(crate) fn on_arms<R: Send>(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(Call<'_>) -> Result<R, Refusal> + Send,
    ) -> PyResult<R> {
        self.try_on_arms(py, arms, work)?.map_err(|refusal| refusal.raised(py))
    }

    /// Does a piece of work on arms as they were given, or on the fixed ones; a refusal is for the caller.
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

    /// Does a piece of work that changes the engine, with a played arm as it was given.
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

/// Refuses a question that policies of this kind have no answer to.
pub(crate) const OTHER_KIND: Refusal =
    Refusal::Call { code: "input-type", message: "policies of this kind do not have that" };

const NO_ARMS: Refusal = Refusal::Call {
    code: "no-arms",
    message: "no arms were given and none are fixed: pass them, or call fix_arms first",
};

const BY_ARM: Refusal = Refusal::Call {
    code: "input-type",
    message: "this policy learns by arm: pass arm=, or the position in place of the context",
};

const NO_CONTEXT: Refusal = Refusal::Call {
    code: "input-type",
    message: "the position of an arm says nothing until fix_arms: pass its context",
};
