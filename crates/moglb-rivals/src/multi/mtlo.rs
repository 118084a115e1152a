//! MTLO: multiple trade-offs under lexicographic ordering (Xue, Lin, Zhang, Zhang, AAAI 2025, Algorithm 3).
//!
//! A round goes through stages s = 1, 2, … with fewer and fewer arms. If all of these arms are narrower than
//! 1/√T, they are filtered once more, with W = 1/√T, and one of them is played. If some are wider than 2⁻ˢ,
//! one of those is played. Otherwise the filter goes through the objectives and keeps the arms that may still
//! be the best, with W = 2⁻ˢ:
//!
//! ```text
//! ŷᵢ(x) + w(x) ≥ max − (2 + 4λ + 4λ² + … + 4λⁱ⁻¹)·W
//! ```
//!
//! where λ bounds the gain of a less important objective for each unit that the more important ones lose
//! (their Eq. 10).

use super::MultiScratch;
use super::lexicographic::{find_wide, keep_by_trade_off};
use super::linear_model::{self, LinearModel, in_units};
use super::stlo::radius;
use crate::multi::linear_model::LinearModelState;
use moglb_core::decision::Workspace;
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale};
use moglb_math::{Error, Matrix};
use moglb_pareto::ArmId;
use rand_core::Rng;

policy! {
    id: "mtlo",
    name: "MTLO",
    source: "Xue, Lin, Zhang, Zhang: Multiple trade-offs: an improved approach for lexicographic linear \
             bandits, AAAI 2025",
    setting: "contexts, linear rewards, fixed or fresh arm sets, objectives in the order of their importance",
    guarantee: "regret Õ((1 + λ + … + λⁱ⁻¹)·d√T) of objective i with probability 1 − δ where rewards are \
                linear; no front",
    cost: "O(K·(d² + m·d + m·log T)) to decide, O(m·d²) to learn",
    departures: in_units!(
        "S takes the place of U in the width. In the source λ is any upper bound that the user chooses; the \
         default 1 is ours. The arm to explore is drawn uniformly from all wide arms."
    ),
    parameters: struct MtloConfig of Mtlo {
        lam: f64 = 1.0,
            "λ, the most that an objective can gain for each unit that the objectives before it lose, in \
             units of their ranges";
        horizon: usize = 3000,
            "T, the number of rounds to be played; what follows from T stays the same after them";
        delta: f64 = 0.05, "the chance that a confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// MTLO: lexicographic order of the objectives. The first objective of the problem is the most important one.
/// The policy has no front.
///
/// ```
/// use moglb::{ArmSet, Link, Mtlo, MtloConfig, Objective, Policy, Problem, draw};
///
/// let objectives = ["safety", "speed"].map(|name| Objective::new(name, Link::Identity));
/// let config = MtloConfig { lam: 0.5, ..Default::default() };
/// let mut policy = Mtlo::new(Problem::new(2, objectives.to_vec())?, config)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[0.5, -0.1])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mtlo {
    config: MtloConfig,
    model: LinearModel,
}

impl Mtlo {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`] or [`Error::Parameters`].
    pub fn new(problem: Problem, config: MtloConfig) -> Result<Self, Error> {
        linear_model::check(1.0, config.delta, config.scale)?;
        Parameter::check("lam", config.lam, 0.0..=1e6)?;
        Parameter::check("horizon", config.horizon as f64, 1.0..=1e15)?;
        Ok(Self { config, model: LinearModel::new(problem, 1.0)? })
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

    /// Goes through the stages and makes the arms to draw from the candidates.
    fn find_candidates(&self, decision: &mut Decision) {
        let Workspace { scores, candidates, scratch, .. } = &mut decision.work;
        let MultiScratch { widths, links: kept, .. } = scratch.of();
        let lam = self.config.lam;
        kept.clear();
        kept.extend((0..scores.n_rows()).map(ArmId));
        let finest = 1.0 / (self.config.horizon as f64).sqrt();
        let mut width = 0.5;
        // Ends at the latest when 2⁻ˢ < 1/√T.
        while kept.iter().any(|arm| widths[arm.0] > finest) {
            if find_wide(kept.iter().copied(), widths, width, candidates) {
                return;
            }
            keep_by_trade_off(kept, scores, lam, width);
            width *= 0.5;
        }
        keep_by_trade_off(kept, scores, lam, finest);
        candidates.clone_from(kept);
    }
}

impl Policy for Mtlo {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.model.problem().check_arms(arms)?;
        decision.given_sample = false;
        decision.front.clear();
        self.model.score(arms, self.radius(), decision);
        self.find_candidates(decision);
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

saved!(Mtlo: MtloConfig => LinearModelState, model with problem);

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(horizon: usize, widths: &[f64]) -> Vec<ArmId> {
        let objectives =
            ["a", "b"].map(|name| moglb_core::Objective::new(name, moglb_core::Link::Identity)).to_vec();
        let config = MtloConfig { horizon, ..Default::default() };
        let policy = Mtlo::new(Problem::new(1, objectives).unwrap(), config).unwrap();
        let mut decision = Decision::default();
        decision.work.scores = Matrix::from_rows(&[[3.0, 0.0], [1.9, 9.0], [2.6, 0.0], [2.9, 3.5]]).unwrap();
        decision.work.scratch.of::<MultiScratch>().widths = widths.to_vec();
        policy.find_candidates(&mut decision);
        decision.work.candidates
    }

    /// T = 25: 1/√T = 0.2. Stage 1 has W = ½ (slack 1, then 3), stage 2 has W = ¼ (½, then 1½).
    #[test]
    fn stages_are_those_of_the_algorithm_by_hand() {
        assert_eq!(candidates(25, &[0.6, 0.3, 0.3, 0.7]), [ArmId(0), ArmId(3)], "wider than ½ in stage 1");
        // 1.9 < 3 − 1 rejects the second arm. 3.5 − 3 = 0.5 rejects the first and the third.
        assert_eq!(candidates(25, &[0.3, 0.4, 0.3, 0.3]), [ArmId(3)], "wider than ¼ in stage 2");
        assert_eq!(candidates(25, &[0.3, 0.4, 0.3, 0.1]), [ArmId(3)], "the only one left, and narrow");
        // All are narrow from the start. Slack 0.4 in the first objective keeps 3, 2.6 and 2.9; slack 1.2 in
        // the second keeps only 3.5.
        assert_eq!(candidates(25, &[0.1; 4]), [ArmId(3)]);
        // T = 1: slack 2 in the first objective keeps all arms, slack 6 in the second keeps those of at least
        // 9 − 6.
        assert_eq!(candidates(1, &[0.9; 4]), [ArmId(1), ArmId(3)]);
    }
}
