//! The learned state of MOGLB-UCB as it is written down and read back, with one Gram matrix for all objectives or, where they were
//! told different rounds, with several.

use super::MoglbUcb;
use super::config::INFO;
use super::fixed::FixedArms;
use super::learner::{Learner, ObjectiveModel, Sums};
use crate::estimate::Estimate;
use crate::policy::Restorable;
use crate::prior::are_none;
use crate::snapshot::{MoglbUcbPartsState, MoglbUcbState, PolicySnapshot, PolicyState, damaged};
use crate::{Error, Gram, PolicyConfig, Problem};

impl MoglbUcb {
    /// A policy from [`Restorable::to_json`].
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`], [`Error::SnapshotDamaged`], [`Error::SnapshotPolicy`], or what is wrong with the
    /// problem or the configuration in it.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Self::from_snapshot(PolicySnapshot::from_json(text)?)
    }

    /// A policy from [`Restorable::to_bytes`].
    ///
    /// # Errors
    ///
    /// As [`MoglbUcb::from_json`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_snapshot(PolicySnapshot::from_bytes(bytes)?)
    }

    pub(crate) fn from_snapshot(snapshot: PolicySnapshot) -> Result<Self, Error> {
        let own = |config| if let PolicyConfig::MoglbUcb(config) = config { Some(config) } else { None };
        snapshot.restore_as(INFO.id, own, Self::new)
    }

    /// The learned state, with the Gram matrix of each objective.
    pub(crate) fn parts(&self) -> MoglbUcbPartsState {
        self.learner.parts()
    }
}

impl Restorable for MoglbUcb {
    fn problem(&self) -> &Problem {
        &self.learner.problem
    }

    fn t(&self) -> u64 {
        self.learner.rounds
    }

    fn snapshot(&self) -> PolicySnapshot {
        let Learner { problem, config, .. } = &self.learner;
        PolicySnapshot::new(problem, PolicyConfig::MoglbUcb(config.clone()), self.learner.state())
    }

    fn resume(&mut self, state: PolicyState) -> Result<(), Error> {
        let learner = self.learner.resumed(state)?;
        // Nothing below can fail.
        self.learner = learner;
        if let Some(fixed) = &mut self.fixed {
            **fixed = FixedArms::new(&self.learner, fixed.arms());
        }
        Ok(())
    }
}

impl Learner {
    fn state(&self) -> PolicyState {
        let sums = self.sums[0];
        let whole = self.sums.iter().all(|other| *other == sums && other.rounds == self.rounds);
        let parts = self.parts();
        if whole && self.is_as_made() { parts.state.into() } else { parts.into() }
    }

    /// A learner of the same problem and configuration with a state that was written down.
    fn resumed(&self, state: PolicyState) -> Result<Self, Error> {
        let mut next = Self::new(self.problem.clone(), self.config.clone())?;
        match state {
            PolicyState::MoglbUcb(state) => {
                let sums = Sums { rounds: state.rounds, squared_norms: state.squared_norms };
                let sums = vec![sums; next.grams.len()];
                next.take_over(state, sums)?;
            }
            PolicyState::MoglbUcbParts(parts) => {
                next.regroup(&parts)?;
                let sums = parts.rounds.iter().zip(&parts.squared_norms);
                let sums = sums.map(|(&rounds, &squared_norms)| Sums { rounds, squared_norms }).collect();
                next.take_over(parts.state, sums)?;
            }
            _ => return Err(damaged(&"the state is of another policy")),
        }
        Ok(next)
    }

    /// The learned state, with the Gram matrix of each objective.
    fn parts(&self) -> MoglbUcbPartsState {
        let state = MoglbUcbState {
            rounds: self.rounds,
            factors: self.grams.iter().map(Gram::packed).collect(),
            log_dets: self.grams.iter().map(Gram::log_det).collect(),
            thetas: self.models.iter().map(|model| model.estimate.theta().collect()).collect(),
            gradients: self.models.iter().map(|model| model.gradients).collect(),
            squared_norms: self.sums[0].squared_norms,
            projection_hits: self.projection_hits,
        };
        MoglbUcbPartsState {
            state,
            grams: self.models.iter().map(|model| model.gram).collect(),
            rounds: self.sums.iter().map(|sums| sums.rounds).collect(),
            squared_norms: self.sums.iter().map(|sums| sums.squared_norms).collect(),
        }
    }

    /// Whether each objective has the Gram matrix that it had before the first round.
    fn is_as_made(&self) -> bool {
        let weights = |model: &ObjectiveModel| model.constants.kappa / 2.0;
        let own = |a: &ObjectiveModel, b: &ObjectiveModel| (a.gram == b.gram) == (weights(a) == weights(b));
        // In the order in which they are made: objectives that were dropped may have left another.
        let mut made = 0;
        let in_order = self.models.iter().all(|model| {
            made += usize::from(model.gram == made);
            model.gram < made
        });
        // What grams a prior makes is not to be seen from the weights.
        in_order
            && are_none(&self.config.prior)
            && self.models.iter().all(|a| self.models.iter().all(|b| own(a, b)))
    }

    /// Gives the objectives the Gram matrices that parts of rewards have left them.
    fn regroup(&mut self, parts: &MoglbUcbPartsState) -> Result<(), Error> {
        let dim = self.problem.dim();
        parts.check(self.models.len())?;
        crate::memory::check_memory(dim, dim.saturating_mul(parts.rounds.len()))?;
        let mut grams: Vec<Option<Gram>> = vec![None; parts.rounds.len()];
        for (model, &gram) in self.models.iter_mut().zip(&parts.grams) {
            let own = &self.grams[model.gram];
            match &grams[gram] {
                Some(other) if other != own => {
                    return Err(damaged(&"objectives of different curvature or prior share a Gram matrix"));
                }
                _ => grams[gram] = Some(own.clone()),
            }
            model.gram = gram;
        }
        let grams: Option<Vec<Gram>> = grams.into_iter().collect();
        self.grams = grams.ok_or_else(|| damaged(&"a Gram matrix is of no objective"))?;
        Ok(())
    }

    /// Takes over a learned state, where there are as many Gram matrices as in it.
    fn take_over(&mut self, state: MoglbUcbState, sums: Vec<Sums>) -> Result<(), Error> {
        let first: Vec<Vec<f64>> = self.models.iter().map(|model| model.estimate.theta().collect()).collect();
        state.check(&first, self.grams.len(), self.problem.radius())?;
        let written = state.factors.iter().zip(&state.log_dets).zip(&sums);
        let grams = self.grams.iter().zip(written).map(|(z, ((packed, &log_det), sums))| {
            z.restored(self.config.discount, sums.squared_norms, packed, log_det)
        });
        self.grams = grams.collect::<Result<_, _>>()?;
        for ((model, theta), gradients) in self.models.iter_mut().zip(state.thetas).zip(state.gradients) {
            model.estimate = Estimate::from_theta(&theta);
            model.gradients = gradients;
        }
        self.sums = sums;
        self.rounds = state.rounds;
        self.projection_hits = state.projection_hits;
        Ok(())
    }
}
