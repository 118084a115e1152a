//! Pareto contextual zooming (Turgay, Öner, Tekin 2018): balls that become smaller where the front is.
//!
//! The input is a metric D with |μⁱ(x) − μⁱ(x')| ≤ D(x, x') ≤ 1; nothing else is assumed about the means. The
//! policy keeps active balls (`balls.rs`), at first a single one that holds everything. In a round the
//! *relevant* balls are those whose domain holds an offered arm, and A^ is the front of their indices. An arm
//! is drawn uniformly from the domains of A^. The reward is credited to a ball B whose domain holds the arm.
//! Before that, a ball of half its radius is activated at the arm if
//!
//! ```text
//! u_B = √(2A/N_B) ≤ r(B)      A = 1 + 2 log(2√2·m·T^{3/2}/δ)
//! ```
//!
//! With probability 1 − δ the index of every ball is at least the means of all points in its domain, and an
//! arm that was drawn has a gap of at most 14 r(B) (their Lemmas 2 and 3).
//!
//! The source leaves open how the relevant balls are found. `owners.rs` finds them for arms in a list,
//! `interval.rs` for arms in an interval.

use super::balls::{Ball, BallState, Rule};
use super::metric::Metric;
use super::zoom::Zoom;
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

policy! {
    id: "pcz",
    name: "PCZ",
    source: "Turgay, Öner, Tekin: Multi-objective contextual bandit problem with similarity information, \
             AISTATS 2018",
    setting: "contexts, rewards that are Lipschitz in the context, fixed or fresh arm sets",
    guarantee: "Pareto regret Õ(T^((1+d_p)/(2+d_p))) with probability 1 − δ, where d_p is the Pareto zooming \
                dimension",
    cost: "O(K + front) to decide on fixed arms and O(balls·(d + m)) to learn, O(K·balls·d) to decide on \
           fresh arms; the number of balls grows with t, but more slowly than t",
    has_front: true,
    departures: "Rewards are mapped to [0, 1]. A context is the pair (context, arm) of the source. The first \
                 ball lies around the origin. The credited ball is drawn from the balls whose domain holds \
                 the played arm, without those whose index another one of them dominates. The source \
                 requires that no relevant ball dominates it, but which arms were offered is not known when \
                 a reward is learned. All these balls have the same radius, so that the gap is still at most \
                 14 r(B). The draw uses a separate random stream, selected by the number of rewards. Before \
                 the first reward every arm is on the front.",
    parameters: struct PczConfig of Pcz {
        horizon: u64 = 3000, meaning!(zooming_horizon);
        delta: f64 = 0.05, "the chance that an index may be too low";
        scale: f64 = 1.0, "factor of the proved width u_B; rewards in [0, 1] justify 0.5";
        lipschitz: Option<f64> = None => "the problem's", meaning!(lipschitz);
    }
}

/// Pareto contextual zooming.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, Pcz, PczConfig, Policy, Problem, draw};
///
/// let objectives = vec![Objective::new("click", Link::Logit), Objective::new("view", Link::Probit)];
/// let config = PczConfig { scale: 0.1, lipschitz: Some(1.0), ..Default::default() };
/// let mut policy = Pcz::new(Problem::new(1, objectives)?, config)?;
/// let arms = ArmSet::from_rows(&[[-0.9], [-0.3], [0.3], [0.9]])?;
/// let mut rng = draw::seeded(7);
/// for _ in 0..500 {
///     let decision = policy.decide(&arms, &mut rng)?;
///     let reward = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]][decision.arm.0];
///     policy.learn(arms.arm(decision.arm), &reward)?;
/// }
/// assert!(policy.balls().len() > 1);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pcz {
    problem: Problem,
    config: PczConfig,
    zoom: Zoom,
}

/// The learned state of [`Pcz`] and of [`PczInterval`](crate::PczInterval).
///
/// Example: [`PczInterval::resume`].
///
/// [`PczInterval::resume`]: crate::PczInterval::resume
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PczState {
    /// The active balls, in the order of their activation.
    pub balls: Vec<BallState>,
}

fits!(PczState, |state, problem| BallState::all_fit(&state.balls, problem.dim, problem.objectives.len()));

/// Returns the rule of balls with u_B = scale·√(2A/N_B), for m objectives.
///
/// # Errors
///
/// [`Error::ParameterBounds`].
pub(super) fn proved_width(m: usize, horizon: u64, delta: f64, scale: f64) -> Result<Rule, Error> {
    Parameter::check("horizon", horizon as f64, 1.0..=1e15)?;
    Parameter::check("delta", delta, f64::MIN_POSITIVE..=1.0)?;
    Parameter::check("scale", scale, 1e-6..=1e100)?;
    let a = 1.0 + 2.0 * (log(8.0_f64.sqrt() * m as f64) + 1.5 * log(horizon as f64) - log(delta));
    Ok(Rule { factor: scale * (2.0 * a).sqrt(), offset: 0.0, from_larger: false })
}

impl Pcz {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: PczConfig) -> Result<Self, Error> {
        let m = problem.n_objectives();
        let rule = proved_width(m, config.horizon, config.delta, config.scale)?;
        let metric = Metric::of_problem(&problem, config.lipschitz)?;
        let zoom = Zoom::new(&problem, rule, metric, m)?;
        Ok(Self { problem, config, zoom })
    }

    /// Returns the active balls, in the order of their activation.
    pub fn balls(&self) -> Vec<Ball> {
        self.zoom.balls().to_vec()
    }

    /// Returns D(x, x').
    pub fn distance(&self, x: &[f64], other: &[f64]) -> f64 {
        self.zoom.balls().metric().distance(x, other)
    }
}

impl Policy for Pcz {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let objectives = self.problem.objectives();
        self.zoom.find_candidates(
            arms,
            decision,
            |i, mean| objectives[i].from_unit(mean),
            |i| objectives[i].rewards().1 - objectives[i].rewards().0,
        );
        decision.front.refill(decision.work.candidates.iter().copied());
        decision.draw_from_front(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let reward = self.problem.objectives().iter().zip(reward);
        self.zoom.learn(arm, reward.map(|(objective, &y)| objective.unit_reward(y)));
        Ok(())
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        self.zoom.fix_arms(arms);
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { scale: Scale::Mean, ..Facts::default() }
    }
}

saved!(Pcz: PczConfig => PczState { balls: zoom });
