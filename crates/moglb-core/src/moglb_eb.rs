//! MOGLB-EB: empirical Bayes for all objectives together. It plays the arms that may well be on the
//! front.
//!
//! It differs from MOGLB-UCB in four points:
//!
//! 1. Every reward has the weight of its Fisher information (as in EKF-UCB), not that of the
//!    smallest slope κ.
//! 2. Objectives learn from each other through a prior whose variances are learned too
//!    (`posterior.rs`).
//! 3. The probability that an arm is on the front is estimated from samples of the coefficients
//!    (`membership.rs`). Arms that are likely enough are all played equally often. The others are
//!    played less often, the less likely the less.
//! 4. The front that it reports is the set with the largest expected Jaccard index, not the set
//!    that it plays.
//!
//! Rewards are learned in batches: of one round at first, of ten rounds at most. Everything except
//! the pending rewards is a function of sums over the earlier rewards. So the state has a fixed
//! size, and where arms are fixed a decision between two batches reads cached probabilities. The
//! samples come from a random stream of their own, which the number of learned rewards selects: two
//! decisions without a reward in between use the same samples, and the probabilities of a decision
//! are exact.

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
    source: "this project: shared-mean empirical Bayes over EKF-UCB's estimates, \
             with play by posterior membership",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets",
    guarantee: "none proved; confirmed by experiment (moglb confirm)",
    cost: "O(m·d³ + S·(K·m·d + front)) in every tenth round on fixed arms, and in every round on fresh \
           ones; S samples",
    has_front: true,
    parameters: &[
        Parameter {
            name: "threshold",
            kind: Kind::Number,
            default: "0.27",
            meaning: "arms whose chance p of being on the front is at least asked = \
                      threshold·(1 + 3·share of arms on the front), 0.7 at most, are played equally often, \
                      others (p/asked)⁴ times as often",
        },
        Parameter {
            name: "samples",
            kind: Kind::Count,
            default: "40",
            meaning: "the number of samples of the coefficients from which the chances are estimated",
        },
        DISCOUNT,
        PRIOR,
    ],
    departures: "",
};

/// The largest number of rewards in a batch.
const BATCH: u64 = 10;

/// The batch grows by one reward for every this many learned rewards, so that it stays a small part
/// of all rewards.
const ROUNDS_PER_REWARD: u64 = 20;

/// The weight of the first dispersion, as a number of rewards with exactly that dispersion.
const FIRST_REWARDS: f64 = 10.0;

/// The factor by which a dispersion may differ from the first one, in either direction.
const DISPERSION: f64 = 1e4;

/// The least first dispersion. A range of rewards below about 1e-100 has a smaller square, which
/// can underflow.
const LEAST_DISPERSION: f64 = 1e-200;

/// The seed of the samples. It is a constant, so the samples are independent of the seeds that
/// users choose.
const SAMPLES: u64 = 0x6d6f_676c_6265_6201;

/// The parameters of [`MoglbEb`].
///
/// Example: [`MoglbEb`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MoglbEbConfig {
    /// The probability of being on the front from which on an arm is played as often as any other;
    /// in [0, 1]. See [`MoglbEb`].
    pub threshold: f64,
    /// The number of samples of the coefficients from which these probabilities are estimated; 2 to
    /// 10 000.
    pub samples: usize,
    /// γ: the factor by which the weight of a reward shrinks with each later reward of its
    /// objective; 1 for no forgetting.
    #[serde(skip_serializing_if = "discount::is_none")]
    pub discount: f64,
    /// The prior belief about each objective; empty for none. A discount does not shrink it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prior: Vec<Prior>,
}

impl Default for MoglbEbConfig {
    fn default() -> Self {
        Self { threshold: 0.27, samples: 40, discount: discount::none(), prior: Vec::new() }
    }
}

/// MOGLB-EB, the recommended policy: objectives learn from each other, and it plays the arms that
/// may well be on the Pareto front.
///
/// Let p be an arm's posterior probability of being on the front, and b the expected share of arms
/// on the front. An arm is likely enough if p is at least
///
/// ```text
/// asked = threshold·(1 + 3b)
/// ```
///
/// The value of `asked` is capped at 0.7 (or at the threshold, if that is larger) and at the
/// largest p of all arms. The probability of an arm is proportional to
///
/// ```text
/// min(1, (p/asked)⁴)
/// ```
///
/// A lower threshold plays more of the front and has more regret.
///
/// With a discount below 1 the sums behind the posterior forget: with each reward of an objective,
/// its sums shrink by that factor. Where nothing new is learned, the posterior falls back to the
/// prior. The variance of an arm that was given up long ago grows, its probability of being on the
/// front grows with it, and the arm is played again.
///
/// MOGLB-EB has no regret bound; [`MoglbUcb`](crate::MoglbUcb) has one. One property holds: among K
/// arms, an arm that is on the front in at least one of the samples has a positive probability. If
/// p and the threshold are at most 0.7, this probability is at least (p/0.7)⁴/K. The samples are
/// renewed with each batch of rewards, so an arm whose probability is small but positive is played
/// from time to time.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MoglbEb, MoglbEbConfig, Objective, Policy, Problem};
///
/// let objectives = vec![
///     Objective::new("click", Link::Logit),
///     Objective::new("cost", Link::Identity).minimize(),
/// ];
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
    /// The sums over the learned rewards, for each objective.
    evidence: Vec<Evidence>,
    scales: Scales,
    /// The rewards that are not learned yet, end to end: for each the context, then the weight, the
    /// score and z for each objective, where z is the linear score at which both were computed.
    pending: Vec<f64>,
    /// The posterior: a function of everything above except the pending rewards.
    posterior: Posterior,
    samples: Vec<Panels>,
    /// For each objective the first dispersion, and the weight of one reward behind it.
    first_dispersions: Vec<(f64, f64)>,
    dispersions: Vec<f64>,
    /// The cached probabilities of fixed arms. Not part of the learned state.
    carried: Option<Box<CachedMembership>>,
}

/// The probabilities and the reported front of fixed arms under the current samples.
#[derive(Debug, Clone)]
struct CachedMembership {
    arms: Arc<ArmSet<'static>>,
    membership: Membership,
    probabilities: Vec<f64>,
    report: Front,
}

impl MoglbEb {
    /// Returns the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::Threshold`], [`Error::Samples`], [`Error::ParameterBounds`], [`Error::Prior`],
    /// [`Error::TooLarge`], or an error of a custom link.
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
            // Where the likelihood does not determine the variance, it is taken to be the largest
            // that the range allows.
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

    /// Returns the configuration.
    pub fn config(&self) -> &MoglbEbConfig {
        &self.config
    }

    /// Returns the posterior means of the θᵢ, one row per objective, in the objective's own
    /// orientation. They do not include the rewards since the last batch.
    pub fn theta(&self) -> Matrix {
        self.problem.outward(|i| self.posterior.theta(i).iter().copied())
    }

    /// Returns the posterior mean of the coefficients that the objectives share; larger is better.
    pub fn shared_mean(&self) -> &[f64] {
        self.posterior.mean()
    }

    /// Returns τ² and ρ²: the variance of coefficients around the shared mean, and the variance of
    /// the shared mean's entries around their common level.
    pub fn scales(&self) -> (f64, f64) {
        (self.scales.within, self.scales.between)
    }

    /// Returns the posterior probability of each arm to be on the Pareto front.
    ///
    /// # Errors
    ///
    /// An error if the arm set does not fit the problem.
    pub fn chances(&self, arms: &ArmSet) -> Result<Vec<f64>, Error> {
        self.problem.check_arms(arms)?;
        let mut membership = Membership::default();
        membership.lay_out(arms);
        membership.count(&self.samples, self.problem.dim(), self.problem.n_objectives(), None);
        Ok(membership.chances().collect())
    }

    /// Returns the size of the batch that follows after `taken` learned rewards. With a discount
    /// only a window of rewards counts, so the batch is a small part of that window.
    fn batch(&self, taken: u64) -> usize {
        (1 + taken.min(discount::window(self.config.discount)) / ROUNDS_PER_REWARD).min(BATCH) as usize
    }

    /// Returns the number of values that a pending reward has in `pending`.
    fn stride(&self) -> usize {
        self.problem.dim() + 3 * self.problem.n_objectives()
    }

    /// Returns the number of pending rewards.
    fn waiting(&self) -> usize {
        self.pending.len() / self.stride()
    }

    /// Returns the number of rewards in the evidence.
    fn taken(&self) -> u64 {
        self.rounds - self.waiting() as u64
    }

    /// Adds the pending rewards to the evidence and computes the posterior again.
    fn take_in(&mut self) {
        // One step of expectation maximization, with the posterior before these rewards.
        self.scales = self.posterior.better_scales(Scales::first(self.problem.dim(), self.problem.radius()));
        let (dim, stride) = (self.problem.dim(), self.stride());
        for read in self.pending.chunks_exact(stride) {
            let (x, read) = read.split_at(dim);
            for (evidence, &[weight, score, z]) in self.evidence.iter_mut().zip(read.as_chunks().0) {
                // An objective without an observed reward forgets nothing: nothing new would
                // replace it.
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

    /// Computes posterior and samples from evidence and scales. Returns false if a factorization
    /// fails; no sequence of rewards can cause that.
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

    /// Learns the observed parts of a reward vector that was checked; the others are `None`.
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

    /// Appends a reward to the pending ones, with the weight and the score of each objective at its
    /// current estimate.
    fn wait(&mut self, x: Numbers<'_>, reward: impl Iterator<Item = Option<f64>>) -> Result<(), Error> {
        let radius = self.problem.radius();
        let first = self.pending.len();
        self.pending.extend_from_slice(&x.to_dense());
        for (i, (objective, y)) in self.problem.objectives().iter().zip(reward).enumerate() {
            // No true score lies outside this interval, since ‖θᵢ‖ ≤ D and ‖x‖ ≤ 1.
            let x = &self.pending[first..][..self.problem.dim()];
            let z = dot(self.posterior.theta(i), x).clamp(-radius, radius);
            // A reward that was not observed has no weight.
            let none = Fisher { score: 0.0, weight: 0.0 };
            let Fisher { score, weight } = y.map_or(Ok(none), |y| objective.inner_fisher(z, y))?;
            self.pending.extend([weight, score, z]);
        }
        Ok(())
    }

    /// Writes the posterior means and standard deviations of the linear scores of all arms.
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
    /// Lays out fixed arms. Probabilities and front are empty until the first `refill`.
    fn new(arms: &Arc<ArmSet<'static>>) -> Self {
        let mut membership = Membership::default();
        membership.lay_out(arms);
        Self { arms: arms.clone(), membership, probabilities: Vec::new(), report: Front::default() }
    }

    /// Computes probabilities and front again, from new samples.
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
                // This estimate comes from the other objectives only, and their own beliefs already
                // hold it.
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

/// Returns τ² and ρ² before any reward was learned.
pub(crate) fn first_scales(dim: usize, radius: f64) -> (f64, f64) {
    let Scales { within, between } = Scales::first(dim, radius);
    (within, between)
}

/// Returns aᵀb, summed from left to right.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
