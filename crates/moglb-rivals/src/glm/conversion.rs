//! The conversion of an online learner into a confidence set, as in GLOC (Jun, Bhargava, Nowak, Willett
//! 2017).
//!
//! The predictions of the learner, z_s = θ_sᵀx_s, are made before y_s is observed. They are regressed on
//! the contexts: θ̂ = V⁻¹Σz_s x_s with V = λI + Σxxᵀ. If the regret of the learner is at most B (their
//! Theorem 2 for the online Newton step), then
//!
//! ```text
//! B = 2κS²λ + Σ g_s²‖x_s‖²_{V_s⁻¹} / (2κ),    g_s = μ(z_s) − y_s
//! α = 1 + (4/κ)B + (8R²/κ²) log( (2/δ) √(1 + (2/κ)B + 4R⁴/(κ⁴δ²)) )
//! ‖θ − θ̂‖²_V ≤ β = α + λS² − (Σz_s² − θ̂ᵀΣz_s x_s)              for all t, with probability 1 − δ
//! ```

use crate::glm::WIDEST;
use crate::glm::glm_target::GlmTarget;
use crate::glm::newton::{OnlineNewton, OnlineNewtonState, learners_fit};
use crate::ridge::dot;
use libm::log;
use moglb_core::estimate::Estimate;
use moglb_core::saved::{SavedPart, damaged, fits};
use moglb_core::{Model, Problem};
use moglb_math::{Error, Gram};
use serde::{Deserialize, Serialize};

/// One learner and one confidence set for each model. They share V.
#[derive(Debug, Clone)]
pub(super) struct Conversion {
    models: Vec<GlmTarget>,
    newton: OnlineNewton,
    sums: Vec<PredictionSums>,
    /// θ̂ of each model, computed from V and the sums.
    centers: Vec<Estimate>,
    /// A buffer for the residuals of a round.
    residuals: Vec<f64>,
}

/// The sums behind the regression on the predictions z of one learner.
#[derive(Debug, Clone, Default)]
struct PredictionSums {
    /// Σ z·x.
    moments: Vec<f64>,
    /// Σ z².
    squares: f64,
    /// θ̂ᵀΣz·x.
    explained: f64,
}

/// The learned state of GLOC, GLOC-TS, QGLOC and MO-GLOC. Its size does not depend on t.
///
/// Example: [`Gloc`](crate::Gloc).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlocState {
    /// V and the learners.
    pub learner: OnlineNewtonState,
    /// Σ z·x of each learner's predictions z.
    pub moments: Vec<Vec<f64>>,
    /// Σ z² of each learner.
    pub squares: Vec<f64>,
}

fits!(GlocState, |state, problem| learners_fit(&state.learner.thetas, problem));

impl Conversion {
    /// Creates learners before the first round. λ has been checked.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`].
    pub fn new(dim: usize, models: Vec<GlmTarget>, lambda: f64) -> Result<Self, Error> {
        let gains = models.iter().map(|model| (1.0 / model.constants.kappa, model.largest_residual()));
        let newton = OnlineNewton::new(dim, models[0].radius, lambda, 1.0, gains)?;
        let sums =
            vec![PredictionSums { moments: vec![0.0; dim], ..PredictionSums::default() }; models.len()];
        let centers = vec![Estimate::zero(dim); models.len()];
        Ok(Self { newton, sums, centers, residuals: Vec::new(), models })
    }

    /// Returns the models, in the order of the learners.
    pub fn models(&self) -> &[GlmTarget] {
        &self.models
    }

    /// Returns V.
    pub fn gram(&self) -> &Gram {
        self.newton.gram()
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.newton.rounds()
    }

    /// Returns the learners as a [`Model`], for the counts of projections.
    pub fn model(&self) -> &dyn Model {
        &self.newton
    }

    /// Returns θ̂ of a model, the center of its confidence set, in the orientation in which larger is better.
    pub(super) fn center(&self, model: usize) -> &Estimate {
        &self.centers[model]
    }

    /// Returns √β of a model for the failure probability δ.
    pub fn radius(&self, model: usize, delta: f64) -> f64 {
        let GlmTarget { constants, radius, .. } = &self.models[model];
        let (kappa, noise, lambda) = (constants.kappa, self.models[model].noise(), self.gram().lambda());
        let regret = 2.0 * kappa * (radius * radius) * lambda + self.newton.gradients(model) / (2.0 * kappa);
        // R²/κ² and R⁴/(κ⁴δ²). δ may be tiny, so it is not squared on its own.
        let ratio = (noise / kappa) * (noise / kappa);
        let root = (1.0 + 2.0 / kappa * regret + (2.0 * ratio / delta) * (2.0 * ratio / delta)).sqrt();
        let alpha = 1.0 + 4.0 / kappa * regret + 8.0 * ratio * (log(2.0 / delta) + log(root));
        let sums = &self.sums[model];
        let beta = alpha + lambda * (radius * radius) - (sums.squares - sums.explained);
        beta.max(0.0).sqrt().min(WIDEST)
    }

    /// Learns a reward vector that has been checked.
    ///
    /// # Errors
    ///
    /// [`Error::LinkMean`]. Then nothing has been learned.
    pub fn learn(&mut self, x: &[f64], reward: &[f64], problem: &Problem) -> Result<(), Error> {
        self.residuals.clear();
        for (i, model) in self.models.iter().enumerate() {
            let y = model.reward(reward, problem);
            self.residuals.push(model.residual(self.newton.predict(i, x), y)?);
        }
        // Nothing below can fail.
        for (i, sums) in self.sums.iter_mut().enumerate() {
            let z = self.newton.predict(i, x);
            sums.moments.iter_mut().zip(x).for_each(|(moment, x)| *moment += z * x);
            sums.squares += z * z;
        }
        self.newton.learn(x, &self.residuals);
        self.regress();
        Ok(())
    }

    /// Computes θ̂ = V⁻¹Σz·x of each model.
    fn regress(&mut self) {
        for (sums, center) in self.sums.iter_mut().zip(&mut self.centers) {
            let solution = self.newton.gram().solve(&sums.moments);
            sums.explained = dot(&solution, &sums.moments);
            *center = Estimate::from_theta(&solution);
        }
    }
}

impl SavedPart for Conversion {
    type State = GlocState;

    fn state(&self) -> GlocState {
        GlocState {
            learner: self.newton.state(),
            moments: self.sums.iter().map(|sums| sums.moments.clone()).collect(),
            squares: self.sums.iter().map(|sums| sums.squares).collect(),
        }
    }

    fn resumed(&self, state: GlocState) -> Result<Self, Error> {
        let (dim, n) = (self.gram().dim(), self.models.len());
        let mut next = Self { newton: self.newton.resumed(state.learner)?, ..self.clone() };
        if state.moments.len() != n
            || state.squares.len() != n
            || state.moments.iter().any(|moments| moments.len() != dim)
        {
            return Err(damaged(&"the sums of predictions have another size"));
        }
        // Every prediction is in [−S, S].
        let (rounds, most) = (next.rounds() as f64, self.models[0].radius * (1.0 + 1e-8));
        let fine = |(moments, &squares): (&Vec<f64>, &f64)| {
            (0.0..=rounds * most * most).contains(&squares)
                && moments.iter().all(|moment| moment.abs() <= rounds * most)
        };
        if !state.moments.iter().zip(&state.squares).all(fine) {
            return Err(damaged(&"the predictions add up to more than they can"));
        }
        for ((sums, moments), squares) in next.sums.iter_mut().zip(state.moments).zip(state.squares) {
            (sums.moments, sums.squares) = (moments, squares);
        }
        next.regress();
        Ok(next)
    }
}
