//! The learned state of MOGLB-UCB in snapshots. It has one Gram matrix for all objectives, or several if
//! objectives learned different rounds.

use super::MoglbUcb;
use super::config::{INFO, MoglbUcbConfig};
use super::fixed::FixedArms;
use super::learner::{Learner, ObjectiveModel, Sums};
use crate::estimate::Estimate;
use crate::prior::are_none;
use crate::saved::{
    OTHER_OBJECTIVES, Saved, check_estimates, check_hits, check_squared_norms, check_sums, damaged, fits,
    rows_fit,
};
use crate::{PolicyInfo, Problem};
use moglb_math::gram::Sum;
use moglb_math::{Error, Gram};
use serde::{Deserialize, Serialize};

/// The learned state of MOGLB-UCB. Its size does not depend on t.
///
/// Example: [`Saved`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoglbUcbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The inverse of the lower Cholesky factor of each Gram matrix, row by row.
    pub factors: Vec<Vec<f64>>,
    /// log(det Z_t / det Z_1) of each Gram matrix: the sum and its accumulated rounding error.
    #[doc(hidden)]
    pub log_dets: Vec<Sum>,
    /// The estimate of each objective, in the orientation where larger is better.
    pub thetas: Vec<Vec<f64>>,
    /// Σ (y_s − μ(θ̂_sᵀx_s))² ‖x_s‖²_{Z_{s+1}⁻¹} of each objective.
    pub gradients: Vec<f64>,
    /// Σ‖x_s‖² of the first Gram matrix.
    pub squared_norms: f64,
    /// The number of projections onto the ball of radius D (Eq. (1)).
    pub projection_hits: u64,
}

/// The learned state of MOGLB-UCB after rewards with missing or delayed parts. Objectives that learned the
/// same rounds in the same order share a Gram matrix.
///
/// Example: [`Saved`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoglbUcbPartsState {
    /// Factors, estimates and sums, as without missing parts.
    pub state: MoglbUcbState,
    /// The index of each objective's Gram matrix.
    pub grams: Vec<usize>,
    /// The number of contexts in each Gram matrix.
    pub rounds: Vec<u64>,
    /// Σ‖x_s‖² of each Gram matrix.
    pub squared_norms: Vec<f64>,
}

fits!(MoglbUcbState, |state, problem| rows_fit(&state.thetas, problem));

fits!(MoglbUcbPartsState, |parts, problem| {
    parts.state.fits(problem) && parts.rounds.len() <= problem.objectives.len()
});

impl MoglbUcbState {
    /// Refuses a state of another shape, and a state that no sequence of rewards can produce. `first` are
    /// the estimates before the first round.
    #[doc(hidden)]
    pub fn check(&self, first: &[Vec<f64>], n_grams: usize, radius: f64) -> Result<(), Error> {
        let m = first.len();
        if self.factors.len() != n_grams
            || self.log_dets.len() != n_grams
            || self.thetas.len() != m
            || self.gradients.len() != m
        {
            return Err(damaged(&OTHER_OBJECTIVES));
        }
        check_estimates(&self.thetas, first, self.rounds, radius)?;
        check_sums(self.rounds, &self.gradients)?;
        check_hits(self.projection_hits, self.rounds, m)?;
        check_squared_norms(self.rounds, self.squared_norms)
    }
}

impl MoglbUcbPartsState {
    /// Refuses a state of another shape, and sums that no sequence of rewards can produce.
    #[doc(hidden)]
    pub fn check(&self, m: usize) -> Result<(), Error> {
        let n_grams = self.rounds.len();
        if self.grams.len() != m || self.squared_norms.len() != n_grams {
            return Err(damaged(&OTHER_OBJECTIVES));
        }
        if self.grams.iter().any(|&gram| gram >= n_grams) {
            return Err(damaged(&"an objective has no Gram matrix"));
        }
        for (&rounds, &squared_norms) in self.rounds.iter().zip(&self.squared_norms) {
            check_squared_norms(rounds, squared_norms)?;
            if rounds > self.state.rounds {
                return Err(damaged(&"a Gram matrix has more contexts than there were rounds"));
            }
        }
        Ok(())
    }
}

/// The learned state of MOGLB-UCB: one history for all objectives, or one history per Gram matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum LearnerState {
    /// All objectives learned the same rounds.
    Whole(MoglbUcbState),
    /// Parts of rewards are missing or were learned in other rounds.
    Parts(MoglbUcbPartsState),
}

fits!(LearnerState, |learner, problem| match learner {
    LearnerState::Whole(state) => state.fits(problem),
    LearnerState::Parts(state) => state.fits(problem),
});

impl MoglbUcb {
    /// Returns the learned state of a policy that learned only whole reward vectors.
    ///
    /// # Panics
    ///
    /// If the policy learned a part of a reward vector.
    #[doc(hidden)]
    pub fn whole_state(&self) -> MoglbUcbState {
        match self.learner.state() {
            LearnerState::Whole(state) => state,
            LearnerState::Parts(_) => panic!("parts of rewards were learned"),
        }
    }

    /// Returns the learned state with the Gram matrix of each objective.
    #[doc(hidden)]
    pub fn parts(&self) -> MoglbUcbPartsState {
        self.learner.parts()
    }
}

impl Saved for MoglbUcb {
    type Config = MoglbUcbConfig;
    type State = LearnerState;
    const INFO: &'static PolicyInfo = &INFO;

    fn make(problem: Problem, config: MoglbUcbConfig) -> Result<Self, Error> {
        Self::new(problem, config)
    }

    fn problem(&self) -> &Problem {
        &self.learner.problem
    }

    fn config(&self) -> &MoglbUcbConfig {
        &self.learner.config
    }

    fn t(&self) -> u64 {
        self.learner.rounds
    }

    fn state(&self) -> LearnerState {
        self.learner.state()
    }

    fn resume(&mut self, state: LearnerState) -> Result<(), Error> {
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
    /// The learned state in its shortest form: `Whole` if all objectives learned the same rounds in
    /// unchanged groups.
    fn state(&self) -> LearnerState {
        let sums = self.sums[0];
        let whole = self.sums.iter().all(|other| *other == sums && other.rounds == self.rounds);
        let parts = self.parts();
        if whole && self.is_as_made() { LearnerState::Whole(parts.state) } else { LearnerState::Parts(parts) }
    }

    /// Returns a learner of the same problem and configuration with a saved state.
    fn resumed(&self, state: LearnerState) -> Result<Self, Error> {
        let mut next = Self::new(self.problem.clone(), self.config.clone())?;
        match state {
            LearnerState::Whole(state) => {
                let sums = Sums { rounds: state.rounds, squared_norms: state.squared_norms };
                let sums = vec![sums; next.grams.len()];
                next.take_over(state, sums)?;
            }
            LearnerState::Parts(parts) => {
                next.regroup(&parts)?;
                let sums = parts.rounds.iter().zip(&parts.squared_norms);
                let sums = sums.map(|(&rounds, &squared_norms)| Sums { rounds, squared_norms }).collect();
                next.take_over(parts.state, sums)?;
            }
        }
        Ok(next)
    }

    /// Returns the learned state with the Gram matrix of each objective.
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

    /// True if the objectives share Gram matrices exactly as they did before the first round.
    fn is_as_made(&self) -> bool {
        let weights = |model: &ObjectiveModel| model.constants.kappa / 2.0;
        let own = |a: &ObjectiveModel, b: &ObjectiveModel| (a.gram == b.gram) == (weights(a) == weights(b));
        // The indices must be in the order in which `Learner::new` makes them. Removed objectives may have
        // left another order.
        let mut made = 0;
        let in_order = self.models.iter().all(|model| {
            made += usize::from(model.gram == made);
            model.gram < made
        });
        // With a prior, weights alone do not show which Gram matrices were made at the start.
        in_order
            && are_none(&self.config.prior)
            && self.models.iter().all(|a| self.models.iter().all(|b| own(a, b)))
    }

    /// Assigns the Gram matrices of a state in which groups of objectives were split.
    fn regroup(&mut self, parts: &MoglbUcbPartsState) -> Result<(), Error> {
        let dim = self.problem.dim();
        parts.check(self.models.len())?;
        moglb_math::memory::check_memory(dim, dim.saturating_mul(parts.rounds.len()))?;
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

    /// Takes over a learned state. The number of Gram matrices must already be that of the state.
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
