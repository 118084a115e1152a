//! Monitors of the assumptions: what a policy's promises rest on, counted while it runs.
//!
//! A [`Monitor`] is told what happens: which arms are on offer, what was decided, what was learned and what had been predicted for it,
//! what was refused. It changes nothing and draws nothing. [`Monitor::health`] has counts and statistics at any time, and an [`Alarm`]
//! where an assumption does not seem to hold; `docs/alarms.md` has a section for each. [`Watched`] tells it all of a policy's life.
//!
//! One file per monitor: `contexts.rs` (Assumption 2), `projections.rs` (Assumption 1), `rewards.rs` (Assumption 4), `calibration.rs`,
//! `residuals.rs` and `coverage.rs` (Assumption 3 and Theorem 1), `fronts.rs` and `exposure.rs` (step 3 of Algorithm 1). Tests are
//! e-processes, on the evidence of `e_process.rs` or of sums: they may be looked at in any round, and ring without cause with a chance of
//! `level` at most, over all t. Memory is constant, and a round costs O(K + m).

pub mod alarm;
pub mod blocks;
mod calibration;
pub mod contexts;
mod coverage;
mod e_process;
mod exposure;
pub mod fronts;
mod health;
mod monitored;
pub mod prediction;
pub mod projections;
pub mod residuals;
pub mod rewards;
pub mod snapshot;

pub use alarm::{Alarm, AlarmCode, Severity};
pub use calibration::{CalibrationHealth, Reliability};
pub use contexts::ContextHealth;
pub use coverage::CoverageHealth;
pub use exposure::ExposureHealth;
pub use fronts::FrontHealth;
pub use health::{Health, ObjectiveHealth};
pub use monitored::Watched;
use prediction::Forecaster;
pub use prediction::Prediction;
pub use projections::RadiusHealth;
pub use residuals::DriftHealth;
pub use rewards::RewardHealth;
pub use snapshot::{MONITOR_FORMAT, MonitorSnapshot};

use crate::{Arm, ArmSet, Decision, Model, Objective, Parameter, Policy, Problem};
use calibration::{Calibration, scaled};
use contexts::ContextLengths;
use coverage::Coverage;
use exposure::Exposure;
use fronts::Fronts;
use moglb_math::Error;
use projections::Projections;
use residuals::Residuals;
use rewards::RefusedRewards;
use serde::{Deserialize, Serialize};

/// Predictions are judged after this many rewards for every feature, and half as many for every arm where arms are fixed.
const WARM_UP: u64 = 20;

/// The parameters of a [`Monitor`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MonitorConfig {
    /// The chance of a false alarm of each test, for each objective where it is made for each, over all t.
    pub level: f64,
    /// How far predicted means may be off before that is called miscalibration or drift, as a share of the range of rewards: an
    /// estimate is never the truth.
    pub tolerance: f64,
    /// How many rewards of an objective are learned before predictions are judged by the tolerance. Unless given 20 for each
    /// feature, or 10 for each arm where their number is fixed and that is more.
    pub warm_up: Option<u64>,
}

impl Default for MonitorConfig {
    fn default() -> Self {
        Self { level: 1e-3, tolerance: 0.05, warm_up: None }
    }
}

/// Counts what shows whether the assumptions of a problem hold.
///
/// ```
/// use moglb::{draw, ArmSet, Link, Monitor, MonitorConfig, MoglbUcb, MoglbUcbConfig, Objective, Policy, Problem};
///
/// let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)])?;
/// let policy = MoglbUcb::new(problem.clone(), MoglbUcbConfig::default())?;
/// let mut monitor = Monitor::new(problem, MonitorConfig::default())?;
/// let arms = ArmSet::from_rows(&[[0.6, 0.1], [0.2, 0.7]])?;
/// monitor.offered(&arms);
/// monitor.decided(&policy.decide(&arms, &mut draw::seeded(7))?)?;
/// assert_eq!(ArmSet::from_rows(&[[3.0, 4.0]]).map_err(|error| monitor.refused(&error)), Err(()));
/// let health = monitor.health();
/// assert_eq!((health.contexts.seen, health.contexts.refused), (2, 1));
/// assert_eq!(health.alarms().next().unwrap().code.name(), "contexts-too-long");
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Monitor {
    problem: Problem,
    config: MonitorConfig,
    state: State,
    /// Memory for predictions and rewards, no part of what is counted.
    forecaster: Forecaster,
    whole: Vec<Option<f64>>,
}

/// All that is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    contexts: ContextLengths,
    projections: Projections,
    fronts: Fronts,
    exposure: Exposure,
    objectives: Vec<Watch>,
}

/// All that is counted for an objective.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Watch {
    rewards: RefusedRewards,
    /// The rewards that had a prediction.
    judged: u64,
    calibration: Calibration,
    residuals: Residuals,
    coverage: Coverage,
}

impl Monitor {
    /// Nothing has happened yet.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`].
    pub fn new(problem: Problem, config: MonitorConfig) -> Result<Self, Error> {
        Parameter::check("level", config.level, 1e-50..=1.0)?;
        Parameter::check("tolerance", config.tolerance, 0.0..=0.3)?;
        let state = State {
            contexts: ContextLengths::default(),
            projections: Projections::default(),
            fronts: Fronts::default(),
            exposure: Exposure::default(),
            objectives: vec![Watch::default(); problem.n_objectives()],
        };
        Ok(Self { problem, config, state, forecaster: Forecaster::default(), whole: Vec::new() })
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The parameters.
    pub fn config(&self) -> &MonitorConfig {
        &self.config
    }

    /// These arms are on offer from now on: once for fixed arms, in every round for fresh ones.
    pub fn offered(&mut self, arms: &ArmSet) {
        self.state.contexts.offered(arms);
    }

    /// So many contexts were shortened on their way in.
    pub fn clipped(&mut self, contexts: u64) {
        self.state.contexts.clipped = self.state.contexts.clipped.saturating_add(contexts);
    }

    /// A decision was made. Its arm is the one that is really played: put another there if it was overruled.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownArm`] if there is no probability of the arm, [`Error::NotProbabilities`] if they are none. Nothing is counted
    /// then.
    pub fn decided(&mut self, decision: &Decision) -> Result<(), Error> {
        let (arm, n_arms) = (decision.arm.0, decision.probabilities.len());
        if arm >= n_arms {
            return Err(Error::UnknownArm { arm, n_arms });
        }
        let sum: f64 = decision.probabilities.iter().sum();
        // Not one of them can be negative or NaN then by more than rounding, unless a policy from outside is at odds with itself.
        if !((sum - 1.0).abs() < 1e-6 && decision.probabilities.iter().all(|p| *p >= 0.0)) {
            return Err(Error::NotProbabilities { sum });
        }
        self.state.fronts.decided(decision);
        self.state.exposure.decided(decision);
        Ok(())
    }

    /// A reward was learned, or the parts of it that are known. `predictions` are what had been predicted for it before, one for each
    /// objective or none at all, and `projection_hits` is the policy's count after it
    /// ([`Model::projection_hits`]).
    ///
    /// # Errors
    ///
    /// [`Error::RewardLength`], [`Error::Reward`] or [`Error::Entries`]. Nothing is counted then.
    pub fn learned(
        &mut self,
        reward: &[Option<f64>],
        predictions: &[Prediction],
        projection_hits: u64,
    ) -> Result<(), Error> {
        let m = self.problem.n_objectives();
        if reward.len() != m {
            return Err(Error::RewardLength { expected: m, got: reward.len() });
        }
        if !predictions.is_empty() && predictions.len() != m {
            return Err(Error::Entries { name: "predictions", expected: m, got: predictions.len() });
        }
        let objectives = self.problem.objectives();
        let known = || reward.iter().enumerate().filter_map(|(i, y)| Some((i, (*y)?)));
        known().try_for_each(|(i, y)| objectives[i].check_reward(y))?;
        self.state.projections.learned(projection_hits, m);
        let warm_up = self.warm_up();
        for (i, y) in known() {
            let watch = &mut self.state.objectives[i];
            watch.learned(&objectives[i], y, predictions.get(i), self.config.tolerance, warm_up);
        }
        Ok(())
    }

    fn warm_up(&self) -> u64 {
        let features = WARM_UP.saturating_mul(self.problem.dim() as u64);
        let arms = (WARM_UP / 2).saturating_mul(self.problem.n_arms().unwrap_or(0) as u64);
        self.config.warm_up.unwrap_or(features.max(arms))
    }

    /// Has a policy learn the reward vector of a played arm, and counts it with what the policy predicted before.
    ///
    /// # Errors
    ///
    /// As [`Policy::learn`], and where arm or reward do not fit the monitor's own problem. The policy is then as it was, and the
    /// refusal is counted.
    pub fn learn<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        arm: Arm<'_>,
        reward: &[f64],
    ) -> Result<(), Error> {
        let mut whole = std::mem::take(&mut self.whole);
        whole.clear();
        whole.extend(reward.iter().map(|&y| Some(y)));
        let learned = self.watch(policy, arm, &whole, |policy| policy.learn(arm, reward));
        self.whole = whole;
        learned
    }

    /// The same for the parts of a reward that are known by now.
    ///
    /// # Errors
    ///
    /// As [`Policy::learn_part`], and as [`Monitor::learn`].
    pub fn learn_part<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        arm: Arm<'_>,
        reward: &[Option<f64>],
    ) -> Result<(), Error> {
        self.watch(policy, arm, reward, |policy| policy.learn_part(arm, reward))
    }

    fn watch<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        arm: Arm<'_>,
        reward: &[Option<f64>],
        learn: impl FnOnce(&mut P) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut forecaster = std::mem::take(&mut self.forecaster);
        let predictions = forecaster.predict(&*policy, &self.problem, arm);
        // The monitor's problem first: were it not the policy's own, nothing must be learned that cannot be counted.
        let learned = self.problem.check_part(arm, reward).and_then(|()| learn(policy));
        let counted = match learned {
            Ok(()) => {
                let hits = policy.model().map_or(0, Model::projection_hits);
                self.learned(reward, predictions, hits)
            }
            Err(error) => {
                self.refused(&error);
                Err(error)
            }
        };
        self.forecaster = forecaster;
        counted
    }

    /// Something was refused. Overlong contexts and rewards out of range are counted, the rest says nothing about assumptions.
    pub fn refused(&mut self, error: &Error) {
        match error {
            Error::Norm { .. } => self.state.contexts.refused += 1,
            Error::Reward { objective, .. } => {
                let mut all = self.problem.objectives().iter().zip(&mut self.state.objectives);
                if let Some((_, watch)) = all.find(|(known, _)| known.name == *objective) {
                    watch.rewards.refused += 1;
                }
            }
            _ => {}
        }
    }
}

impl Watch {
    fn learned(
        &mut self,
        objective: &Objective,
        y: f64,
        prediction: Option<&Prediction>,
        tolerance: f64,
        warm_up: u64,
    ) {
        self.rewards.learned(y, objective.rewards());
        let Some([p, y, low, high]) = prediction.and_then(|prediction| scaled(objective, *prediction, y))
        else {
            return;
        };
        self.judged += 1;
        self.coverage.learned(low, y, high);
        if self.judged > warm_up {
            self.calibration.learned(p, y, tolerance);
            self.residuals.learned(p, y, tolerance);
        }
    }
}
