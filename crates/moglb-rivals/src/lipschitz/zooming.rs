//! The zooming algorithm (Kleinberg, Slivkins, Upfal 2008): confidence balls around the arms that were played cover the others.
//!
//! Phase i = 1, 2, … lasts 2ⁱ rounds and begins from nothing. An arm v that was played n times in the phase has the confidence
//! radius and the index
//!
//! ```text
//! r(v) = √(8i/(1 + n))      I(v) = μ̂(v) + 2 r(v)
//! ```
//!
//! While an arm lies in nobody's ball, D(v, w) > r(w) for all active w, such an arm is activated; then the active arm with the
//! largest index is played. An arm that was just activated has a ball that holds everything and the largest index of all, so
//! it is played at once: the active arms are those that were played in the phase.

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
    departures: "Rewards are mapped to [0, 1]. Which of the arms that nobody's ball holds is activated is drawn uniformly, and \
                 ties of the index are too. With a small scale an arm that was just activated need not have the largest index; \
                 it is played all the same.",
    parameters: struct ZoomingConfig of Zooming {
        target: Target = Target::default() => "0", meaning!(target);
        scale: f64 = 1.0, "factor of the confidence radius √(8i/(1 + n))";
        lipschitz: Option<f64> = None => "the problem's", meaning!(lipschitz);
    }
}

/// The zooming algorithm on one objective or a weighted sum. It has no front.
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
    /// Of the present phase.
    pub(crate) phase: ArmSums,
}

fits!(ZoomingState, |state, problem| Some(state.phase.n_arms()) == problem.n_arms);

impl Zooming {
    /// The policy before the first round.
    ///
    /// # Errors
    ///
    /// What is wrong with the target, [`Error::ParameterBounds`], [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: ZoomingConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        Parameter::check("scale", config.scale, 0.0..=1e100)?;
        let metric = Metric::of_target(&scalar, config.lipschitz)?;
        let sums = ArmSums::new(&problem, INFO.id)?;
        Ok(Self { problem, config, scalar, metric, sums })
    }

    /// Refuses plays that the rounds of the phase cannot have left.
    fn check(&self, state: &ZoomingState) -> Result<(), Error> {
        state.phase.check_like(&self.sums, |rounds| rounds + 2 - (1 << Self::phase(rounds)))
    }

    /// i: after 2 + 4 + … + 2^(i−1) = 2ⁱ − 2 rounds.
    fn phase(rounds: u64) -> u32 {
        (rounds + 2).ilog2()
    }

    /// r(v) of an arm that was played.
    fn radius(&self, arm: usize) -> f64 {
        let phase = f64::from(Self::phase(self.sums.rounds()));
        self.config.scale * (8.0 * phase / (1.0 + self.sums.count(arm) as f64)).sqrt()
    }

    /// The arms that lie in nobody's ball.
    fn find_uncovered(&self, arms: &ArmSet, uncovered: &mut Vec<ArmId>) {
        uncovered.clear();
        let (active, idle): (Vec<usize>, Vec<usize>) =
            (0..arms.n_arms()).partition(|&arm| self.sums.count(arm) > 0);
        let balls: Vec<(usize, f64)> = active.into_iter().map(|arm| (arm, self.radius(arm))).collect();
        if balls.iter().any(|&(_, radius)| radius >= 1.0) {
            return; // D ≤ 1: it holds everything
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
