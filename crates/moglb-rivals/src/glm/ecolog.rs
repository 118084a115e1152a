//! ECOLog: implicit online steps with local curvature (Faury, Abeille, Jun, Calauzènes 2022). The two
//! policies that use it differ in their radius.
//!
//! With D = 2S, the largest difference of two θᵀx for θ in the ball,
//!
//! ```text
//! θ_{t+1} = argmin over ‖θ‖ ≤ S of ‖θ − θ_t‖²_W/(2 + D) + ℓ_t(θ),    W ← W + μ′(xᵀθ_{t+1})·xxᵀ
//! ```
//!
//! The step is one-dimensional: θ_{t+1} = θ_t − s(2 + D)/2·W⁻¹x, where s is the slope of the loss at the
//! end of the step ([`Step::Implicit`]).
//!
//! By self-concordance the steps together give, for θ* in the ball,
//!
//! ```text
//! ‖θ_{t+1} − θ*‖²_{W_{t+1}} ≤ λS² + (2 + D) Σ (ℓ_s(θ*) − ℓ_s(θ_{s+1})) − Σ ‖θ_{s+1} − θ_s‖²_{W_s}
//! ```
//!
//! For any point z̄_s that is known before y_s, exp Σ (ℓ_s(θ*) − ℓ_s(z̄_s)) is a martingale of mean one.
//! It stays below 1/δ with probability 1 − δ. So, with the realized sum Σ (ℓ_s(z̄_s) − ℓ_s(θ_{s+1})),
//!
//! ```text
//! ‖θ_{t+1} − θ*‖²_{W_{t+1}} ≤ λS² + (2 + D)(log(1/δ) + Σ (ℓ_s(z̄_s) − ℓ_s(θ_{s+1})))
//!                               − Σ ‖θ_{s+1} − θ_s‖²_{W_s}
//! ```
//!
//! As in the source, z̄_s is the prediction after a step for both possible rewards at once.

use crate::glm::glm_target::GlmTarget;
use crate::glm::likelihood::Law;
use crate::glm::newton::learners_fit;
use crate::ridge::dot;
use moglb_core::local_curvature::state::EkfUcbState;
use moglb_core::local_curvature::{LocalCurvature, Step, implicit_slope};
use moglb_core::saved::{SavedPart, damaged, fits};
use moglb_core::{Fisher, Problem};
use moglb_math::{Error, Gram};
use serde::{Deserialize, Serialize};

/// The learner, with the realized sums of the second bound above.
#[derive(Debug, Clone)]
pub struct Ecolog {
    pub model: GlmTarget,
    /// W and θ.
    learner: LocalCurvature,
    /// Σ (ℓ_s(z̄_s) − ℓ_s(θ_{s+1})).
    losses: f64,
    /// Σ ‖θ_{s+1} − θ_s‖²_{W_s}.
    distances: f64,
}

/// The learned state of ECOLog. Its size does not depend on t.
///
/// Example: [`OfuEcolog`](crate::OfuEcolog).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EcologState {
    /// W and θ.
    pub learner: EkfUcbState,
    /// Σ (ℓ_s(z̄_s) − ℓ_s(θ_{s+1})).
    pub losses: f64,
    /// Σ ‖θ_{s+1} − θ_s‖²_{W_s}.
    pub distances: f64,
}

fits!(EcologState, |state, problem| {
    state.learner.thetas.len() == 1 && learners_fit(&state.learner.thetas, problem)
});

/// The bound on the realized sums. It keeps them finite, however large rewards are.
const LARGEST: f64 = 1e250;

impl Ecolog {
    /// Creates a learner before the first round. λ has been checked.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    pub fn new(dim: usize, model: GlmTarget, lambda: f64) -> Result<Self, Error> {
        let step = Step::Implicit { gain: gain(&model) };
        let learner = LocalCurvature::new(dim, 1, lambda, model.radius, step)?;
        Ok(Self { model, learner, losses: 0.0, distances: 0.0 })
    }

    /// Returns W.
    pub fn gram(&self) -> &Gram {
        &self.learner.grams()[0]
    }

    /// Returns the learner: W, θ and the counts of projections.
    pub(super) fn learner(&self) -> &LocalCurvature {
        &self.learner
    }

    /// Returns D = 2S, the diameter of the ball.
    pub(super) fn diameter(&self) -> f64 {
        2.0 * self.model.radius
    }

    /// Returns the realized part of the bound:
    /// (2 + D) Σ (ℓ_s(z̄_s) − ℓ_s(θ_{s+1})) − Σ ‖θ_{s+1} − θ_s‖²_{W_s}.
    pub(super) fn realized(&self) -> f64 {
        (2.0 + self.diameter()) * self.losses - self.distances
    }

    /// Learns a reward vector that has been checked.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`] or [`Error::LinkSlope`]. Then nothing has been learned.
    pub fn learn(&mut self, x: &[f64], reward: &[f64], problem: &Problem) -> Result<(), Error> {
        let y = self.model.reward(reward, problem);
        let foreseen = self.foreseen(x)?;
        self.learner.learn(std::slice::from_ref(self.model.objective()), x.into(), &[y])?;
        let moved = self.learner.moved(0);
        let loss = |z: f64| self.model.loss(Law::True, z, y);
        let gained = loss(foreseen) - loss(moved.after);
        // A registered link may have no finite cumulant. Nothing is proved for such a link.
        if gained.is_finite() {
            self.losses = (self.losses + gained).clamp(-LARGEST, LARGEST);
        }
        self.distances = (self.distances + moved.squared_distance).min(LARGEST);
        Ok(())
    }

    /// Returns z̄: θᵀx after an unconstrained step for the least and the largest reward at once.
    fn foreseen(&self, x: &[f64]) -> Result<f64, Error> {
        let theta: Vec<f64> = self.learner.estimates()[0].theta().collect();
        let (z, objective) = (dot(&theta, x), self.model.objective());
        let reach = gain(&self.model) * self.gram().squared_norm_inv(x);
        let (low, high) = objective.rewards();
        let both = |z: f64| {
            let (a, b) = (objective.inner_fisher(z, low)?, objective.inner_fisher(z, high)?);
            Ok(Fisher { score: a.score + b.score, weight: a.weight + b.weight })
        };
        Ok(z - reach * implicit_slope(z, reach, both)?)
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.learner.rounds()
    }
}

impl SavedPart for Ecolog {
    type State = EcologState;

    fn state(&self) -> EcologState {
        EcologState { learner: self.learner.state(), losses: self.losses, distances: self.distances }
    }

    fn resumed(&self, EcologState { learner, losses, distances }: EcologState) -> Result<Self, Error> {
        if !(losses.abs() <= LARGEST && (0.0..=LARGEST).contains(&distances)) {
            return Err(damaged(&"a realized sum is out of bounds"));
        }
        if learner.rounds == 0 && (losses != 0.0 || distances != 0.0) {
            return Err(damaged(&"something was learned in no round"));
        }
        let mut next = Self { losses, distances, ..self.clone() };
        next.learner.resume(learner, std::slice::from_ref(self.model.objective()))?;
        Ok(next)
    }
}

/// Returns the gain of a step, (2 + D)/2 = 1 + S.
fn gain(model: &GlmTarget) -> f64 {
    1.0 + model.radius
}
