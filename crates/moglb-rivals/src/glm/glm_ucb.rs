//! GLM-UCB: exact maximum quasi-likelihood and a bonus in the space of rewards (Filippi, Cappé, Garivier,
//! Szepesvári 2010).
//!
//! θ̂ solves Σ (μ(xᵀθ) − y)x = 0. For probit this maximizes the quasi-likelihood, not the likelihood.
//! With M = Σxxᵀ
//!
//! ```text
//! θ̃ = argmin over ‖θ‖ ≤ S of ‖Σ (μ(xᵀθ) − y)x‖_{M⁻¹}        which is θ̂ if θ̂ is in the ball
//! index = μ(xᵀθ̃) + ρ(t)‖x‖_{M⁻¹},    ρ(t) = (2Lk·R_max/κ) √(2d log t · log(2dT/δ))
//! k = √(3 + 2 log(1 + 2/λ₀))
//! ```
//!
//! where λ₀ is the least eigenvalue of M after the first d rounds. These rounds play linearly independent
//! arms.

use crate::glm::glm_target::GlmTarget;
use crate::glm::likelihood::{self, Law, Local, factored, solve};
use crate::glm::records::{Records, RecordsState};
use crate::glm::{WIDEST, check_common};
use crate::ridge::dot;
use crate::traced_gram::{TracedGram, TracedGramState};
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::estimate::Estimate;
use moglb_core::saved::{damaged, fits, saved};
use moglb_core::{Arm, ArmSet, Decision, Facts, Model, Parameter, Policy, Problem, Scale, Target};
use moglb_math::{Error, Gram, Matrix, project};
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "glm-ucb",
    name: "GLM-UCB",
    source: "Filippi, Cappé, Garivier, Szepesvári: Parametric bandits: the generalized linear case, NIPS \
             2010",
    setting: "contexts, generalized linear rewards, fixed or fresh arm sets, one objective or a weighted sum",
    guarantee: "regret Õ((L/κ)·d√T) with probability 1 − δ where the model holds; no front",
    cost: "O(K·d²) to decide; O(n·d² + d³) times a few Newton steps to learn; O(n·d + d²) memory; n is K on \
           fixed arms and t on fresh ones",
    departures: "The first d rounds play the arm that is farthest from the span of the played ones, as long \
                 as one is well outside of it; 1e-6·I keeps M invertible. λ₀ is bounded from below by norms \
                 of the factor of M. R_max is the length of the range of rewards: in the source rewards lie \
                 in [0, R_max], and the proof needs only the length of the interval that they lie in. \
                 Contexts have max‖x‖ = 1. For probit θ̂ maximizes the quasi-likelihood, which is not the \
                 likelihood. The projection onto the ball is not convex: a local minimum is taken, found \
                 from the constrained maximum of the quasi-likelihood. Ties are broken uniformly at random.",
    parameters: struct GlmUcbConfig of GlmUcb {
        target: Target = Target::default() => "0", meaning!(glm_target);
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        horizon: u64 = 3000, "T in the width; after T rounds the policy continues with the same width";
        scale: f64 = 1.0, "factor of the proved width";
    }
}

/// The factor of I in M₁ = LEAST·I. With it M can be inverted even if the arms do not span the space.
const LEAST: f64 = 1e-6;

/// The squared distance from the span of the played arms above which an arm is outside of it.
const OUTSIDE: f64 = 1e-3;

/// GLM-UCB on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{draw, ArmSet, GlmUcb, GlmUcbConfig, Link, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let mut policy = GlmUcb::new(problem, GlmUcbConfig { scale: 0.01, ..Default::default() })?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GlmUcb {
    problem: Problem,
    config: GlmUcbConfig,
    model: GlmTarget,
    /// The rewards of each context.
    records: Records,
    /// M.
    design: TracedGram,
    /// θ̃.
    theta: Estimate,
    /// λ₀: a lower bound on the least eigenvalue of M after the first d rounds, or now if there were fewer.
    least: f64,
    rounds: u64,
    /// The number of rounds in which θ̂ was not in the ball.
    projections: u64,
}

/// The learned state of GLM-UCB. On fixed arms its size does not depend on t.
///
/// Example: [`GlmUcb`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlmUcbState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The contexts, with the count and the sum of the rewards of each.
    pub records: RecordsState,
    /// M.
    pub design: TracedGramState,
    /// θ̃, larger is better.
    pub theta: Vec<f64>,
    /// λ₀.
    pub least: f64,
    /// The number of rounds in which θ̂ was not in the ball.
    pub projections: u64,
}

fits!(GlmUcbState, |state, problem| {
    state.design.fits(problem.dim) && state.records.fits(problem.dim) && state.theta.len() == problem.dim
});

impl GlmUcb {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`], [`Error::Weights`] or [`Error::Curvature`] for the target,
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: GlmUcbConfig) -> Result<Self, Error> {
        let model = GlmTarget::new(&problem, &config.target)?;
        check_common(config.delta, config.scale, 1.0)?;
        Parameter::check("horizon", config.horizon as f64, 1.0..=1e15)?;
        let dim = problem.dim();
        moglb_math::memory::check_memory(dim, dim)?;
        Ok(Self {
            model,
            records: Records::new(dim),
            design: TracedGram::new(dim, LEAST),
            theta: Estimate::zero(dim),
            least: LEAST,
            rounds: 0,
            projections: 0,
            problem,
            config,
        })
    }

    /// Returns ρ(t) of the next round, multiplied by the scale.
    pub fn radius(&self) -> f64 {
        let GlmUcbConfig { delta, horizon, scale, .. } = self.config;
        let (constants, (low, high)) = (&self.model.constants, self.model.objective().rewards());
        let (dim, t) = (self.problem.dim() as f64, (self.rounds + 1) as f64);
        let k = (3.0 + 2.0 * log(1.0 + 2.0 / self.least)).sqrt();
        let logs = log(t) * (log(2.0 * dim * horizon as f64) - log(delta));
        let factor = 2.0 * constants.lipschitz * k * (high - low) / constants.kappa;
        (scale * factor * (2.0 * dim * logs).sqrt()).min(WIDEST)
    }

    /// Returns θ̃, in the orientation in which larger is better.
    pub fn theta(&self) -> Vec<f64> {
        self.theta.theta().collect()
    }

    /// Returns M.
    pub fn gram(&self) -> &Gram {
        self.design.gram()
    }

    /// Returns the quasi-likelihood of the rewards, over the ball.
    fn quasi_likelihood(&self) -> likelihood::Problem<'_> {
        likelihood::Problem {
            model: &self.model,
            records: &self.records,
            law: Law::Quasi,
            ridge: 0.0,
            tilt: None,
            ball: Some(self.model.radius),
        }
    }

    /// Returns θ̃, and true if θ̂ was not in the ball.
    fn fit(&self, design: &Gram) -> Result<(Vec<f64>, bool), Error> {
        let (problem, radius) = (self.quasi_likelihood(), self.model.radius);
        let start: Vec<f64> = self.theta.theta().collect();
        let theta = problem.minimize(&start)?;
        if dot(&theta, &theta).sqrt() < radius * (1.0 - 1e-9) {
            return Ok((theta, false));
        }
        Ok((closest(&problem, design, theta, radius)?, true))
    }

    /// Returns true once arms are played by their index: after d rounds, or if no arm is outside of the
    /// span of the played ones. `pairs` has the estimate and the norm of each arm.
    fn spans(&self, pairs: &[f64]) -> bool {
        let outside = |pair: &[f64; 2]| LEAST * (pair[1] * pair[1]) > OUTSIDE;
        self.rounds >= self.problem.dim() as u64 || !pairs.as_chunks().0.iter().any(outside)
    }

    /// Refuses a state that cannot result from any rounds.
    fn check(&self, state: &GlmUcbState) -> Result<(), Error> {
        let rounds = state.rounds as f64;
        state.records.check(state.rounds, self.model.objective().rewards())?;
        state.design.check(rounds)?;
        self.model.check_estimate(&state.theta)?;
        // Contexts can be slightly longer than one, and λ₀ comes from a rounded factor.
        let least = LEAST * (1.0 - 1e-6)..=(LEAST + rounds) * (1.0 + 1e-8);
        if !least.contains(&state.least) || state.projections > state.rounds {
            return Err(damaged(&"a number is out of bounds"));
        }
        Ok(())
    }
}

/// Returns a local minimum of ‖r(θ)‖_{M⁻¹} over the ball, where r is the gradient of the quasi-likelihood.
///
/// It takes Gauss–Newton steps from a start. Each goes to the best point of the ball for the linear model
/// of r, which is Newton's point projected in the norm of HM⁻¹H.
fn closest(
    problem: &likelihood::Problem<'_>,
    design: &Gram,
    start: Vec<f64>,
    radius: f64,
) -> Result<Vec<f64>, Error> {
    let mut theta = start;
    let mut local = problem.local(&theta)?;
    let mut value = design.squared_norm_inv(&local.gradient);
    for _ in 0..50 {
        let Some(step) = gauss_newton(&theta, &local, design, radius) else { break };
        let promised = -2.0 * dot(&design.solve(&local.gradient), &times(&local.hessian, &step));
        if promised.is_nan() || promised <= 1e-10 * value {
            break;
        }
        let mut share = 1.0;
        let better = loop {
            let next: Vec<f64> = theta.iter().zip(&step).map(|(theta, step)| theta + share * step).collect();
            let next_local = problem.local(&next)?;
            let next_value = design.squared_norm_inv(&next_local.gradient);
            if next_value <= value - 1e-4 * share * promised {
                break Some((next, next_local, next_value));
            }
            share /= 2.0;
            if share < 1e-9 {
                break None;
            }
        };
        let Some(better) = better else { break };
        (theta, local, value) = better;
    }
    Ok(theta)
}

/// Returns the step to the point of the ball that is best for the linear model of r. None if a factor or
/// the projection does not exist.
fn gauss_newton(theta: &[f64], local: &Local, design: &Gram, radius: f64) -> Option<Vec<f64>> {
    let dim = theta.len();
    let (factor, _) = factored(&local.hessian, dim)?;
    let newton = solve(&factor, &local.gradient);
    let aim: Vec<f64> = theta.iter().zip(newton).map(|(theta, step)| theta - step).collect();
    let aim = if dot(&aim, &aim).sqrt() > radius {
        let column = |j: usize| {
            let unit: Vec<f64> = (0..dim).map(|k| f64::from(u8::from(k == j))).collect();
            times(&local.hessian, &design.solve(&times(&local.hessian, &unit)))
        };
        let columns: Vec<Vec<f64>> = (0..dim).map(column).collect();
        let largest = (0..dim).map(|k| columns[k][k]).fold(0.0, f64::max);
        let mut norm = Matrix::default();
        norm.reshape(dim, dim);
        for i in 0..dim {
            // The matrix is symmetric except for rounding.
            (0..dim).for_each(|j| norm.row_mut(i)[j] = 0.5 * (columns[i][j] + columns[j][i]));
            norm.row_mut(i)[i] += 1e-12 * largest;
        }
        project(&aim, &Gram::from_dense(&norm).ok()?, radius).ok()?
    } else {
        aim
    };
    Some(aim.iter().zip(theta).map(|(aim, theta)| aim - theta).collect())
}

/// Returns Ax for a symmetric A of which only the upper triangle is read.
fn times(upper: &[f64], x: &[f64]) -> Vec<f64> {
    let dim = x.len();
    (0..dim).map(|i| (0..dim).map(|j| upper[i.min(j) * dim + i.max(j)] * x[j]).sum()).collect()
}

impl Policy for GlmUcb {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let pairs = decision.predict(arms, self.gram(), &self.theta);
        let (spans, radius, mut failed) = (self.spans(&pairs), self.radius(), None);
        decision.play_the_best(arms.n_arms(), rng, |arm| {
            let (z, norm) = (pairs[2 * arm], pairs[2 * arm + 1]);
            if !spans {
                return (0.0, norm);
            }
            let mean = self.model.mean(z).unwrap_or_else(|error| {
                failed = Some(error);
                0.0
            });
            (mean, radius * norm)
        });
        decision.work.vectors[0] = pairs;
        decision.turn_estimates(|estimate| self.model.objective().sign() * estimate);
        failed.map_or(Ok(()), Err)
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let y = self.model.reward(reward, &self.problem);
        let mut design = self.design.clone();
        design.add(arm.context(), 1.0);
        let added = self.records.add(arm, y);
        let (theta, projected) = match self.fit(design.gram()) {
            Ok(fitted) => fitted,
            Err(error) => {
                self.records.take_back(added);
                return Err(error);
            }
        };
        self.design = design;
        self.theta = Estimate::from_theta(&theta);
        self.rounds += 1;
        self.projections += u64::from(projected);
        if self.rounds <= self.problem.dim() as u64 {
            let span = self.gram().inverse_span(&mut Vec::new());
            self.least = 1.0 / (span * span);
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Mean, ..Facts::default() }
    }

    fn model(&self) -> Option<&dyn Model> {
        Some(self)
    }
}

impl Model for GlmUcb {
    fn projection_hits(&self) -> u64 {
        self.projections
    }
}

saved!(GlmUcb: GlmUcbConfig => GlmUcbState { rounds, records, design, theta, least, projections }, check);

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Objective};
    use moglb_math::draw;
    use moglb_pareto::ArmId;

    fn logit(dim: usize, radius: f64) -> Problem {
        Problem::new(dim, vec![Objective::new("y", Link::Logit)]).unwrap().with_radius(radius).unwrap()
    }

    /// x = 1 with rewards 1, 1, 0: μ(θ̂) = ⅔, θ̂ = log 2 = 0.693147 in the ball of radius 1.
    /// M = 3 + 1e-6, λ₀ = 1 + 1e-6 after the first round, k = √(3 + 2 log 3),
    /// ρ = 2·0.25·k/0.1966119·√(2·log 4·log(2·3000/0.05)).
    #[test]
    fn the_first_rounds_are_those_worked_by_hand() {
        let mut policy = GlmUcb::new(logit(1, 1.0), GlmUcbConfig::default()).unwrap();
        let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
        for y in [1.0, 1.0, 0.0] {
            policy.learn(arms.arm(ArmId(0)), &[y]).unwrap();
        }
        assert!((policy.theta()[0] - 2.0_f64.ln()).abs() < 1e-9, "{:?}", policy.theta());
        let k = (3.0 + 2.0 * 3.0_f64.ln()).sqrt();
        let rho = 0.5 * k / 0.196_611_933 * (2.0 * 4.0_f64.ln() * 120_000.0_f64.ln()).sqrt();
        assert!((policy.radius() - rho).abs() < 1e-5 * rho, "{} for {rho}", policy.radius());
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        assert!((decision.estimates.row(0)[0] - 2.0 / 3.0).abs() < 1e-9);
        assert!((decision.widths.row(0)[0] - policy.radius() / 3.0_f64.sqrt()).abs() < 1e-4);
        assert_eq!(policy.projection_hits(), 2, "after one reward 1, and after two, θ̂ is at infinity");
    }

    #[test]
    fn the_first_rounds_play_linearly_independent_arms() {
        let rows = [[0.6, 0.0, 0.0], [0.9, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.4, 0.1], [0.0, 0.1, 0.9]];
        let arms = ArmSet::from_rows(&rows).unwrap();
        let mut policy = GlmUcb::new(logit(3, 1.0), GlmUcbConfig::default()).unwrap();
        let mut played = Vec::new();
        for _ in 0..3 {
            let arm = policy.decide(&arms, &mut draw::seeded(2)).unwrap().arm;
            played.push(rows[arm.0]);
            policy.learn(arms.arm(arm), &[1.0]).unwrap();
        }
        let matrix = nalgebra::Matrix3::from_fn(|i, j| played[i][j]);
        assert!(matrix.determinant().abs() > 0.1, "{played:?}");
        assert!(policy.least > 0.05, "{}", policy.least);
    }

    /// If θ̂ is outside of the ball, no point of the ball has a smaller ‖r‖_{M⁻¹} than θ̃. The test tries
    /// 1000 points of the edge.
    #[test]
    fn outside_of_the_ball_the_point_closest_in_rewards_is_taken() {
        let mut policy = GlmUcb::new(logit(2, 0.5), GlmUcbConfig::default()).unwrap();
        let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7], [-0.9, 0.1]]).unwrap();
        for (arm, y) in [(0, 1.0), (1, 1.0), (2, 0.0), (0, 1.0), (1, 0.0), (2, 0.0), (2, 0.0), (0, 1.0)] {
            policy.learn(arms.arm(ArmId(arm)), &[y]).unwrap();
        }
        let problem = policy.quasi_likelihood();
        let value = |theta: &[f64]| policy.gram().squared_norm_inv(&problem.local(theta).unwrap().gradient);
        let theta = policy.theta();
        assert!((dot(&theta, &theta).sqrt() - 0.5).abs() < 1e-9, "{theta:?}");
        let best = value(&theta);
        for k in 0..1000 {
            let angle = f64::from(k) * 0.001 * std::f64::consts::TAU;
            assert!(value(&[0.5 * angle.cos(), 0.5 * angle.sin()]) >= best * (1.0 - 1e-9), "angle {angle}");
        }
        let constrained = problem.minimize(&[0.0; 2]).unwrap();
        assert!(value(&constrained) > best * (1.0 + 1e-6), "the constrained maximum is another point");
    }
}
