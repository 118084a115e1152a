//! ILOVETOCONBANDITS (Agarwal, Hsu, Kale, Langford, Li, Schapire 2014): a distribution over policies that is
//! computed again at the end of each epoch. It explores as much as the estimated regrets allow.
//!
//! Let K be the number of arms, R̂ the reward of a policy estimated by importance weighting, and Reg^ the
//! difference of R̂ from that of the best policy. Find Q ≥ 0 with (OP)
//!
//! ```text
//! Σ Q(π)·b_π ≤ 2K        Ê[1/Q^μ(π(x)|x)] ≤ 2K + b_π for all π        b_π = Reg^(π)/(100μ)
//! μ = min(1/(2K), √(log(16t²|Π|/δ)/(K·t)))        Q^μ(a|x) = (1 − Kμ)·Σ Q(π)·1{π(x) = a} + μ
//! ```
//!
//! by coordinate descent. The rest of the probability, 1 − ΣQ, goes to the policy with the largest R̂. The
//! policies are those of `class.rs`. Because their arm set is fixed, a policy is the arm that it plays, Ê has
//! a single term, and R̂ is one number per arm.

use super::class::{Class, ClassState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{damaged, fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Parameter, Policy, Problem, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "iltcb",
    name: "ILOVETOCONBANDITS",
    source: "Agarwal, Hsu, Kale, Langford, Li, Schapire: Taming the monster, ICML 2014",
    setting: "contexts, one fixed arm set, one objective or a weighted sum",
    guarantee: "regret O(√(K·T·log(T|Π|/δ))) with probability 1 − δ against the best policy of the class; no \
                front",
    cost: "O(K·d) to decide, O(m·d² + N·(K + m)·d) to learn; at the end of an epoch at most 4·log(1/(Kμ))/μ \
           steps of O(K)",
    departures: "The policies of the class are greedy for weighted sums of ridge predictions of all \
                 objectives (λ = 1), as predicted at the beginning of an epoch; the source has a fixed \
                 class. To learn a reward, the arm that each policy would have played must be known, but \
                 learning receives the played arm only. So each arm is played once first (with importance \
                 weight K), and the arms must stay the same. On one fixed arm set the history is one number \
                 per arm, so that memory does not grow with t. Epochs end when t is a power of two, and when \
                 all arms were played for the first time. Coordinate descent begins at zero. Rewards are \
                 mapped to [0, 1].",
    parameters: struct IltcbConfig of Iltcb {
        target: Target = Target::default() => "0", meaning!(target);
        experts: usize = 20, meaning!(experts);
        delta: f64 = 0.05, "the chance that the guarantee may fail";
    }
}

/// ψ of the source, the factor 100 in b_π.
const PSI: f64 = 100.0;

/// ILOVETOCONBANDITS over linear scalarizations. It has no front.
///
/// ```
/// use moglb::{ArmSet, Iltcb, IltcbConfig, Link, Objective, Policy, Problem, draw};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let mut policy = Iltcb::new(problem, IltcbConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Iltcb {
    problem: Problem,
    config: IltcbConfig,
    scalar: Scalar,
    rounds: u64,
    class: Class,
    /// Σr/p of each arm.
    sums: Vec<f64>,
    /// The probability of each arm in this epoch.
    probabilities: Vec<f64>,
}

/// The learned state of ILOVETOCONBANDITS; its size does not depend on t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IltcbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The learned state of the policies.
    pub class: ClassState,
    /// Σr/p of each arm.
    pub sums: Vec<f64>,
    /// The probability of each arm in this epoch.
    pub probabilities: Vec<f64>,
}

fits!(IltcbState, |state, problem| {
    let arms = [state.sums.len(), state.probabilities.len()].map(Some);
    state.class.fits(problem) && arms == [problem.n_arms; 2]
});

impl Iltcb {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: IltcbConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check("delta", config.delta, f64::MIN_POSITIVE..=1.0)?;
        let class = Class::new(&problem, INFO.id, config.experts)?;
        let n_arms = class.n_arms();
        let (sums, probabilities) = (vec![0.0; n_arms], vec![1.0 / n_arms as f64; n_arms]);
        Ok(Self { problem, config, scalar, rounds: 0, class, sums, probabilities })
    }

    /// Returns μ after t rounds, the least probability of any arm.
    fn least(&self, t: u64) -> f64 {
        let (k, t, size) = (self.class.n_arms() as f64, t as f64, self.class.len() as f64);
        let confidence = log(16.0 * t * t * size) - log(self.config.delta);
        (confidence / (k * t)).sqrt().min(0.5 / k)
    }

    /// Begins an epoch: computes the probability of each arm from the solution of (OP).
    fn renew(&mut self) {
        let (k, t, mu) = (self.class.n_arms(), self.rounds as f64, self.least(self.rounds));
        let mut policies = self.class.choices().to_vec();
        policies.sort_unstable();
        policies.dedup();
        let better = |best: usize, &arm: &usize| if self.sums[arm] > self.sums[best] { arm } else { best };
        let best = policies.iter().fold(policies[0], better);
        let regret = |&arm: &usize| (self.sums[best] - self.sums[arm]) / t;
        let slack: Vec<f64> = policies.iter().map(|arm| regret(arm) / (PSI * mu)).collect();
        let weights = solve(&slack, k, mu);
        let left = (1.0 - weights.iter().sum::<f64>()).max(0.0);
        self.probabilities.fill(mu);
        let rest = 1.0 - k as f64 * mu;
        policies.iter().zip(&weights).for_each(|(&arm, weight)| self.probabilities[arm] += rest * weight);
        self.probabilities[best] += rest * left;
        let sum: f64 = self.probabilities.iter().sum();
        self.probabilities.iter_mut().for_each(|p| *p /= sum);
    }

    /// Refuses sums and probabilities that cannot result from any rounds.
    fn check(&self, state: &IltcbState) -> Result<(), Error> {
        // μ decreases with t, so every probability so far was at least the present μ.
        let least = self.least(state.rounds.max(1)) * (1.0 - 1e-9);
        let most = state.rounds as f64 / least * (1.0 + 1e-8);
        let sum: f64 = state.probabilities.iter().sum();
        if !state.sums.iter().all(|&sum| sum >= 0.0 && sum <= most)
            || !state.probabilities.iter().all(|&p| p >= least && p <= 1.0)
            || (sum - 1.0).abs() > 1e-12
        {
            return Err(damaged(&"the sums or probabilities are impossible"));
        }
        self.class.check(&state.class, state.rounds)
    }
}

/// Returns Q of (OP), found by coordinate descent, for policies that play different arms. `slack` has b_π of
/// each policy.
fn solve(slack: &[f64], n_arms: usize, mu: f64) -> Vec<f64> {
    let (twice, rest) = (2.0 * n_arms as f64, 1.0 - n_arms as f64 * mu);
    let mut weights = vec![0.0; slack.len()];
    let steps = (4.0 * -log(n_arms as f64 * mu) / mu) as u64 + 2;
    for _ in 0..steps {
        shrink(&mut weights, slack, twice);
        let smoothed = |i: usize| rest * weights[i] + mu;
        // D_π = V_π − (2K + b_π). If it is positive, the policy is played too seldom; the worst one is
        // increased.
        let missing = |i: usize| 1.0 / smoothed(i) - (twice + slack[i]);
        let most = |worst: usize, i: usize| if missing(i) > missing(worst) { i } else { worst };
        let worst = (0..slack.len()).fold(0, most);
        let d = missing(worst);
        if d <= 0.0 {
            return weights;
        }
        let p = smoothed(worst);
        // The step of the source: (V + D)/(2(1 − Kμ)S) with V = 1/p and S = 1/p².
        weights[worst] += (1.0 / p + d) * p * p / (2.0 * rest);
    }
    shrink(&mut weights, slack, twice);
    weights
}

/// Scales Q so that Σ Q(π)·(2K + b_π) ≤ 2K.
fn shrink(weights: &mut [f64], slack: &[f64], twice: f64) {
    let sum: f64 = weights.iter().zip(slack).map(|(q, b)| q * (twice + b)).sum();
    if sum > twice {
        weights.iter_mut().for_each(|q| *q *= twice / sum);
    }
}

impl Policy for Iltcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.class.check_arms(arms)?;
        if !self.class.is_ready() {
            self.class.draw_the_unknown(decision, rng);
            return Ok(());
        }
        super::write_probabilities(decision, arms.n_arms(), |arm| self.probabilities[arm]);
        decision.draw_by_probabilities(rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.class.check_play(arm, reward)?;
        let was_ready = self.class.is_ready();
        let index = arm.id().0;
        self.sums[index] += self.scalar.unit(reward, &self.problem) / self.probabilities[index];
        self.class.note(arm);
        self.class.learn(arm, reward);
        self.rounds += 1;
        if self.class.is_ready() && (!was_ready || self.rounds.is_power_of_two()) {
            self.renew();
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Both, ..Facts::default() }
    }
}

saved!(Iltcb: IltcbConfig => IltcbState { rounds, class, sums, probabilities }, check);

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks both constraints of (OP), for regrets from 0 to 1 and μ from large to small.
    #[test]
    fn coordinate_descent_solves_the_optimization_problem() {
        for n_arms in [1, 2, 5, 40] {
            for mu in [0.5, 0.1, 1e-3, 1e-6].map(|share| share / n_arms as f64) {
                let regrets = (0..n_arms).map(|arm| arm as f64 / n_arms as f64);
                let slack: Vec<f64> = regrets.map(|regret| regret / (PSI * mu)).collect();
                let q = solve(&slack, n_arms, mu);
                let twice = 2.0 * n_arms as f64;
                let regret: f64 = q.iter().zip(&slack).map(|(q, b)| q * b).sum();
                assert!(regret <= twice * (1.0 + 1e-12) && q.iter().sum::<f64>() <= 1.0 + 1e-12, "{q:?}");
                for (q, b) in q.iter().zip(&slack) {
                    let variance = 1.0 / ((1.0 - n_arms as f64 * mu) * q + mu);
                    assert!(
                        variance <= (twice + b) * (1.0 + 1e-12),
                        "K = {n_arms}, μ = {mu}: {variance} for b = {b}"
                    );
                }
            }
        }
    }
}
