//! Runs experiments: all cells on all cores, with the same results for any number of threads.

use crate::cell::{Cell, CellKey};
use crate::cells::CellLog;
use crate::plan::{Plan, PlannedRun};
use crate::play::{at_horizon, checkpoints};
use crate::stats::mean_ci95;
use crate::{EnvironmentConfig, Experiment, Namespace, SimError, Trace, Tuning, json};
use moglb::PolicyConfig;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// All trials of an experiment.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone)]
pub struct Results {
    /// The experiment.
    pub experiment: Experiment,
    /// The rounds at which the curves are given.
    pub checkpoints: Vec<u64>,
    /// The runs, in the order of the plan.
    pub runs: Vec<FinishedRun>,
    /// Runs of policies from outside of the library. Their caller plays them and adds them here.
    pub foreign: Vec<ForeignRun>,
}

/// All trials of a policy from outside of the library on one environment.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone)]
pub struct ForeignRun {
    /// The environment.
    pub environment: EnvironmentConfig,
    /// The policy's id.
    pub policy: String,
    /// The policy's parameters.
    pub params: BTreeMap<String, serde_json::Value>,
    /// One trace per trial, at the checkpoints of the results.
    pub traces: Vec<Trace>,
}

/// All trials of one policy on one environment.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone)]
pub struct FinishedRun {
    /// The planned run.
    pub planned: PlannedRun,
    /// The policy that was run, with every default filled in.
    pub policy: PolicyConfig,
    /// The tuning of its parameter, if one was tuned.
    pub tuning: Option<Tuning>,
    /// One trace per trial.
    pub traces: Vec<Trace>,
}

impl FinishedRun {
    /// The policy's parameters, without its id, and how it was played.
    pub(crate) fn params(&self) -> BTreeMap<String, serde_json::Value> {
        let mut params = json::params(&self.policy);
        params.extend(self.planned.play.as_ref().map(|play| ("play".into(), json::value(play))));
        params
    }
}

/// An observer of the progress of a run, which may end it.
///
/// ```
/// use moglb_sim::{Plan, SimError, Watcher, run};
///
/// struct Stopped;
/// impl Watcher for Stopped {
///     fn planned(&self, _rounds: u64, _found: u64) {}
///     fn played(&self, _rounds: u64) -> bool {
///         false
///     }
/// }
///
/// let text = "environments = [{ id = 'paper', dim = 3 }]\npolicies = [{ id = 'random' }]";
/// let stopped = run(&Plan::from_toml(text)?, 1, None, &Stopped);
/// assert!(matches!(stopped, Err(SimError::Interrupted { done: 0, .. })));
/// # Ok::<(), SimError>(())
/// ```
pub trait Watcher: Sync {
    /// Receives the number of rounds of the whole run and the number of them that were found in the log.
    fn planned(&self, rounds: u64, found: u64);
    /// Receives the number of rounds played since the last call. A return of false ends the run as soon as
    /// possible.
    fn played(&self, rounds: u64) -> bool;
}

/// A watcher that ignores the progress and never ends a run.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn planned(&self, _: u64, _: u64) {}
    fn played(&self, _: u64) -> bool {
        true
    }
}

/// The largest number of threads. More threads than any machine can use take longer to start than to work.
const MOST_THREADS: usize = 1024;

/// Runs an experiment on `threads` threads (0: all cores). Cells that are in the log are not played again.
///
/// ```
/// use moglb_sim::{Plan, Unwatched, run};
///
/// let plan = Plan::from_toml(r#"
///     horizon = 50
///     trials = 2
///     environments = [{ id = "paper", dim = 3 }]
///     policies = [{ id = "moglb-ucb" }, { id = "random" }]
/// "#)?;
/// let summary = run(&plan, 0, None, &Unwatched)?.summary();
/// assert_eq!(summary.runs[1].policy, "random");
/// assert_eq!(summary.rankings()[0].places.len(), 2);
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
///
/// # Errors
///
/// [`SimError::Interrupted`], an error of a policy while it is played, or a log that cannot be written.
pub fn run(
    plan: &Plan,
    threads: usize,
    log: Option<&CellLog>,
    watcher: &dyn Watcher,
) -> Result<Results, SimError> {
    let pool = pool(threads)?;
    let runner = Runner::new(plan, Namespace::Report, log, watcher);
    pool.install(|| runner.run())
}

/// A pool of this many threads (0: one per core).
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, SimError> {
    if threads > MOST_THREADS {
        let (least, most, got) = (0, MOST_THREADS as u64, threads as u64);
        return Err(SimError::Bounds { name: "threads", least, most, got });
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| SimError::Threads { threads, reason: error.to_string() })
}

/// Returns the cells that can be played now and are not in the log. These are first all cells except those
/// that wait for the tuning of a parameter, and then, once the tuning trials are in the log, the others. If
/// nothing is left to play the list is empty, and [`run`] with the same log only combines the results. A
/// caller can play the cells elsewhere, on any number of machines.
///
/// ```
/// use moglb_sim::{CellLog, Plan, Unwatched, pending, play_cell};
///
/// let plan = Plan::from_toml(r#"
///     horizon = 50
///     trials = 2
///     environments = [{ id = "paper", dim = 3 }]
///     policies = [{ id = "moglb-ucb" }]
/// "#)?;
/// let folder = tempfile::tempdir().unwrap();
/// let mut log = CellLog::create(&folder.path().join("cells"), &plan.key()?)?;
/// for key in pending(&plan, &log) {
///     log.append(key, &play_cell(&plan.cell(key)?, &Unwatched)?)?;
/// }
/// log.reload()?;
/// assert!(pending(&plan, &log).is_empty());
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
pub fn pending(plan: &Plan, log: &CellLog) -> Vec<CellKey> {
    let runner = Runner::new(plan, Namespace::Report, Some(log), &Unwatched);
    let tuning = runner.tuning_cells();
    let mut cells = tuning.clone();
    cells.extend(runner.settled().into_iter().flat_map(|run| runner.report_cells(run, 0)));
    let missing = |cells: Vec<CellKey>| -> Vec<CellKey> {
        cells.into_iter().filter(|&cell| runner.found(cell).is_none()).collect()
    };
    let first = missing(cells);
    if !first.is_empty() {
        return first;
    }
    // All tuning cells are in the log here.
    let traces: Vec<Trace> = tuning.iter().filter_map(|&cell| runner.found(cell).cloned()).collect();
    let tuned = (0..runner.plan.runs().len()).filter_map(|run| {
        runner.choose(run, &tuning, &traces).map(|choice| runner.report_cells(run, choice.candidate))
    });
    missing(tuned.flatten().collect())
}

/// Plays one cell of an experiment, see [`pending`].
///
/// # Errors
///
/// [`SimError`] if its instance cannot be drawn, an error of the policy while it is played, or
/// [`SimError::Interrupted`].
pub fn play_cell(cell: &Cell, watcher: &dyn Watcher) -> Result<Trace, SimError> {
    if !watcher.played(0) {
        return Err(SimError::Interrupted { done: 0, total: 0 });
    }
    cell.trace(&|rounds| watcher.played(rounds))
}

/// The candidate that tuning has chosen for a run.
struct Choice {
    candidate: usize,
    tuning: Tuning,
}

/// An experiment that is being run.
pub(crate) struct Runner<'a> {
    plan: &'a Plan,
    /// The namespace of the reported trials.
    reported: Namespace,
    checkpoints: Vec<u64>,
    log: Option<&'a CellLog>,
    watcher: &'a dyn Watcher,
    /// The number of cells that this run has played.
    done: AtomicUsize,
    /// True if a cell has failed: the other cells then stop early.
    failed: AtomicBool,
}

impl<'a> Runner<'a> {
    /// A runner of a plan, whose reported trials are in the namespace `reported`.
    pub(crate) fn new(
        plan: &'a Plan,
        reported: Namespace,
        log: Option<&'a CellLog>,
        watcher: &'a dyn Watcher,
    ) -> Self {
        let Experiment { horizon, points, .. } = *plan.experiment();
        Self {
            plan,
            reported,
            checkpoints: checkpoints(horizon, points),
            log,
            watcher,
            done: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
        }
    }

    /// The runs without a tuned parameter.
    fn settled(&self) -> Vec<usize> {
        (0..self.plan.runs().len()).filter(|&run| self.plan.runs()[run].tuning.is_none()).collect()
    }

    /// The trace of a cell in the log, if it has all checkpoints.
    fn found(&self, cell: CellKey) -> Option<&'a Trace> {
        let whole = |trace: &&Trace| trace.pareto_regret.len() == self.checkpoints.len();
        self.log.and_then(|log| log.get(cell)).filter(whole)
    }

    /// The number of cells, and the number of them that are in the log.
    pub(crate) fn size(&self) -> (usize, usize) {
        let reported = self.plan.runs().len() * self.plan.experiment().trials;
        (self.tuning_cells().len() + reported, self.log.map_or(0, |log| log.len_of(self.plan.runs().len())))
    }

    /// Plays all cells: first the tuning trials together with the runs that have nothing to tune, then the
    /// reported trials of the tuned runs.
    pub(crate) fn run(self) -> Result<Results, SimError> {
        let runs = 0..self.plan.runs().len();
        let tuning = self.tuning_cells();
        let (total, found) = self.size();
        // For the progress, all cells of an experiment count as long as the longest.
        let longest = self.plan.runs().iter().map(|run| run.environment.practice()).max().unwrap_or(0);
        let rounds = |cells: usize| {
            (cells as u64).saturating_mul(self.plan.experiment().horizon.saturating_add(longest))
        };
        self.watcher.planned(rounds(total), rounds(found));
        // Runs with nothing to tune need not wait for the tuning: they are played together with the tuning
        // trials.
        let settled = self.settled();
        let tuned: Vec<usize> = runs.clone().filter(|&run| self.plan.runs()[run].tuning.is_some()).collect();
        let mut cells = tuning.clone();
        cells.extend(settled.iter().flat_map(|&run| self.report_cells(run, 0)));
        let mut traces = self.play_cells(&cells, total)?;
        let reported = traces.split_off(tuning.len());
        let choices: Vec<Option<Choice>> = runs.map(|run| self.choose(run, &tuning, &traces)).collect();
        let chosen = |choice: Option<&Choice>| choice.map_or(0, |choice| choice.candidate);
        let cells: Vec<CellKey> =
            tuned.iter().flat_map(|&run| self.report_cells(run, chosen(choices[run].as_ref()))).collect();
        let (mut after_tuning, mut at_once) =
            (self.play_cells(&cells, total)?.into_iter(), reported.into_iter());
        let mut runs = Vec::new();
        for (planned, choice) in self.plan.runs().iter().zip(choices) {
            let candidate = &planned.candidates[chosen(choice.as_ref())];
            let policy = candidate.build(&planned.environment.problem()?)?.snapshot().policy;
            let tuning = choice.map(|choice| choice.tuning);
            let traces = if tuning.is_some() { &mut after_tuning } else { &mut at_once };
            let traces = traces.take(self.plan.experiment().trials).collect();
            runs.push(FinishedRun { planned: planned.clone(), policy, tuning, traces });
        }
        let (experiment, checkpoints) = (self.plan.experiment().clone(), self.checkpoints);
        Ok(Results { experiment, checkpoints, runs, foreign: Vec::new() })
    }

    /// The cells of the reported trials of a run.
    fn report_cells(&self, run: usize, candidate: usize) -> impl Iterator<Item = CellKey> + use<> {
        let reported = self.reported;
        (0..self.plan.experiment().trials).map(move |trial| (reported, run, candidate, trial))
    }

    /// The tuning cells: every value of every grid on every tuning trial.
    fn tuning_cells(&self) -> Vec<CellKey> {
        let mut cells = Vec::new();
        for (run, planned) in
            self.plan.runs().iter().enumerate().filter(|(_, planned)| planned.tuning.is_some())
        {
            for candidate in 0..planned.candidates.len() {
                cells.extend(
                    (0..self.plan.experiment().tuning_trials)
                        .map(|trial| (Namespace::Tune, run, candidate, trial)),
                );
            }
        }
        cells
    }

    /// Chooses the value of the grid with the smallest mean Pareto regret; of equal values the first.
    fn choose(&self, run: usize, cells: &[CellKey], traces: &[Trace]) -> Option<Choice> {
        let (parameter, grid) = self.plan.runs()[run].tuning.clone()?;
        let of = |candidate: usize| {
            // The cells of a candidate are contiguous.
            let first = cells.partition_point(|cell| (cell.1, cell.2) < (run, candidate));
            traces[first..first + self.plan.experiment().tuning_trials].iter()
        };
        let regret = |candidate: usize| {
            mean_ci95(&of(candidate).map(|trace| *at_horizon(&trace.pareto_regret)).collect::<Vec<f64>>()).0
        };
        let jaccard = |candidate: usize| {
            let values =
                of(candidate).map(|trace| trace.fronts.as_ref().map(|front| *at_horizon(&front.jaccard)));
            values.collect::<Option<Vec<f64>>>().map(|values| mean_ci95(&values).0)
        };
        let regrets: Vec<f64> = (0..grid.len()).map(regret).collect();
        let best = (0..grid.len()).reduce(|best, k| if regrets[k] < regrets[best] { k } else { best })?;
        let tuning = Tuning {
            parameter,
            chosen: grid[best],
            jaccard: (0..grid.len()).map(jaccard).collect(),
            grid,
            pareto_regret: regrets,
            trials: self.plan.experiment().tuning_trials,
            seeds: "disjoint".into(),
        };
        Some(Choice { candidate: best, tuning })
    }

    /// Plays cells on all threads. The traces are in the order of the cells.
    ///
    /// All threads take cells from one queue, those of large environments first. The last cells are then
    /// short, so all threads end at about the same time.
    fn play_cells(&self, cells: &[CellKey], total: usize) -> Result<Vec<Trace>, SimError> {
        let size = |&k: &usize| {
            let environment = &self.plan.runs()[cells[k].1].environment;
            Reverse(environment.n_arms().saturating_mul(environment.dim()))
        };
        let mut line: Vec<usize> = (0..cells.len()).collect();
        line.sort_by_key(size);
        let next = AtomicUsize::new(0);
        let played: Vec<Result<Vec<(usize, Trace)>, SimError>> = rayon::broadcast(|_| {
            let mut traces = Vec::new();
            while let Some(&k) = line.get(next.fetch_add(1, Ordering::Relaxed)) {
                let trace = self.play_cell(cells[k]).inspect_err(|_| {
                    // On an error all workers stop: the queue is empty, and the cells that are being played
                    // end.
                    next.store(line.len(), Ordering::Relaxed);
                    self.failed.store(true, Ordering::Relaxed);
                })?;
                traces.push((k, trace));
            }
            Ok(traces)
        });
        let mut traces = self.all_of(played, total)?;
        traces.sort_unstable_by_key(|(k, _)| *k);
        Ok(traces.into_iter().map(|(_, trace)| trace).collect())
    }

    /// The results of all threads, or the first error. If a cell has failed, the others were only
    /// interrupted by it.
    fn all_of<T>(&self, played: Vec<Result<Vec<T>, SimError>>, total: usize) -> Result<Vec<T>, SimError> {
        let (mut all, mut interrupted) = (Vec::new(), false);
        for one in played {
            match one {
                Ok(own) => all.extend(own),
                Err(SimError::Interrupted { .. }) => interrupted = true,
                Err(error) => return Err(error),
            }
        }
        if interrupted {
            let done = self.size().1 + self.done.load(Ordering::Relaxed);
            return Err(SimError::Interrupted { done, total });
        }
        Ok(all)
    }

    /// Takes a cell from the log, or plays it and appends it to the log.
    fn play_cell(&self, cell: CellKey) -> Result<Trace, SimError> {
        if let Some(trace) = self.found(cell) {
            return Ok(trace.clone());
        }
        if !self.watcher.played(0) {
            return Err(SimError::Interrupted { done: 0, total: 0 });
        }
        let (namespace, run, candidate, trial) = cell;
        let goes_on = |rounds| self.watcher.played(rounds) && !self.failed.load(Ordering::Relaxed);
        let playable = self.plan.runs()[run].cell(self.plan.experiment(), namespace, candidate, trial);
        let trace = playable.trace(&goes_on)?;
        if let Some(log) = self.log {
            log.append(cell, &trace)?;
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        Ok(trace)
    }
}
