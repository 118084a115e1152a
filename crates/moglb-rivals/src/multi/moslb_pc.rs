//! MOSLB-PC: lexicographic filters along chains of priority (Cheng, Xue, Yi, Zhang, AAAI 2024).
//!
//! Objectives are in chains. A filter goes along each chain, objective by objective. It keeps the arms whose
//! confidence intervals are linked to that of the arm with the largest upper bound, directly or over other
//! intervals. The front is the union of the arms that are left at the ends of the chains. As long as some
//! arms are wider than ε, one of those is played instead.

use super::MultiScratch;
use super::lexicographic::{find_wide, keep_chained};
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
    id: "moslb-pc",
    name: "MOSLB-PC",
    source: "Cheng, Xue, Yi, Zhang: Hierarchize Pareto dominance in multi-objective stochastic linear \
             bandits, AAAI 2024",
    setting: "contexts, linear rewards, fixed or fresh arm sets, objectives in chains of priority",
    guarantee: "sublinear Pareto-lexicographic regret where rewards are linear",
    cost: "O(K·(d² + m·d + m·log K)) to decide, O(m·d²) to learn",
    has_front: true,
    departures: DEPARTURES,
    parameters: struct MoslbPcConfig of MoslbPc {
        chains: Option<Vec<Vec<usize>>> = None => "one chain of all objectives",
            "chains of the numbers of objectives (from 0), the most important one first in each chain";
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

impl MoslbPcConfig {
    /// Returns the parameters that both policies have.
    fn exploration(&self) -> Exploration {
        let &Self { lambda, delta, scale, epsilon, horizon, .. } = self;
        Exploration { lambda, delta, scale, epsilon, horizon }
    }
}

/// MOSLB-PC: explores until all arms are narrow, then draws uniformly from the arms that are left at the ends
/// of the chains.
///
/// ```
/// use moglb::{draw, ArmSet, Link, MoslbPc, MoslbPcConfig, Objective, Policy, Problem};
///
/// let objectives = ["speed", "comfort", "range"].map(|name| Objective::new(name, Link::Identity));
/// let config = MoslbPcConfig { chains: Some(vec![vec![0, 1], vec![2]]), ..Default::default() };
/// let mut policy = MoslbPc::new(Problem::new(2, objectives.to_vec())?, config)?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[0.5, 0.2, -0.1])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoslbPc {
    config: MoslbPcConfig,
    chains: Vec<Vec<usize>>,
    model: LinearModel,
}

impl MoslbPc {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::Parameters`] or [`Error::UnknownObjective`].
    pub fn new(problem: Problem, config: MoslbPcConfig) -> Result<Self, Error> {
        let m = problem.n_objectives();
        let chains = config.chains.clone().unwrap_or_else(|| vec![(0..m).collect()]);
        check_groups(&chains, m)?;
        let model = config.exploration().model(problem)?;
        Ok(Self { config, chains, model })
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

/// Writes the arms that are left at the ends of the chains into the front of the decision.
fn find_chain_front(chains: &[Vec<usize>], decision: &mut Decision) {
    let Decision { work, front, .. } = decision;
    let Workspace { scores, candidates: kept, scratch, .. } = work;
    let MultiScratch { widths, intervals, links, marks, .. } = scratch.of();
    marks.clear();
    marks.resize(scores.n_rows(), false);
    for chain in chains {
        kept.clear();
        kept.extend((0..scores.n_rows()).map(ArmId));
        for &i in chain {
            let interval = |arm: ArmId| (scores.row(arm.0)[i] - 2.0 * widths[arm.0], scores.row(arm.0)[i]);
            links.clone_from(kept);
            keep_chained(kept, links, interval, intervals);
        }
        kept.iter().for_each(|arm| marks[arm.0] = true);
    }
    front.refill((0..marks.len()).filter(|&arm| marks[arm]).map(ArmId));
}

impl Policy for MoslbPc {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.model.problem().check_arms(arms)?;
        decision.given_sample = false;
        let exploration = self.config.exploration();
        self.model.score(arms, self.radius(), decision);
        find_chain_front(&self.chains, decision);
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

saved!(MoslbPc: MoslbPcConfig => LinearModelState, model with problem);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_what_the_chains_leave_together() {
        let mut decision = Decision::default();
        // Upper ends; with widths of 0.1 the intervals are [u − 0.2, u].
        decision.work.scores =
            Matrix::from_rows(&[[1.0, 0.2], [0.9, 0.9], [0.5, 1.5], [0.75, 0.65]]).unwrap();
        decision.work.scratch.of::<MultiScratch>().widths = vec![0.1; 4];
        find_chain_front(&[vec![0, 1]], &mut decision);
        assert_eq!(
            decision.front.arms(),
            [ArmId(1)],
            "0.9 is best of 1, 0.9 and 0.75 and not linked to 0.65"
        );
        find_chain_front(&[vec![1, 0]], &mut decision);
        assert_eq!(decision.front.arms(), [ArmId(2)], "1.5 is linked to nothing");
        find_chain_front(&[vec![0], vec![1]], &mut decision);
        assert_eq!(
            decision.front.arms(),
            [0, 1, 2, 3].map(ArmId),
            "1, 0.9 and 0.75 of the one, 1.5 of the other"
        );
    }
}
