//! EKF-UCB: the paper's optimism on estimates with local curvature and gain one (an extended Kalman filter).
//!
//! Eq. (1) divides by the smallest slope κ. Relative to an efficient estimator, its gain is
//! therefore 2μ′/κ: on the benchmark 2.4 for logit and 3.8 for probit, which costs 1.5 and 2.2
//! times the variance. Here every round has the weight of its own Fisher information, and every
//! objective has its own Gram matrix H_i: see [`LocalCurvature`].

use crate::discount::{self, DISCOUNT, check_discount};
use crate::local_curvature::state::EkfUcbState;
use crate::local_curvature::{LocalCurvature, Step};
use crate::prior::{PRIOR, are_none, check_priors, dispersion};
use crate::saved::{Saved, saved};
use crate::scoring::{Optimism, Scorer};
use crate::{
    Arm, ArmSet, Decision, Facts, Kind, Model, Objective, Parameter, Policy, PolicyInfo, Prior, Problem,
    Width,
};
use moglb_math::{Error, Gram, Matrix};
use moglb_pareto::ArmId;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub const INFO: PolicyInfo = PolicyInfo {
    id: "ekf-ucb",
    name: "EKF-UCB",
    source: "this project's notes: MOGLB-UCB with the Fisher information of each round in place of κ/2",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets",
    guarantee: "none proved",
    cost: "O(K·m·d² + front) to decide, O(m·d²) to learn",
    has_front: true,
    parameters: &[
        Parameter {
            name: "lambda",
            kind: Kind::Number,
            default: "3",
            meaning: "regularization, H_1 = λI for each objective",
        },
        Parameter {
            name: "c",
            kind: Kind::Number,
            default: "0.01",
            meaning: "factor of the width, γ = c·log(det H_t / det H_1) of each objective",
        },
        Parameter {
            name: "objective",
            kind: Kind::Count,
            default: "none",
            meaning: "the single-objective control: the number (from 0) of the only objective that counts",
        },
        DISCOUNT,
        PRIOR,
    ],
    departures: "",
};

/// The least λ: below it the factor of H loses the digits that contexts contribute.
const LEAST_LAMBDA: f64 = 1e-6;

/// The parameters of [`EkfUcb`].
///
/// Example: [`EkfUcb`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EkfUcbConfig {
    /// λ of H_1 = λI.
    pub lambda: f64,
    /// c of the width √(c·log(det H_t / det H_1))·‖x‖_{H⁻¹}.
    pub c: f64,
    /// The number (from 0) of the only objective that counts; `None` if all count. See [`EkfUcb`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<usize>,
    /// γ: the factor by which the weight of a reward shrinks with each later reward of its
    /// objective; 1 for no forgetting.
    #[serde(skip_serializing_if = "discount::is_none")]
    pub discount: f64,
    /// The prior belief about each objective; empty for none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prior: Vec<Prior>,
}

impl Default for EkfUcbConfig {
    fn default() -> Self {
        Self { lambda: 3.0, c: 0.01, objective: None, discount: discount::none(), prior: Vec::new() }
    }
}

/// EKF-UCB: estimates with local curvature, optimistic scores, and a uniform draw from their Pareto
/// front.
///
/// With an `objective` it is the single-objective control: it learns all objectives as usual, but
/// its front is that of this one objective, the arms with the largest score in it. The Pareto
/// regret is never above the regret of any single objective. So a policy can have little Pareto
/// regret and find almost nothing of the front. The control shows how little it finds, and why a
/// table of Pareto regret needs a measure of coverage next to it.
///
/// ```
/// use moglb::{draw, ArmSet, EkfUcb, EkfUcbConfig, Link, Objective, Policy, Problem};
///
/// let objectives = vec![
///     Objective::new("click", Link::Logit),
///     Objective::new("cost", Link::Identity).minimize(),
/// ];
/// let mut policy = EkfUcb::new(Problem::new(2, objectives)?, EkfUcbConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]])?;
/// let mut rng = draw::seeded(7);
/// let decision = policy.decide(&arms, &mut rng)?;
/// assert_eq!(decision.front.len(), 3, "O_1 is the whole arm set");
/// policy.learn(arms.arm(decision.arm), &[1.0, 0.3])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EkfUcb {
    problem: Problem,
    config: EkfUcbConfig,
    learner: LocalCurvature,
}

impl EkfUcb {
    /// Returns the policy before the first round: H_1 = λI, θ̂_1 = 0. With a prior, both also
    /// contain it.
    ///
    /// # Errors
    ///
    /// [`Error::Lambda`], [`Error::WidthFactor`], [`Error::UnknownObjective`], [`Error::ParameterBounds`],
    /// [`Error::Prior`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: EkfUcbConfig) -> Result<Self, Error> {
        let (dim, n_objectives) = (problem.dim(), problem.n_objectives());
        if !(config.lambda >= LEAST_LAMBDA && config.lambda <= 1e100) {
            return Err(Error::Lambda { bound: LEAST_LAMBDA, got: config.lambda });
        }
        Width::Tuned { c: config.c }.check()?;
        if let Some(got) = config.objective.filter(|&objective| objective >= n_objectives) {
            return Err(Error::UnknownObjective { got, n_objectives });
        }
        check_discount(config.discount, dim)?;
        let step = Step::Newton { gain: 1.0 };
        check_priors(&config.prior, &problem)?;
        let mut learner = LocalCurvature::new(dim, n_objectives, config.lambda, problem.radius(), step)?
            .with_discount(config.discount);
        for (i, (prior, objective)) in config.prior.iter().zip(problem.objectives()).enumerate() {
            if let Some(start) = prior.start(objective, problem.radius(), config.lambda, 1.0) {
                learner.begin_with(i, &start)?;
            }
        }
        Ok(Self { problem, config, learner })
    }

    /// Returns the configuration.
    pub fn config(&self) -> &EkfUcbConfig {
        &self.config
    }

    /// Returns the estimates θ̂ᵢ, one row per objective, in the objective's own orientation: E
    /// y ≈ μ(θ̂ᵢᵀx).
    pub fn theta(&self) -> Matrix {
        self.problem.outward(|i| self.learner.estimates()[i].theta())
    }

    /// Returns H of an objective.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gram(&self, objective: usize) -> &Gram {
        &self.learner.grams()[objective]
    }

    /// Returns γ = c·log(det H_t / det H_1) of an objective, the squared width factor that the next
    /// decision uses. It is zero if forgetting has left H with a determinant below that of H_1.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gamma(&self, objective: usize) -> f64 {
        self.config.c * self.gram(objective).log_det_ratio().max(0.0)
    }

    /// Returns the range of the objectives that count: all of them, or one.
    fn counted(&self) -> Range<usize> {
        self.config.objective.map_or(0..self.learner.estimates().len(), |i| i..i + 1)
    }

    /// Passes the current state of some objectives to a scorer.
    fn prepare(&self, scorer: &mut Scorer, range: Range<usize>) {
        let first = range.start;
        let optimism = |i: usize| Optimism {
            gram: i - first,
            root: self.gamma(i).sqrt(),
            sign: self.problem.objectives()[i].sign(),
        };
        scorer.take(|k| &self.learner.estimates()[first + k], range.map(optimism));
    }
}

impl Policy for EkfUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let counted = self.counted();
        let scored = if decision.tables { 0..self.learner.estimates().len() } else { counted.clone() };
        let grams = &self.learner.grams()[scored.clone()];
        self.prepare(decision.scorer(), scored.clone());
        if self.learner.rounds() == 0 && are_none(&self.config.prior) {
            // O_1 = X: before the first reward all scores are zero.
            decision.front.refill((0..arms.n_arms()).map(ArmId));
            decision.forget_tables();
            if decision.tables {
                decision.scorer().lay_out(arms, grams);
                decision.score(arms, grams);
            }
        } else if scored == counted {
            decision.find_fresh_front(arms, grams);
        } else {
            decision.scorer().lay_out(arms, grams);
            decision.score(arms, grams);
            decision.work.scores.keep_column(counted.start);
            decision.find_front();
        }
        decision.draw_from_front(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.learner.learn(self.problem.objectives(), arm.numbers(), reward)
    }

    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        self.problem.check_part(arm, reward)?;
        if reward.iter().all(Option::is_none) {
            return Ok(());
        }
        let reward: Vec<f64> = reward.iter().map(|y| y.unwrap_or(f64::NAN)).collect();
        self.learner.learn(self.problem.objectives(), arm.numbers(), &reward)
    }

    fn facts(&self) -> Facts {
        Facts { learns_parts: true, ..Facts::default() }
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(self)
    }
}

impl Model for EkfUcb {
    fn predict_into(&self, arm: Arm<'_>, predictions: &mut Vec<(f64, f64)>) -> bool {
        let x = arm.context();
        predictions.clear();
        predictions.extend(self.problem.objectives().iter().enumerate().map(|(i, objective)| {
            let score: f64 = self.learner.estimates()[i].theta().zip(x).map(|(a, b)| a * b).sum();
            (objective.sign() * score, self.gamma(i).sqrt() * self.gram(i).squared_norm_inv(x).sqrt())
        }));
        true
    }

    fn beliefs(&self) -> Vec<Prior> {
        let theta = self.theta();
        let of = |(i, objective): (usize, &Objective)| {
            let learned = self.gram(i).learned();
            Prior::believed(theta.row(i), self.problem.radius(), learned, 1.0 / dispersion(objective))
        };
        self.problem.objectives().iter().enumerate().map(of).collect()
    }

    fn projection_hits(&self) -> u64 {
        self.learner.projection_hits()
    }
}

impl Saved for EkfUcb {
    saved!(EkfUcbConfig => EkfUcbState);

    fn t(&self) -> u64 {
        self.learner.rounds()
    }

    fn state(&self) -> EkfUcbState {
        self.learner.state()
    }

    fn resume(&mut self, state: EkfUcbState) -> Result<(), Error> {
        let mut next = Self::new(self.problem.clone(), self.config.clone())?.learner;
        next.resume(state, self.problem.objectives())?;
        self.learner = next;
        Ok(())
    }
}
