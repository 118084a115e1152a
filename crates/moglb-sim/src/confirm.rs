//! Confirmation: whether a policy beats MOGLB-UCB, on seeds that nothing was developed on.
//!
//! A case ([`Case`], all of them in `cases.rs`) is an environment with lines of what must show there. Three contenders play
//! every case on the same instances and with the same luck: the challenger, its rival MOGLB-UCB with c tuned for the case,
//! and a control that cares for a single objective. The control is there because a policy can have little Pareto regret and
//! ignore the front: regret, Jaccard index and exposure entropy are always shown side by side.
//!
//! Trials draw from [`Namespace::Confirm`], which no other door of this crate leads to; c is tuned on
//! [`Namespace::Tune`]. A shortened run ([`QuickLook`]) is development, so it plays reported trials like any other run and
//! leaves the confirmation's seeds unseen.

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

/// Which configurations were tried on the way, and how many: for whoever wants to know how much luck there may be.
pub const TRIED: &str = include_str!("confirm/tried.md");

/// At how many rounds the curves are given: every 50th of 3000, so that all required rounds are among them.
const CURVE_POINTS: u64 = 60;

/// Who plays, in the order of [`Role`]. The one place that names them.
fn contenders() -> Vec<Table> {
    let entry = |id: &str| ("id".to_string(), Value::from(id));
    let challenger = Table::from_iter([entry("moglb-eb")]);
    let control = Table::from_iter([entry("ekf-ucb"), ("objective".into(), Value::from(0))]);
    vec![challenger, paper::policy("moglb-ucb"), control]
}

/// A confirmation that can be run: the cases, each with the plan of its experiment.
#[derive(Debug, Clone)]
pub struct Confirming {
    planned: Vec<(Case, Plan)>,
    namespace: Namespace,
}

/// What a confirmation leaves behind.
#[derive(Debug, Clone)]
pub struct Confirmed {
    /// The verdicts and the curves.
    pub confirmation: Confirmation,
    /// All trials, case by case in the same order; the runs of a case are in the order of [`Role`].
    pub results: Vec<Results>,
}

impl Confirming {
    /// Plans the cases of these ids, all of them if there are none, in the order of the list of cases.
    ///
    /// # Errors
    ///
    /// [`SimError::Entry`] for an id that no case has, [`SimError::Bounds`] for a quick look that is none.
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

    /// The cases, each with what the log of its finished cells begins with.
    ///
    /// # Errors
    ///
    /// As [`Experiment::to_toml`].
    pub fn cases(&self) -> Result<Vec<(&Case, String)>, SimError> {
        self.planned.iter().map(|(case, plan)| Ok((case, plan.experiment().to_toml()?))).collect()
    }

    /// Whether it is a quick look only.
    pub fn is_quick_look(&self) -> bool {
        self.namespace != Namespace::Confirm
    }

    /// Plays all cases on some threads (0: all cores). There is a log for each case, in their order, or none at all.
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

/// The experiment of a case. Its name keeps the logs of quick looks and of confirmations apart.
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

/// One case after the other under one watcher, who was told of all of them.
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
