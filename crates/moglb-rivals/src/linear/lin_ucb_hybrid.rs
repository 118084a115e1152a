//! LinUCB with hybrid models: all arms share the coefficients β, and each arm also has its own θ_a (Li,
//! Chu, Langford, Schapire 2010, Algorithm 2). Both are coefficients of the context x.
//!
//! The source keeps A_0, b_0, A_a, B_a and b_a. A round changes A_0 by the Schur complement of a rank-one
//! term, which has rank one itself. With u = z − B_aᵀA_a⁻¹x and q = xᵀA_a⁻¹x before the round,
//!
//! ```text
//! A_0 ← A_0 + uuᵀ/(1 + q)        b_0 ← b_0 + u·(y − xᵀA_a⁻¹b_a)/(1 + q)
//! ```
//!
//! For z = x, B_a = Σxxᵀ = A_a − λI, and so u = λA_a⁻¹x. Prediction and width are those of one joint
//! ridge regression:
//!
//! ```text
//! xᵀβ + xᵀθ_a = xᵀA_a⁻¹b_a + uᵀβ        s = xᵀA_a⁻¹x + uᵀA_0⁻¹u        β = A_0⁻¹b_0
//! ```

use super::lin_ucb::alpha;
use super::per_arm::{self, PerArm};
use crate::ridge::RidgeState;
use crate::ridge::dot;
use crate::traced_gram::{TracedGram, TracedGramState};
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{damaged, fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "lin-ucb-hybrid",
    name: "LinUCB hybrid",
    source: "Li, Chu, Langford, Schapire: A contextual-bandit approach to personalized news article \
             recommendation, WWW 2010",
    setting: "contexts, linear rewards with shared coefficients and separate ones for each of K arms, one \
              objective or a weighted sum",
    guarantee: "none published for this form; no front",
    cost: "O(K·d²) to decide, O(d²) to learn, O(K·d²) memory",
    departures: "The shared features z and the features of the arm are both its context x. Rewards are \
                 centered by their mean at θ = 0, so logit and probit need no intercept. The source has \
                 rewards in [0, 1]: here α is multiplied by the length of the range. λ is 1 in the source. \
                 As in the source, the width assumes ‖θ‖ ≤ 1, whatever the radius of the problem. Ties are \
                 broken uniformly at random.",
    parameters: struct LinUcbHybridConfig of LinUcbHybrid {
        target: Target = Target::default() => "0", meaning!(target);
        lambda: f64 = 1.0, "regularization: the Gram matrix begins as λI";
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the width";
    }
}

/// LinUCB with hybrid models, on one objective or a weighted sum. It has no front.
///
/// Example: [`Oful`](crate::Oful).
#[derive(Debug, Clone)]
pub struct LinUcbHybrid {
    problem: Problem,
    config: LinUcbHybridConfig,
    scalar: Scalar,
    /// A_a and b_a of each arm.
    arms: PerArm,
    /// A_0.
    shared: TracedGram,
    /// b_0.
    moments: Vec<f64>,
    /// β = A_0⁻¹b_0.
    beta: Vec<f64>,
}

/// The learned state of hybrid LinUCB. Its size does not depend on t.
///
/// Example: [`Saved`](moglb_core::Saved).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinUcbHybridState {
    /// A_a and b_a of each arm.
    pub arms: Vec<RidgeState>,
    /// A_0.
    pub shared: TracedGramState,
    /// b_0.
    pub moments: Vec<f64>,
}

fits!(LinUcbHybridState, |state, problem| {
    let shared = state.shared.fits(problem.dim) && state.moments.len() == problem.dim;
    shared && per_arm::fits(&state.arms, problem)
});

impl LinUcbHybrid {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for the target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: LinUcbHybridConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        super::check(config.lambda, config.delta, config.scale)?;
        let arms = PerArm::new(&problem, INFO.id, config.lambda, scalar.largest(&problem))?;
        let (shared, zeros) = (TracedGram::new(problem.dim(), config.lambda), vec![0.0; problem.dim()]);
        Ok(Self { problem, config, scalar, arms, shared, moments: zeros.clone(), beta: zeros })
    }

    /// Returns α, multiplied by the scale and by the length of the range of rewards.
    pub fn alpha(&self) -> f64 {
        self.config.scale * alpha(self.config.delta, 2.0 * self.scalar.noise())
    }

    /// Returns u = λA_a⁻¹x, and q = xᵀA_a⁻¹x.
    fn own_and_shared(&self, arm: usize, x: &[f64]) -> (Vec<f64>, f64) {
        let mut u = self.arms.ridge(arm).gram().solve(x);
        let q = dot(&u, x);
        u.iter_mut().for_each(|u| *u *= self.config.lambda);
        (u, q)
    }

    /// Computes β = A_0⁻¹b_0.
    fn solve(&mut self) {
        self.beta = self.shared.gram().solve(&self.moments);
    }

    /// Refuses shared sums that are larger than the rounds of the arms can make them.
    fn check(&self, state: &LinUcbHybridState) -> Result<(), Error> {
        let rounds: f64 = state.arms.iter().map(|arm| arm.rounds as f64).sum();
        // |y − xᵀA⁻¹b| ≤ |y| + ‖b‖_{A⁻¹}‖x‖_{A⁻¹}, and ‖b‖²_{A⁻¹} ≤ Σy².
        let reach = self.scalar.largest(&self.problem) * (1.0 + (rounds / self.config.lambda).sqrt());
        if !state.moments.iter().all(|b| b.abs() <= rounds * reach * (1.0 + 1e-8)) {
            return Err(damaged(&"the shared sums are more than the rewards can add up to"));
        }
        state.shared.check(rounds)
    }
}

impl Policy for LinUcbHybrid {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let alpha = self.alpha();
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            let x = arms.context(arm);
            let (u, q) = self.own_and_shared(arm, x);
            let estimate = self.arms.ridge(arm).predict(0, x) + dot(&u, &self.beta);
            (estimate, alpha * (q + self.shared.gram().squared_norm_inv(&u)).sqrt())
        });
        decision.turn_estimates(|estimate| self.scalar.outward(estimate));
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let (y, x) = (self.scalar.centred(reward, &self.problem), arm.context());
        let (u, q) = self.own_and_shared(arm.id().0, x);
        let weight = 1.0 / (1.0 + q);
        let residual = weight * (y - self.arms.ridge(arm.id().0).predict(0, x));
        self.shared.add(&u, weight);
        moglb_math::dense::add(&mut self.moments, residual, &u);
        self.arms.learn(arm, y);
        self.solve();
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Both, scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(LinUcbHybrid: LinUcbHybridConfig => LinUcbHybridState { arms, shared, moments }, check then solve);
