//! S-UCB: UCB1 on a scalarization of the reward vector (Drugan and Nowé 2013; Auer et al. 2002).
//!
//! If there is a set of weight vectors, each of them has its own UCB1, with its own counts and means. In each
//! round one of them is drawn uniformly, and its best arm is played.

use crate::multi::scalarization::{
    Function, REFERENCE, SCALARIZATION, SPREAD, ScalarizedState, Scalarizer, WEIGHT_SET, WEIGHTS, Weights,
};
use libm::log;
use moglb_core::arm_stats::ArmStats;
use moglb_core::decision::settle;
use moglb_core::saved::{Saved, SavedPart, damaged, fits, saved};
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, PolicyInfo, Problem, Scalarization, Scale};
use moglb_math::kernel::widened;
use moglb_math::{Error, draw};
use moglb_pareto::ArmId;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

/// The description of the policy.
pub const INFO: PolicyInfo = PolicyInfo {
    id: "s-ucb",
    name: "S-UCB",
    source: "Drugan, Nowé: Designing multi-objective multi-armed bandits algorithms, IJCNN 2013",
    setting: "no contexts, one fixed arm set, one weight vector or a set of them",
    guarantee: "scalarized regret O(log T); no front",
    cost: "O(K·m), times the number of weight vectors",
    has_front: false,
    parameters: &[WEIGHTS, WEIGHT_SET, SPREAD, SCALARIZATION, REFERENCE],
    departures: "Rewards are mapped to [0, 1]. Ties for the best index are broken uniformly at random; \
                 unplayed arms are such ties. With a set of weight vectors, a reward is learned by every \
                 scalarization that would have played the arm (by all if none would), not only by the drawn \
                 one: the drawn one is not known when a reward is learned. Each scalarization still learns \
                 from the arms that UCB1 would have chosen for it.",
};

/// The parameters of [`SUcb`].
///
/// Example: [`SUcb`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SUcbConfig {
    /// The weights of the objectives; equal by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
    /// Several weight vectors instead of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_set: Option<Vec<Vec<f64>>>,
    /// h: the set of all weight vectors whose entries are multiples of 1/h, instead of one vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<usize>,
    /// The function that turns a reward vector into one number.
    #[serde(default, skip_serializing_if = "Scalarization::is_linear")]
    pub scalarization: Scalarization,
    /// The reference point of Chebyshev scalarization, in the objectives' own units; by default the worst of
    /// each range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Vec<f64>>,
}

/// UCB1 on a scalarized reward, or on one of several scalarized rewards, drawn in each round. It has no
/// front: it plays the best arm for its weights.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, Policy, Problem, SUcb, SUcbConfig, draw};
///
/// let objectives = ["click", "view"].map(|name| Objective::new(name, Link::Logit));
/// let config = SUcbConfig { weights: Some(vec![3.0, 1.0]), ..Default::default() };
/// let mut policy = SUcb::new(Problem::new(1, objectives.to_vec())?.with_arms(2)?, config)?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0, 0.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SUcb {
    problem: Problem,
    config: SUcbConfig,
    /// A function for each weight vector.
    functions: Vec<Function>,
    /// The statistics of all rewards; none if there is a single function, which learns them all.
    all: Option<ArmStats>,
}

impl SUcb {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ArmCountNeeded`], [`Error::Weights`], [`Error::Parameters`], or [`Error::RewardLength`] or
    /// [`Error::NotFinite`] for a reference.
    pub fn new(problem: Problem, config: SUcbConfig) -> Result<Self, Error> {
        let SUcbConfig { weights, weight_set, spread, scalarization, reference } = &config;
        let weights = Weights { single: weights.as_ref(), set: weight_set.as_ref(), spread: *spread };
        let given = weights.given(problem.n_objectives())?;
        let scalarizers = Scalarizer::all(&problem, *scalarization, &given, reference.as_ref())?;
        let functions = Function::all(&problem, INFO.id, scalarizers)?;
        let all = (functions.len() > 1).then(|| functions[0].stats().clone());
        let plain = weight_set.is_none() && spread.is_none();
        let weights = plain.then(|| given[0].clone());
        Ok(Self { problem, functions, all, config: SUcbConfig { weights, ..config } })
    }

    /// Returns the statistics of all rewards.
    fn stats(&self) -> &ArmStats {
        self.all.as_ref().unwrap_or_else(|| self.functions[0].stats())
    }

    /// Returns true for each function that would play the arm now; true for all functions if none would.
    fn players(&self, arm: ArmId) -> Vec<bool> {
        let mut indices = vec![0.0; self.stats().n_arms()];
        let would = |function: &Function| {
            indices_into(function, bonus(function.stats()), &mut indices);
            indices.iter().all(|&index| index <= indices[arm.0])
        };
        let players: Vec<bool> = self.functions.iter().map(would).collect();
        if players.contains(&true) { players } else { vec![true; players.len()] }
    }
}

/// Returns the bonus √(2 ln n / n_k) as a function of n_k. It is infinite for an arm that was never played.
/// The logarithm is computed once.
fn bonus(stats: &ArmStats) -> impl Fn(u64) -> f64 + use<> {
    let confidence = log(stats.rounds() as f64);
    #[inline(always)]
    move |count| if count == 0 { f64::INFINITY } else { (2.0 * confidence / count as f64).sqrt() }
}

/// Writes the index of every arm for a function: the scalarized mean plus the bonus.
fn indices_into(function: &Function, bonus: impl Fn(u64) -> f64, indices: &mut [f64]) {
    let (means, counts) = (function.means(), function.stats().counts());
    widened(
        #[inline(always)]
        || {
            for ((index, mean), &count) in indices.iter_mut().zip(means).zip(counts) {
                *index = mean + bonus(count);
            }
        },
    );
}

/// Draws a function uniformly and plays its best arm. The probabilities are those of the mixture of all
/// functions.
fn draw_from_mixture(functions: &[Function], n_arms: usize, rng: &mut dyn Rng, decision: &mut Decision) {
    let chosen = draw::below(functions.len(), rng);
    decision.probabilities.clear();
    decision.probabilities.resize(n_arms, 0.0);
    for (j, function) in functions.iter().enumerate() {
        indices_into(function, bonus(function.stats()), decision.work.scores.as_mut_slice());
        decision.collect_the_best();
        let best = &decision.work.candidates;
        let share = 1.0 / (functions.len() * best.len()) as f64;
        for arm in best {
            decision.probabilities[arm.0] += share;
        }
        if j == chosen {
            decision.arm = best[draw::below(best.len(), rng)];
        }
    }
    settle(&mut decision.probabilities);
}

impl Policy for SUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let (stats, bonus) = (self.stats(), bonus(self.stats()));
        stats.report(self.problem.objectives(), |arm| bonus(stats.count(arm)), decision);
        decision.front.clear();
        decision.work.scores.reshape(arms.n_arms(), 1);
        if let [only] = &self.functions[..] {
            indices_into(only, bonus, decision.work.scores.as_mut_slice());
            decision.draw_the_best(rng);
        } else {
            draw_from_mixture(&self.functions, arms.n_arms(), rng, decision);
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        if let [only] = &mut self.functions[..] {
            only.add(arm, reward, &self.problem);
            return Ok(());
        }
        let players = self.players(arm.id());
        for (function, _) in self.functions.iter_mut().zip(players).filter(|(_, plays)| *plays) {
            function.add(arm, reward, &self.problem);
        }
        if let Some(all) = &mut self.all {
            all.add(arm, reward, self.problem.objectives());
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, scale: Scale::Mean, ..Facts::default() }
    }
}

/// The learned state of S-UCB.
#[derive(Debug, Clone, PartialEq)]
pub enum SUcbState {
    /// The state with one weight vector.
    One(ArmStats),
    /// The state with a set of weight vectors.
    All(ScalarizedState),
}

fits!(SUcbState, |state, problem| match state {
    SUcbState::One(stats) => stats.fits(problem),
    SUcbState::All(state) => state.fits(problem),
});

impl Saved for SUcb {
    saved!(SUcbConfig => SUcbState);

    fn t(&self) -> u64 {
        self.stats().rounds()
    }

    fn state(&self) -> SUcbState {
        match &self.all {
            None => SUcbState::One(self.functions[0].stats().clone()),
            Some(all) => {
                let functions = self.functions.iter().map(|function| function.stats().clone()).collect();
                SUcbState::All(ScalarizedState { all: all.clone(), functions })
            }
        }
    }

    fn resume(&mut self, state: SUcbState) -> Result<(), Error> {
        match (&mut self.functions[..], state) {
            ([only], SUcbState::One(stats)) => {
                only.set_stats(only.stats().resumed(stats)?);
            }
            ([_, _, ..], SUcbState::All(state)) => {
                state.check(&self.functions)?;
                self.all = Some(state.all);
                let states = self.functions.iter_mut().zip(state.functions);
                states.for_each(|(function, stats)| function.set_stats(stats));
            }
            _ => return Err(damaged(&"the state has another number of weight vectors")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_math::draw;
    use moglb_pareto::ArmId;

    fn policy(weights: Option<Vec<f64>>) -> Result<SUcb, Error> {
        let objectives = vec![Objective::new("a", Link::Logit), Objective::new("b", Link::Logit)];
        SUcb::new(Problem::new(1, objectives)?.with_arms(2)?, SUcbConfig { weights, ..Default::default() })
    }

    #[test]
    fn the_index_is_the_formula_by_hand() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2]]).unwrap();
        let mut policy = policy(Some(vec![3.0, 1.0])).unwrap();
        for (arm, reward) in [(0, [1.0, 0.0]), (1, [0.0, 1.0]), (0, [0.0, 0.0])] {
            policy.learn(arms.arm(ArmId(arm)), &reward).unwrap();
        }
        // Weights (0.75, 0.25), n = 3: 0.75·½ + √(2 ln 3 / 2) and 0.25 + √(2 ln 3).
        let mut indices = [0.0; 2];
        indices_into(&policy.functions[0], bonus(policy.stats()), &mut indices);
        assert!((indices[0] - (0.375 + 1.048147)).abs() < 1e-6, "{indices:?}");
        assert!((indices[1] - (0.25 + 1.482304)).abs() < 1e-6, "{indices:?}");
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        assert_eq!((decision.arm, decision.front.is_empty()), (ArmId(1), true));
    }

    #[test]
    fn impossible_weights_are_refused() {
        for weights in [
            vec![],
            vec![1.0],
            vec![1.0, -1.0],
            vec![0.0, 0.0],
            vec![f64::NAN, 1.0],
            vec![f64::INFINITY, 1.0],
        ] {
            assert!(matches!(policy(Some(weights.clone())), Err(Error::Weights { .. })), "{weights:?}");
        }
        assert_eq!(policy(None).unwrap().functions[0].weights(), [0.5, 0.5]);
    }

    fn of(config: SUcbConfig) -> Result<SUcb, Error> {
        let objectives = vec![Objective::new("a", Link::Logit), Objective::new("b", Link::Logit).minimize()];
        SUcb::new(Problem::new(1, objectives)?.with_arms(3)?, config)
    }

    fn set(weights: &[[f64; 2]]) -> SUcbConfig {
        SUcbConfig { weight_set: Some(weights.iter().map(|w| w.to_vec()).collect()), ..Default::default() }
    }

    /// Each function is UCB1 on the rewards that it has learned, and plays with the same probability.
    #[test]
    fn a_set_plays_the_mixture_of_its_functions() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2], [0.3]]).unwrap();
        let mut policy = of(set(&[[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]])).unwrap();
        // The second objective is minimized. Every arm is new to every function, so all functions learn each
        // reward.
        for (arm, reward) in [(0, [1.0, 1.0]), (1, [0.0, 0.0]), (2, [0.5, 1.0])] {
            policy.learn(arms.arm(ArmId(arm)), &reward).unwrap();
        }
        // Equal counts: the best means are those of arm 0 (1), arm 1 (1) and arm 0 (2/3 against 1/3 twice).
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        assert!((decision.probabilities[0] - 2.0 / 3.0).abs() < 1e-15, "{:?}", decision.probabilities);
        assert!((decision.probabilities[1] - 1.0 / 3.0).abs() < 1e-15 && decision.probabilities[2] == 0.0);
        // Only the second function would play arm 1, so only that function learns the reward.
        policy.learn(arms.arm(ArmId(1)), &[0.0, 0.0]).unwrap();
        let counts: Vec<u64> = policy.functions.iter().map(|f| f.stats().count(1)).collect();
        assert_eq!((counts, policy.stats().count(1)), (vec![1, 2, 1], 2));
        // No function would play arm 2, so all functions learn the reward.
        policy.learn(arms.arm(ArmId(2)), &[0.0, 1.0]).unwrap();
        assert!(policy.functions.iter().all(|f| f.stats().count(2) == 2));
    }

    #[test]
    fn chebyshev_is_the_least_of_the_weighted_distances() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2], [0.3]]).unwrap();
        let config = SUcbConfig {
            scalarization: Scalarization::Chebyshev,
            reference: Some(vec![0.25, 0.875]),
            weights: Some(vec![1.0, 3.0]),
            ..Default::default()
        };
        let mut policy = of(config).unwrap();
        policy.learn(arms.arm(ArmId(1)), &[0.75, 0.5]).unwrap();
        // min(¼(0.75 − 0.25), ¾(0.5 − 0.125)): the second objective is minimized.
        assert_eq!(policy.functions[0].means()[1], 0.125);
        policy.learn(arms.arm(ArmId(1)), &[0.75, 1.0]).unwrap();
        // min(0.125, ¾(0.25 − 0.125)).
        assert_eq!(policy.functions[0].means()[1], 0.09375);
    }

    /// On a concave front Chebyshev plays the arm in the middle, which no linear scalarization would.
    #[test]
    fn chebyshev_reaches_what_no_linear_scalarization_reaches() {
        let arms = ArmSet::from_rows(&[[0.1], [0.2], [0.3]]).unwrap();
        let means = [[0.9, 0.9], [0.4, 0.6], [0.1, 0.1]];
        let share = |scalarization: Scalarization| {
            let config = SUcbConfig { spread: Some(4), scalarization, ..Default::default() };
            let (mut policy, mut rng, mut middle) = (of(config).unwrap(), draw::seeded(3), 0);
            for t in 0..12_000 {
                let arm = policy.decide(&arms, &mut rng).unwrap().arm;
                let reward = means[arm.0].map(|mean| f64::from(draw::unit(&mut rng) < mean));
                policy.learn(arms.arm(arm), &reward).unwrap();
                middle += usize::from(t >= 6000 && arm.0 == 1);
            }
            middle as f64 / 6000.0
        };
        let (linear, chebyshev) = (share(Scalarization::Linear), share(Scalarization::Chebyshev));
        // Of five weight vectors, (½, ½) prefers the middle: min(0.2, 0.2) against min(0.45, 0.05).
        assert!(chebyshev > 0.15 && linear < 0.12, "{linear} of the plays, {chebyshev} with Chebyshev");
    }

    #[test]
    fn impossible_sets_are_refused() {
        let parameters = |config: SUcbConfig| matches!(of(config), Err(Error::Parameters { .. }));
        assert!(parameters(SUcbConfig { spread: Some(2), ..set(&[[1.0, 0.0]]) }));
        assert!(parameters(SUcbConfig { weights: Some(vec![1.0, 1.0]), ..set(&[[1.0, 0.0]]) }));
        assert!(parameters(set(&[])));
        assert!(parameters(SUcbConfig { spread: Some(0), ..Default::default() }));
        assert!(parameters(SUcbConfig { reference: Some(vec![0.0, 0.0]), ..Default::default() }));
        assert!(matches!(of(set(&[[1.0, 0.0], [0.0, 0.0]])), Err(Error::Weights { .. })));
        let chebyshev = |reference: &[f64]| {
            let scalarization = Scalarization::Chebyshev;
            of(SUcbConfig { scalarization, reference: Some(reference.to_vec()), ..Default::default() })
        };
        assert!(matches!(chebyshev(&[0.0]), Err(Error::RewardLength { expected: 2, got: 1 })));
        assert!(matches!(chebyshev(&[0.0, f64::NAN]), Err(Error::NotFinite { .. })));
    }
}
