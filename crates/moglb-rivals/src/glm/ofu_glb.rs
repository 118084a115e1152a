//! OFUGLB: optimism over a likelihood-ratio confidence set (Lee, Yun, Jun 2024).
//!
//! With the negative log-likelihood L_t, its minimum θ̂ over the ball ‖θ‖ ≤ S and its Lipschitz constant
//! Lip_t there, the set
//!
//! ```text
//! C_t = { ‖θ‖ ≤ S : L_t(θ) − L_t(θ̂) ≤ β_t },    β_t = log(1/δ) + d log(max(e, 2eS·Lip_t/d))
//! ```
//!
//! contains θ for all t with probability 1 − δ. The index of an arm is the largest xᵀθ over C_t.
//! [`Region`] finds it by Newton's method. If that fails, the dual finds it: θ(ν) minimizes
//! L_t(θ) − ν·xᵀθ over the ball, for the ν with L_t(θ(ν)) − L_t(θ̂) = β_t.
//!
//! An index is computed only for arms whose upper bound is not below a value that the index of another
//! arm certainly reaches. The upper bounds come from ellipsoids that contain C_t. As the curvature of L_t
//! along every context is at least κ, ‖θ − θ̂‖²_{V + cI} ≤ 2β/κ + 4cS². Another such ellipsoid uses the
//! least curvature of each record between θ̂ and the points of the ball, which is far more than κ
//! ([`Quadratic`]).

use crate::glm::check_common;
use crate::glm::glm_target::GlmTarget;
use crate::glm::likelihood::{self, Law, Local, Passes, factored, solve};
use crate::glm::quadratic::Quadratic;
use crate::glm::records::{Record, Records, RecordsState};
use crate::glm::region::{Bounds, Region};
use crate::ridge::dot;
use crate::traced_gram::{TracedGram, TracedGramState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::estimate::Estimate;
use moglb_core::saved::{fits, saved};
use moglb_core::{Arm, ArmSet, Decision, Link, Policy, Problem, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::f64::consts::E;

policy! {
    id: "ofu-glb",
    name: "OFUGLB",
    source: "Lee, Yun, Jun: A unified confidence sequence for generalized linear models, with applications \
             to bandits, NeurIPS 2024",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ(d√(T·μ′(best arm))) with probability 1 − δ where rewards have the likelihood of the \
                link; no front",
    cost: "O(n·d² + d³) times a few Newton steps for each arm to decide, and for all arms together to learn; \
           O(n·d + d²) memory; n is K on fixed arms and t on fresh ones; never more than 100·(K + 10) passes \
           over the n records to decide and 6200 to learn",
    departures: "Lip_t is the number of rewards times the steepest slope of the loss of a reward in range. \
                 An identity link has the likelihood of variance one, so the set is proved for rewards in an \
                 interval of length 2 at most. The scale multiplies √β. The width of an arm that cannot have \
                 the largest index comes from an upper bound on its index. On adversarial arms an index can \
                 take thousands of passes over the records, so the passes of a decision are limited. Once \
                 they are used up, the least upper bound that was found replaces the index of an arm, which \
                 is still optimistic. Ties are broken uniformly at random.",
    parameters: struct OfuGlbConfig of OfuGlb {
        target: Target = Target::default() => "0", meaning!(glm_target);
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// c of the ellipsoid around the confidence set.
const RIDGE: f64 = 1e-3;

/// The least β, relative to L_t. Rounding of L_t hides a smaller one, and the set is then its center θ̂.
const LEAST_BETA: f64 = 1e-12;

/// The number of passes over the records that a decision may make for each of K + 10 arms. Most arms need
/// none, and some need five. On ordinary contexts no more than 20 per arm were observed.
const PASSES: u64 = 100;

/// The relative rounding error that bounds and indices certainly do not exceed.
const RELATIVE_ROUNDING: f64 = 1e-7;

/// OFUGLB on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Objective, OfuGlb, OfuGlbConfig, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = OfuGlb::new(problem, OfuGlbConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct OfuGlb {
    problem: Problem,
    config: OfuGlbConfig,
    model: GlmTarget,
    /// The least curvature of the loss of one reward, on [−S, S].
    curvature: f64,
    /// The steepest slope of the loss of one reward, on [−S, S].
    steepest: f64,
    /// The rewards of each context.
    records: Records,
    /// V + cI.
    design: TracedGram,
    /// θ̂.
    theta: Vec<f64>,
    /// L_t(θ̂), computed from θ̂ and the records.
    least: f64,
    rounds: u64,
}

/// The learned state of OFUGLB. On fixed arms its size does not depend on t.
///
/// Example: [`OfuGlb`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfuGlbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The contexts, with the count and the sum of the rewards of each.
    pub records: RecordsState,
    /// V + cI.
    pub design: TracedGramState,
    /// θ̂, in the orientation in which larger is better.
    pub theta: Vec<f64>,
}

fits!(OfuGlbState, |state, problem| {
    state.design.fits(problem.dim) && state.records.fits(problem.dim) && state.theta.len() == problem.dim
});

impl OfuGlb {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`], [`Error::TooLarge`], or [`Error::LinkMean`] or [`Error::LinkSlope`]
    /// for a registered link.
    pub fn new(problem: Problem, config: OfuGlbConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, 1.0)?;
        let dim = problem.dim();
        moglb_math::memory::check_memory(dim, dim)?;
        Ok(Self {
            curvature: least_curvature(&model),
            steepest: steepest_slope(&model)?,
            model,
            records: Records::new(dim),
            design: TracedGram::new(dim, RIDGE),
            theta: vec![0.0; dim],
            least: 0.0,
            rounds: 0,
            problem,
            config,
        })
    }

    /// Returns β_t, multiplied by the square of the scale.
    pub fn beta(&self) -> f64 {
        let OfuGlbConfig { delta, scale, .. } = self.config;
        scale * scale * beta(self.problem.dim(), self.model.radius, self.steepest * self.rounds as f64, delta)
    }

    /// Returns θ̂, in the orientation in which larger is better.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Returns L_t(θ) − L_t(θ̂), which is at most β_t in the confidence set. `theta` is in the
    /// orientation in which larger is better.
    pub fn excess(&self, theta: &[f64]) -> f64 {
        self.likelihood(None).value(theta) - self.least
    }

    /// Computes L_t(θ̂) again, after θ̂ or the records have changed.
    fn renew_least(&mut self) {
        self.least = self.likelihood(None).value(&self.theta);
    }

    /// Refuses a state that cannot result from any rounds.
    fn check(&self, state: &OfuGlbState) -> Result<(), Error> {
        state.records.check(state.rounds, self.model.objective().rewards())?;
        state.design.check(state.rounds as f64)?;
        self.model.check_estimate(&state.theta)
    }

    /// Returns L_t over the ball, tilted if `tilt` has a vector.
    fn likelihood<'a>(&'a self, tilt: Option<&'a [f64]>) -> likelihood::Problem<'a> {
        likelihood::Problem {
            model: &self.model,
            records: &self.records,
            law: Law::True,
            ridge: 0.0,
            tilt,
            ball: Some(self.model.radius),
        }
    }

    /// Returns θ(ν) for a context, from a start in the ball. None if the passes do not suffice.
    fn dual(&self, x: &[f64], nu: f64, start: &[f64], passes: &mut Passes) -> Result<Option<Dual>, Error> {
        let tilt: Vec<f64> = x.iter().map(|x| nu * x).collect();
        let theta = self.likelihood(Some(&tilt)).minimize_within(start, passes)?;
        let Some(theta) = theta.filter(|_| passes.take()) else { return Ok(None) };
        let (reached, excess) = (dot(&theta, x), self.excess(&theta).max(0.0));
        Ok(Some(Dual { nu, theta, reached, excess }))
    }

    /// Returns the largest xᵀθ of the confidence set, from an approximate dual point. None if the passes
    /// do not suffice.
    fn index(&self, x: &[f64], beta: f64, start: Dual, passes: &mut Passes) -> Result<Option<f64>, Error> {
        // √(L(θ(ν)) − L(θ̂)) is nearly linear in ν. This is the secant method for it, kept between a ν
        // below and a ν above the solution.
        let (goal, mut dual) = (beta.sqrt(), start);
        let (mut low, mut high) = ((0.0, 0.0), None);
        for _ in 0..60 {
            let (nu, root) = (dual.nu, dual.excess.sqrt());
            if (root - goal).abs() <= 1e-6 * goal {
                break;
            }
            if root < goal {
                low = (nu, root);
            } else {
                high = Some((nu, root));
            }
            let next = match high {
                None => (nu * (goal / root)).max(1.1 * nu).min(8.0 * nu),
                Some(high) => {
                    let secant = low.0 + (high.0 - low.0) * ((goal - low.1) / (high.1 - low.1));
                    // Not `clamp`, which panics if its bounds are reversed: when the two ends meet,
                    // rounding can reverse them.
                    secant.max(0.98 * low.0 + 0.02 * high.0).min(0.02 * low.0 + 0.98 * high.0)
                }
            };
            if !next.is_finite() || next == nu {
                break;
            }
            let Some(found) = self.dual(x, next, &dual.theta, passes)? else { return Ok(None) };
            dual = found;
        }
        Ok(Some(dual.upper(beta)))
    }

    /// Returns an approximate dual point: where the quadratic model of L_t reaches β. A ridge keeps the
    /// model to the size of the ball. None if the passes do not suffice.
    fn first_dual(&self, x: &[f64], beta: f64, passes: &mut Passes) -> Result<Option<Dual>, Error> {
        if !passes.take() {
            return Ok(None);
        }
        let (dim, radius) = (self.theta.len(), self.model.radius);
        let mut hessian = self.likelihood(None).local(&self.theta)?.hessian;
        (0..dim).for_each(|k| hessian[k * dim + k] += 0.5 * beta / (radius * radius));
        let ahead = factored(&hessian, dim).map_or_else(|| x.to_vec(), |(factor, _)| solve(&factor, x));
        let nu = (2.0 * beta / dot(&ahead, x)).sqrt().clamp(1e-100, 1e100);
        self.dual(x, nu, &self.theta, passes)
    }

    /// Returns the confidence set.
    fn region(&self, beta: f64) -> Region<'_> {
        let (likelihood, center) = (self.likelihood(None), &self.theta);
        Region { likelihood, center, least: self.least, beta, radius: self.model.radius }
    }

    /// Returns the second-order model of L_t around θ̂, and a quadratic that is a lower bound on L_t in
    /// the whole ball. None for a quadratic that is not finite.
    fn quadratics(&self, beta: f64) -> Result<[Option<Quadratic>; 2], Error> {
        let (likelihood, radius) = (self.likelihood(None), self.model.radius);
        let local = likelihood.local(&self.theta)?;
        let pull = |Record { x, count, .. }: Record<'_>| {
            let (z, reach) = (dot(&self.theta, x), radius * dot(x, x).sqrt());
            let outer = self.model.objective().sign() * z;
            let bend = self.model.link().least_bend(outer, (-reach, reach));
            (0.0, count * bend.unwrap_or(self.curvature))
        };
        let pulls: Vec<(f64, f64)> = self.records.iter().map(pull).collect();
        let below = Local { gradient: local.gradient.clone(), ..likelihood.pulled(&self.theta, &pulls) };
        Ok([local, below].map(|local| Quadratic::new(&self.theta, &local, beta, radius)))
    }

    /// Returns an upper bound on the index of each arm. The flag is true if the bound can be the largest
    /// index: it is then the index itself, unless the passes were used up.
    fn indices(
        &self,
        arms: &ArmSet,
        decision: &mut Decision,
        passes: &mut Passes,
    ) -> Result<Vec<(f64, bool)>, Error> {
        let beta = self.beta();
        if beta <= LEAST_BETA * (1.0 + self.least.abs()) {
            let estimate = |arm: usize| dot(&self.theta, arms.context(arm));
            return Ok((0..arms.n_arms()).map(|arm| (estimate(arm), true)).collect());
        }
        let (region, [model, below]) = (self.region(beta), self.quadratics(beta)?);
        let mut indices: Vec<(f64, bool)> = self
            .upper_bounds(arms, decision, beta, below.as_ref())
            .into_iter()
            .map(|bound| (bound, false))
            .collect();
        let mut order: Vec<usize> = (0..arms.n_arms()).collect();
        order.sort_by(|&a, &b| indices[b].0.total_cmp(&indices[a].0));
        let mut sure = f64::NEG_INFINITY;
        for arm in order {
            if beyond(sure, indices[arm].0) {
                break;
            }
            let x = arms.context(arm);
            if dot(x, x) == 0.0 {
                indices[arm] = (0.0, true);
                sure = sure.max(0.0);
                continue;
            }
            let bounds = self.bounds(&region, model.as_ref(), x, passes, |high| beyond(sure, high))?;
            indices[arm] = (indices[arm].0.min(bounds.high), !beyond(sure, bounds.high));
            sure = sure.max(bounds.low);
        }
        Ok(indices)
    }

    /// Returns bounds on the index of a context that is not zero. They have met, unless `enough` accepts
    /// the upper bound or the passes do not suffice.
    fn bounds(
        &self,
        region: &Region<'_>,
        model: Option<&Quadratic>,
        x: &[f64],
        passes: &mut Passes,
        enough: impl Fn(f64) -> bool,
    ) -> Result<Bounds, Error> {
        let mut known = region.known(x);
        if let Some(start) = model.and_then(|model| model.farthest(x)) {
            known = region.farthest(x, start, passes, &enough)?;
            if known.met() || enough(known.high) {
                return Ok(known);
            }
        }
        Ok(self.bounds_by_dual(region, x, passes)?.unwrap_or(known))
    }

    /// Returns the index of a context that is not zero, by its dual: slow but reliable. None if the
    /// passes do not suffice.
    fn bounds_by_dual(
        &self,
        region: &Region<'_>,
        x: &[f64],
        passes: &mut Passes,
    ) -> Result<Option<Bounds>, Error> {
        let length = dot(x, x).sqrt();
        let edge: Vec<f64> = x.iter().map(|x| x / length * region.radius).collect();
        if !passes.take() {
            return Ok(None);
        }
        if self.excess(&edge) <= region.beta {
            // The farthest point of the ball in the direction of x is in the set.
            return Ok(Some(Bounds::at(region.radius * length)));
        }
        let Some(start) = self.first_dual(x, region.beta, passes)? else { return Ok(None) };
        let index = self.index(x, region.beta, start, passes)?;
        Ok(index.map(|index| Bounds::at(index.min(region.radius * length))))
    }

    /// Writes the estimates to the decision, and the indices or their bounds minus the estimates as
    /// widths, if the decision has tables.
    fn report(&self, arms: &ArmSet, indices: &[(f64, bool)], decision: &mut Decision) {
        decision.front.clear();
        decision.forget_tables();
        if !decision.tables {
            return;
        }
        decision.estimates.reshape(arms.n_arms(), 1);
        decision.widths.reshape(arms.n_arms(), 1);
        for (arm, (index, _)) in indices.iter().enumerate() {
            let estimate = dot(&self.theta, arms.context(arm));
            decision.estimates.row_mut(arm)[0] = self.model.objective().sign() * estimate;
            // θ̂ is in the set, so the index is at least the estimate, up to rounding.
            decision.widths.row_mut(arm)[0] = (index - estimate).max(0.0);
        }
    }

    /// Returns an upper bound on the index of each arm, from the ellipsoids and the ball.
    fn upper_bounds(
        &self,
        arms: &ArmSet,
        decision: &mut Decision,
        beta: f64,
        below: Option<&Quadratic>,
    ) -> Vec<f64> {
        let radius = self.model.radius;
        let reach = (2.0 * beta / self.curvature + 4.0 * RIDGE * radius * radius).sqrt();
        let pairs = decision.predict(arms, self.design.gram(), &Estimate::from_theta(&self.theta));
        let bound = |(arm, [z, norm]): (usize, &[f64; 2])| {
            let x = arms.context(arm);
            let bound = (z + reach * norm).min(radius * dot(x, x).sqrt());
            below.map_or(bound, |below| below.upper(x).min(bound))
        };
        let bounds = pairs.as_chunks().0.iter().enumerate().map(bound).collect();
        decision.work.vectors[0] = pairs;
        bounds
    }
}

/// A dual point of an arm's index.
struct Dual {
    /// ν.
    nu: f64,
    /// θ(ν).
    theta: Vec<f64>,
    /// xᵀθ(ν).
    reached: f64,
    /// L(θ(ν)) − L(θ̂).
    excess: f64,
}

impl Dual {
    /// Returns an upper bound on the index.
    fn upper(&self, beta: f64) -> f64 {
        self.reached + (beta - self.excess) / self.nu
    }
}

/// Returns the passes over the records that a decision may make.
fn passes(n_arms: usize) -> Passes {
    Passes::new(PASSES * (n_arms as u64 + 10))
}

/// Returns true if a value that is certainly reached is above a bound by more than rounding.
fn beyond(sure: f64, bound: f64) -> bool {
    bound + RELATIVE_ROUNDING * (1.0 + bound.abs()) < sure
}

/// Returns β_t for a likelihood with this Lipschitz constant on the ball.
pub(super) fn beta(dim: usize, radius: f64, lipschitz: f64, delta: f64) -> f64 {
    let dim = dim as f64;
    let volume = (2.0 * E * radius * lipschitz / dim).clamp(E, f64::MAX);
    dim * log(volume) - log(delta)
}

/// Returns the least second derivative of the loss of a reward in range, on [−S, S].
fn least_curvature(model: &GlmTarget) -> f64 {
    let (radius, (low, high)) = (model.radius, model.objective().rewards());
    match model.link() {
        // The second derivative of −log Φ at S, h(h + z) with h = φ/Φ. For rewards outside of [0, 1] the
        // loss is not convex.
        Link::Probit if low >= 0.0 && high <= 1.0 => {
            let hazard = -Link::Probit.fisher(radius, 1.0).score;
            hazard * (hazard + radius)
        }
        Link::Probit => f64::MIN_POSITIVE,
        _ => model.constants.kappa,
    }
}

/// Returns the largest |slope| of the loss of a reward in range, on [−S, S]. Slopes are monotone in the
/// reward and in z.
pub(super) fn steepest_slope(model: &GlmTarget) -> Result<f64, Error> {
    let (radius, (low, high)) = (model.radius, model.objective().rewards());
    let mut steepest = 0.0_f64;
    for z in [-radius, radius] {
        for y in [low, high] {
            steepest = steepest.max(model.fisher(Law::True, z, y)?.score.abs());
        }
    }
    Ok(steepest)
}

impl Policy for OfuGlb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let indices = self.indices(arms, decision, &mut passes(arms.n_arms()))?;
        self.report(arms, &indices, decision);
        decision.work.scores.reshape(arms.n_arms(), 1);
        for (score, &(index, exact)) in decision.work.scores.as_mut_slice().iter_mut().zip(&indices) {
            *score = if exact { index } else { f64::NEG_INFINITY };
        }
        decision.draw_the_best(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let added = self.records.add(arm, self.model.reward(reward, &self.problem));
        match self.likelihood(None).minimize(&self.theta) {
            Ok(theta) => self.theta = theta,
            Err(error) => {
                self.records.take_back(added);
                return Err(error);
            }
        }
        self.renew_least();
        self.design.add(arm.context(), 1.0);
        self.rounds += 1;
        Ok(())
    }
}

saved!(OfuGlb: OfuGlbConfig => OfuGlbState { rounds, records, design, theta }, check then renew_least);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::Objective;
    use moglb_math::draw;
    use moglb_pareto::ArmId;

    fn policy(link: Link, dim: usize) -> OfuGlb {
        let problem = Problem::new(dim, vec![Objective::new("y", link)]).unwrap();
        OfuGlb::new(problem, OfuGlbConfig { scale: 0.3, ..Default::default() }).unwrap()
    }

    /// d = 1, S = 1, rewards 1, 0 and 1 for x = 1: θ̂ = log 2, Lip = 3·μ(1), and the index is the z at
    /// which 3·log(1 + e^z) − 2z has grown by β, at most 1. At scale 1 it is 1; at 0.05 the equation can
    /// be checked.
    #[test]
    fn the_first_rounds_are_those_worked_by_hand() {
        let mut policy = policy(Link::Logit, 1);
        policy.config.scale = 0.05;
        let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
        for y in [1.0, 0.0, 1.0] {
            policy.learn(arms.arm(ArmId(0)), &[y]).unwrap();
        }
        assert!((policy.theta()[0] - 2.0_f64.ln()).abs() < 1e-9);
        let lipschitz = 3.0 * 0.731_058_578_630_004_9;
        let beta = 0.0025 * (20.0_f64.ln() + (2.0 * E * lipschitz).ln());
        assert!((policy.beta() - beta).abs() < 1e-12, "{} {beta}", policy.beta());
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        let z = decision.estimates.row(0)[0] + decision.widths.row(0)[0];
        let loss = |z: f64| 3.0 * z.exp().ln_1p() - 2.0 * z;
        assert!((loss(z) - loss(2.0_f64.ln()) - beta).abs() < 1e-9 && z > 0.7 && z < 1.0, "{z}");
        policy.config.scale = 1.0;
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        assert_eq!(decision.estimates.row(0)[0] + decision.widths.row(0)[0], 1.0);
    }

    /// No point of the confidence set has a larger xᵀθ than the index, and some come close. Indices are
    /// below their bounds.
    #[test]
    fn the_index_is_the_largest_of_the_confidence_set() {
        for link in [Link::Logit, Link::Probit, Link::Identity, Link::Log] {
            let (mut policy, mut rng) = (policy(link, 2), draw::seeded(3));
            let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [-0.5, 0.5], [0.0, 0.0]]).unwrap();
            for _ in 0..200 {
                let arm = arms.arm(ArmId(draw::below(3, &mut rng)));
                policy.learn(arm, &[f64::from(draw::unit(&mut rng) < 0.6)]).unwrap();
            }
            let decision = policy.decide(&arms, &mut rng).unwrap();
            let beta = policy.beta();
            let (region, [model, below]) = (policy.region(beta), policy.quadratics(beta).unwrap());
            let bounds = policy.upper_bounds(&arms, &mut Decision::default(), beta, below.as_ref());
            for arm in 0..3 {
                let x = arms.context(arm);
                let index =
                    policy.bounds(&region, model.as_ref(), x, &mut passes(99), |_| false).unwrap().high;
                let shown = decision.estimates.row(arm)[0] + decision.widths.row(arm)[0];
                assert!(index <= shown + 1e-9 && shown <= bounds[arm] + 1e-9, "{link:?}: {index} {shown}");
                let mut largest = f64::NEG_INFINITY;
                for step in 0..100_000 {
                    let (a, b) = (f64::from(step % 500) / 249.5 - 1.0, f64::from(step / 500) / 99.5 - 1.0);
                    let theta = [a, b];
                    if a * a + b * b <= 1.0 && policy.excess(&theta) <= policy.beta() {
                        largest = largest.max(dot(&theta, arms.context(arm)));
                    }
                }
                assert!(
                    largest <= index + 1e-8 && largest > index - 0.02,
                    "{link:?} {arm}: {largest} {index}"
                );
            }
        }
    }

    /// Large norms and hardly any rewards of one kind, so that a quadratic model of L is far off. The
    /// index of every arm agrees with the solution of the dual, and no upper bound is below it.
    #[test]
    fn the_index_is_that_of_the_dual_where_links_saturate() {
        for scale in [0.01, 0.1, 1.0] {
            let (mut rng, dim) = (draw::seeded(3), 5);
            let problem = Problem::new(dim, vec![Objective::new("y", Link::Logit)]).unwrap();
            let config = OfuGlbConfig { scale, ..Default::default() };
            let mut policy = OfuGlb::new(problem.with_radius(5.0).unwrap(), config).unwrap();
            let mut row = || -> Vec<f64> { (0..dim).map(|_| 0.4 * draw::unit(&mut rng)).collect() };
            let rows: Vec<Vec<f64>> = (0..12).map(|_| row()).collect();
            let (arms, truth) = (ArmSet::from_rows(&rows).unwrap(), row());
            let mut rng = draw::seeded(4);
            for t in 0..60 {
                let decision = policy.decide(&arms, &mut rng).unwrap();
                let x = arms.context(decision.arm.0);
                let y = f64::from(draw::unit(&mut rng) < Link::Logit.mean(9.0 * dot(x, &truth) - 1.0));
                policy.learn(arms.arm(decision.arm), &[y]).unwrap();
                if t % 6 == 0 {
                    check_indices(&policy, &arms);
                }
            }
        }
    }

    fn check_indices(policy: &OfuGlb, arms: &ArmSet) {
        let beta = policy.beta();
        let (region, [model, below]) = (policy.region(beta), policy.quadratics(beta).unwrap());
        let bounds = policy.upper_bounds(arms, &mut Decision::default(), beta, below.as_ref());
        for arm in 0..arms.n_arms() {
            let x = arms.context(arm);
            let found = policy.bounds(&region, model.as_ref(), x, &mut passes(99), |_| false).unwrap();
            let (length, radius) = (dot(x, x).sqrt(), policy.model.radius);
            let edge: Vec<f64> = x.iter().map(|x| x / length * radius).collect();
            if policy.excess(&edge) <= beta {
                assert_eq!(found.high, radius * length, "the farthest point of the ball is in the set");
                continue;
            }
            let mut passes = passes(99);
            let start = policy.first_dual(x, beta, &mut passes).unwrap().unwrap();
            let dual = policy.index(x, beta, start, &mut passes).unwrap().unwrap().min(radius * length);
            assert!((found.high - dual).abs() < 1e-7, "t = {}, arm {arm}: {found:?} {dual}", policy.rounds);
            assert!(
                bounds[arm] >= found.low - 1e-9,
                "t = {}, arm {arm}: {} {found:?}",
                policy.rounds,
                bounds[arm]
            );
        }
    }

    /// Returns arms that are nearly equal, whose indices quadratic models of L do not find.
    fn near_arms(n_arms: usize, dim: usize, rng: &mut dyn Rng) -> ArmSet<'static> {
        let middle: Vec<f64> = (0..dim).map(|_| draw::normal(rng)).collect();
        let mut row = || {
            let x: Vec<f64> = middle.iter().map(|entry| entry + 1e-7 * draw::normal(rng)).collect();
            let length = dot(&x, &x).sqrt() * (1.0 + 1e-12);
            x.iter().map(|entry| entry / length).collect()
        };
        ArmSet::from_rows(&(0..n_arms).map(|_| row()).collect::<Vec<Vec<f64>>>()).unwrap()
    }

    /// On arms that need many passes, a decision makes no more passes than it may. A bound that is not
    /// below the index replaces an index that was not found, and the arm with the largest of them is
    /// played.
    #[test]
    fn a_decision_is_bounded_in_passes_and_stays_optimistic() {
        let (n_arms, dim, mut rng) = (16, 8, draw::seeded(2));
        let objective = Objective::new("y", Link::Identity).range(-1e6, 1e6);
        let config = OfuGlbConfig { scale: 0.01, ..Default::default() };
        let mut policy = OfuGlb::new(Problem::new(dim, vec![objective]).unwrap(), config).unwrap();
        let mut hostile = 0;
        for round in 0..20 {
            let arms = near_arms(n_arms, dim, &mut rng);
            let indices =
                |passes: &mut Passes| policy.indices(&arms, &mut Decision::default(), passes).unwrap();
            let [mut all, mut few] = [1 << 40, 100].map(Passes::new);
            let (exact, bounds) = (indices(&mut all), indices(&mut few));
            // Without a limit, the same decision takes many times as many passes.
            hostile += u32::from((1 << 40) - all.left() > 1000 && few.are_used_up());
            let best = |indices: &[(f64, bool)]| {
                indices.iter().filter(|(_, may)| *may).map(|(index, _)| *index).fold(f64::MIN, f64::max)
            };
            let close = 1e-6 * (1.0 + best(&exact).abs());
            assert!(best(&bounds) >= best(&exact) - close, "round {round}: {bounds:?} for {exact:?}");
            for (bound, index) in bounds.iter().zip(&exact).filter(|(_, index)| index.1) {
                assert!(bound.0 >= index.0 - close, "round {round}: {bound:?} for {index:?}");
            }
            let decision = policy.decide(&arms, &mut rng).unwrap();
            policy.learn(arms.arm(decision.arm), &[if round % 2 == 0 { 1e6 } else { -1e6 }]).unwrap();
        }
        assert!(hostile >= 5, "only {hostile} of 20 rounds are hostile");
    }
}
