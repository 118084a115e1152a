//! MO-US (Xu and Klabjan 2023), for rewards of an unknown kind, stochastic or adversarial. It plays Exp3++ on
//! one objective: the Pareto regret is at most the regret in any objective.
//!
//! Exp3++ (Seldin and Slivkins 2014, with the parameters of Seldin and Lugosi 2017) uses losses ℓ = 1 − r in
//! [0, 1]:
//!
//! ```text
//! p_k = (1 − Σε)·exp(−η_t·L̃_k)/Σexp(−η_t·L̃) + ε_k        L̃_k ← L̃_k + ℓ/p_k for the played arm
//! η_t = ½·√(log K/(tK))        ε_k = min(1/(2K), η_t, c·log t/(t·Δ̂_k²))
//! Δ̂_k = max(0, LCB_k − min UCB)        UCB, LCB = mean loss ± √(α·log(t·K^{1/α})/(2n_k)), within [0, 1]
//! ```

use libm::{exp, log};
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{damaged, fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Parameter, Policy, Problem, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "mo-us",
    name: "MO-US",
    source: "Xu, Klabjan: Pareto regret analyses in multi-objective multi-armed bandit, ICML 2023",
    setting: "no contexts, one fixed arm set, rewards stochastic or adversarial",
    guarantee: "Pareto regret O(log² T) for stochastic rewards and Õ(√(K·T)) for adversarial ones; no front",
    cost: "O(K)",
    departures: "The target may also be a weighted sum: the Pareto regret is at most its regret, too. Each \
                 arm is played once first, in random order; these losses have weight one. Rewards are mapped \
                 to [0, 1].",
    parameters: struct MoUsConfig of MoUs {
        target: Target = Target::default() => "0", meaning!(target);
        alpha: f64 = 3.0, "α of the confidence bounds by which gaps are estimated";
        c: f64 = 256.0, "c of the exploration c·log t/(t·Δ̂²) of an arm with the estimated gap Δ̂";
    }
}

/// MO-US: Exp3++ on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{ArmSet, Link, MoUs, MoUsConfig, Objective, Policy, Problem, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let mut policy = MoUs::new(problem, MoUsConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.1], [0.2]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MoUs {
    problem: Problem,
    config: MoUsConfig,
    scalar: Scalar,
    rounds: u64,
    /// n of each arm.
    counts: Vec<u64>,
    /// Σℓ of each arm.
    losses: Vec<f64>,
    /// L̃ = Σℓ/p of each arm.
    weighted: Vec<f64>,
}

/// The learned state of MO-US; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoUsState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// n of each arm.
    pub counts: Vec<u64>,
    /// Σℓ of each arm.
    pub losses: Vec<f64>,
    /// L̃ = Σℓ/p of each arm.
    pub weighted: Vec<f64>,
}

fits!(MoUsState, |state, problem| {
    let arms = [state.counts.len(), state.losses.len(), state.weighted.len()].map(Some);
    arms == [problem.n_arms; 3]
});

impl MoUs {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: MoUsConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check("alpha", config.alpha, 1.0..=1e6)?;
        Parameter::check("c", config.c, 1e-6..=1e12)?;
        let n_arms = problem.n_arms().ok_or(Error::ArmCountNeeded { policy: INFO.id })?;
        moglb_math::memory::check_memory(n_arms, 3)?;
        let (counts, zeros) = (vec![0; n_arms], vec![0.0; n_arms]);
        Ok(Self { problem, config, scalar, rounds: 0, counts, losses: zeros.clone(), weighted: zeros })
    }

    /// Returns true if some arm was never played.
    fn begins(&self) -> bool {
        self.counts.contains(&0)
    }

    /// Returns Δ̂ of each arm in round t. All arms were played.
    fn gaps(&self, t: f64) -> Vec<f64> {
        let Self { counts, losses, .. } = self;
        // α·log(t·K^{1/α}) = α·log t + log K.
        let confidence = self.config.alpha * log(t) + log(counts.len() as f64);
        let bounds = |(&count, &loss): (&u64, &f64)| {
            let (mean, width) = (loss / count as f64, (confidence / (2.0 * count as f64)).sqrt());
            ((mean - width).max(0.0), (mean + width).min(1.0))
        };
        let bounds: Vec<(f64, f64)> = counts.iter().zip(losses).map(bounds).collect();
        let best = bounds.iter().map(|&(_, upper)| upper).fold(f64::INFINITY, f64::min);
        bounds.iter().map(|&(lower, _)| (lower - best).max(0.0)).collect()
    }

    /// Returns p of each arm in the next round. As long as some arms were never played, p is uniform on them.
    fn probabilities(&self) -> Vec<f64> {
        let n_arms = self.counts.len();
        if self.begins() {
            let unplayed = self.counts.iter().filter(|&&count| count == 0).count() as f64;
            return self.counts.iter().map(|&n| if n == 0 { 1.0 / unplayed } else { 0.0 }).collect();
        }
        let (k, t) = (n_arms as f64, (self.rounds + 1) as f64);
        let eta = 0.5 * (log(k) / (t * k)).sqrt();
        let explore = |gap: f64| (0.5 / k).min(eta).min(self.config.c * log(t) / (t * gap * gap));
        let floors: Vec<f64> = self.gaps(t).into_iter().map(explore).collect();
        let least = self.weighted.iter().copied().fold(f64::INFINITY, f64::min);
        let mut shares: Vec<f64> = self.weighted.iter().map(|&loss| exp(-eta * (loss - least))).collect();
        let (sum, rest) = (shares.iter().sum::<f64>(), 1.0 - floors.iter().sum::<f64>());
        shares.iter_mut().zip(floors).for_each(|(share, floor)| *share = rest * (*share / sum) + floor);
        shares
    }

    /// Refuses counts and losses that cannot result from the rounds.
    fn check(&self, state: &MoUsState) -> Result<(), Error> {
        let total = state.counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        let possible = |k: usize| {
            let most = state.counts[k] as f64 * (1.0 + 1e-8);
            let (loss, weighted) = (state.losses[k], state.weighted[k]);
            // Probabilities are at most 1, and far above 1e-150.
            loss >= 0.0 && loss <= most && weighted >= loss * (1.0 - 1e-8) && weighted <= most * 1e150
        };
        if total == Some(state.rounds) && (0..state.counts.len()).all(possible) {
            return Ok(());
        }
        Err(damaged(&"the losses are impossible"))
    }
}

impl Policy for MoUs {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        let probabilities = self.probabilities();
        super::write_probabilities(decision, arms.n_arms(), |arm| probabilities[arm]);
        decision.draw_by_probabilities(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let (arm, loss) = (arm.id().0, 1.0 - self.scalar.unit(reward, &self.problem));
        let p = if self.begins() { 1.0 } else { self.probabilities()[arm] };
        self.rounds += 1;
        self.counts[arm] += 1;
        self.losses[arm] += loss;
        self.weighted[arm] += loss / p;
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, ..Facts::default() }
    }
}

saved!(MoUs: MoUsConfig => MoUsState { rounds, counts, losses, weighted }, check);
