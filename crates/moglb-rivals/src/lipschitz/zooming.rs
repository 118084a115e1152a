//! The zooming algorithm (Kleinberg, Slivkins, Upfal 2008): confidence balls around the played arms cover the
//! other arms.
//!
//! Phase i = 1, 2, … lasts 2ⁱ rounds and starts without data. An arm v that was played n times in the phase
//! has the confidence radius and the index
//!
//! ```text
//! r(v) = √(8i/(1 + n))      I(v) = μ̂(v) + 2 r(v)
//! ```
//!
//! An arm v is uncovered if it lies in no ball: D(v, w) > r(w) for all active arms w. As long as there are
//! such arms, one of them is activated. Then the active arm with the largest index is played. An arm that was
//! just activated has a ball that holds everything, and the largest index of all, so it is played at once. So
//! the active arms are those that were played in the phase.

use super::arm_sums::ArmSums;
use super::metric::Metric;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Parameter, Policy, Problem, Scale, Target};
use moglb_math::Error;
use moglb_pareto::ArmId;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "zooming",
    name: "Zooming",
    source: "Kleinberg, Slivkins, Upfal: Multi-armed bandits in metric spaces, STOC 2008",
    setting: "one fixed arm set, rewards that are Lipschitz in the context, one objective or a weighted sum",
    guarantee: "regret Õ(T^((1+d_z)/(2+d_z))), where d_z is the zooming dimension; no front",
    cost: "O(K) while a ball holds everything, else O(K·active·d)",
    departures: "Rewards are mapped to [0, 1]. The arm to activate is drawn uniformly from the arms that no \
                 ball holds. Ties of the index are broken uniformly at random. With a small scale an arm \
                 that was just activated may not have the largest index; it is still played.",
    parameters: struct ZoomingConfig of Zooming {
        target: Target = Target::default() => "0", meaning!(target);
        scale: f64 = 1.0, "factor of the confidence radius √(8i/(1 + n))";
        lipschitz: Option<f64> = None => "the problem's", meaning!(lipschitz);
    }
}

/// The zooming algorithm on one objective or a weighted sum. It has no front.
///
/// ```
/// use moglb::{ArmSet, Link, Objective, Policy, Problem, Zooming, ZoomingConfig, draw};
///
/// let problem = Problem::new(1, vec![Objective::new("click", Link::Logit)])?.with_arms(2)?;
/// let mut policy = Zooming::new(problem, ZoomingConfig::default())?;
/// let arms = ArmSet::from_rows(&[[-0.5], [0.5]])?;
/// let decision = policy.decide(&arms, &mut draw::seeded(7))?;
/// policy.learn(arms.arm(decision.arm), &[1.0])?;
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Zooming {
    problem: Problem,
    config: ZoomingConfig,
    scalar: Scalar,
    metric: Metric,
    sums: ArmSums,
}

/// The learned state of [`Zooming`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoomingState {
    /// The counts and sums of the present phase, and the number of all rounds.
    pub(crate) phase: ArmSums,
}

fits!(ZoomingState, |state, problem| Some(state.phase.n_arms()) == problem.n_arms);

impl Zooming {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for an invalid target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: ZoomingConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check("scale", config.scale, 0.0..=1e100)?;
        let metric = Metric::of_target(&scalar, config.lipschitz)?;
        let sums = ArmSums::new(&problem, INFO.id)?;
        Ok(Self { problem, config, scalar, metric, sums })
    }

    /// Refuses plays that cannot result from the rounds of the phase.
    fn check(&self, state: &ZoomingState) -> Result<(), Error> {
        state.phase.check_like(&self.sums, |rounds| rounds + 2 - (1 << Self::phase(rounds)))
    }

    /// Returns the phase i. It begins after 2 + 4 + … + 2^(i−1) = 2ⁱ − 2 rounds.
    fn phase(rounds: u64) -> u32 {
        (rounds + 2).ilog2()
    }

    /// Returns r(v) of an arm.
    fn radius(&self, arm: usize) -> f64 {
        let phase = f64::from(Self::phase(self.sums.rounds()));
        self.config.scale * (8.0 * phase / (1.0 + self.sums.count(arm) as f64)).sqrt()
    }

    /// Writes the arms that lie in no ball into `uncovered`.
    fn find_uncovered(&self, arms: &ArmSet, uncovered: &mut Vec<ArmId>) {
        uncovered.clear();
        let (active, idle): (Vec<usize>, Vec<usize>) =
            (0..arms.n_arms()).partition(|&arm| self.sums.count(arm) > 0);
        let balls: Vec<(usize, f64)> = active.into_iter().map(|arm| (arm, self.radius(arm))).collect();
        if balls.iter().any(|&(_, radius)| radius >= 1.0) {
            return; // as D ≤ 1, such a ball holds everything
        }
        let covers = |&(other, radius): &(usize, f64), arm: usize| {
            self.metric.distance(arms.context(other), arms.context(arm)) <= radius
        };
        let covered = |&arm: &usize| balls.iter().any(|ball| covers(ball, arm));
        uncovered.extend(idle.into_iter().filter(|arm| !covered(arm)).map(ArmId));
    }
}

impl Policy for Zooming {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        decision.given_sample = false;
        decision.front.clear();
        let objective = self.scalar.objective();
        let range = objective.rewards().1 - objective.rewards().0;
        self.sums.report(|mean| objective.from_unit(mean), |arm| 2.0 * self.radius(arm) * range, decision);
        self.find_uncovered(arms, &mut decision.work.candidates);
        if decision.work.candidates.is_empty() {
            let scores = &mut decision.work.scores;
            scores.reshape(arms.n_arms(), 1);
            for arm in 0..arms.n_arms() {
                let index = self.sums.mean(arm) + 2.0 * self.radius(arm);
                scores.row_mut(arm)[0] = if self.sums.count(arm) > 0 { index } else { f64::NEG_INFINITY };
            }
            decision.draw_the_best(rng);
        } else {
            decision.draw_from_candidates(arms.n_arms(), rng);
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        let before = Self::phase(self.sums.rounds());
        self.sums.add(arm, self.scalar.unit(reward, &self.problem));
        if Self::phase(self.sums.rounds()) > before {
            self.sums.restart();
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Arm, scale: Scale::Mean, ..Facts::default() }
    }
}

saved!(Zooming: ZoomingConfig => ZoomingState { phase: sums }, check);
