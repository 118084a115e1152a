//! STLO: a single trade-off under lexicographic ordering (Xue, Lin, Zhang, Zhang, AAAI 2025, Algorithm 1).
//!
//! As long as some arms are wider than ε, one of those is played. Otherwise a filter goes through all
//! objectives but the last, the most important one first. It keeps the arms that are ε-chained with the arm
//! of the largest estimate: their intervals ŷ ± ε overlap, directly or over the intervals of other arms.
//! Among the arms that are left, the arm with the largest estimate in the last objective is played.

use super::MultiScratch;
use super::lexicographic::{find_wide, keep_chained};
use super::linear_model::{self, LinearModel, in_units};
use crate::multi::linear_model::LinearModelState;
use libm::pow;
use moglb_core::decision::Workspace;
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale};
use moglb_math::{Error, Matrix};
use moglb_pareto::ArmId;
use rand_core::Rng;

policy! {
    id: "stlo",
    name: "STLO",
    source: "Xue, Lin, Zhang, Zhang: Multiple trade-offs: an improved approach for lexicographic linear \
             bandits, AAAI 2025",
    setting: "contexts, linear rewards, fixed or fresh arm sets, objectives in the order of their importance",
    guarantee: "priority-based regret Õ((K·T)^⅔) of every objective with probability 1 − δ where rewards are \
                linear; no front",
    cost: "O(K·(d² + m·d + m·log K)) to decide, O(m·d²) to learn",
    departures: in_units!(
        "S takes the place of U in the width. The arm to explore is drawn uniformly from all wide arms. Ties \
         for the largest estimate are broken uniformly."
    ),
    parameters: struct StloConfig of Stlo {
        epsilon: Option<f64> = None => "d^(4/3)·(K·T)^(−1/3)",
            "ε, in units of the range of an objective; arms that are wider are played first, and intervals ŷ \
             ± ε that overlap are chained";
        horizon: usize = 3000,
            "T, the number of rounds to be played; what follows from T stays the same after them";
        delta: f64 = 0.05, "the chance that a confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// STLO: lexicographic order of the objectives. The first objective of the problem is the most important one.
/// The policy has no front.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, Policy, Problem, Stlo, StloConfig, draw};
///
/// let objectives = ["safety", "speed"].map(|name| Objective::new(name, Link::Identity));
/// let mut policy = Stlo::new(Problem::new(2, objectives.to_vec())?, StloConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[0.5, -0.1])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Stlo {
    config: StloConfig,
    model: LinearModel,
}

impl Stlo {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`] or [`Error::Parameters`].
    pub fn new(problem: Problem, config: StloConfig) -> Result<Self, Error> {
        linear_model::check(1.0, config.delta, config.scale)?;
        Parameter::check("epsilon", config.epsilon.unwrap_or(1.0), 0.0..=1e100)?;
        Parameter::check("horizon", config.horizon as f64, 1.0..=1e15)?;
        Ok(Self { config, model: LinearModel::new(problem, 1.0)? })
    }

    /// Returns ε for an arm set, by default d^(4/3)·(K·T)^(−1/3).
    fn epsilon(&self, arms: &ArmSet) -> f64 {
        let pulls = arms.n_arms() as f64 * self.config.horizon as f64;
        let balanced = || pow(arms.dim() as f64, 4.0 / 3.0) * pow(pulls, -1.0 / 3.0);
        self.config.epsilon.unwrap_or_else(balanced)
    }

    /// Returns γ_t = R√(d·ln(2mt/δ)) + S, times the scale, in units of the ranges.
    pub fn radius(&self) -> f64 {
        radius(&self.model, self.config.delta, self.config.scale)
    }

    /// Returns θ̂ᵢ of every objective, one row each, in the objective's own units and direction:
    /// E y ≈ μ(0) + θ̂ᵢᵀx.
    pub fn theta(&self) -> Matrix {
        self.model.theta()
    }
}

/// Returns γ_t = R√(d·ln(2mt/δ)) + S of the source, times a scale. In round t, t − 1 rewards were learned.
/// Since 2t = 1 + (2t − 1), it is the radius for 2t − 1 rewards at λ = 1.
pub fn radius(model: &LinearModel, delta: f64, scale: f64) -> f64 {
    scale * model.radius_by_count(2.0 * model.rounds() as f64 + 1.0, delta)
}

/// Makes the arms to draw from the candidates. The scores are upper bounds, so an estimate is the score minus
/// the width.
fn find_best(epsilon: f64, decision: &mut Decision) {
    let Workspace { scores, candidates: kept, scratch, .. } = &mut decision.work;
    let MultiScratch { widths, intervals, links, .. } = scratch.of();
    let estimate = |arm: ArmId, i: usize| scores.row(arm.0)[i] - widths[arm.0];
    kept.clear();
    kept.extend((0..scores.n_rows()).map(ArmId));
    links.clone_from(kept);
    let last = scores.n_cols() - 1;
    for i in 0..last {
        let interval = |arm: ArmId| (estimate(arm, i) - epsilon, estimate(arm, i) + epsilon);
        keep_chained(kept, links, interval, intervals);
    }
    let best = kept.iter().map(|&arm| estimate(arm, last)).fold(f64::NEG_INFINITY, f64::max);
    kept.retain(|&arm| estimate(arm, last) == best);
}

impl Policy for Stlo {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.model.problem().check_arms(arms)?;
        decision.given_sample = false;
        decision.front.clear();
        self.model.score(arms, self.radius(), decision);
        let (all, epsilon) = ((0..arms.n_arms()).map(ArmId), self.epsilon(arms));
        let Workspace { candidates, scratch, .. } = &mut decision.work;
        let MultiScratch { widths, .. } = scratch.of();
        if !find_wide(all, widths, epsilon, candidates) {
            find_best(epsilon, decision);
        }
        decision.draw_from_candidates(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.model.learn(arm, reward)
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(Stlo: StloConfig => LinearModelState, model with problem);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_objective_decides_among_the_chained() {
        let mut decision = Decision::default();
        decision.work.scores =
            Matrix::from_rows(&[[1.1, 0.3], [1.0, 0.5], [0.9, 0.8], [0.5, 9.0], [1.0, 0.8]]).unwrap();
        decision.work.scratch.of::<MultiScratch>().widths = vec![0.1; 5];
        // Estimates 1, 0.9, 0.8, 0.4, 0.9: chained with steps of at most 2ε.
        find_best(0.051, &mut decision);
        assert_eq!(decision.work.candidates, [ArmId(2), ArmId(4)], "0.8 − 0.1 in both");
        find_best(0.04, &mut decision);
        assert_eq!(decision.work.candidates, [ArmId(0)], "1 is alone");
        find_best(0.21, &mut decision);
        assert_eq!(decision.work.candidates, [ArmId(3)], "all are chained");
    }

    #[test]
    fn epsilon_and_radius_are_the_formulas_by_hand() {
        let objective = moglb_core::Objective::new("y", moglb_core::Link::Identity).range(0.0, 1.0);
        let problem = Problem::new(8, vec![objective]).unwrap();
        let policy =
            Stlo::new(problem, StloConfig { horizon: 500, delta: 0.1, ..Default::default() }).unwrap();
        let arms = ArmSet::from_rows(&[[0.1; 8], [0.2; 8]]).unwrap();
        assert!((policy.epsilon(&arms) - 1.6).abs() < 1e-12, "16 / 10");
        // ½√(8·ln(2/0.1)) + 1 = ½√23.965858 + 1.
        assert!((policy.radius() - 3.447746).abs() < 1e-6, "{}", policy.radius());
    }
}
