//! Monitors that check, while a policy runs, the assumptions behind its guarantees.
//!
//! A [`Monitor`] receives the arms on offer, the decisions, the learned rewards with their earlier
//! predictions, and the errors. It changes nothing and draws no random numbers. [`Monitor::health`]
//! returns counts and statistics at any time, and an [`Alarm`] where an assumption does not seem to
//! hold; `docs/alarms.md` has a section for each alarm. A [`Watched`] policy reports all its calls
//! to a monitor.
//!
//! There is one file per monitor: `contexts.rs` (Assumption 2), `projections.rs` (Assumption 1),
//! `rewards.rs` (Assumption 4), `calibration.rs`, `residuals.rs` and `coverage.rs` (Assumption 3
//! and Theorem 1), `fronts.rs` and `exposure.rs` (step 3 of Algorithm 1). The tests are
//! e-processes, on the evidence of `e_process.rs` or of sums: they may be evaluated in any round,
//! and over all t the probability of a false alarm is at most `level`. Memory is constant, and a
//! round costs O(K + m).

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

use calibration::{Calibration, scaled};
use contexts::ContextLengths;
use coverage::Coverage;
use exposure::Exposure;
use fronts::Fronts;
use moglb_core::{Arm, ArmSet, Decision, Model, Objective, Parameter, Policy, Problem};
use moglb_math::Error;
use projections::Projections;
use residuals::Residuals;
use rewards::RefusedRewards;
use serde::{Deserialize, Serialize};

/// The number of rewards per feature after which predictions are tested. With a fixed number of
/// arms it is also half this number per arm, if that is more.
const WARM_UP: u64 = 20;

/// The parameters of a [`Monitor`].
///
/// Example: [`Monitor`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MonitorConfig {
    /// The probability of a false alarm of each test over all t. Tests of objectives have it for
    /// each objective.
    pub level: f64,
    /// The error of predicted means, as a share of the range of rewards, up to which there is no
    /// alarm for miscalibration or drift. It is above zero because an estimate is never the truth.
    pub tolerance: f64,
    /// The number of rewards of an objective that are learned before its predictions are compared
    /// with the tolerance. By default 20 per feature, or 10 per arm if the number of arms is fixed
    /// and that is more.
    pub warm_up: Option<u64>,
}

impl Default for MonitorConfig {
    fn default() -> Self {
        Self { level: 1e-3, tolerance: 0.05, warm_up: None }
    }
}

/// Counts the events that show whether the assumptions of a problem hold.
///
/// ```
/// use moglb::{
///     draw, ArmSet, Link, MoglbUcb, MoglbUcbConfig, Monitor, MonitorConfig, Objective, Policy,
///     Problem,
/// };
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
    /// Reused memory for predictions and rewards; not part of the counts.
    forecaster: Forecaster,
    whole: Vec<Option<f64>>,
}

/// All counts, as they are saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    contexts: ContextLengths,
    projections: Projections,
    fronts: Fronts,
    exposure: Exposure,
    objectives: Vec<Watch>,
}

/// The counts of one objective.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Watch {
    rewards: RefusedRewards,
    /// The number of rewards that had a prediction.
    judged: u64,
    calibration: Calibration,
    residuals: Residuals,
    coverage: Coverage,
}

impl Monitor {
    /// Returns a monitor before the first event.
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

    /// Returns the problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the parameters.
    pub fn config(&self) -> &MonitorConfig {
        &self.config
    }

    /// Reports the arms on offer: once for fixed arms, in every round for fresh ones.
    pub fn offered(&mut self, arms: &ArmSet) {
        self.state.contexts.offered(arms);
    }

    /// Reports the number of contexts that were shortened before they reached the policy.
    pub fn clipped(&mut self, contexts: u64) {
        self.state.contexts.clipped = self.state.contexts.clipped.saturating_add(contexts);
    }

    /// Reports a decision. Its arm must be the one that is really played: replace it if the
    /// decision was overruled.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownArm`] if the arm has no probability, [`Error::NotProbabilities`] if the
    /// probabilities are not valid. On an error nothing is counted.
    pub fn decided(&mut self, decision: &Decision) -> Result<(), Error> {
        let (arm, n_arms) = (decision.arm.0, decision.probabilities.len());
        if arm >= n_arms {
            return Err(Error::UnknownArm { arm, n_arms });
        }
        let sum: f64 = decision.probabilities.iter().sum();
        // With this sum, a single entry can only be negative or NaN if a custom policy is
        // inconsistent.
        if !((sum - 1.0).abs() < 1e-6 && decision.probabilities.iter().all(|p| *p >= 0.0)) {
            return Err(Error::NotProbabilities { sum });
        }
        self.state.fronts.decided(decision);
        self.state.exposure.decided(decision);
        Ok(())
    }

    /// Reports a learned reward, or the parts of it that were observed. `predictions` has one
    /// prediction per objective, made before the reward was learned, or is empty. `projection_hits`
    /// is the policy's count after the reward ([`Model::projection_hits`]).
    ///
    /// # Errors
    ///
    /// [`Error::RewardLength`], [`Error::Reward`] or [`Error::Entries`]. On an error nothing is
    /// counted.
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

    /// Returns the number of rewards after which predictions are compared with the tolerance.
    fn warm_up(&self) -> u64 {
        let features = WARM_UP.saturating_mul(self.problem.dim() as u64);
        let arms = (WARM_UP / 2).saturating_mul(self.problem.n_arms().unwrap_or(0) as u64);
        self.config.warm_up.unwrap_or(features.max(arms))
    }

    /// Lets a policy learn the reward vector of a played arm, and counts it together with what the
    /// policy predicted before.
    ///
    /// # Errors
    ///
    /// The errors of [`Policy::learn`], and an error if arm or reward do not fit the monitor's own
    /// problem. On an error the policy does not change, and the error is counted.
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

    /// Lets a policy learn the observed parts of a reward vector, as [`Monitor::learn`] does for
    /// whole ones.
    ///
    /// # Errors
    ///
    /// The errors of [`Policy::learn_part`] and of [`Monitor::learn`].
    pub fn learn_part<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        arm: Arm<'_>,
        reward: &[Option<f64>],
    ) -> Result<(), Error> {
        self.watch(policy, arm, reward, |policy| policy.learn_part(arm, reward))
    }

    /// Predicts, checks, learns and counts, for both kinds of reward.
    fn watch<P: Policy + ?Sized>(
        &mut self,
        policy: &mut P,
        arm: Arm<'_>,
        reward: &[Option<f64>],
        learn: impl FnOnce(&mut P) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut forecaster = std::mem::take(&mut self.forecaster);
        let predictions = forecaster.predict(&*policy, &self.problem, arm);
        // The monitor's own problem is checked first: if it differs from that of the policy, the
        // policy must not learn a reward that cannot be counted.
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

    /// Reports an error. Overlong contexts and rewards out of range are counted; other errors have
    /// nothing to do with the assumptions.
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
    /// Counts a reward. Tests with a tolerance begin after the warm-up; the coverage test begins at
    /// once.
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
