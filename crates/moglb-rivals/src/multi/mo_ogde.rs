//! MO-OGDE: online gradient descent on the generalized Gini index (Busa-Fekete, Szörényi, Weng, Mannor, ICML
//! 2017).
//!
//! The costs x of the objectives, in [0, 1], are sorted from the largest down and summed with decreasing
//! weights. So the objective that is worst off counts most:
//!
//! ```text
//! G_w(x) = w₁x₍₁₎ + … + w_m x₍ₘ₎,   x₍₁₎ ≥ … ≥ x₍ₘ₎
//! ```
//!
//! The goal is not an arm but a mixture α of arms, with the least G_w of its mean costs μα. After every play
//! α takes a gradient step for the estimated means, and is projected onto the mixtures that give every arm a
//! least probability:
//!
//! ```text
//! α ← the point of { α on the simplex, αₖ ≥ η_t/K } that is closest to α − η_t·∇G_w(μ̂α)
//! η_t = √2/(1 − 1/√K)·√(ln(2/δ)/t)
//! ```

use libm::log;
use moglb_core::arm_stats::ArmStats;
use moglb_core::decision::settle;
use moglb_core::describe::policy;
use moglb_core::saved::{damaged, fits, saved};
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Parameter, Policy, Problem, Scale};
use moglb_math::Error;
use moglb_pareto::ArmId;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "mo-ogde",
    name: "MO-OGDE",
    source: "Busa-Fekete, Szörényi, Weng, Mannor: Multi-objective bandits: optimizing the generalized Gini \
             index, ICML 2017",
    setting: "no contexts, one fixed arm set; fair between objectives",
    guarantee: "the generalized Gini index of the average cost exceeds that of the best mixture by at most \
                Õ(T^(−½)) with probability 1 − δ; no front",
    cost: "O(K) to decide, O(K·(m + log K)) to learn",
    departures: "Costs are one minus the rewards mapped to [0, 1]. Until every arm was played once, the draw \
                 is uniform from the unplayed arms. The least probability η_t/K of an arm is limited to 1/K, \
                 where η_t is above one. The factor √2/(1 − 1/√K) of η_t is from a damaged copy of the \
                 source and was found nowhere else.",
    parameters: struct MoOgdeConfig of MoOgde {
        weights: Option<Vec<f64>> = None => "1, ½, ¼, …",
            "weights of the largest cost, the second largest and so on; not increasing, the first positive \
             and the others not negative, scaled so that the first is one";
        delta: f64 = 0.05, "δ of the step size, the chance that the bound may fail";
    }
}

/// MO-OGDE: plays the mixture of arms with the least generalized Gini index of its costs, which is fair to
/// the objective that is worst off. It has no front.
///
/// ```
/// use moglb::{ArmSet, Link, MoOgde, MoOgdeConfig, Objective, Policy, Problem, draw};
///
/// let objectives = vec![Objective::new("buyers", Link::Logit), Objective::new("sellers", Link::Logit)];
/// let mut policy = MoOgde::new(Problem::new(1, objectives)?.with_arms(2)?, MoOgdeConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0, 0.0])?;
/// assert_eq!(policy.mixture(), [0.5, 0.5]);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoOgde {
    problem: Problem,
    config: MoOgdeConfig,
    /// w, not increasing; the first is one.
    weights: Vec<f64>,
    stats: ArmStats,
    /// α, the probability of each arm once all arms were played.
    mixture: Vec<f64>,
    scratch: GiniScratch,
}

/// Buffers for a gradient step and its projection.
#[derive(Debug, Clone, Default)]
struct GiniScratch {
    /// The mean cost of the mixture in each objective.
    costs: Vec<f64>,
    /// The objectives from the largest cost down.
    order: Vec<usize>,
    /// The entries of the mixture from the largest down.
    sorted: Vec<f64>,
}

/// The learned state of MO-OGDE.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoOgdeState {
    /// The counts and reward sums of each arm.
    pub stats: ArmStats,
    /// α.
    pub mixture: Vec<f64>,
}

fits!(MoOgdeState, |state, problem| {
    state.stats.fits(problem) && Some(state.mixture.len()) == problem.n_arms
});

impl MoOgde {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`], [`Error::Weights`], [`Error::Parameters`] or [`Error::ParameterBounds`].
    pub fn new(problem: Problem, config: MoOgdeConfig) -> Result<Self, Error> {
        Parameter::check("delta", config.delta, f64::MIN_POSITIVE..=1.0)?;
        let m = problem.n_objectives();
        let halves = || std::iter::successors(Some(1.0), |w| Some(w * 0.5)).take(m).collect();
        let given = config.weights.clone().unwrap_or_else(halves);
        let usable = |&w: &f64| w.is_finite() && w >= 0.0;
        if given.len() != m || !given.iter().all(usable) || given[0] == 0.0 {
            return Err(Error::Weights { expected: m, got: given });
        }
        if !given.is_sorted_by(|a, b| a >= b) {
            return Err(Error::Parameters { what: "the weights of mo-ogde must not increase" });
        }
        let stats = ArmStats::new(&problem, INFO.id)?;
        moglb_math::memory::check_memory(stats.n_arms(), 4)?;
        let mixture = vec![1.0 / stats.n_arms() as f64; stats.n_arms()];
        let weights = given.iter().map(|w| w / given[0]).collect();
        Ok(Self { problem, config, weights, stats, mixture, scratch: GiniScratch::default() })
    }

    /// Returns α, the probability of each arm once all arms were played.
    pub fn mixture(&self) -> &[f64] {
        &self.mixture
    }

    /// Returns η_t.
    fn step_size(&self) -> f64 {
        let spread = 1.0 - 1.0 / (self.stats.n_arms() as f64).sqrt();
        let confidence = (log(2.0) - log(self.config.delta)) / self.stats.rounds() as f64;
        std::f64::consts::SQRT_2 / spread * confidence.sqrt()
    }

    /// Returns the mean cost of an arm in an objective. The arm was played.
    fn cost(&self, arm: usize, objective: usize) -> f64 {
        1.0 - self.stats.sums(arm)[objective] / self.stats.count(arm) as f64
    }

    /// Takes the gradient step and projects the result.
    fn step(&mut self) {
        let (n_arms, m, eta) = (self.stats.n_arms(), self.weights.len(), self.step_size());
        let mut scratch = std::mem::take(&mut self.scratch);
        let GiniScratch { costs, order, sorted } = &mut scratch;
        costs.clear();
        costs.extend(
            (0..m).map(|i| (0..n_arms).map(|arm| self.mixture[arm] * self.cost(arm, i)).sum::<f64>()),
        );
        order.clear();
        order.extend(0..m);
        order.sort_by(|&a, &b| costs[b].total_cmp(&costs[a]).then(a.cmp(&b)));
        for arm in 0..n_arms {
            let slope: f64 = self.weights.iter().zip(&*order).map(|(w, &i)| w * self.cost(arm, i)).sum();
            self.mixture[arm] -= eta * slope;
        }
        project(&mut self.mixture, eta.min(1.0) / n_arms as f64, sorted);
        self.scratch = scratch;
    }

    /// Refuses an α that is not a distribution over arms.
    fn check(&self, MoOgdeState { mixture, .. }: &MoOgdeState) -> Result<(), Error> {
        let sum: f64 = mixture.iter().sum();
        if mixture.iter().all(|p| (0.0..=1.0).contains(p)) && (sum - 1.0).abs() <= 1e-12 {
            return Ok(());
        }
        Err(damaged(&"the mixture of arms is not a distribution"))
    }
}

/// Replaces v by the closest point whose entries are at least `floor` and add up to one. K times the floor is
/// at most one.
///
/// This point is max(vₖ − τ, floor) for one τ. The entries above the floor are the k largest ones, for the
/// largest k whose τ leaves the k-th entry above the floor.
fn project(v: &mut [f64], floor: f64, sorted: &mut Vec<f64>) {
    sorted.clear();
    sorted.extend_from_slice(v);
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    // The probability that is left above the floor.
    let free = (1.0 - floor * v.len() as f64).max(0.0);
    let (mut sum, mut tau) = (0.0, f64::INFINITY);
    for (k, &value) in sorted.iter().enumerate() {
        sum += value - floor;
        let next = (sum - free) / (k + 1) as f64;
        if value - next <= floor {
            break;
        }
        tau = next;
    }
    v.iter_mut().for_each(|value| *value = (*value - tau).max(floor));
}

impl Policy for MoOgde {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        decision.front.clear();
        let unknown = |arm: usize| if self.stats.count(arm) == 0 { f64::INFINITY } else { 0.0 };
        self.stats.report(self.problem.objectives(), unknown, decision);
        let unplayed = (0..arms.n_arms()).filter(|&arm| self.stats.count(arm) == 0);
        decision.work.candidates.clear();
        decision.work.candidates.extend(unplayed.map(ArmId));
        if decision.work.candidates.is_empty() {
            decision.probabilities.clone_from(&self.mixture);
            settle(&mut decision.probabilities);
            decision.draw_by_probabilities(rng);
        } else {
            decision.draw_from_candidates(arms.n_arms(), rng);
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.stats.add(arm, reward, self.problem.objectives());
        // With a single arm there is only one mixture.
        if self.stats.n_arms() > 1 && self.stats.counts().iter().all(|&count| count > 0) {
            self.step();
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, scale: Scale::Mean, ..Facts::default() }
    }
}

saved!(MoOgde: MoOgdeConfig => MoOgdeState { stats, mixture }, check);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_math::draw;

    fn policy(n_arms: usize, config: MoOgdeConfig) -> Result<MoOgde, Error> {
        let objectives = vec![Objective::new("a", Link::Logit), Objective::new("b", Link::Logit).minimize()];
        MoOgde::new(Problem::new(1, objectives).unwrap().with_arms(n_arms).unwrap(), config)
    }

    fn arms(n: usize) -> ArmSet<'static> {
        ArmSet::from_rows(&(0..n).map(|k| [0.1 * k as f64]).collect::<Vec<_>>()).unwrap()
    }

    /// With K = 4 and δ = 1, η_t = √2/(1 − ½)·√(ln 2/t) is 2.354820/√t.
    #[test]
    fn a_step_is_the_formula_by_hand() {
        let mut policy = policy(4, MoOgdeConfig { delta: 1.0, ..Default::default() }).unwrap();
        let arms = arms(4);
        // Costs (0, 1), (1, 0), (1, 1), (1, 1), as the second objective is minimized.
        for (arm, reward) in [(0, [1.0, 1.0]), (1, [0.0, 0.0]), (2, [0.0, 1.0]), (3, [0.0, 1.0])] {
            policy.learn(arms.arm(ArmId(arm)), &reward).unwrap();
        }
        assert!((policy.step_size() - 2.354820 / 2.0).abs() < 1e-6, "{}", policy.step_size());
        assert_eq!(policy.mixture(), [0.25; 4], "η_4 is above one: every arm must have its quarter");
        for _ in 0..5 {
            policy.learn(arms.arm(ArmId(2)), &[0.0, 1.0]).unwrap();
        }
        // The step of t = 6 (η = 0.961351) is the first that changes α. Both objectives cost ¾, and the first
        // counts as the larger. The slopes are ½, 1, 1½ and 1½, so that arm 0 gets all the probability above
        // the floor, 1 − 3·0.240338. Now the second objective costs more, and the step of t = 7 gives it to
        // arm 1. The step of t = 8 gives it to arm 0 again, and that of t = 9 (η = 0.784940, floor 0.196235)
        // leaves arm 1 with 1 − 3·0.196235.
        let expected = [0.196235, 0.411295, 0.196235, 0.196235];
        let off = policy.mixture().iter().zip(expected).map(|(p, expected)| (p - expected).abs());
        assert!(off.fold(0.0, f64::max) < 1e-6, "{:?}", policy.mixture());
    }

    /// Compares the projection with a bisection for τ.
    #[test]
    fn the_projection_is_the_closest_point() {
        let (mut rng, mut sorted) = (draw::seeded(4), Vec::new());
        for _ in 0..300 {
            let n = 1 + draw::below(8, &mut rng);
            let v: Vec<f64> = (0..n).map(|_| 2.0 * draw::unit(&mut rng) - 1.0).collect();
            let floor = draw::unit(&mut rng) / n as f64;
            let mut got = v.clone();
            project(&mut got, floor, &mut sorted);
            let (mut low, mut high) = (-3.0, 3.0);
            for _ in 0..200 {
                let tau = 0.5 * (low + high);
                let sum: f64 = v.iter().map(|v| (v - tau).max(floor)).sum();
                if sum > 1.0 { low = tau } else { high = tau }
            }
            for (got, v) in got.iter().zip(&v) {
                assert!((got - (v - low).max(floor)).abs() < 1e-12);
            }
            assert!((got.iter().sum::<f64>() - 1.0).abs() < 1e-13);
        }
        let mut whole = [3.0, -1.0];
        project(&mut whole, 0.5, &mut sorted);
        assert_eq!(whole, [0.5, 0.5], "nothing is free");
    }

    #[test]
    fn impossible_weights_are_refused() {
        let with = |weights: &[f64]| policy(2, MoOgdeConfig { weights: Some(weights.to_vec()), delta: 0.1 });
        for bad in [&[][..], &[1.0], &[0.0, 0.0], &[1.0, -1.0], &[f64::NAN, 0.0], &[f64::INFINITY, 1.0]] {
            assert!(matches!(with(bad), Err(Error::Weights { expected: 2, .. })), "{bad:?}");
        }
        assert!(matches!(with(&[1.0, 2.0]), Err(Error::Parameters { .. })));
        assert_eq!(with(&[4.0, 1.0]).unwrap().weights, [1.0, 0.25]);
        for delta in [0.0, 1.1, f64::NAN] {
            let refused = policy(2, MoOgdeConfig { weights: None, delta });
            assert!(matches!(refused, Err(Error::ParameterBounds { .. })), "{delta}");
        }
    }
}
