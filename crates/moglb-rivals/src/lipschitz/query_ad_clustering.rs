//! Query-Ad-Clustering (Lu, Pál, Pál 2010): a uniform partition into cubes, finer from phase to phase, and an
//! index per cube.
//!
//! Phase i = 0, 1, … lasts 2ⁱ rounds and starts without data. The space of d features is divided into cubes
//! whose diameter under the metric is 2^(−i/(d+2)). With n rewards in the phase, a cube has the index
//!
//! ```text
//! μ̂ + √(4i/(1 + n))
//! ```
//!
//! and an arm whose cube has the largest index is played.

use super::metric::Metric;
use libm::exp2;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{Saved, check_rounds, damaged, fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

policy! {
    id: "query-ad-clustering",
    name: "Query-Ad-Clustering",
    source: "Lu, Pál, Pál: Contextual multi-armed bandits, AISTATS 2010",
    setting: "contexts, rewards that are Lipschitz in the context, fixed or fresh arm sets, one objective or \
              a weighted sum",
    guarantee: "regret Õ(T^((1+d)/(2+d))) for covering dimension d of the pairs of query and ad; no front",
    cost: "O(K·d·log cubes); the number of cubes is at most the number of rounds in the phase",
    departures: "Rewards are mapped to [0, 1]. A context is the pair of query and ad of the source. These \
                 pairs are clustered, instead of queries and ads separately: d is the number of features. \
                 Any arm of a cube is played for the cube, where the source plays representatives of a \
                 cover. Ties are broken uniformly at random.",
    parameters: struct QueryAdClusteringConfig of QueryAdClustering {
        target: Target = Target::default() => "0", meaning!(target);
        scale: f64 = 1.0, "factor of the confidence width √(4i/(1 + n))";
        lipschitz: Option<f64> = None => "the problem's", meaning!(lipschitz);
    }
}

/// Query-Ad-Clustering on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, Policy, Problem, QueryAdClustering, QueryAdClusteringConfig, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = QueryAdClustering::new(problem, QueryAdClusteringConfig::default())?;
/// let arms = ArmSet::from_rows(&[[-0.5], [0.5]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct QueryAdClustering {
    problem: Problem,
    config: QueryAdClusteringConfig,
    scalar: Scalar,
    metric: Metric,
    rounds: u64,
    /// The cubes with a reward in this phase, by their place in the grid.
    cubes: BTreeMap<Vec<i64>, Cube>,
}

/// The rewards of a cube in the present phase.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cube {
    /// The number of rewards.
    pub count: u64,
    /// The sum of the rewards, mapped to [0, 1].
    pub sum: f64,
}

/// The learned state of [`QueryAdClustering`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryAdClusteringState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The cubes with a reward in this phase and their places in the grid, in increasing order.
    pub cubes: Vec<(Vec<i64>, Cube)>,
}

fits!(QueryAdClusteringState, |state, problem| {
    state.cubes.iter().all(|(place, _)| place.len() == problem.dim)
});

impl QueryAdClustering {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`]
    /// or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: QueryAdClusteringConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check("scale", config.scale, 0.0..=1e100)?;
        let metric = Metric::of_target(&scalar, config.lipschitz)?;
        moglb_math::memory::check_memory(1, problem.dim())?;
        Ok(Self { problem, config, scalar, metric, rounds: 0, cubes: BTreeMap::new() })
    }

    /// Returns the phase i. It begins after 1 + 2 + … + 2^(i−1) = 2ⁱ − 1 rounds.
    fn phase(rounds: u64) -> u32 {
        (rounds + 1).ilog2()
    }

    /// Returns the side of the cubes. Their diagonal, √d times the side, has length 2^(−i/(d+2)) under the
    /// metric.
    fn side(&self) -> f64 {
        let dim = self.problem.dim() as f64;
        exp2(-f64::from(Self::phase(self.rounds)) / (dim + 2.0)) / (self.metric.slope() * dim.sqrt())
    }

    /// Writes the place of a context in the grid of cubes.
    fn place_into(x: &[f64], side: f64, place: &mut Vec<i64>) {
        place.clear();
        place.extend(x.iter().map(|x| (x / side).floor() as i64));
    }
}

impl Policy for QueryAdClustering {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (side, mut place) = (self.side(), Vec::with_capacity(arms.dim()));
        let spread = 4.0 * f64::from(Self::phase(self.rounds));
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            Self::place_into(arms.context(arm), side, &mut place);
            let Cube { count, sum } = self.cubes.get(&place[..]).copied().unwrap_or_default();
            let width = self.config.scale * (spread / (1.0 + count as f64)).sqrt();
            (sum / count.max(1) as f64, width)
        });
        let objective = self.scalar.objective();
        let range = objective.rewards().1 - objective.rewards().0;
        decision.turn_estimates(|mean| objective.from_unit(mean));
        decision.widths.as_mut_slice().iter_mut().for_each(|width| *width *= range);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let mut place = Vec::new();
        Self::place_into(arm.context(), self.side(), &mut place);
        let cube = self.cubes.entry(place).or_default();
        cube.count += 1;
        cube.sum += self.scalar.unit(reward, &self.problem);
        self.rounds += 1;
        if Self::phase(self.rounds) > Self::phase(self.rounds - 1) {
            self.cubes.clear();
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Mean, ..Facts::default() }
    }
}

impl Saved for QueryAdClustering {
    saved!(QueryAdClusteringConfig => QueryAdClusteringState);

    fn t(&self) -> u64 {
        self.rounds
    }

    fn state(&self) -> QueryAdClusteringState {
        let cubes = self.cubes.iter().map(|(place, &cube)| (place.clone(), cube)).collect();
        QueryAdClusteringState { rounds: self.rounds, cubes }
    }

    fn resume(&mut self, state: QueryAdClusteringState) -> Result<(), Error> {
        let QueryAdClusteringState { rounds, cubes } = state;
        check_rounds(rounds)?;
        let of_phase = rounds + 1 - (1 << Self::phase(rounds));
        if cubes.iter().try_fold(0u64, |sum, (_, cube)| sum.checked_add(cube.count)) != Some(of_phase) {
            return Err(damaged(&"the counts of the cubes do not add up to the rounds of the phase"));
        }
        let possible = |(_, cube): &(Vec<i64>, Cube)| {
            let most = cube.count as f64 * (1.0 + 1e-9);
            cube.count > 0 && cube.sum >= 0.0 && cube.sum <= most
        };
        if !cubes.iter().all(possible) || !cubes.is_sorted_by(|one, two| one.0 < two.0) {
            return Err(damaged(&"a cube is impossible or out of order"));
        }
        (self.rounds, self.cubes) = (rounds, cubes.into_iter().collect());
        Ok(())
    }
}
