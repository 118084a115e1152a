//! MOGLB-UCB, Algorithm 1 of the paper.

mod bench;
mod config;
mod fixed;
mod snapshot;

pub use config::{Kappa, MoglbUcbConfig};

use crate::csr::Numbers;
use crate::estimate::Estimate;
use crate::gram::Update;
use crate::kernel::{Lanes, Unit, blocks, dot, places, vectorized};
use crate::policy::forgetting::{DISCOUNT, check_discount};
use crate::policy::{Kind, Parameter, Policy, PolicyInfo};
use crate::prior::{PRIOR, are_none, check_bounds, check_priors, dispersion};
use crate::projection::Projection;
use crate::snapshot::PolicySnapshot;
use crate::width::{Width, WidthInputs};
use crate::{
    Arm, ArmId, ArmSet, Decision, Error, Gram, Link, LinkConstants, Matrix, Objective, PolicyConfig, Prior,
    Problem,
};
use fixed::{FixedArms, Move};
use rand_core::Rng;
use std::sync::Arc;

pub(crate) const INFO: PolicyInfo = PolicyInfo {
    id: "moglb-ucb",
    name: "MOGLB-UCB",
    source: "Lu, Wang, Hu, Zhang: Multi-Objective Generalized Linear Bandits, IJCAI 2019",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets",
    guarantee: "Pareto regret Õ(d√T) with probability 1 − δ (Theorem 2), with width = proved or tightened",
    cost: "O(Kd + K·m + front) on fixed arms, O(Kd² + K·m·d + front) on fresh ones; O(d²) more per projected objective",
    has_front: true,
    parameters: &[
        Parameter {
            name: "width",
            kind: Kind::Word,
            default: "tuned",
            meaning: "tuned, proved (Eq. 8) or tightened (same proof, ~30x smaller)",
        },
        Parameter {
            name: "c",
            kind: Kind::Number,
            default: "0.01",
            meaning: "factor of the tuned width, γ = c·log(det Z_t / det Z_1)",
        },
        Parameter {
            name: "delta",
            kind: Kind::Number,
            default: "0.05",
            meaning: "chance of error of the proved and tightened widths",
        },
        Parameter {
            name: "lambda",
            kind: Kind::Number,
            default: "max(1, κ/2)",
            meaning: "regularization, Z_1 = λI",
        },
        Parameter {
            name: "kappa",
            kind: Kind::Word,
            default: "shared",
            meaning: "shared: one Z with the smallest κ (the paper); per-objective: one Z per distinct κ",
        },
        DISCOUNT,
        PRIOR,
    ],
    departures: "",
};

/// Algorithm 1: online Newton estimates, optimistic scores, a uniform draw from their Pareto front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem, Width};
///
/// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("cost", Link::Identity).minimize()];
/// let config = MoglbUcbConfig { width: Width::Proved { delta: 0.05 }, ..Default::default() };
/// let mut policy = MoglbUcb::new(Problem::new(2, objectives)?, config)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]])?;
/// let mut rng = draw::seeded(7);
/// let decision = policy.decide(&arms, &mut rng)?;
/// assert_eq!(decision.front.len(), 3, "O_1 is the whole arm set");
/// policy.learn(arms.arm(decision.arm), &[1.0, 0.3])?;
/// assert_eq!(policy.t(), 1);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoglbUcb {
    problem: Problem,
    config: MoglbUcbConfig,
    /// Z for each distinct κ: one, unless κ is per objective or objectives were told different things.
    grams: Vec<Gram>,
    /// What was added to each Gram matrix.
    sums: Vec<Sums>,
    models: Vec<Model>,
    rounds: u64,
    projection_hits: u64,
    scratch: Scratch,
    /// Scores carried from round to round, while the arms are fixed. No part of the learned state.
    fixed: Option<Box<FixedArms>>,
}

/// What was added to a Gram matrix.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sums {
    /// The number of contexts.
    rounds: u64,
    /// Σ‖x_s‖², as far as it is not forgotten.
    squared_norms: f64,
}

/// One objective: its estimate and what its width needs.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    estimate: Estimate,
    /// Which Gram matrix is this objective's.
    gram: usize,
    constants: LinkConstants,
    /// Σ (y_s − μ(θ̂_sᵀx_s))² ‖x_s‖²_{Z_{s+1}⁻¹}.
    gradients: f64,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    /// The context, filled up with zeros to whole blocks of lanes, as are the vectors below.
    context: Vec<Lanes>,
    /// Z⁻¹x for each Gram matrix.
    directions: Vec<Vec<Lanes>>,
    /// xᵀZ⁻¹x for each Gram matrix.
    squared: Vec<f64>,
    /// h/(1 − h·xᵀZ⁻¹x) for each Gram matrix: by how much of (x_kᵀZ⁻¹x)² every ‖x_k‖² drops.
    drops: Vec<f64>,
    /// θ̂ᵀx of each estimate.
    inner: Vec<f64>,
    /// How each estimate moved.
    moves: Vec<Move>,
    /// The means that links from outside gave in this round; empty if there are none.
    asked: Vec<f64>,
    update: Update,
    projection: Projection,
}

impl Scratch {
    /// Makes room for what belongs to each Gram matrix.
    fn hold(&mut self, grams: &[Gram]) {
        self.directions.resize(grams.len(), vec![Lanes::ZERO; self.context.len()]);
        self.squared.resize(grams.len(), 0.0);
        self.drops.resize(grams.len(), 0.0);
    }
}

impl MoglbUcb {
    /// The policy before the first round: Z_1 = λI, θ̂_1 = 0.
    ///
    /// # Errors
    ///
    /// [`Error::Lambda`], [`Error::Delta`], [`Error::WidthFactor`], [`Error::ParameterBounds`], [`Error::Parameters`] or
    /// [`Error::TooLarge`].
    pub fn new(problem: Problem, mut config: MoglbUcbConfig) -> Result<Self, Error> {
        config.width.check()?;
        check_discount(config.discount, problem.dim())?;
        if config.discount < 1.0 && !matches!(config.width, Width::Tuned { .. }) {
            return Err(Error::Parameters {
                what: "a discount goes with width = tuned: Theorem 1 forgets nothing",
            });
        }
        check_priors(&config.prior, &problem)?;
        if !matches!(config.width, Width::Tuned { .. }) {
            check_bounds(&config.prior)?;
        }
        let shared = config.kappa == Kappa::Shared && are_none(&config.prior);
        let most_grams = if shared { 1 } else { problem.n_objectives() };
        crate::memory::check_memory(problem.dim(), problem.dim().saturating_mul(most_grams))?;
        let constants = match config.kappa {
            Kappa::Shared => vec![problem.shared_constants(); problem.n_objectives()],
            Kappa::PerObjective => problem.constants().to_vec(),
        };
        let lambda = checked_lambda(config.lambda, &constants)?;
        config.lambda = Some(lambda);
        let mut grams: Vec<Gram> = Vec::new();
        let mut models = Vec::new();
        for (i, constants) in constants.into_iter().enumerate() {
            let mut first = Gram::new(problem.dim(), lambda, constants.kappa / 2.0);
            let mut estimate = Estimate::zero(problem.dim());
            let objective = &problem.objectives()[i];
            let prior = config.prior.get(i).filter(|prior| !prior.is_none());
            let unit = prior.map_or(Ok(1.0), |_| unit(objective, constants))?;
            if let Some(start) = prior.and_then(|p| p.start(objective, problem.radius(), lambda, unit)) {
                first = first.with_added(&start.precision)?;
                estimate = Estimate::from_theta(&start.theta);
            }
            let gram = grams.iter().position(|z| *z == first).unwrap_or_else(|| {
                grams.push(first);
                grams.len() - 1
            });
            models.push(Model { estimate, gram, constants, gradients: 0.0 });
        }
        let scratch = Scratch {
            context: vec![Lanes::ZERO; blocks(problem.dim())],
            moves: vec![Move::Anew; models.len()],
            ..Scratch::default()
        };
        let mut policy = Self {
            problem,
            config,
            sums: vec![Sums::default(); grams.len()],
            grams,
            models,
            rounds: 0,
            projection_hits: 0,
            scratch,
            fixed: None,
        };
        policy.scratch.hold(&policy.grams);
        Ok(policy)
    }

    /// A policy from [`Restorable::to_json`](crate::Restorable::to_json).
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotFormat`], [`Error::SnapshotDamaged`], [`Error::SnapshotPolicy`], or what is wrong with the
    /// problem or the configuration in it.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Self::from_snapshot(PolicySnapshot::from_json(text)?)
    }

    /// A policy from [`Restorable::to_bytes`](crate::Restorable::to_bytes).
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

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The number of rewards learned.
    pub fn t(&self) -> u64 {
        self.rounds
    }

    /// The configuration, with the λ that a default stands for.
    pub fn config(&self) -> &MoglbUcbConfig {
        &self.config
    }

    /// The estimates θ̂ᵢ, one row per objective, in the objective's own orientation: E y ≈ μ(θ̂ᵢᵀx).
    pub fn theta(&self) -> Matrix {
        self.problem.outward(|i| self.models[i].estimate.theta())
    }

    /// The Gram matrix Z_{t+1} of an objective; the same for all unless κ is per objective.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gram(&self, objective: usize) -> &Gram {
        &self.grams[self.models[objective].gram]
    }

    /// γ_{t+1} of an objective: the squared width factor that the next decision uses.
    ///
    /// # Panics
    ///
    /// If there is no such objective.
    pub fn gamma(&self, objective: usize) -> f64 {
        self.gamma_by(self.config.width, objective)
    }

    /// What γ_{t+1} of an objective would be by another width.
    pub(crate) fn gamma_by(&self, width: Width, objective: usize) -> f64 {
        let model = &self.models[objective];
        let (low, high) = self.problem.objectives()[objective].rewards();
        width.gamma(&WidthInputs {
            constants: model.constants,
            reward_bound: self.problem.reward_bound(),
            sub_gaussian: (high - low) / 2.0,
            n_objectives: self.problem.n_objectives(),
            radius: self.problem.radius(),
            lambda: self.grams[model.gram].lambda(),
            rounds: self.sums[model.gram].rounds,
            squared_norms: self.sums[model.gram].squared_norms,
            gradients: model.gradients,
            // The tuned width goes on as if what the prior knows had been learned here.
            log_det: match width {
                Width::Tuned { .. } => self.gram(objective).log_det_ratio(),
                _ => self.gram(objective).log_det_since_start(),
            },
        })
    }

    /// Steps 5–8 of Algorithm 1. Where parts may be missing, objectives whose reward is NaN stay as they are, and so does a
    /// Gram matrix of such objectives; it must not be that of others too.
    #[inline(always)]
    fn update<S: Unit>(&mut self, simd: S, x: Numbers<'_>, reward: &[f64], is_part: bool) {
        let Scratch { context, directions, squared, drops, inner, moves, asked, update, projection } =
            &mut self.scratch;
        x.fill(context);
        update.follow(x);
        let squared_norm = dot(simd, context, context);
        for (g, gram) in self.grams.iter_mut().enumerate() {
            if is_part && !is_told(&self.models, g, reward) {
                // As if the context had been zero.
                directions[g].fill(Lanes::ZERO);
                (squared[g], drops[g]) = (0.0, 0.0);
                continue;
            }
            self.sums[g].rounds += 1;
            self.sums[g].squared_norms += squared_norm;
            // Eq. (2) comes first: Eq. (1) is stated in Z_{t+1}.
            squared[g] = gram.add_and_solve(simd, context, &mut directions[g], update);
            drops[g] = gram.weight() / (1.0 - gram.weight() * squared[g]);
        }
        // Step by step for all objectives: while one waits for its sum, the others go on.
        inner.clear();
        for model in &self.models {
            inner.push(model.estimate.score(simd, context));
        }
        let is_untold = |y: f64| is_part && y.is_nan();
        let objectives = self.problem.objectives();
        for (i, (((model, objective), &y), step)) in
            self.models.iter_mut().zip(objectives).zip(reward).zip(&mut *moves).enumerate()
        {
            if is_untold(y) {
                *step = Move::Along(0.0);
                continue;
            }
            let mean = match asked.get(i) {
                Some(&mean) if !mean.is_nan() => mean,
                _ => objective.inner_mean(inner[i]),
            };
            let slope = mean - objective.sign() * y;
            model.gradients += slope * slope * squared[model.gram];
            model.estimate.shift(simd, -slope, &directions[model.gram]);
            *step = Move::Along(slope);
        }
        for ((model, &y), step) in self.models.iter_mut().zip(reward).zip(moves) {
            let (gram, radius) = (&self.grams[model.gram], self.problem.radius());
            if !is_untold(y) && model.estimate.project(simd, gram, radius, projection) {
                self.projection_hits += 1;
                *step = Move::Anew;
            }
        }
        if self.config.discount < 1.0 {
            self.forget(simd, reward);
        }
        self.rounds += 1;
    }

    /// The Gram matrices of objectives that were told something forget a little, and the estimates follow: the reward just
    /// learned weighs γ in the next round.
    #[inline(always)]
    fn forget<S: Unit>(&mut self, simd: S, reward: &[f64]) {
        let (discount, radius) = (self.config.discount, self.problem.radius());
        let Scratch { directions, update, projection, .. } = &mut self.scratch;
        for (g, gram) in self.grams.iter_mut().enumerate() {
            if !is_told(&self.models, g, reward) {
                continue;
            }
            self.sums[g].squared_norms *= discount;
            let renewal = gram.forget(simd, discount, &mut directions[g], update);
            for model in self.models.iter_mut().filter(|model| model.gram == g) {
                model.estimate.renew(simd, renewal, &directions[g], gram, radius, projection);
            }
        }
    }

    /// Learns a reward that was checked; in a part, NaN is what is not known.
    fn take_in(&mut self, arm: Arm<'_>, reward: &[f64], is_part: bool) {
        vectorized!(
            {
                policy: &'a mut MoglbUcb = self,
                x: Numbers<'a> = arm.numbers(),
                reward: &'a [f64] = reward,
                is_part: bool = is_part,
            },
            (),
            |simd| policy.update(simd, x, reward, is_part)
        );
    }

    /// Gives each Gram matrix that is of some objectives with a reward and some without (NaN) a twin for the latter. Says
    /// whether there was any.
    fn split(&mut self, reward: &[f64]) -> Result<bool, Error> {
        let is_mixed = |g: usize| {
            let mut own = self.models.iter().zip(reward).filter(|(model, _)| model.gram == g);
            own.clone().any(|(_, y)| y.is_nan()) && own.any(|(_, y)| !y.is_nan())
        };
        let mixed: Vec<usize> = (0..self.grams.len()).filter(|&g| is_mixed(g)).collect();
        let dim = self.problem.dim();
        crate::memory::check_memory(dim, dim.saturating_mul(mixed.len()))?;
        for &g in &mixed {
            let twin = self.grams.len();
            self.grams.push(self.grams[g].clone());
            self.sums.push(self.sums[g]);
            for (model, _) in self.models.iter_mut().zip(reward).filter(|(_, y)| y.is_nan()) {
                model.gram = if model.gram == g { twin } else { model.gram };
            }
        }
        self.scratch.hold(&self.grams);
        Ok(!mixed.is_empty())
    }

    /// Asks links from outside for their means, once, and refuses what is no number. Those of the library are NaN here: they
    /// are computed where they are needed.
    fn ask_links(&mut self, arm: Arm<'_>) -> Result<(), Error> {
        self.scratch.asked.clear();
        if self.problem.objectives().iter().all(|objective| !matches!(objective.link, Link::Custom(_))) {
            return Ok(());
        }
        arm.numbers().fill(&mut self.scratch.context);
        for (model, objective) in self.models.iter().zip(self.problem.objectives()) {
            let mut mean = f64::NAN;
            if let Link::Custom(_) = objective.link {
                let inner: f64 =
                    model.estimate.theta().zip(places(&self.scratch.context)).map(|(a, b)| a * b).sum();
                let z = objective.sign() * inner;
                mean = objective.sign() * objective.link.mean(z);
                if mean.is_nan() || mean.abs() > 1e100 {
                    return Err(Error::LinkMean {
                        link: objective.link.name(),
                        z,
                        mean: objective.sign() * mean,
                    });
                }
            }
            self.scratch.asked.push(mean);
        }
        Ok(())
    }

    /// Whether this is before the first round, with no prior.
    fn knows_nothing(&self) -> bool {
        self.rounds == 0 && are_none(&self.config.prior)
    }

    /// √γᵢ of every objective.
    fn roots_into(&self, roots: &mut Vec<f64>) {
        roots.clear();
        roots.extend(self.roots());
    }

    /// √γᵢ of every objective, one after the other.
    fn roots(&self) -> impl Iterator<Item = f64> + '_ {
        let shared = self.shared_root();
        (0..self.models.len()).map(move |i| shared.unwrap_or_else(|| self.root(i)))
    }

    /// √γᵢ, if it is the same for all objectives: tuned widths know nothing of an objective but its Gram matrix.
    #[inline]
    fn shared_root(&self) -> Option<f64> {
        let is_shared = matches!(self.config.width, Width::Tuned { .. }) && self.grams.len() == 1;
        is_shared.then(|| self.root(0))
    }

    /// √γᵢ.
    #[inline]
    fn root(&self, objective: usize) -> f64 {
        if let Width::Tuned { c } = self.config.width {
            // In every round of every experiment: nothing but the determinant matters.
            return (c * self.gram(objective).log_det_ratio().max(0.0)).sqrt();
        }
        self.gamma(objective).sqrt()
    }
}

impl Policy for MoglbUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        if let Some(fixed) =
            self.fixed.as_ref().filter(|c| !decision.tables && std::ptr::eq(&**c.arms(), arms))
        {
            decision.forget_tables();
            decision.front.refill(fixed.front().iter());
            decision.draw_from_front(arms.n_arms(), rng);
            return Ok(());
        }
        if self.knows_nothing() {
            // O_1 = X (step 1): under Eq. (8) the scores would keep only the longest contexts.
            decision.front.refill((0..arms.n_arms()).map(ArmId));
            decision.forget_tables();
            if decision.tables {
                self.prepare(arms, &mut decision.work.scoring.scorer);
                decision.score(arms, &self.grams);
            }
        } else {
            self.find_fresh_front(arms, decision);
        }
        decision.draw_from_front(arms.n_arms(), rng);
        Ok(())
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        // Forgetting changes every norm in every round: there is nothing to carry. Sparse contexts are few numbers to go over,
        // and carrying would lay all of them out with their zeros.
        let carries = self.config.discount == 1.0 && arms.table().is_none();
        self.fixed = carries.then(|| Box::new(FixedArms::new(self, arms)));
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.ask_links(arm)?;
        // Nothing below can fail, so a refused reward leaves the policy as it was.
        self.take_in(arm, reward, false);
        if let Some(mut fixed) = self.fixed.take() {
            fixed.step(self);
            self.fixed = Some(fixed);
        }
        Ok(())
    }

    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        self.problem.check_part(arm, reward)?;
        if reward.iter().all(Option::is_none) {
            return Ok(());
        }
        self.ask_links(arm)?;
        let reward: Vec<f64> = reward.iter().map(|y| y.unwrap_or(f64::NAN)).collect();
        let is_split = self.split(&reward)?;
        // Nothing below can fail.
        self.take_in(arm, &reward, true);
        if let Some(mut fixed) = self.fixed.take() {
            if is_split {
                // There are more norms to carry.
                *fixed = FixedArms::new(self, fixed.arms());
            } else {
                fixed.step(self);
            }
            self.fixed = Some(fixed);
        }
        Ok(())
    }

    fn learns_parts(&self) -> bool {
        true
    }

    fn predict_into(&self, arm: Arm<'_>, predictions: &mut Vec<(f64, f64)>) -> bool {
        let x = arm.context();
        predictions.clear();
        predictions.extend(self.problem.objectives().iter().enumerate().map(|(i, objective)| {
            let score: f64 = self.models[i].estimate.theta().zip(x).map(|(a, b)| a * b).sum();
            (objective.sign() * score, self.root(i) * self.gram(i).squared_norm_inv(x).sqrt())
        }));
        true
    }

    fn weigh_by(&self, arms: &ArmSet, _: &[bool], decision: &mut Decision) -> Result<bool, Error> {
        if self.knows_nothing() {
            // O_1 = X, whatever counts.
            decision.front.refill((0..arms.n_arms()).map(ArmId));
            decision.probabilities = vec![1.0 / arms.n_arms() as f64; arms.n_arms()];
        }
        Ok(self.knows_nothing())
    }

    fn beliefs(&self) -> Vec<Prior> {
        let theta = self.theta();
        let of = |(i, objective): (usize, &Objective)| {
            // A link from outside that has no weight has said so when it was learned from.
            let unit = unit(objective, self.models[i].constants).unwrap_or(f64::NAN);
            let (learned, factor) = (self.gram(i).learned(), 1.0 / (unit * dispersion(objective)));
            Prior::believed(theta.row(i), self.problem.radius(), learned, factor)
        };
        self.problem.objectives().iter().enumerate().map(of).collect()
    }

    fn projection_hits(&self) -> u64 {
        self.projection_hits
    }
}

/// Whether an objective of a Gram matrix has a reward that is known.
#[inline(always)]
fn is_told(models: &[Model], gram: usize, reward: &[f64]) -> bool {
    models.iter().zip(reward).any(|(model, y)| model.gram == gram && !y.is_nan())
}

/// What a reward of weight one counts in Z, where one at θᵀx = 0 counts κ/2.
fn unit(objective: &Objective, constants: LinkConstants) -> Result<f64, Error> {
    Ok(0.5 * constants.kappa / objective.inner_weight(0.0)?)
}

/// λ as given or max(1, κ/2), refused below that bound.
fn checked_lambda(given: Option<f64>, constants: &[LinkConstants]) -> Result<f64, Error> {
    let bound = constants.iter().fold(1.0_f64, |bound, c| bound.max(c.kappa / 2.0));
    match given {
        Some(lambda) if !(lambda >= bound && lambda <= 1e100) => Err(Error::Lambda { bound, got: lambda }),
        given => Ok(given.unwrap_or(bound)),
    }
}
