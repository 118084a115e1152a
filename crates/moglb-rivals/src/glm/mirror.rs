//! The confidence set of online mirror descent (GLB-OMD; Zhang, Xu, Zhao, Sugiyama 2025), for one or more
//! objectives.
//!
//! With |μ″| ≤ R_s·μ′, η = 1 + R_s·S and λ = max{14dηR_s², 6ηR_s·SL}, the learner of [`LocalCurvature`]
//! with gain η satisfies, for all t with probability 1 − δ,
//!
//! ```text
//! ‖θ − θ_t‖²_{H_t} ≤ β² = 4λS² + 2η log(1/δ) + (6η² + η) log(det H_t / det H_1)
//! ```

use crate::glm::WIDEST;
use crate::glm::glm_target::GlmTarget;
use crate::glm::newton::learners_fit;
use libm::log;
use moglb_core::local_curvature::state::EkfUcbState;
use moglb_core::local_curvature::{LocalCurvature, Step};
use moglb_core::saved::{SavedPart, fits};
use moglb_core::{Link, Objective, Parameter, Problem};
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The departures from the source that GLB-OMD and MO-GLB-OMD share.
pub(super) const DEPARTURES: &str = "λ is at least 1, as that of the theory is 0 for an identity link. \
    An identity link has the losses of variance one, so the set is proved for rewards in an interval of \
    length 2 at most. Probit has its true likelihood, with R_s = S from its slope. Registered links have \
    R_s = 1, for which nothing is proved.";

/// A learner with its confidence sets.
#[derive(Debug, Clone)]
pub(super) struct Mirror {
    pub(super) learner: LocalCurvature,
    objectives: Vec<Objective>,
    /// η.
    gain: f64,
    /// S.
    radius: f64,
    /// A buffer for the rewards of a round.
    rewards: Vec<f64>,
}

/// The learned state of GLB-OMD and MO-GLB-OMD. Its size does not depend on t.
///
/// Example: [`GlbOmd`](crate::GlbOmd).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlbOmdState {
    /// H and θ of each objective.
    pub learner: EkfUcbState,
}

fits!(GlbOmdState, |state, problem| learners_fit(&state.learner.thetas, problem));

impl Mirror {
    /// Creates learners before the first round. All share one η, the largest that a model needs, and one
    /// λ: the given one, or the largest that a model needs and at least 1.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(dim: usize, models: &[GlmTarget], lambda: Option<f64>) -> Result<Self, Error> {
        let radius = models[0].radius;
        let concordance = |model: &GlmTarget| self_concordance(model.link(), radius);
        let gain = models.iter().map(|model| 1.0 + concordance(model) * radius).fold(1.0, f64::max);
        let asked = |model: &GlmTarget| {
            let r = concordance(model);
            let (first, second) = (14.0 * dim as f64 * gain * r * r, 6.0 * gain * r * radius);
            first.max(second * model.constants.lipschitz)
        };
        let lambda = lambda.unwrap_or_else(|| models.iter().map(asked).fold(1.0, f64::max));
        Parameter::check("lambda", lambda, 1e-6..=1e100)?;
        let learner = LocalCurvature::new(dim, models.len(), lambda, radius, Step::Newton { gain })?;
        let objectives = models.iter().map(|model| model.objective().clone()).collect();
        Ok(Self { learner, objectives, gain, radius, rewards: Vec::new() })
    }

    /// Returns β of an objective for the failure probability δ.
    pub fn radius(&self, objective: usize, delta: f64) -> f64 {
        let (gram, gain) = (&self.learner.grams()[objective], self.gain);
        let squared = 4.0 * gram.lambda() * self.radius * self.radius - 2.0 * gain * log(delta)
            + (6.0 * gain * gain + gain) * gram.log_det_ratio();
        squared.sqrt().min(WIDEST)
    }

    /// Returns the objectives, in the order of the learners.
    pub fn objectives(&self) -> &[Objective] {
        &self.objectives
    }

    /// Learns a reward vector that has been checked.
    ///
    /// # Errors
    ///
    /// Those of [`LocalCurvature::learn`].
    pub fn learn(
        &mut self,
        x: &[f64],
        reward: &[f64],
        models: &[GlmTarget],
        problem: &Problem,
    ) -> Result<(), Error> {
        self.rewards.clear();
        self.rewards.extend(models.iter().map(|model| model.reward(reward, problem)));
        self.learner.learn(&self.objectives, x.into(), &self.rewards)
    }

    /// Returns the number of rewards learned.
    pub fn rounds(&self) -> u64 {
        self.learner.rounds()
    }
}

impl SavedPart for Mirror {
    type State = GlbOmdState;

    fn state(&self) -> GlbOmdState {
        GlbOmdState { learner: self.learner.state() }
    }

    fn resumed(&self, state: GlbOmdState) -> Result<Self, Error> {
        let mut next = self.clone();
        next.learner.resume(state.learner, &self.objectives)?;
        Ok(next)
    }
}

/// Returns R_s, for which |μ″| ≤ R_s·μ′ on [−S, S].
fn self_concordance(link: Link, radius: f64) -> f64 {
    match link {
        Link::Identity => 0.0,
        Link::Logit | Link::Log | Link::Custom(_) => 1.0,
        Link::Probit => radius,
    }
}
