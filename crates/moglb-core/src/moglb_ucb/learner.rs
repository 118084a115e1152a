//! The learned state of MOGLB-UCB: steps 5 to 7 of Algorithm 1, and the sums from which step 8 computes γ.

pub mod discount;
mod grouping;
pub mod model;
mod outside_links;
pub mod reward;
pub mod scores;
pub mod start;

pub(super) use model::{ObjectiveModel, Sums};
pub(super) use reward::Reward;
pub(super) use start::unit;

use super::MoglbUcbConfig;
use crate::prior::are_none;
use crate::width::{Width, WidthInputs};
use crate::{Arm, Problem};
use moglb_math::csr::Numbers;
use moglb_math::gram::Update;
use moglb_math::kernel::{Lanes, Unit, dot, vectorized};
use moglb_math::projection::Projection;
use moglb_math::{Error, Gram};

/// Z, the estimates θ̂, the sums for γ, and t.
#[derive(Debug, Clone)]
pub struct Learner {
    /// The problem: d, the objectives, and the radius D.
    pub problem: Problem,
    /// The configuration, with the default λ resolved.
    pub config: MoglbUcbConfig,
    /// Z of each group of objectives. In the paper all objectives are one group; see [`grouping`].
    pub grams: Vec<Gram>,
    /// The number and the lengths of the contexts in each Z.
    pub sums: Vec<Sums>,
    /// The estimate of each objective and the sums for its γ.
    pub models: Vec<ObjectiveModel>,
    /// t: the number of rewards learned.
    pub rounds: u64,
    /// The number of projections of Eq. (1) that moved an estimate back to the ball of radius D.
    pub projection_hits: u64,
    memory: Memory,
}

/// Buffers of [`Learner::update`], kept so that a round allocates nothing.
#[derive(Debug, Clone, Default)]
struct Memory {
    /// The context, padded with zeros to whole blocks of lanes.
    context: Vec<Lanes>,
    /// θ̂ᵢᵀx of each objective, before its step.
    inner: Vec<f64>,
    /// The means that custom links returned in this round; empty without custom links.
    outside_means: Vec<f64>,
    update: Update,
    projection: Projection,
}

/// The change of a round: everything that the cached scores of fixed arms need to follow it.
#[derive(Debug, Clone, Default)]
pub struct Round {
    /// v = Z_{t+1}⁻¹x_t for each Z, padded with zeros to whole blocks of lanes.
    pub directions: Vec<Vec<Lanes>>,
    /// xᵀZ⁻¹x for each Z.
    squared: Vec<f64>,
    /// h/(1 − h·xᵀZ⁻¹x) for each Z. The round lowers every ‖x_k‖² by this multiple of (x_kᵀZ⁻¹x)².
    pub drops: Vec<f64>,
    /// The movement of each estimate.
    pub moves: Vec<Move>,
}

/// The movement of one estimate in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Move {
    /// A step along Z⁻¹x, by −slope. Fixed arms follow it with one product for all objectives.
    Along(f64),
    /// The step of Eq. (1) left the ball of radius D and was projected, so the movement has no shared
    /// direction.
    Projected,
}

impl Learner {
    /// Refuses an arm or a reward that does not fit the problem. After this, [`Learner::update`] cannot
    /// fail.
    pub fn check(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.call_outside_links(arm)
    }

    /// Learns a checked reward: steps 5 to 7 of Algorithm 1, and the sums of step 8. γ itself is computed
    /// where arms are scored (`root` in `scores.rs`).
    pub fn update(&mut self, arm: Arm<'_>, reward: Reward<'_>, round: &mut Round) {
        vectorized!(
            {
                learner: &'a mut Learner = self,
                x: Numbers<'a> = arm.numbers(),
                reward: Reward<'a> = reward,
                round: &'a mut Round = round,
            },
            (),
            |simd| learner.update_on(simd, x, reward, round)
        );
    }

    #[inline(always)]
    fn update_on<S: Unit>(&mut self, simd: S, x: Numbers<'_>, reward: Reward<'_>, round: &mut Round) {
        x.fill(&mut self.memory.context);
        self.memory.update.follow(x);
        round.hold(self);
        self.add_context(simd, reward, round); // step 5; first, because Eq. (1) is stated in Z_{t+1}
        self.move_estimates(simd, reward, round); // step 7
        self.project_estimates(simd, reward, round);
        if self.config.discount < 1.0 {
            self.forget(simd, reward, round);
        }
        self.rounds += 1;
    }

    /// Step 5: Z ← Z + (κ/2) x xᵀ, and the sums for γ.
    #[inline(always)]
    fn add_context<S: Unit>(&mut self, simd: S, reward: Reward<'_>, round: &mut Round) {
        let Memory { context, update, .. } = &mut self.memory;
        let squared_norm = dot(simd, context, context);
        for (g, (gram, sums)) in self.grams.iter_mut().zip(&mut self.sums).enumerate() {
            if !reward.is_observed_by(&self.models, g) {
                round.leave(g);
                continue;
            }
            sums.rounds += 1;
            sums.squared_norms += squared_norm;
            let squared = gram.add_and_solve(simd, context, &mut round.directions[g], update); // Eq. (2)
            round.squared[g] = squared;
            round.drops[g] = gram.weight() / (1.0 - gram.weight() * squared);
        }
    }

    /// Step 7: θ̂ᵢ ← θ̂ᵢ − Z⁻¹∇ℓᵢ(θ̂ᵢ), where ∇ℓᵢ(θ̂ᵢ) = slope·x. This is Eq. (1) before its projection.
    /// The slope is the derivative of the loss along θᵀx, μ(θ̂ᵢᵀx) − y; it is not μ′.
    #[inline(always)]
    fn move_estimates<S: Unit>(&mut self, simd: S, reward: Reward<'_>, round: &mut Round) {
        let Memory { context, inner, outside_means, .. } = &mut self.memory;
        // All products first: they are independent, so that the sum of one overlaps the others.
        inner.clear();
        for model in &self.models {
            inner.push(model.estimate.score(simd, context));
        }
        let Round { directions, squared, moves, .. } = round;
        let objectives = self.problem.objectives();
        for (i, (((model, objective), &y), step)) in
            self.models.iter_mut().zip(objectives).zip(reward.values).zip(&mut *moves).enumerate()
        {
            if !reward.is_observed(i) {
                *step = Move::Along(0.0);
                continue;
            }
            let mean = match outside_means.get(i) {
                Some(&mean) if !mean.is_nan() => mean,
                _ => objective.inner_mean(inner[i]),
            };
            let slope = mean - objective.sign() * y;
            model.gradients += slope * slope * squared[model.gram];
            model.estimate.shift(simd, -slope, &directions[model.gram]); // Eq. (1)
            *step = Move::Along(slope);
        }
    }

    /// Step 7: the projection of Eq. (1) onto the ball of radius D, in the norm of Z.
    #[inline(always)]
    fn project_estimates<S: Unit>(&mut self, simd: S, reward: Reward<'_>, round: &mut Round) {
        let (radius, projection) = (self.problem.radius(), &mut self.memory.projection);
        for (i, (model, step)) in self.models.iter_mut().zip(&mut round.moves).enumerate() {
            let gram = &self.grams[model.gram];
            if reward.is_observed(i) && model.estimate.project(simd, gram, radius, projection) {
                self.projection_hits += 1;
                *step = Move::Projected;
            }
        }
    }

    /// Returns γ_{t+1} of an objective as the given width computes it (step 8).
    pub fn gamma_by(&self, width: Width, objective: usize) -> f64 {
        let model = &self.models[objective];
        let (gram, sums) = (&self.grams[model.gram], self.sums[model.gram]);
        let (low, high) = self.problem.objectives()[objective].rewards();
        let inputs = WidthInputs {
            constants: model.constants,
            reward_bound: self.problem.reward_bound(),
            sub_gaussian: (high - low) / 2.0,
            n_objectives: self.problem.n_objectives(),
            radius: self.problem.radius(),
            lambda: gram.lambda(),
            rounds: sums.rounds,
            squared_norms: sums.squared_norms,
            gradients: model.gradients,
            // The tuned width counts the prior's information as if it had been learned here.
            log_det: match width {
                Width::Tuned { .. } => gram.log_det_ratio(),
                _ => gram.log_det_since_start(),
            },
        };
        width.gamma(&inputs)
    }

    /// Returns Z_{t+1} of an objective.
    pub fn gram(&self, objective: usize) -> &Gram {
        &self.grams[self.models[objective].gram]
    }

    /// True before the first round if there is no prior. Then O_1 = X (step 1).
    pub(super) fn knows_nothing(&self) -> bool {
        self.rounds == 0 && are_none(&self.config.prior)
    }
}

impl Round {
    /// Resizes the buffers to the present number of Gram matrices and objectives.
    fn hold(&mut self, learner: &Learner) {
        let (n_grams, n_blocks) = (learner.grams.len(), learner.memory.context.len());
        if self.directions.len() != n_grams || self.moves.len() != learner.models.len() {
            self.directions.resize(n_grams, vec![Lanes::ZERO; n_blocks]);
            self.squared.resize(n_grams, 0.0);
            self.drops.resize(n_grams, 0.0);
            self.moves.resize(learner.models.len(), Move::Projected);
        }
    }

    /// Records that a Gram matrix did not change, as if the context had been zero: no objective of it was
    /// observed.
    fn leave(&mut self, gram: usize) {
        self.directions[gram].fill(Lanes::ZERO);
        (self.squared[gram], self.drops[gram]) = (0.0, 0.0);
    }
}
