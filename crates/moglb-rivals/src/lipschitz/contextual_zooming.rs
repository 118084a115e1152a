//! Contextual zooming (Slivkins 2014): the single-objective algorithm that Pareto contextual zooming grew out
//! of.
//!
//! The width of its balls (`balls.rs`) is conf(B) = 4√(log T/(1 + N_B)). Only balls that are at least as
//! large as a ball count for its index. The relevant ball with the largest index is played, which is the
//! front of one objective.

use super::balls::{Ball, BallState, Rule};
use super::metric::Metric;
use super::zoom::Zoom;
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, Parameter, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

policy! {
    id: "contextual-zooming",
    name: "Contextual zooming",
    source: "Slivkins: Contextual bandits with similarity information, JMLR 2014",
    setting: "contexts, rewards that are Lipschitz in the context, fixed or fresh arm sets, one objective or \
              a weighted sum",
    guarantee: "regret Õ(T^((1+d_z)/(2+d_z))), where d_z is the zooming dimension; no front",
    cost: "O(K) to decide on fixed arms and O(balls·d) to learn, O(K·balls·d) to decide on fresh arms; the \
           number of balls grows with t, but more slowly than t",
    departures: "Rewards are mapped to [0, 1]. A context is the pair (context, arm) of the source. The first \
                 ball lies around the origin. The arm is drawn uniformly from the domains of all balls with \
                 the largest index. The reward is credited to one of these balls whose domain holds the arm; \
                 this draw uses a separate random stream, selected by the number of rewards.",
    parameters: struct ContextualZoomingConfig of ContextualZooming {
        target: Target = Target::default() => "0", meaning!(target);
        horizon: u64 = 3000, meaning!(zooming_horizon);
        scale: f64 = 1.0, "factor of the proved width 4√(log T/(1 + N_B))";
        lipschitz: Option<f64> = None => "the problem's", meaning!(lipschitz);
    }
}

/// Contextual zooming on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{ArmSet, ContextualZooming, ContextualZoomingConfig, Link, Objective, Policy, Problem, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?;
/// let config = ContextualZoomingConfig { scale: 0.1, ..Default::default() };
/// let mut policy = ContextualZooming::new(problem, config)?;
/// let arms = ArmSet::from_rows(&[[-0.5], [0.5]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ContextualZooming {
    problem: Problem,
    config: ContextualZoomingConfig,
    scalar: Scalar,
    zoom: Zoom,
}

/// The learned state of [`ContextualZooming`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextualZoomingState {
    /// The active balls, in the order of their activation.
    pub balls: Vec<BallState>,
}

fits!(ContextualZoomingState, |state, problem| BallState::all_fit(&state.balls, problem.dim, 1));

impl ContextualZooming {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`]
    /// or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: ContextualZoomingConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check("horizon", config.horizon as f64, 2.0..=1e15)?;
        Parameter::check("scale", config.scale, 1e-6..=1e100)?;
        let factor = config.scale * 4.0 * log(config.horizon as f64).sqrt();
        let rule = Rule { factor, offset: 1.0, from_larger: true };
        let metric = Metric::of_target(&scalar, config.lipschitz)?;
        let zoom = Zoom::new(&problem, rule, metric, 1)?;
        Ok(Self { problem, config, scalar, zoom })
    }

    /// Returns the active balls, in the order of their activation.
    pub fn balls(&self) -> Vec<Ball> {
        self.zoom.balls().to_vec()
    }
}

impl Policy for ContextualZooming {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        let objective = self.scalar.objective();
        let (low, high) = objective.rewards();
        self.zoom.find_candidates(arms, decision, |_, mean| objective.from_unit(mean), |_| high - low);
        decision.front.clear();
        decision.draw_from_candidates(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.zoom.learn(arm, [self.scalar.unit(reward, &self.problem)].into_iter());
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

saved!(ContextualZooming: ContextualZoomingConfig => ContextualZoomingState { balls: zoom });
