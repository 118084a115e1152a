//! Exp4 (Auer, Cesa-Bianchi, Freund, Schapire 2002): exponential weights on experts. The advice ξ of an
//! expert is a distribution over arms.
//!
//! ```text
//! p_k = (1 − γ)·Σ_i w_i·ξ_i(k)/Σw + γ/K
//! w_i ← w_i·exp(γ·ŷ_i/K),  ŷ_i = ξ_i(a)·r/p_a for the played arm a
//! γ = min(1, √(K·log N / ((e − 1)·T)))
//! ```
//!
//! The experts are the policies of `class.rs` and one that plays uniformly at random.

use super::class::{Class, ClassState};
use super::log_weights::LogWeights;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, Problem, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "exp4",
    name: "Exp4",
    source: "Auer, Cesa-Bianchi, Freund, Schapire: The nonstochastic multiarmed bandit problem, SIAM J. \
             Computing 2002",
    setting: "contexts, one fixed arm set, any rewards, one objective or a weighted sum",
    guarantee: "expected regret 2√(e − 1)·√(T·K·log N) against the best expert after each arm was played; no \
                front",
    cost: "O(N·K) to decide, O(m·d² + N·(K + m)·d) to learn",
    departures: "The experts are greedy for weighted sums of ridge predictions of all objectives (λ = 1), \
                 and one more expert plays uniformly at random; the source takes the advice of any experts \
                 as input. The experts keep learning from every reward, so that the best expert is the best \
                 learner. To learn a reward, the arm that each expert would have played must be known, but \
                 learning receives the played arm only. So each arm is played once first, and the arms must \
                 stay the same. Rewards are mapped to [0, 1].",
    parameters: struct Exp4Config of Exp4 {
        target: Target = Target::default() => "0", meaning!(target);
        horizon: u64 = 3000, meaning!(horizon);
        experts: usize = 20, meaning!(experts);
        gamma: Option<f64> = None => "by the horizon",
            "γ, the share of rounds that explore; √(K·log N / ((e − 1)·T)) for N experts unless given";
    }
}

/// Exp4 over linear scalarizations. It has no front.
///
/// ```
/// use moglb::{ArmSet, Exp4, Exp4Config, Link, Objective, Policy, Problem, draw};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let mut policy = Exp4::new(problem, Exp4Config { horizon: 1000, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Exp4 {
    problem: Problem,
    config: Exp4Config,
    scalar: Scalar,
    gamma: f64,
    rounds: u64,
    class: Class,
    /// The weight of each expert. The last one belongs to the expert that plays uniformly at random.
    weights: LogWeights,
}

/// The learned state of Exp4; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exp4State {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The learned state of the experts.
    pub class: ClassState,
    /// log w of each expert, shifted so that the largest is 0.
    pub weights: LogWeights,
}

fits!(Exp4State, |state, problem| state.class.fits(problem));

impl Exp4 {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: Exp4Config) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        let class = Class::new(&problem, INFO.id, config.experts)?;
        let weights = LogWeights::new(class.len() + 1);
        let gamma = super::rate(config.gamma, class.n_arms(), weights.len(), config.horizon)?;
        Ok(Self { problem, config, scalar, gamma, rounds: 0, class, weights })
    }

    /// Returns γ, the share of rounds that explore.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Returns p of each arm. All arms must have been played, so that each expert has an arm.
    fn probabilities(&self) -> Vec<f64> {
        let (n_arms, shares) = (self.class.n_arms() as f64, self.weights.shares());
        let anything = (1.0 - self.gamma) * shares[self.class.len()] / n_arms;
        let mut probabilities = vec![anything + self.gamma / n_arms; self.class.n_arms()];
        for (&choice, share) in self.class.choices().iter().zip(&shares) {
            probabilities[choice] += (1.0 - self.gamma) * share;
        }
        probabilities
    }

    /// Updates the weights by the reward r of the played arm.
    fn weigh(&mut self, arm: usize, r: f64) {
        let n_arms = self.class.n_arms() as f64;
        let gain = self.gamma * r / (self.probabilities()[arm] * n_arms);
        let advice = |expert: usize| match self.class.choices().get(expert) {
            Some(&choice) => f64::from(u8::from(choice == arm)),
            None => 1.0 / n_arms,
        };
        self.weights.grow(|expert| advice(expert) * gain);
    }

    /// Refuses weights that cannot result from the rounds. Since p ≥ γ/K, log w grows by at most 1 in a
    /// round.
    fn check(&self, state: &Exp4State) -> Result<(), Error> {
        state.weights.check_like(&self.weights, state.rounds, 1.0)?;
        self.class.check(&state.class, state.rounds)
    }
}

impl Policy for Exp4 {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.class.check_arms(arms)?;
        if !self.class.is_ready() {
            self.class.draw_the_unknown(decision, rng);
            return Ok(());
        }
        let probabilities = self.probabilities();
        super::write_probabilities(decision, arms.n_arms(), |arm| probabilities[arm]);
        decision.draw_by_probabilities(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.class.check_play(arm, reward)?;
        if self.class.is_ready() {
            self.weigh(arm.id().0, self.scalar.unit(reward, &self.problem));
        }
        self.class.note(arm);
        self.class.learn(arm, reward);
        self.rounds += 1;
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Both, ..Facts::default() }
    }
}

saved!(Exp4: Exp4Config => Exp4State { rounds, class, weights }, check);
