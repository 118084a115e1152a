//! Epoch-Greedy (Langford and Zhang 2007): each epoch explores for one round, then follows for some rounds
//! the policy that would have earned the most in all rounds that explored.
//!
//! ```text
//! h_l = argmax_h Σ_W K·r·1{h = a}
//! s_l = ⌊c·√(l / (K·log|H|))⌋ rounds follow h_l after the l-th exploration
//! ```
//!
//! The policies are those of `class.rs`. Because their arm set is fixed, the sum is one number per arm.

use super::class::{Class, ClassState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{check_rounds, damaged, fits, plain, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Parameter, Policy, Problem, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "epoch-greedy",
    name: "Epoch-Greedy",
    source: "Langford, Zhang: The epoch-greedy algorithm for multi-armed bandits with side information, NIPS \
             2007",
    setting: "contexts, one fixed arm set, one objective or a weighted sum",
    guarantee: "expected regret O((K·log|H|)^{1/3}·T^{2/3}) against the best policy of the class; no front",
    cost: "O(K) to decide, O(m·d² + N·(K + m)·d) to learn where it explores, O(1) elsewhere",
    departures: "The policies of the class are greedy for weighted sums of ridge predictions of all \
                 objectives (λ = 1), which learn from the rounds that explored; the source has a fixed \
                 class. To learn a reward, the arm that each policy would have played must be known, but \
                 learning receives the played arm only. So each arm is played once first (these rounds count \
                 as explorations), and the arms must stay the same. log|H| is at least log 2. Rewards are \
                 mapped to [0, 1].",
    parameters: struct EpochGreedyConfig of EpochGreedy {
        target: Target = Target::default() => "0", meaning!(target);
        experts: usize = 20, meaning!(experts);
        c: f64 = 1.0,
            "factor of the number of rounds that follow the best policy after each round that explores";
    }
}

/// Epoch-Greedy over linear scalarizations. It has no front.
///
/// ```
/// use moglb::{ArmSet, EpochGreedy, EpochGreedyConfig, Link, Objective, Policy, Problem, draw};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let mut policy = EpochGreedy::new(problem, EpochGreedyConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EpochGreedy {
    problem: Problem,
    config: EpochGreedyConfig,
    scalar: Scalar,
    class: Class,
    epochs: Epochs,
}

/// The progress through the epochs: the present epoch, and the rewards of all rounds that explored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Epochs {
    /// The number of rewards learned.
    pub rounds: u64,
    /// l, the number of rounds that explored.
    pub explored: u64,
    /// The number of rounds that will still follow h_l before the next round explores.
    pub left: u64,
    /// The arm of h_l.
    pub best: usize,
    /// Σr of each arm over the rounds that explored.
    pub sums: Vec<f64>,
}

plain!(Epochs);

impl Epochs {
    /// Returns the number of rewards learned.
    fn rounds(&self) -> u64 {
        self.rounds
    }
}

/// The learned state of Epoch-Greedy; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpochGreedyState {
    /// The progress through the epochs.
    pub epochs: Epochs,
    /// The learned state of the policies.
    pub class: ClassState,
}

fits!(EpochGreedyState, |state, problem| {
    state.class.fits(problem) && Some(state.epochs.sums.len()) == problem.n_arms
});

impl EpochGreedy {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: EpochGreedyConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check("c", config.c, 0.0..=1e6)?;
        let class = Class::new(&problem, INFO.id, config.experts)?;
        let sums = vec![0.0; class.n_arms()];
        let epochs = Epochs { rounds: 0, explored: 0, left: 0, best: 0, sums };
        Ok(Self { problem, config, scalar, class, epochs })
    }

    /// Returns s_l, the number of rounds that follow h_l after the l-th exploration.
    fn follows(&self, explored: u64) -> u64 {
        let (n_arms, size) = (self.class.n_arms() as f64, self.class.len().max(2) as f64);
        (self.config.c * (explored as f64 / (n_arms * log(size))).sqrt()) as u64
    }

    /// Returns the arm of h_l. The factor K is left out: it is the same in every term of the sum.
    fn best(&self) -> usize {
        let better = |best: usize, &arm: &usize| {
            if self.epochs.sums[arm] > self.epochs.sums[best] { arm } else { best }
        };
        let choices = self.class.choices();
        choices.iter().fold(choices[0], better)
    }

    /// Refuses epochs that cannot result from any rounds.
    fn check(&self, state: &EpochGreedyState) -> Result<(), Error> {
        let EpochGreedyState { epochs, class } = state;
        check_rounds(epochs.rounds)?;
        let most = epochs.explored as f64 * (1.0 + 1e-8);
        if epochs.explored > epochs.rounds
            || epochs.left > self.follows(epochs.explored)
            || epochs.best >= self.class.n_arms()
            || !epochs.sums.iter().all(|&sum| sum >= 0.0 && sum <= most)
        {
            return Err(damaged(&"the epochs are impossible"));
        }
        self.class.check(class, epochs.rounds)
    }
}

impl Policy for EpochGreedy {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.class.check_arms(arms)?;
        if !self.class.is_ready() {
            self.class.draw_the_unknown(decision, rng);
            return Ok(());
        }
        let (follows, n_arms) = (self.epochs.left > 0, arms.n_arms());
        let probability = |arm: usize| match follows {
            true => f64::from(u8::from(arm == self.epochs.best)),
            false => 1.0 / n_arms as f64,
        };
        super::write_probabilities(decision, n_arms, probability);
        decision.draw_by_probabilities(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.class.check_play(arm, reward)?;
        self.epochs.rounds += 1;
        if self.class.is_ready() && self.epochs.left > 0 {
            self.epochs.left -= 1;
            return Ok(());
        }
        self.epochs.explored += 1;
        self.epochs.sums[arm.id().0] += self.scalar.unit(reward, &self.problem);
        self.class.note(arm);
        self.class.learn(arm, reward);
        if self.class.is_ready() {
            self.epochs.best = self.best();
            self.epochs.left = self.follows(self.epochs.explored);
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Both, ..Facts::default() }
    }
}

saved!(EpochGreedy: EpochGreedyConfig => EpochGreedyState { epochs, class }, check);
