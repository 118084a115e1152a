//! Confirmation that a policy beats MOGLB-UCB, on seeds on which nothing was developed.
//!
//! A case ([`Case`], all of them in `cases.rs`) is an environment with the requirements that must hold
//! there. Three contenders play every case on the same instances with the same luck: the challenger, its
//! rival MOGLB-UCB with c tuned for the case, and a control that optimizes a single objective. The control
//! is needed because a policy can have little Pareto regret and ignore the front: regret, Jaccard index and
//! exposure entropy are always shown together.
//!
//! Trials draw from [`Namespace::Confirm`], which no other part of this crate can use. c is tuned on
//! [`Namespace::Tune`]. A shortened run ([`QuickLook`]) is development: it plays reported trials like any
//! other run, so the seeds of the confirmation stay unseen.

mod cases;
mod outcome;
mod paired;

pub use cases::{Case, Demand, Metric, QuickLook, Required};
pub use outcome::{CONFIRM_FORMAT, CaseOutcome, Confirmation, Contender, LineOutcome, Role};
pub use paired::{Ratio, Settled};

use crate::runner::{Runner, pool};
use crate::{CellLog, Experiment, Namespace, Plan, Results, SimError, Watcher, paper};
use moglb::Echo;
use toml::{Table, Value};

/// The configurations that were tried during development and their number, in Markdown. A reader needs them
/// to judge how much of the result may be luck.
pub const TRIED: &str = include_str!("confirm/tried.md");

/// The number of rounds at which curves are given: every 50th of 3000, so that all required rounds are
/// among them.
const CURVE_POINTS: u64 = 60;

/// The policies of the three contenders, in the order of [`Role`]. No other place names them.
fn contenders() -> Vec<Table> {
    let entry = |id: &str| ("id".to_string(), Value::from(id));
    let challenger = Table::from_iter([entry("moglb-eb")]);
    let control = Table::from_iter([entry("ekf-ucb"), ("objective".into(), Value::from(0))]);
    vec![challenger, paper::policy("moglb-ucb"), control]
}

/// A confirmation that can be run: the cases, each with the plan of its experiment.
///
/// ```
/// use moglb_sim::{Confirming, QuickLook, Unwatched};
///
/// let quick = QuickLook { horizon: Some(60), trials: Some(2) };
/// let confirming = Confirming::new(&["paper-5".into()], quick)?;
/// let confirmation = confirming.run(0, &[], &Unwatched)?.confirmation;
/// assert!(confirmation.quick_look, "a shortened run confirms nothing");
/// assert_eq!(confirmation.cases[0].contenders.len(), 3);
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Confirming {
    planned: Vec<(Case, Plan)>,
    namespace: Namespace,
}

/// The outcome of a confirmation.
///
/// Example: [`Confirming`].
#[derive(Debug, Clone)]
pub struct Confirmed {
    /// The verdicts and the curves.
    pub confirmation: Confirmation,
    /// All trials, case by case in the same order; the runs of a case are in the order of [`Role`].
    pub results: Vec<Results>,
}

impl Confirming {
    /// Plans the cases with these ids, or all cases if `ids` is empty, in the order of the list of cases.
    ///
    /// # Errors
    ///
    /// [`SimError::Entry`] for an id that no case has; [`SimError::Bounds`] for a quick look without rounds
    /// or trials.
    pub fn new(ids: &[String], quick: QuickLook) -> Result<Self, SimError> {
        let mut cases = cases::cases();
        if let Some(id) = ids.iter().find(|id| cases.iter().all(|case| case.id != **id)) {
            let known: Vec<&str> = cases.iter().map(|case| case.id).collect();
            let reason = format!("there is no such case, only {}", known.join(", "));
            return Err(SimError::Entry { entry: format!("case `{}`", Echo(id)), reason });
        }
        cases.retain(|case| ids.is_empty() || ids.iter().any(|id| id == case.id));
        let namespace = if quick.is_asked_for() { Namespace::Report } else { Namespace::Confirm };
        let mut planned = Vec::new();
        for case in cases {
            let case = case.shortened(quick);
            let plan = experiment(&case, namespace).plan()?;
            planned.push((case, plan));
        }
        Ok(Self { planned, namespace })
    }

    /// The cases, each with the text that identifies its experiment at the head of its log of finished
    /// cells.
    ///
    /// # Errors
    ///
    /// As [`Experiment::to_toml`].
    pub fn cases(&self) -> Result<Vec<(&Case, String)>, SimError> {
        self.planned.iter().map(|(case, plan)| Ok((case, plan.experiment().to_toml()?))).collect()
    }

    /// Returns true if this is only a quick look, so that no seed of the confirmation is used.
    pub fn is_quick_look(&self) -> bool {
        self.namespace != Namespace::Confirm
    }

    /// Plays all cases on `threads` threads (0: all cores). `logs` has one log per case, in the same order,
    /// or is empty.
    ///
    /// # Errors
    ///
    /// [`SimError::Interrupted`], or a log that cannot be written.
    pub fn run(
        &self,
        threads: usize,
        logs: &[CellLog],
        watcher: &dyn Watcher,
    ) -> Result<Confirmed, SimError> {
        let pool = pool(threads)?;
        let part = Part { whole: watcher };
        let mut runners = Vec::new();
        for (k, (_, plan)) in self.planned.iter().enumerate() {
            runners.push(Runner::new(plan, self.namespace, logs.get(k), &part));
        }
        let sizes: Vec<(usize, usize)> = runners.iter().map(Runner::size).collect();
        let rounds = |cells: fn(&(usize, usize)) -> usize| {
            sizes.iter().zip(&self.planned).map(|(size, (case, _))| cells(size) as u64 * case.horizon).sum()
        };
        watcher.planned(rounds(|size| size.0), rounds(|size| size.1));
        let mut results: Vec<Results> = Vec::new();
        for runner in runners {
            let before: usize = sizes[..results.len()].iter().map(|size| size.0).sum();
            let played = pool.install(|| runner.run()).map_err(|error| match error {
                SimError::Interrupted { done, .. } => {
                    let total = sizes.iter().map(|size| size.0).sum();
                    SimError::Interrupted { done: before + done, total }
                }
                other => other,
            });
            results.push(played?);
        }
        Ok(Confirmed { confirmation: self.judge(&results), results })
    }

    /// Compares the results of all cases with the requirements.
    fn judge(&self, results: &[Results]) -> Confirmation {
        let cases = self.planned.iter().zip(results);
        Confirmation {
            format: CONFIRM_FORMAT.into(),
            moglb_version: env!("CARGO_PKG_VERSION").into(),
            quick_look: self.is_quick_look(),
            cases: cases.map(|((case, _), results)| outcome::judge(case, results)).collect(),
        }
    }
}

/// The experiment of a case. Its name differs between quick looks and confirmations, so that their logs do
/// not mix.
fn experiment(case: &Case, namespace: Namespace) -> Experiment {
    let what = if namespace == Namespace::Confirm { "confirm" } else { "quick look" };
    Experiment {
        name: format!("{what}: {}", case.id),
        seed: case.seed,
        horizon: case.horizon,
        trials: case.trials,
        tuning_trials: case.tuning_trials,
        points: CURVE_POINTS,
        applicable_only: false,
        monitor: false,
        environments: vec![Table::try_from(&case.environment).expect("a configuration is a table")],
        policies: contenders(),
    }
}

/// Passes the progress of one case to the watcher of the whole confirmation. That watcher has already
/// received the total of all cases, so the plan of a single case is not passed on.
struct Part<'a> {
    whole: &'a dyn Watcher,
}

impl Watcher for Part<'_> {
    fn planned(&self, _: u64, _: u64) {}

    fn played(&self, rounds: u64) -> bool {
        self.whole.played(rounds)
    }
}

#[cfg(test)]
mod tests;
