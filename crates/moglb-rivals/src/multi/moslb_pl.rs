//! MOSLB-PL: Pareto fronts level by level of priority (Cheng, Xue, Yi, Zhang, AAAI 2024).
//!
//! Objectives are in levels. The first level keeps the arms on the Pareto front of the upper confidence
//! bounds in its objectives. The second level keeps the front of those arms in its own objectives, and so on.
//! As long as some arms are wider than ε, one of those is played instead.

use super::MultiScratch;
use super::lexicographic::find_wide;
use super::linear_model::LinearModel;
use super::moslb::{DEPARTURES, Exploration, check_groups};
use crate::multi::linear_model::LinearModelState;
use moglb_core::decision::Workspace;
use moglb_core::describe::policy;
use moglb_core::saved::saved;
use moglb_core::{Arm, ArmSet, Decision, Facts, Policy, Problem, Scale};
use moglb_math::{Error, Matrix};
use moglb_pareto::ArmId;
use rand_core::Rng;

policy! {
    id: "moslb-pl",
    name: "MOSLB-PL",
    source: "Cheng, Xue, Yi, Zhang: Hierarchize Pareto dominance in multi-objective stochastic linear \
             bandits, AAAI 2024",
    setting: "contexts, linear rewards, fixed or fresh arm sets, objectives in levels of priority",
    guarantee: "sublinear Pareto-lexicographic regret where rewards are linear",
    cost: "O(K·(d² + m·d) + fronts) to decide, O(m·d²) to learn",
    has_front: true,
    departures: DEPARTURES,
    parameters: struct MoslbPlConfig of MoslbPl {
        levels: Option<Vec<Vec<usize>>> = None => "one level per objective",
            "levels of the numbers of objectives (from 0), the most important level first; a single level of \
             all objectives is the Pareto order";
        epsilon: Option<f64> = None => "d^(2/3)·T^(−1/3)",
            "ε, in units of the range of an objective; as long as some arms are wider, one of those is drawn \
             uniformly";
        horizon: usize = 3000,
            "T, the number of rounds to be played; what follows from T stays the same after them";
        lambda: f64 = 1.0, "regularization, V_1 = λI";
        delta: f64 = 0.05, "the chance that a confidence set may fail";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

impl MoslbPlConfig {
    /// Returns the parameters that both policies have.
    fn exploration(&self) -> Exploration {
        let &Self { lambda, delta, scale, epsilon, horizon, .. } = self;
        Exploration { lambda, delta, scale, epsilon, horizon }
    }
}

/// MOSLB-PL: explores until all arms are narrow, then draws uniformly from the Pareto-lexicographic front of
/// the upper confidence bounds.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MoslbPl, MoslbPlConfig, Objective, Policy, Problem};
///
/// let objectives = ["safety", "speed", "comfort"].map(|name| Objective::new(name, Link::Identity));
/// let config = MoslbPlConfig { levels: Some(vec![vec![0], vec![1, 2]]), ..Default::default() };
/// let mut policy = MoslbPl::new(Problem::new(2, objectives.to_vec())?, config)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[0.5, 0.2, -0.1])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoslbPl {
    config: MoslbPlConfig,
    levels: Vec<Vec<usize>>,
    model: LinearModel,
}

impl MoslbPl {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::Parameters`] or [`Error::UnknownObjective`].
    pub fn new(problem: Problem, config: MoslbPlConfig) -> Result<Self, Error> {
        let m = problem.n_objectives();
        let levels = config.levels.clone().unwrap_or_else(|| (0..m).map(|i| vec![i]).collect());
        check_groups(&levels, m)?;
        let model = config.exploration().model(problem)?;
        Ok(Self { config, levels, model })
    }

    /// Returns γ_t = R√(d·log(m(1 + t)/δ)) + √λ·S, times the scale, in units of the ranges.
    pub fn radius(&self) -> f64 {
        self.config.exploration().radius(&self.model)
    }

    /// Returns θ̂ᵢ of every objective, one row each, in the objective's own units and direction:
    /// E y ≈ μ(0) + θ̂ᵢᵀx.
    pub fn theta(&self) -> Matrix {
        self.model.theta()
    }
}

/// Computes the front of the scores level by level, and writes it into the decision.
fn find_level_front(levels: &[Vec<usize>], decision: &mut Decision) {
    let Decision { work, front, .. } = decision;
    let Workspace { scores, filter, candidates: kept, scratch, .. } = work;
    let MultiScratch { table, .. } = scratch.of();
    kept.clear();
    kept.extend((0..scores.n_rows()).map(ArmId));
    for level in levels {
        table.reshape(kept.len(), level.len());
        for (row, arm) in kept.iter().enumerate() {
            let scores = scores.row(arm.0);
            let entries = table.row_mut(row);
            entries.iter_mut().zip(level).for_each(|(entry, &i)| *entry = scores[i]);
        }
        filter.filter_finite((&*table).into(), front);
        let mut row = 0;
        kept.retain(|_| {
            row += 1;
            front.contains(ArmId(row - 1))
        });
    }
    front.refill(kept.iter().copied());
}

impl Policy for MoslbPl {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.model.problem().check_arms(arms)?;
        decision.given_sample = false;
        let exploration = self.config.exploration();
        self.model.score(arms, self.radius(), decision);
        find_level_front(&self.levels, decision);
        let (all, epsilon) = ((0..arms.n_arms()).map(ArmId), exploration.epsilon(arms.dim()));
        let Workspace { candidates, scratch, .. } = &mut decision.work;
        let MultiScratch { widths, .. } = scratch.of();
        if find_wide(all, widths, epsilon, candidates) {
            decision.draw_from_candidates(arms.n_arms(), rng);
        } else {
            decision.draw_from_front(arms.n_arms(), rng);
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.model.learn(arm, reward)
    }

    fn facts(&self) -> Facts {
        Facts { draws_from_front: false, scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(MoslbPl: MoslbPlConfig => LinearModelState, model with problem);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_decides_among_what_the_levels_before_left() {
        let mut decision = Decision::default();
        let scores = [[1.0, 5.0, 0.0], [2.0, 1.0, 1.0], [2.0, 0.0, 3.0], [2.0, 0.5, 0.5], [0.0, 9.0, 9.0]];
        let fill = |decision: &mut Decision| decision.work.scores = Matrix::from_rows(&scores).unwrap();
        fill(&mut decision);
        find_level_front(&[vec![0], vec![1, 2]], &mut decision);
        assert_eq!(decision.front.arms(), [ArmId(1), ArmId(2)], "the third is dominated in the second level");
        find_level_front(&[vec![0], vec![1], vec![2]], &mut decision);
        assert_eq!(decision.front.arms(), [ArmId(1)]);
        find_level_front(&[vec![1, 2]], &mut decision);
        assert_eq!(decision.front.arms(), [ArmId(4)]);
        find_level_front(&[vec![0, 1, 2]], &mut decision);
        assert_eq!(decision.front, moglb_pareto::front(&Matrix::from_rows(&scores).unwrap()).unwrap());
    }
}
