//! The policy class that Exp4, Epoch-Greedy and ILOVETOCONBANDITS choose from. It has one policy for each of
//! a spread of weight vectors: the policy that is greedy for the weighted sum of ridge predictions of the
//! objectives.
//!
//! When the reward of an arm is learned, the arm that each policy would have played must be known. So there
//! is one fixed arm set (`seen_arms.rs`). Among arms with equal predictions a policy takes the first.

use crate::ridge::dot;
use crate::ridge::{Ridge, RidgeState};
use crate::seen_arms::SeenArms;
use libm::log;
use moglb_core::saved::{SavedPart, damaged};
use moglb_core::{Arm, ArmSet, Decision, Objective, Parameter, Problem, ProblemConfig};
use moglb_math::{Error, dense, draw};
use rand_core::Rng;
use serde::{Deserialize, Serialize};

/// The seed of the random weight vectors. It is fixed, so that their spread is the same in every run.
const SPREAD: u64 = 0x5ca1_a512;

/// λ of the ridge regressions.
const LAMBDA: f64 = 1.0;

/// A class of linear scalarizations: its weight vectors, its learned predictors, and the arm that each of its
/// policies plays.
#[derive(Debug, Clone)]
pub(super) struct Class {
    problem: Problem,
    /// The weight vector of each policy.
    weights: Vec<Vec<f64>>,
    /// The prediction of each objective.
    ridge: Ridge,
    /// The contexts of the arms that were played.
    arms: SeenArms,
    /// The arm of each policy. It follows from the fields above, and is empty before all arms were played.
    choices: Vec<usize>,
}

/// The learned state of a class; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassState {
    /// The regression of each objective, in units of its range, larger is better.
    pub ridge: RidgeState,
    /// The contexts of the arms that were played.
    pub arms: SeenArms,
}

impl Class {
    /// Creates the class before the first round. It has `experts` policies, but only one policy if there is
    /// one objective.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`], [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: &Problem, policy: &'static str, experts: usize) -> Result<Self, Error> {
        Parameter::check("experts", experts as f64, 1.0..=10_000.0)?;
        let (dim, m) = (problem.dim(), problem.n_objectives());
        let arms = SeenArms::new(problem, policy)?;
        moglb_math::memory::check_memory(dim, dim)?;
        moglb_math::memory::check_memory(experts, m)?;
        let largest = |objective: &Objective| {
            let ((low, high), mean) = (objective.rewards(), objective.link.mean(0.0));
            (low - mean).abs().max((high - mean).abs()) / (high - low)
        };
        let largest = problem.objectives().iter().map(largest).fold(0.0, f64::max);
        let ridge = Ridge::new(dim, m, LAMBDA, largest);
        Ok(Self { problem: problem.clone(), weights: spread(m, experts), ridge, arms, choices: Vec::new() })
    }

    /// Returns the number of policies.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns K, the number of arms.
    pub fn n_arms(&self) -> usize {
        self.problem.n_arms().expect("`new` refuses a problem without a number of arms")
    }

    /// Returns true if all arms were played. Only then does each policy have an arm.
    pub(super) fn is_ready(&self) -> bool {
        !self.choices.is_empty()
    }

    /// Returns the arm that each policy plays; empty before all arms were played.
    pub(super) fn choices(&self) -> &[usize] {
        &self.choices
    }

    /// Refuses arms that do not fit the problem, and arms whose context has changed since they were played.
    pub fn check_arms(&self, arms: &ArmSet) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        self.arms.check_arms(arms)
    }

    /// Refuses a play that does not fit the problem, or whose arm has another context than in earlier plays.
    pub fn check_play(&self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.arms.check(arm)
    }

    /// Draws uniformly from the arms that were not played yet.
    pub(super) fn draw_the_unknown(&self, decision: &mut Decision, rng: &mut dyn Rng) {
        super::write_probabilities(decision, self.n_arms(), |_| 0.0);
        self.arms.draw_the_unknown(decision, rng);
    }

    /// Stores the context of an arm at its first play. The play was checked.
    pub fn note(&mut self, arm: Arm<'_>) {
        if self.arms.note(arm) {
            self.choose();
        }
    }

    /// Learns the rewards of all objectives from a play that was noted.
    pub fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) {
        let value = |(objective, &y): (&Objective, &f64)| {
            let (low, high) = objective.rewards();
            objective.sign() * (y - objective.link.mean(0.0)) / (high - low)
        };
        let values = self.problem.objectives().iter().zip(reward).map(value);
        self.ridge.learn(arm.context(), values);
        self.choose();
    }

    /// Renews the arm of each policy, if all arms were played.
    fn choose(&mut self) {
        if !self.arms.all() {
            return;
        }
        let (n_arms, mut theta) = (self.n_arms(), vec![0.0; self.problem.dim()]);
        let choice = |weights: &Vec<f64>| {
            theta.fill(0.0);
            weights
                .iter()
                .enumerate()
                .for_each(|(i, &weight)| dense::add(&mut theta, weight, self.ridge.theta(i)));
            let promise = |arm: usize| dot(&theta, self.arms.context(arm));
            let better = |best: (usize, f64), arm: usize| {
                let promise = promise(arm);
                if promise > best.1 { (arm, promise) } else { best }
            };
            (0..n_arms).fold((0, f64::NEG_INFINITY), better).0
        };
        self.choices = self.weights.iter().map(choice).collect();
    }

    /// Refuses a state that cannot result from this number of rounds.
    pub fn check(&self, state: &ClassState, rounds: u64) -> Result<(), Error> {
        if state.ridge.rounds > rounds {
            return Err(damaged(&"more was learned than there were rounds"));
        }
        state.arms.check_like(&self.problem, rounds)
    }
}

impl SavedPart for Class {
    type State = ClassState;

    fn state(&self) -> ClassState {
        ClassState { ridge: self.ridge.state(), arms: self.arms.clone() }
    }

    fn resumed(&self, state: ClassState) -> Result<Self, Error> {
        let ridge = self.ridge.resumed(state.ridge)?;
        let mut next = Self { ridge, arms: state.arms, choices: Vec::new(), ..self.clone() };
        next.choose();
        Ok(next)
    }
}

impl ClassState {
    /// Returns true if the state has the size of the problem.
    pub fn fits(&self, problem: &ProblemConfig) -> bool {
        self.ridge.fits(problem.dim, problem.objectives.len()) && self.arms.fits(problem.n_arms, problem.dim)
    }
}

/// Returns the first n of these weight vectors for m objectives: each objective alone, all objectives
/// equally, then uniform draws from the simplex. One objective has a single weight vector.
fn spread(m: usize, n: usize) -> Vec<Vec<f64>> {
    if m == 1 {
        return vec![vec![1.0]];
    }
    let alone = (0..m).map(|i| (0..m).map(|j| f64::from(u8::from(i == j))).collect());
    let equally = std::iter::once(vec![1.0 / m as f64; m]);
    let mut rng = draw::seeded(SPREAD);
    let drawn = std::iter::repeat_with(|| {
        // Exponential draws divided by their sum are uniform on the simplex.
        let draws: Vec<f64> = (0..m).map(|_| -log(1.0 - draw::unit(&mut rng)) + f64::MIN_POSITIVE).collect();
        let sum: f64 = draws.iter().sum();
        draws.iter().map(|x| x / sum).collect()
    });
    alone.chain(equally).chain(drawn).take(n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::Link;
    use moglb_pareto::ArmId;

    #[test]
    fn weights_are_spread_over_the_simplex() {
        assert_eq!(spread(1, 20), [[1.0]]);
        let weights = spread(3, 12);
        assert_eq!(weights[..3], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!((weights.len(), &weights[3]), (12, &vec![1.0 / 3.0; 3]));
        for weights in &weights {
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights.iter().all(|&w| w >= 0.0));
        }
        assert!(weights[4..].windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(spread(3, 2).len(), 2);
    }

    /// Speed is best on the first arm, cost on the second. The policy of each objective finds its arm.
    #[test]
    fn policies_play_the_best_arm_of_their_weights() {
        let objectives =
            vec![Objective::new("speed", Link::Identity), Objective::new("cost", Link::Identity).minimize()];
        let problem = Problem::new(2, objectives).unwrap().with_arms(2).unwrap();
        let mut class = Class::new(&problem, "p", 3).unwrap();
        let arms = ArmSet::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
        for (arm, reward) in [(0, [0.8, 0.9]), (1, [0.1, -0.5])] {
            assert!(!class.is_ready());
            let arm = arms.arm(ArmId(arm));
            class.note(arm);
            class.learn(arm, &reward);
        }
        // Equal weights of ½: θ̂ is half of the rewards in units of their range 2, with costs negated, so
        // that 0.125·(0.8 − 0.9) < 0.125·(0.1 + 0.5).
        assert_eq!(class.choices(), [0, 1, 1]);
    }
}
