//! EKF-UCB: the paper's optimism on estimates with local curvature and gain one (an extended Kalman filter).
//!
//! Eq. (1) steps by the smallest slope κ there is, so that its gain, relative to that of an efficient estimator, is
//! 2μ′/κ: on the benchmark 2.4 for logit and 3.8 for probit, which costs 1.5 and 2.2 times the variance. Here every
//! round has the weight of its own Fisher information, and every objective a Gram matrix H_i of its own:
//!
//! ```text
//! z = θᵢᵀx,  w = information at z,  q = xᵀHᵢ⁻¹x
//! u = θᵢ − score · Hᵢ⁻¹x / (1 + wq)             the step, in the norm of Hᵢ + w·xxᵀ
//! θᵢ ← the point of the ball of radius D closest to u in that norm
//! Hᵢ ← Hᵢ + w(θᵢᵀx) · xxᵀ                        with the weight at the new estimate
//! ```
//!
//! Two weights make two matrices. Hᵢ is updated once, with the second; the first is needed only for a projection, which is
//! rare, and is then added to a copy. Nothing is taken back from a factor, so no update can lose positive definiteness.

use crate::estimate::Estimate;
use crate::gram::Update;
use crate::kernel::{Lanes, Unit, blocks, dot, fill, vectorized};
use crate::policy::scores::{Optimism, Scorer};
use crate::policy::{Kind, Parameter, Policy, PolicyInfo, Restorable};
use crate::problem::check_memory;
use crate::projection::Projection;
use crate::snapshot::{EkfUcbState, PolicySnapshot, PolicyState};
use crate::{Arm, ArmId, ArmSet, Decision, Error, Fisher, Gram, Link, Matrix, PolicyConfig, Problem, Width};
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub(crate) const INFO: PolicyInfo = PolicyInfo {
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
    ],
    departures: "",
};

/// The least λ: below it the factor of H loses the digits that contexts leave in it.
const LEAST_LAMBDA: f64 = 1e-6;

/// The parameters of [`EkfUcb`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EkfUcbConfig {
    /// λ, with H_1 = λI.
    pub lambda: f64,
    /// c of the width √(c·log(det H_t / det H_1))·‖x‖_{H⁻¹}.
    pub c: f64,
    /// The only objective that counts, from 0; all of them unless given. See [`EkfUcb`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<usize>,
}

impl Default for EkfUcbConfig {
    fn default() -> Self {
        Self { lambda: 3.0, c: 0.01, objective: None }
    }
}

/// EKF-UCB: estimates with local curvature, optimistic scores, a uniform draw from their Pareto front.
///
/// With an `objective` it is the single-objective control: everything is learned as usual, but the front is that of this
/// one objective, the arms whose score in it is largest. Pareto regret is never above the regret of any one objective,
/// so a policy can have little of it and see next to nothing of the front; the control is there to show how little, and
/// why a table of Pareto regret needs a measure of coverage beside it.
///
/// ```
/// use moglb::{draw, ArmSet, EkfUcb, EkfUcbConfig, Link, Objective, Policy, Problem};
///
/// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("cost", Link::Identity).minimize()];
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
    /// H of each objective.
    grams: Vec<Gram>,
    /// θ̂ of each objective, larger is better.
    estimates: Vec<Estimate>,
    /// Σ w_s‖x_s‖² of each objective: by how much the trace of H has grown.
    traces: Vec<f64>,
    rounds: u64,
    projection_hits: u64,
    scratch: Scratch,
}

#[derive(Debug, Clone)]
struct Scratch {
    /// The context, filled up with zeros to whole blocks of lanes.
    context: Vec<Lanes>,
    /// H⁻¹x.
    direction: Vec<Lanes>,
    /// H with the weight of the old estimate, where a projection needs it.
    lifted: Gram,
    projection: Projection,
    /// What each objective will have learned when the round is over.
    next: Vec<Next>,
}

/// What an objective has learned in a round, before it is taken over.
#[derive(Debug, Clone)]
struct Next {
    estimate: Estimate,
    /// The weight at the new estimate.
    weight: f64,
    projected: bool,
    update: Update,
}

impl EkfUcb {
    /// The policy before the first round: H_1 = λI, θ̂_1 = 0.
    ///
    /// # Errors
    ///
    /// [`Error::Lambda`], [`Error::WidthFactor`], [`Error::UnknownObjective`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: EkfUcbConfig) -> Result<Self, Error> {
        let (dim, n_objectives) = (problem.dim(), problem.n_objectives());
        if !(config.lambda >= LEAST_LAMBDA && config.lambda <= 1e100) {
            return Err(Error::Lambda { bound: LEAST_LAMBDA, got: config.lambda });
        }
        Width::Tuned { c: config.c }.check()?;
        if let Some(got) = config.objective.filter(|&objective| objective >= n_objectives) {
            return Err(Error::UnknownObjective { got, n_objectives });
        }
        check_memory(dim, dim.saturating_mul(n_objectives + 1))?;
        let (gram, estimate) = (Gram::new(dim, config.lambda, 1.0), Estimate::zero(dim));
        let next =
            Next { estimate: estimate.clone(), weight: 0.0, projected: false, update: Update::default() };
        let scratch = Scratch {
            context: vec![Lanes::ZERO; blocks(dim)],
            direction: vec![Lanes::ZERO; blocks(dim)],
            lifted: gram.clone(),
            projection: Projection::default(),
            next: vec![next; n_objectives],
        };
        Ok(Self {
            grams: vec![gram; n_objectives],
            estimates: vec![estimate; n_objectives],
            traces: vec![0.0; n_objectives],
            rounds: 0,
            projection_hits: 0,
            scratch,
            problem,
            config,
        })
    }

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
    /// As [`EkfUcb::from_json`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_snapshot(PolicySnapshot::from_bytes(bytes)?)
    }

    fn from_snapshot(snapshot: PolicySnapshot) -> Result<Self, Error> {
        let own = |config| if let PolicyConfig::EkfUcb(config) = config { Some(config) } else { None };
        snapshot.restore_as(INFO.id, own, Self::new)
    }

    /// The configuration.
    pub fn config(&self) -> &EkfUcbConfig {
        &self.config
    }

    /// The estimates θ̂ᵢ, one row per objective, in the objective's own orientation: E y ≈ μ(θ̂ᵢᵀx).
    pub fn theta(&self) -> Matrix {
        self.problem.outward(|i| self.estimates[i].theta())
    }

    /// H of an objective.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gram(&self, objective: usize) -> &Gram {
        &self.grams[objective]
    }

    /// γ = c·log(det H_t / det H_1) of an objective: the squared width factor that the next decision uses.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gamma(&self, objective: usize) -> f64 {
        self.config.c * self.grams[objective].log_det_ratio()
    }

    /// The objectives that count.
    fn counted(&self) -> Range<usize> {
        self.config.objective.map_or(0..self.estimates.len(), |i| i..i + 1)
    }

    /// Hands the present state of some objectives to a scorer.
    fn prepare(&self, scorer: &mut Scorer, range: Range<usize>) {
        let first = range.start;
        let optimism = |i: usize| Optimism {
            gram: i - first,
            root: self.gamma(i).sqrt(),
            sign: self.problem.objectives()[i].sign(),
        };
        scorer.refill(
            &self.grams[range.clone()],
            |k| &self.estimates[first + k],
            range.clone().map(optimism),
        );
    }

    /// One round: everything new is made beside what is there and taken over when nothing can fail any more.
    #[inline(always)]
    fn update<S: Unit>(&mut self, simd: S, x: &[f64], reward: &[f64]) -> Result<(), Error> {
        fill(&mut self.scratch.context, x);
        for (i, &y) in reward.iter().enumerate() {
            self.step(simd, i, y)?;
        }
        let Scratch { context, direction, next, .. } = &mut self.scratch;
        let squared = dot(simd, context, context);
        for (i, next) in next.iter_mut().enumerate() {
            self.grams[i].add_image(simd, next.weight, direction, &mut next.update);
            self.estimates[i].copy_from(&next.estimate);
            self.traces[i] += next.weight * squared;
            self.projection_hits += u64::from(next.projected);
        }
        self.rounds += 1;
        Ok(())
    }

    /// What an objective learns from its reward.
    #[inline(always)]
    fn step<S: Unit>(&mut self, simd: S, i: usize, y: f64) -> Result<(), Error> {
        let Scratch { context, direction, lifted, projection, next } = &mut self.scratch;
        let (next, gram, radius) = (&mut next[i], &self.grams[i], self.problem.radius());
        let objective = &self.problem.objectives()[i];
        let Fisher { score, weight } = objective.inner_fisher(self.estimates[i].score(simd, context), y)?;
        let squared = gram.solve_and_hold(simd, context, direction, &mut next.update);
        next.estimate.copy_from(&self.estimates[i]);
        next.estimate.shift(simd, -score / weight.mul_add(squared, 1.0), direction);
        next.projected = next.estimate.is_outside(simd, radius);
        if next.projected {
            lifted.copy_from(gram);
            lifted.add_image(simd, weight, direction, &mut next.update);
            next.estimate.project(simd, lifted, radius, projection);
        }
        next.weight = objective.inner_weight(next.estimate.score(simd, context))?;
        Ok(())
    }

    /// The most that a round can weigh in an objective, where it is known.
    fn largest_weight(&self, objective: usize) -> f64 {
        match self.problem.objectives()[objective].link {
            // Their constants are those of many places, not of all.
            Link::Custom(_) => f64::INFINITY,
            Link::Probit => Link::Probit.fisher_weight(0.0),
            _ => self.problem.constants()[objective].lipschitz,
        }
    }
}

impl Policy for EkfUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let counted = self.counted();
        let scored = if decision.tables { 0..self.estimates.len() } else { counted.clone() };
        self.prepare(&mut decision.work.fresh.scorer, scored.clone());
        if self.rounds == 0 {
            // O_1 = X: nothing is known, and the scores are all zero.
            decision.front.refill((0..arms.n_arms()).map(ArmId));
            decision.forget_tables();
            if decision.tables {
                decision.score(arms);
            }
        } else if scored == counted {
            decision.find_fresh_front(arms, &self.grams[scored]);
        } else {
            decision.score(arms);
            decision.work.scores.keep_column(counted.start);
            decision.find_front();
        }
        decision.draw_from_front(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        vectorized!(
            { policy: &'a mut EkfUcb = self, x: &'a [f64] = arm.context(), reward: &'a [f64] = reward },
            Result<(), Error>,
            |simd| policy.update(simd, x, reward)
        )
    }

    fn projection_hits(&self) -> u64 {
        self.projection_hits
    }
}

impl Restorable for EkfUcb {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn t(&self) -> u64 {
        self.rounds
    }

    fn snapshot(&self) -> PolicySnapshot {
        let state = EkfUcbState {
            rounds: self.rounds,
            factors: self.grams.iter().map(Gram::packed).collect(),
            log_dets: self.grams.iter().map(Gram::log_det).collect(),
            thetas: self.estimates.iter().map(|estimate| estimate.theta().collect()).collect(),
            traces: self.traces.clone(),
            projection_hits: self.projection_hits,
        };
        let policy = PolicyConfig::EkfUcb(self.config.clone());
        PolicySnapshot::new(&self.problem, policy, PolicyState::EkfUcb(state))
    }

    fn resume(&mut self, state: PolicyState) -> Result<(), Error> {
        let PolicyState::EkfUcb(state) = state else {
            return Err(Error::SnapshotDamaged { reason: "the state is of another policy".into() });
        };
        let (dim, n_objectives) = (self.problem.dim(), self.problem.n_objectives());
        state.check(dim, n_objectives, self.problem.radius(), |i| self.largest_weight(i))?;
        let grams = state.factors.iter().zip(&state.log_dets).zip(&state.traces).map(
            |((packed, &log_det), &trace)| {
                Gram::from_packed(dim, self.config.lambda, 1.0, trace, packed, log_det)
            },
        );
        self.grams = grams.collect::<Result<_, _>>()?;
        // Nothing below can fail.
        self.estimates = state.thetas.iter().map(|theta| Estimate::from_theta(theta)).collect();
        self.traces = state.traces;
        self.rounds = state.rounds;
        self.projection_hits = state.projection_hits;
        Ok(())
    }
}
