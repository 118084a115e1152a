//! HOO, hierarchical optimistic optimization (Bubeck, Munos, Stoltz, Szepesvári 2011), on a tree of cells
//! over the arms (`tree.rs`).
//!
//! Let a cell have N plays with mean μ̂, and let n be the number of all plays. U bounds the means of the
//! cell's arms by its own plays, and B also by those of its halves:
//!
//! ```text
//! U = μ̂ + √(2 ln n/N) + diameter      B = min(U, max of B of the halves)
//! ```
//!
//! Both are infinite in a cell without plays. The path down the tree goes to the half with the larger B. It
//! ends at a cell without plays, any arm of which is played, or at a single arm.

use super::arm_sums::ArmSums;
use super::metric::Metric;
use super::tree::Tree;
use libm::log;
use moglb_core::decision::settle;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Parameter, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

policy! {
    id: "hoo",
    name: "HOO",
    source: "Bubeck, Munos, Stoltz, Szepesvári: X-armed bandits, JMLR 2011",
    setting: "one fixed arm set, rewards that are Lipschitz in the context, one objective or a weighted sum",
    guarantee: "regret Õ(T^((1+d)/(2+d))), where d is the near-optimality dimension; no front",
    cost: "O(K) on fixed arms; otherwise O(K·d·log K + K·log² K) for the tree",
    departures: "Rewards are mapped to [0, 1]. The tree ends at single arms, as there are finitely many \
                 arms. The diameter of a cell is that of the box around its arms, and takes the place of its \
                 bound ν₁ρ^h. A cell counts all plays of its arms, also those before the path first led to \
                 it. Ties are broken uniformly at random, and the arm of a cell without plays is drawn \
                 uniformly.",
    parameters: struct HooConfig of Hoo {
        target: Target = Target::default() => "0", meaning!(target);
        scale: f64 = 1.0, "factor of the confidence width √(2 ln n/N)";
        lipschitz: Option<f64> = None => "the problem's", meaning!(lipschitz);
    }
}

/// HOO on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{ArmSet, Hoo, HooConfig, Link, Objective, Policy, Problem, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let mut policy = Hoo::new(problem, HooConfig::default())?;
/// let arms = ArmSet::from_rows(&[[-0.5], [0.5]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Hoo {
    problem: Problem,
    config: HooConfig,
    scalar: Scalar,
    metric: Metric,
    sums: ArmSums,
    /// The fixed arms and the tree of their cells, cached. Not part of the learned state.
    carried: Option<(Arc<ArmSet<'static>>, Tree)>,
}

/// The learned state of [`Hoo`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HooState {
    /// The counts and sums of all rounds.
    pub plays: ArmSums,
}

fits!(HooState, |state, problem| Some(state.plays.n_arms()) == problem.n_arms);

/// The plays of a cell, and the bound that follows from them.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// N, the number of plays of its arms.
    count: u64,
    /// The sum of their rewards.
    sum: f64,
    /// B.
    bound: f64,
}

impl Hoo {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: HooConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check("scale", config.scale, 0.0..=1e100)?;
        let metric = Metric::of_target(&scalar, config.lipschitz)?;
        let sums = ArmSums::new(&problem, INFO.id)?;
        Ok(Self { problem, config, scalar, metric, sums, carried: None })
    }

    /// Refuses plays that cannot result from any rounds.
    fn check(&self, state: &HooState) -> Result<(), Error> {
        state.plays.check_like(&self.sums, |rounds| rounds)
    }

    /// Returns the function from N to √(2 ln n/N), times the scale, for cells with plays. The logarithm is
    /// computed once.
    fn width(&self) -> impl Fn(u64) -> f64 + use<> {
        let (scale, twice_log) = (self.config.scale, 2.0 * log(self.sums.rounds().max(1) as f64));
        move |count| scale * (twice_log / count as f64).sqrt()
    }

    /// Returns counts, sums and B of all cells, computed from the single arms up.
    fn know(&self, tree: &Tree) -> Vec<Known> {
        let (cells, width) = (tree.cells(), self.width());
        let mut known = vec![Known::default(); cells.len()];
        for (number, cell) in cells.iter().enumerate().rev() {
            let (count, sum, below) = match cell.halves {
                Some([one, two]) => {
                    let (one, two) = (known[one], known[two]);
                    (one.count + two.count, one.sum + two.sum, one.bound.max(two.bound))
                }
                None => {
                    let arm = tree.arms(cell)[0];
                    (self.sums.count(arm), self.sums.sum(arm), f64::INFINITY)
                }
            };
            let own =
                if count == 0 { f64::INFINITY } else { sum / count as f64 + width(count) + cell.diameter };
            known[number] = Known { count, sum, bound: own.min(below) };
        }
        known
    }

    /// Writes the probability with which the path down the tree leads to each arm.
    fn descend(tree: &Tree, known: &[Known], probabilities: &mut [f64]) {
        let mut ways = vec![(0, 1.0)];
        while let Some((number, chance)) = ways.pop() {
            let cell = &tree.cells()[number];
            match cell.halves.filter(|_| known[number].count > 0) {
                Some([one, two]) => {
                    let (left, right) = (known[one].bound, known[two].bound);
                    let share = if left == right { 0.5 } else { 1.0 };
                    ways.extend((left >= right).then_some((one, chance * share)));
                    ways.extend((right >= left).then_some((two, chance * share)));
                }
                None => {
                    let arms = tree.arms(cell);
                    arms.iter().for_each(|&arm| probabilities[arm] = chance / arms.len() as f64);
                }
            }
        }
    }
}

impl Policy for Hoo {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        decision.front.clear();
        let objective = self.scalar.objective();
        let (range, width) = (objective.rewards().1 - objective.rewards().0, self.width());
        let arm_width = |arm: usize| width(self.sums.count(arm)) * range;
        self.sums.report(|mean| objective.from_unit(mean), arm_width, decision);
        let carried = self.carried.as_ref().filter(|(carried, _)| std::ptr::eq(&**carried, arms));
        let fresh = if carried.is_none() { Some(Tree::new(arms, &self.metric)) } else { None };
        let tree = carried.map(|(_, tree)| tree).or(fresh.as_ref()).expect("the tree is cached or fresh");
        decision.probabilities.clear();
        decision.probabilities.resize(arms.n_arms(), 0.0);
        Self::descend(tree, &self.know(tree), &mut decision.probabilities);
        settle(&mut decision.probabilities);
        decision.draw_by_probabilities(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.sums.add(arm, self.scalar.unit(reward, &self.problem));
        Ok(())
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        self.carried = Some((arms.clone(), Tree::new(arms, &self.metric)));
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, scale: Scale::Mean, ..Facts::default() }
    }
}

saved!(Hoo: HooConfig => HooState { plays: sums }, check);
