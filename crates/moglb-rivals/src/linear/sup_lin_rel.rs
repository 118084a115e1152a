//! SupLinRel (Auer 2002): stages of LinRel, each with its own set Ψ of rounds, so that the rewards of a
//! stage are independent.
//!
//! Rewards are in [0, 1]. A decision starts at stage s = 1 with all arms, and uses the widths w of LinRel
//! on Ψ_s:
//!
//! ```text
//! (a) some w > 2⁻ˢ:     play such an arm and add the round to Ψ_s
//! (b) all w ≤ 1/√T:     play the arm with the largest upper bound; no stage learns the round
//! (c) else:             keep the arms with an upper bound within 2·2⁻ˢ of the largest; go to stage s + 1
//! ```
//!
//! From stage s ≥ ½·log₂T on, (c) is impossible: there 2⁻ˢ ≤ 1/√T, so either (a) or (b) holds.

use super::truncated::{Truncated, TruncatedState};
use crate::seen_arms::SeenArms;
use libm::log;
use moglb_core::describe::{meaning, policy};
use moglb_core::saved::{damaged, fits, saved};
use moglb_core::target::Scalar;
use moglb_core::{Arm, ArmSet, Decision, Facts, LearnsBy, Parameter, Policy, Problem, Scale, Target};
use moglb_math::Error;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

policy! {
    id: "sup-lin-rel",
    name: "SupLinRel",
    source: "Auer: Using confidence bounds for exploitation-exploration trade-offs, JMLR 2002",
    setting: "contexts, linear rewards, one fixed arm set, one objective or a weighted sum",
    guarantee: "regret O(√(dT)·log^{3/2}(KT)) with probability 1 − δ where rewards are linear; no front",
    cost: "O(K·d²·log T) to decide and to learn, O(d³) more for a round that is added to a stage",
    departures: "The stage of a round depends on all arms on offer, but learning receives only the played \
                 one: each arm is played once before the algorithm starts (those rounds go to the first \
                 stage), and arms must stay the same. Among the wide arms of a stage one is drawn uniformly. \
                 Reward and width are measured in units of the range of rewards, which are centered by their \
                 mean at θ = 0; ‖v‖ is multiplied by D times the largest slope of the link. δ is divided by \
                 1 + log T for the stages. The reward of an arm that the policy would not have played only \
                 counts as a round. After the horizon the policy continues with the same stages and widths.",
    parameters: struct SupLinRelConfig of SupLinRel {
        target: Target = Target::default() => "0", meaning!(target);
        horizon: u64 = 3000, meaning!(horizon);
        delta: f64 = 0.05, "the chance that the confidence set may fail";
        scale: f64 = 1.0, "factor of the width";
    }
}

/// SupLinRel on one objective or a weighted sum. It has no front.
///
/// Example: [`Oful`](crate::Oful).
#[derive(Debug, Clone)]
pub struct SupLinRel {
    problem: Problem,
    config: SupLinRelConfig,
    scalar: Scalar,
    /// The factor of ‖a‖, √log(2TK(1 + log T)/δ).
    confidence: f64,
    rounds: u64,
    arms: SeenArms,
    /// The sums over Ψ_1, Ψ_2, …
    stages: Vec<Truncated>,
    /// The next play, computed from the stages and the arms. None until all arms were played.
    plan: Option<Plan>,
}

/// The learned state of SupLinRel. Its size does not depend on t.
///
/// Example: [`Saved`](moglb_core::Saved).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupLinRelState {
    /// The number of rewards learned.
    pub rounds: u64,
    /// The contexts of the arms that were played.
    pub arms: SeenArms,
    /// Σzzᵀ and Σyz of each stage.
    pub stages: Vec<TruncatedState>,
}

fits!(SupLinRelState, |state, problem| {
    state.arms.fits(problem.n_arms, problem.dim) && state.stages.iter().all(|stage| stage.fits(problem.dim))
});

/// The arms to draw the next play from, and the stage that learns it.
#[derive(Debug, Clone)]
struct Plan {
    /// The stage that the round is added to, from 0. None in case (b).
    stage: Option<usize>,
    /// The arms to draw from.
    from: Vec<usize>,
}

/// An arm that no stage has eliminated yet.
struct Contender {
    arm: usize,
    /// The estimate plus the width.
    upper: f64,
    width: f64,
}

impl SupLinRel {
    /// Creates the policy before the first round.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownObjective`] or [`Error::Weights`] for the target, [`Error::ParameterBounds`],
    /// [`Error::ArmCountNeeded`] or [`Error::TooLarge`].
    pub fn new(problem: Problem, config: SupLinRelConfig) -> Result<Self, Error> {
        let scalar = config.target.resolve(&problem)?;
        super::check(1.0, config.delta, config.scale)?;
        Parameter::check_horizon(config.horizon)?;
        let arms = SeenArms::new(&problem, INFO.id)?;
        let stages = n_stages(config.horizon);
        moglb_math::memory::check_memory(
            problem.dim().saturating_mul(stages),
            problem.dim().saturating_mul(3),
        )?;
        let largest = scalar.largest(&problem) / (2.0 * scalar.noise());
        let stages = vec![Truncated::new(problem.dim(), largest); stages];
        let confidence = confidence(&config, problem.n_arms().unwrap_or(1));
        Ok(Self { problem, config, scalar, confidence, rounds: 0, arms, stages, plan: None })
    }

    /// Returns the length of the range of rewards, the unit of all rewards and widths of the stages.
    fn unit(&self) -> f64 {
        2.0 * self.scalar.noise()
    }

    /// Returns the estimate and the width of an arm in a stage.
    fn predict(&self, stage: usize, z: &[f64]) -> (f64, f64) {
        let got = self.stages[stage].predict(z);
        let bound = self.scalar.norm_bound() / self.unit();
        (got.estimate, self.config.scale * (self.confidence * got.weights + bound * got.unknown))
    }

    /// Refuses arms or stages with more rounds than the state.
    fn check(&self, state: &SupLinRelState) -> Result<(), Error> {
        state.arms.check_like(&self.problem, state.rounds)?;
        let used = state.stages.iter().try_fold(0u64, |sum, stage| sum.checked_add(stage.rounds));
        if used.is_none_or(|used| used > state.rounds) {
            return Err(damaged(&"the stages have more rounds than the state"));
        }
        Ok(())
    }

    /// Computes the next play again, after the arms or the stages have changed.
    fn renew(&mut self) {
        self.plan = self.arms.all().then(|| self.plan());
    }

    /// Goes through the stages: cases (a) to (c). The contexts of all arms are known.
    fn plan(&self) -> Plan {
        let narrow = 1.0 / (self.config.horizon as f64).sqrt();
        let mut running: Vec<usize> = (0..self.problem.n_arms().unwrap_or(0)).collect();
        for stage in 0..self.stages.len() {
            let contender = |&arm: &usize| {
                let (estimate, width) = self.predict(stage, self.arms.context(arm));
                Contender { arm, upper: estimate + width, width }
            };
            let contenders: Vec<Contender> = running.iter().map(contender).collect();
            let wide = 0.5f64.powi(stage as i32 + 1);
            let arms = |which: &dyn Fn(&&Contender) -> bool| -> Vec<usize> {
                contenders.iter().filter(which).map(|contender| contender.arm).collect()
            };
            let too_wide = arms(&|contender| contender.width > wide);
            if !too_wide.is_empty() {
                return Plan { stage: Some(stage), from: too_wide };
            }
            let best = contenders.iter().map(|contender| contender.upper).fold(f64::NEG_INFINITY, f64::max);
            if contenders.iter().all(|contender| contender.width <= narrow) {
                return Plan { stage: None, from: arms(&|contender| contender.upper == best) };
            }
            running = arms(&|contender| contender.upper >= best - 2.0 * wide);
        }
        Plan { stage: None, from: running }
    }
}

/// Returns √log(2TK(1 + log T)/δ).
fn confidence(config: &SupLinRelConfig, n_arms: usize) -> f64 {
    let (horizon, n_arms) = (config.horizon as f64, n_arms as f64);
    log(2.0 * horizon * n_arms * (1.0 + log(horizon)) / config.delta).sqrt()
}

/// Returns the number of stages: up to the first with 2⁻ˢ ≤ 1/√T, where case (a) or (b) holds.
fn n_stages(horizon: u64) -> usize {
    let reached = |s: &i32| 0.25f64.powi(*s) * horizon as f64 <= 1.0;
    (1..).find(reached).expect("powers of one half vanish") as usize
}

impl Policy for SupLinRel {
    fn decide_into(&self, arms: &ArmSet, rng: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        self.problem.check_arms(arms)?;
        self.arms.check_arms(arms)?;
        decision.given_sample = false;
        let (unit, wanted) = (self.unit(), decision.tables);
        // The reported estimates are those of the first stage, the only one that has all arms.
        decision.tabulate(arms.n_arms(), |_, arm| {
            let (estimate, width) = if wanted { self.predict(0, arms.context(arm)) } else { (0.0, 0.0) };
            (self.scalar.outward(unit * estimate), unit * width)
        });
        let Some(plan) = &self.plan else {
            self.arms.draw_the_unknown(decision, rng);
            return Ok(());
        };
        decision.work.candidates.clear();
        decision.work.candidates.extend(plan.from.iter().copied().map(moglb_pareto::ArmId));
        decision.draw_from_candidates(arms.n_arms(), rng);
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.problem.check_play(arm, reward)?;
        self.arms.check(arm)?;
        let y = self.scalar.centred(reward, &self.problem) / self.unit();
        let stage = match &self.plan {
            Some(plan) => plan.stage.filter(|_| plan.from.contains(&arm.id().0)),
            None => self.arms.note(arm).then_some(0),
        };
        if let Some(stage) = stage {
            self.stages[stage].learn(arm.context(), y);
            self.renew();
        }
        self.rounds += 1;
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts { learns_by: LearnsBy::Both, scale: Scale::Centred, ..Facts::default() }
    }
}

saved!(SupLinRel: SupLinRelConfig => SupLinRelState { rounds, arms, stages }, check then renew);
