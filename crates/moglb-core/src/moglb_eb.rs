//! MOGLB-EB: empirical Bayes for all objectives together, and play on the arms that may well be on the front.
//!
//! Four things set it apart from MOGLB-UCB:
//!
//! 1. every reward weighs as much as its Fisher information says (as in EKF-UCB), not as little as the smallest slope κ;
//! 2. objectives learn from each other through a prior whose variances are learned too (`posterior.rs`);
//! 3. how likely an arm is to be on the front is counted over samples of the coefficients (`membership.rs`), and arms
//!    that are likely enough are played, each as often as the others, and those that are less likely the less often;
//! 4. the front it reports is the set with the largest expected Jaccard index, not the set it plays.
//!
//! Rewards are taken in by batches, one round long at first and ten at most: everything but the rewards that wait is a
//! function of sums over the rewards before. So the state has one size for ever, and deciding costs nothing between batches
//! where arms are fixed. The samples come from a stream of their own that the number of rewards selects: deciding
//! twice sees the same samples, and the probabilities of a decision are exact.

mod membership;
pub mod posterior;
pub mod state;

use crate::discount::{self, DISCOUNT, check_discount};
use crate::moglb_eb::state::MoglbEbState;
use crate::prior::{PRIOR, check_priors, dispersion};
use crate::saved::{Saved, saved};
use crate::{
    Arm, ArmSet, Decision, Facts, Fisher, Kind, Link, Model, Parameter, Policy, PolicyInfo, Prior, Problem,
};
use membership::Membership;
use moglb_math::csr::Numbers;
use moglb_math::kernel::Panels;
use moglb_math::memory::check_memory;
use moglb_math::{Error, Matrix, draw};
use moglb_pareto::Front;
use posterior::{Evidence, Posterior, Scales};
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub const INFO: PolicyInfo = PolicyInfo {
    id: "moglb-eb",
    name: "MOGLB-EB",
    source: "this project: shared-mean empirical Bayes over EKF-UCB's estimates, with play by posterior membership",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets",
    guarantee: "none proved; confirmed by experiment (moglb confirm)",
    cost: "every tenth round O(m·d³ + S·(K·m·d + front)) on fixed arms, in every round on fresh ones; S samples",
    has_front: true,
    parameters: &[
        Parameter {
            name: "threshold",
            kind: Kind::Number,
            default: "0.27",
            meaning: "arms whose chance p to be on the front is at least asked = threshold·(1 + 3·share of arms on the front), 0.7 at most, are played equally often, others (p/asked)⁴ times as often",
        },
        Parameter {
            name: "samples",
            kind: Kind::Count,
            default: "40",
            meaning: "samples of the coefficients behind the chances",
        },
        DISCOUNT,
        PRIOR,
    ],
    departures: "",
};

/// The most rewards that are taken in at once.
const BATCH: u64 = 10;

/// As many rewards are taken in at once as there were tens of rounds, twice over.
const ROUNDS_PER_REWARD: u64 = 20;

/// So many rewards of no surprise stand behind the first dispersion.
const FIRST_REWARDS: f64 = 10.0;

/// How far a dispersion may move from where it began.
const DISPERSION: f64 = 1e4;

/// The least first dispersion: of rewards whose range is not even a hundredth decade, the square is no number.
const LEAST_DISPERSION: f64 = 1e-200;

/// The stream of the samples, apart from what users seed.
const SAMPLES: u64 = 0x6d6f_676c_6265_6201;

/// The parameters of [`MoglbEb`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MoglbEbConfig {
    /// How likely an arm must be on the front to be played as often as any other; see [`MoglbEb`].
    pub threshold: f64,
    /// How many samples of the coefficients the chances are counted over.
    pub samples: usize,
    /// γ: what a reward weighs after the next one of its objective, relative to before.
    #[serde(skip_serializing_if = "discount::is_none")]
    pub discount: f64,
    /// What is believed about each objective before the first round; nothing unless given. It is not forgotten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prior: Vec<Prior>,
}

impl Default for MoglbEbConfig {
    fn default() -> Self {
        Self { threshold: 0.27, samples: 40, discount: discount::none(), prior: Vec::new() }
    }
}

/// MOGLB-EB, the recommended policy: objectives learn from each other, and arms are played that may well be on the
/// Pareto front.
///
/// An arm's posterior chance p of being on the front is held against what is asked, `threshold`·(1 + 3b), where b is the
/// share of all arms to be expected there. No more is asked than 0.7 (or the threshold if that is larger), nor than the
/// largest chance of all. The probability of an arm is proportional to
///
/// ```text
/// min(1, (p/asked)⁴)
/// ```
///
/// A lower threshold sees more of the front and regrets more.
///
/// With a discount below 1 the sums behind the posterior forget: each objective's shrink by that factor with each of its
/// rewards, and what is believed falls back to the prior where nothing new is learned. Play then returns to arms that were
/// given up long ago, as their chances grow with the variance.
///
/// There is no proof for it; [`MoglbUcb`](crate::MoglbUcb) has one. What holds is this: an arm that is on the front in at least
/// one of the samples has a positive probability, at least (p/0.7)⁴/K among K arms if p is at most 0.7 and the threshold too. The
/// samples are renewed with each batch of rewards, so an arm whose chance is small but not zero comes up now and then.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MoglbEb, MoglbEbConfig, Objective, Policy, Problem};
///
/// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("cost", Link::Identity).minimize()];
/// let mut policy = MoglbEb::new(Problem::new(2, objectives)?, MoglbEbConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]])?;
/// let mut rng = draw::seeded(7);
/// for _ in 0..200 {
///     let decision = policy.decide(&arms, &mut rng)?;
///     let reward = [[1.0, 0.2], [0.0, 0.4], [1.0, 0.1]][decision.arm.0];
///     policy.learn(arms.arm(decision.arm), &reward)?;
/// }
/// let chances = policy.chances(&arms)?;
/// assert!(chances.iter().all(|p| (0.0..=1.0).contains(p)));
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoglbEb {
    problem: Problem,
    config: MoglbEbConfig,
    rounds: u64,
    /// Of the rewards that were taken in.
    evidence: Vec<Evidence>,
    scales: Scales,
    /// The rewards since, end to end: context, then weight, score and where they were taken for each objective.
    pending: Vec<f64>,
    /// All that follows from what is above, but for what is pending.
    posterior: Posterior,
    samples: Vec<Panels>,
    /// The first dispersion of each objective, and the weight of one reward behind it.
    first_dispersions: Vec<(f64, f64)>,
    dispersions: Vec<f64>,
    /// Where arms are fixed. No part of the learned state.
    carried: Option<Box<CachedMembership>>,
}

/// What the present samples say about fixed arms.
#[derive(Debug, Clone)]
struct CachedMembership {
    arms: Arc<ArmSet<'static>>,
    membership: Membership,
    probabilities: Vec<f64>,
    report: Front,
}

impl MoglbEb {
    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::Threshold`], [`Error::Samples`], [`Error::ParameterBounds`], [`Error::TooLarge`], or what a link from outside refuses.
    pub fn new(problem: Problem, config: MoglbEbConfig) -> Result<Self, Error> {
        let (dim, m) = (problem.dim(), problem.n_objectives());
        if !(config.threshold >= 0.0 && config.threshold <= 1.0) {
            return Err(Error::Threshold { got: config.threshold });
        }
        if !(2..=10_000).contains(&config.samples) {
            return Err(Error::Samples { got: config.samples });
        }
        check_discount(config.discount, dim)?;
        check_priors(&config.prior, &problem)?;
        check_memory(dim, dim.saturating_mul(4 * m + 4))?;
        check_memory(dim, config.samples.saturating_mul(m))?;
        let first = |objective: &crate::Objective| -> Result<(f64, f64), Error> {
            let weight = objective.inner_weight(0.0)?;
            // Where the likelihood does not say it, the variance is taken to be what the range allows.
            let dispersion = match objective.link {
                Link::Identity | Link::Custom(_) => dispersion(objective) / weight,
                Link::Logit | Link::Probit | Link::Log => 1.0,
            };
            Ok((dispersion.clamp(LEAST_DISPERSION, 1.0 / LEAST_DISPERSION), weight))
        };
        let first_dispersions = problem.objectives().iter().map(first).collect::<Result<Vec<_>, _>>()?;
        let beliefs = config.prior.iter().zip(problem.objectives()).map(|(prior, o)| prior.belief(o));
        let posterior = Posterior::new(dim, m, problem.radius(), beliefs);
        let mut policy = Self {
            rounds: 0,
            evidence: vec![Evidence::none(dim); m],
            scales: Scales::first(dim, problem.radius()),
            pending: Vec::new(),
            posterior,
            samples: vec![Panels::default(); config.samples],
            dispersions: vec![0.0; m],
            first_dispersions,
            carried: None,
            problem,
            config,
        };
        let fine = policy.infer();
        debug_assert!(fine, "the prior is proper");
        Ok(policy)
    }

    /// The configuration.
    pub fn config(&self) -> &MoglbEbConfig {
        &self.config
    }

    /// The posterior means of the θᵢ, one row per objective, in the objective's own orientation. Rewards since the last
    /// batch are not in it.
    pub fn theta(&self) -> Matrix {
        self.problem.outward(|i| self.posterior.theta(i).iter().copied())
    }

    /// The posterior mean of what the objectives share, larger is better.
    pub fn shared_mean(&self) -> &[f64] {
        self.posterior.mean()
    }

    /// τ² and ρ²: the variance of coefficients around the shared mean, and that of the shared mean's entries around
    /// their level.
    pub fn scales(&self) -> (f64, f64) {
        (self.scales.within, self.scales.between)
    }

    /// The posterior chance of each arm to be on the Pareto front.
    ///
    /// # Errors
    ///
    /// When the arm set does not fit the problem.
    pub fn chances(&self, arms: &ArmSet) -> Result<Vec<f64>, Error> {
        self.problem.check_arms(arms)?;
        let mut membership = Membership::default();
        membership.lay_out(arms);
        membership.count(&self.samples, self.problem.dim(), self.problem.n_objectives(), None);
        Ok(membership.chances().collect())
    }

    /// After how many rewards since the last batch the next one is taken in: what is known is worth no more than a window of
    /// rewards, and a batch is a small part of that.
    fn batch(&self, taken: u64) -> usize {
        (1 + taken.min(discount::window(self.config.discount)) / ROUNDS_PER_REWARD).min(BATCH) as usize
    }

    /// The number of values of a reward that waits.
    fn stride(&self) -> usize {
        self.problem.dim() + 3 * self.problem.n_objectives()
    }

    /// The number of rewards that wait.
    fn waiting(&self) -> usize {
        self.pending.len() / self.stride()
    }

    /// The number of rewards in the evidence.
    fn taken(&self) -> u64 {
        self.rounds - self.waiting() as u64
    }

    /// Takes the rewards that wait into the evidence.
    fn take_in(&mut self) {
        // One step of expectation maximization with what was known before.
        self.scales = self.posterior.better_scales(Scales::first(self.problem.dim(), self.problem.radius()));
        let (dim, stride) = (self.problem.dim(), self.stride());
        for read in self.pending.chunks_exact(stride) {
            let (x, read) = read.split_at(dim);
            for (evidence, &[weight, score, z]) in self.evidence.iter_mut().zip(read.as_chunks().0) {
                // An objective that was told nothing has nothing to replace what it would forget.
                if self.config.discount < 1.0 && weight > 0.0 {
                    evidence.shrink(self.config.discount);
                }
                evidence.add(x, weight, score, z);
            }
        }
        self.pending.clear();
        let fine = self.infer();
        debug_assert!(fine, "weights, scores and scales are bounded");
    }

    /// Posterior and samples from evidence and scales. False where numbers fail, which no rewards can bring about.
    fn infer(&mut self) -> bool {
        for ((dispersion, &(first, weight)), evidence) in
            self.dispersions.iter_mut().zip(&self.first_dispersions).zip(&self.evidence)
        {
            let before = FIRST_REWARDS * weight;
            let learned = (before * first + evidence.squared_scores) / (before + evidence.weights);
            *dispersion = learned.clamp(first / DISPERSION, first * DISPERSION);
        }
        let fine = self.posterior.refill(&self.evidence, &self.dispersions, self.scales);
        if !fine {
            return false;
        }
        let mut rng = draw::seeded(SAMPLES);
        rng.set_stream(self.taken());
        self.posterior.sample(&mut rng, &mut self.samples);
        if let Some(carried) = &mut self.carried {
            carried.refill(&self.samples, &self.problem, self.config.threshold);
        }
        true
    }

    /// Learns rewards that were checked, as far as they are known.
    fn take(&mut self, x: Numbers<'_>, reward: impl Iterator<Item = Option<f64>>) -> Result<(), Error> {
        let (batch, before) = (self.batch(self.taken()), self.pending.len());
        if let Err(error) = self.wait(x, reward) {
            self.pending.truncate(before);
            return Err(error);
        }
        self.rounds += 1;
        if self.waiting() >= batch {
            self.take_in();
        }
        Ok(())
    }

    /// Lets a reward wait, with what every objective makes of it at the score that is believed now.
    fn wait(&mut self, x: Numbers<'_>, reward: impl Iterator<Item = Option<f64>>) -> Result<(), Error> {
        let radius = self.problem.radius();
        let first = self.pending.len();
        self.pending.extend_from_slice(&x.to_dense());
        for (i, (objective, y)) in self.problem.objectives().iter().zip(reward).enumerate() {
            // No true score is outside, since ‖θᵢ‖ ≤ D and ‖x‖ ≤ 1.
            let x = &self.pending[first..][..self.problem.dim()];
            let z = dot(self.posterior.theta(i), x).clamp(-radius, radius);
            // What is not known has no weight.
            let none = Fisher { score: 0.0, weight: 0.0 };
            let Fisher { score, weight } = y.map_or(Ok(none), |y| objective.inner_fisher(z, y))?;
            self.pending.extend([weight, score, z]);
        }
        Ok(())
    }

    /// Posterior means and standard deviations of the linear scores of all arms.
    fn write_tables(&self, arms: &ArmSet, decision: &mut Decision) {
        let m = self.problem.n_objectives();
        decision.estimates.reshape(arms.n_arms(), m);
        decision.widths.reshape(arms.n_arms(), m);
        let Decision { estimates, widths, work, .. } = decision;
        for arm in arms.iter() {
            let x = arm.numbers().to_dense();
            for (i, objective) in self.problem.objectives().iter().enumerate() {
                estimates.row_mut(arm.id().0)[i] = objective.sign() * dot(self.posterior.theta(i), &x);
                widths.row_mut(arm.id().0)[i] = self.posterior.deviation(i, &x, &mut work.vectors);
            }
        }
    }
}

impl CachedMembership {
    fn new(arms: &Arc<ArmSet<'static>>) -> Self {
        let mut membership = Membership::default();
        membership.lay_out(arms);
        Self { arms: arms.clone(), membership, probabilities: Vec::new(), report: Front::default() }
    }

    fn refill(&mut self, samples: &[Panels], problem: &Problem, threshold: f64) {
        self.membership.count(samples, problem.dim(), problem.n_objectives(), None);
        self.membership.play_into(threshold, &mut self.probabilities);
        self.membership.report_into(&mut self.report);
    }
}

impl Policy for MoglbEb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        match self.carried.as_ref().filter(|carried| std::ptr::eq(&*carried.arms, arms)) {
            Some(carried) => {
                decision.front.refill(carried.report.iter());
                decision.probabilities.clear();
                decision.probabilities.extend_from_slice(&carried.probabilities);
            }
            None => {
                let membership: &mut Membership = decision.work.scratch.of();
                membership.lay_out(arms);
                membership.count(&self.samples, self.problem.dim(), self.problem.n_objectives(), None);
                membership.play_into(self.config.threshold, &mut decision.probabilities);
                membership.report_into(&mut decision.front);
            }
        }
        if decision.tables {
            self.write_tables(arms, decision);
        } else {
            decision.forget_tables();
        }
        decision.draw_by_probabilities(rng);
        Ok(())
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        let mut carried = Box::new(CachedMembership::new(arms));
        carried.refill(&self.samples, &self.problem, self.config.threshold);
        self.carried = Some(carried);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.take(arm.numbers(), reward.iter().map(|&y| Some(y)))
    }

    fn learn_part(&mut self, arm: Arm<'_>, reward: &[Option<f64>]) -> Result<(), Error> {
        self.problem.check_part(arm, reward)?;
        if reward.iter().all(Option::is_none) {
            return Ok(());
        }
        self.take(arm.numbers(), reward.iter().copied())
    }

    fn facts(&self) -> Facts {
        Facts { learns_parts: true, draws_from_front: false, ..Facts::default() }
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(self)
    }
}

impl Model for MoglbEb {
    fn weigh_by(&self, arms: &ArmSet, counts: &[bool], decision: &mut Decision) -> Result<bool, Error> {
        self.problem.check_arms(arms)?;
        let membership: &mut Membership = decision.work.scratch.of();
        membership.lay_out(arms);
        membership.count(&self.samples, self.problem.dim(), counts.len(), Some(counts));
        membership.play_into(self.config.threshold, &mut decision.probabilities);
        membership.report_into(&mut decision.front);
        Ok(true)
    }

    fn predict_into(&self, arm: Arm<'_>, predictions: &mut Vec<(f64, f64)>) -> bool {
        let (x, mut scratch) = (arm.context(), [Vec::new(), Vec::new()]);
        predictions.clear();
        predictions.extend(self.problem.objectives().iter().enumerate().map(|(i, objective)| {
            let score = dot(self.posterior.theta(i), x);
            (objective.sign() * score, self.posterior.deviation(i, x, &mut scratch))
        }));
        true
    }

    fn beliefs(&self) -> Vec<Prior> {
        let (theta, radius) = (self.theta(), self.problem.radius());
        let of = |i: usize| {
            let information = self.posterior.information(i, &self.evidence[i], self.dispersions[i]);
            if information.as_slice().iter().all(|&entry| entry == 0.0) {
                // The estimate is that of other objectives, and they hand it over themselves.
                return Prior::none();
            }
            Prior::believed(theta.row(i), radius, information, 1.0)
        };
        (0..self.problem.n_objectives()).map(of).collect()
    }
}

impl Saved for MoglbEb {
    saved!(MoglbEbConfig => MoglbEbState);

    fn t(&self) -> u64 {
        self.rounds
    }

    fn state(&self) -> MoglbEbState {
        let dim = self.problem.dim();
        let lower = |evidence: &Evidence| -> Vec<f64> {
            (0..dim)
                .flat_map(|row| (0..=row).map(move |column| evidence.information[column * dim + row]))
                .collect()
        };
        MoglbEbState {
            rounds: self.rounds,
            information: self.evidence.iter().map(lower).collect(),
            moments: self.evidence.iter().map(|evidence| evidence.moments.clone()).collect(),
            squared_scores: self.evidence.iter().map(|evidence| evidence.squared_scores).collect(),
            weights: self.evidence.iter().map(|evidence| evidence.weights).collect(),
            within: self.scales.within,
            between: self.scales.between,
            pending: self.pending.clone(),
        }
    }

    fn resume(&mut self, state: MoglbEbState) -> Result<(), Error> {
        let (dim, m) = (self.problem.dim(), self.problem.n_objectives());
        state.check(dim, m, self.problem.radius(), |taken| self.batch(taken))?;
        let first = Scales::first(dim, self.problem.radius());
        let scales = Scales { within: state.within, between: state.between };
        let damaged = |reason: &str| Error::SnapshotDamaged { reason: reason.into() };
        if scales != scales.clamped(first) {
            return Err(damaged("a variance is out of its bounds"));
        }
        if scales != first && state.weights.iter().all(|&weights| weights == 0.0) {
            return Err(damaged("a variance was learned in no round"));
        }
        let mut next = self.clone();
        next.rounds = state.rounds;
        next.scales = scales;
        next.pending = state.pending;
        for (i, evidence) in next.evidence.iter_mut().enumerate() {
            for row in 0..dim {
                for column in 0..=row {
                    evidence.information[column * dim + row] =
                        state.information[i][row * (row + 1) / 2 + column];
                }
            }
            evidence.moments.copy_from_slice(&state.moments[i]);
            evidence.squared_scores = state.squared_scores[i];
            evidence.weights = state.weights[i];
        }
        if !(next.evidence.iter().all(|evidence| evidence.is_possible(dim)) && next.infer()) {
            return Err(damaged("the information is not that of any contexts"));
        }
        *self = next;
        Ok(())
    }
}

/// τ² and ρ² before anything is learned.
pub(crate) fn first_scales(dim: usize, radius: f64) -> (f64, f64) {
    let Scales { within, between } = Scales::first(dim, radius);
    (within, between)
}

/// aᵀb, from left to right.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
