//! Experiments: planning, running, and results as columns. Single cells are exposed too, so that they can be
//! played in other processes or on a cluster.

use crate::errors::{raised, stopped};
use crate::fork::Guarded;
use crate::items::Items;
use crate::json::{value, written};
use moglb_sim::{
    Cell as Playable, CellKey, CellLog, EnvironmentConfig, ForeignRun, Namespace, Plan, SimError, Trace,
    Watcher, checkpoints,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::path::PathBuf;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A checked experiment: policies × environments × parameters, with a number of trials of each.
#[pyclass(frozen, name = "Experiment", module = "moglb._moglb")]
pub(crate) struct PyExperiment {
    plan: Plan,
}

/// A cell as a tuple of Python: true for a tuning trial, then the indices of run, candidate and trial.
type Cell = (bool, usize, usize, usize);

/// The engine's key of a cell.
fn key((tuning, run, candidate, trial): Cell) -> CellKey {
    (if tuning { Namespace::Tune } else { Namespace::Report }, run, candidate, trial)
}

/// The TOML text of an experiment: the text itself, or a dictionary converted to TOML.
pub(crate) fn text_of(config: &Bound<'_, PyAny>) -> PyResult<String> {
    match config.extract::<String>() {
        Ok(text) => Ok(text),
        Err(_) => {
            let table = value("the experiment", config)?;
            toml::to_string(&table).map_err(|error| raised(config.py(), "syntax", &error.to_string()))
        }
    }
}

#[pymethods]
impl PyExperiment {
    /// Plans an experiment from TOML text, or from a dictionary of the same form.
    #[new]
    fn new(config: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, text) = (config.py(), text_of(config)?);
        let read = py.detach(|| Plan::from_toml(&text));
        Ok(Self { plan: read.map_err(|error| stopped(py, &error))? })
    }

    /// The experiment as TOML.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.plan.experiment().to_toml().map_err(|error| stopped(py, &error))
    }

    /// The number of rounds of each cell.
    #[getter]
    fn horizon(&self) -> u64 {
        self.plan.experiment().horizon
    }

    /// The cells that are not in the log and can be played now. Cells that need the result of the tuning
    /// follow when the tuning is in the log.
    fn pending(&self, log: &PyLog) -> PyResult<Vec<Cell>> {
        let cells = Python::attach(|py| {
            py.detach(|| log.with(|log| Ok(moglb_sim::pending(&self.plan, log))))
                .map_err(|error| stopped(py, &error))
        })?;
        Ok(cells
            .into_iter()
            .map(|(kind, run, candidate, trial)| (kind == Namespace::Tune, run, candidate, trial))
            .collect())
    }

    /// Plays one cell and returns its trace as bytes.
    fn play<'py>(&self, py: Python<'py>, cell: Cell) -> PyResult<Bound<'py, PyBytes>> {
        let playable = self.plan.cell(key(cell)).map_err(|error| stopped(py, &error))?;
        played(py, &playable)
    }

    /// A cell as JSON. It contains everything that `play_cell` needs, so another process can play it.
    fn _cell(&self, py: Python<'_>, cell: Cell) -> PyResult<String> {
        Ok(self.plan.cell(key(cell)).map_err(|error| stopped(py, &error))?.to_json())
    }

    /// The experiment as TOML, with its policies replaced by those of a list. This is for experiments with
    /// custom policies, which the engine's own plan does not contain.
    fn _to_toml_with(&self, policies: &Bound<'_, PyAny>) -> PyResult<String> {
        let py = policies.py();
        let wrong = |error: serde_json::Error| raised(py, "syntax", &error.to_string());
        let policies = serde_json::from_value(value("the policies", policies)?).map_err(wrong)?;
        let experiment = moglb_sim::Experiment { policies, ..self.plan.experiment().clone() };
        experiment.to_toml().map_err(|error| stopped(py, &error))
    }

    /// The seed, the number of trials and the number of points of each curve, for runs of custom policies.
    fn _numbers(&self) -> (u64, usize, u64) {
        let e = self.plan.experiment();
        (e.seed, e.trials, e.points)
    }

    /// The number of runs. A run is a policy on an environment.
    fn _n_runs(&self) -> usize {
        self.plan.runs().len()
    }

    /// The environments of all runs as JSON, each once: an entry of the experiment may list several values of
    /// a parameter.
    fn _environments(&self) -> Vec<String> {
        let mut all = Vec::new();
        for run in self.plan.runs() {
            let text = written(&run.environment);
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all
    }

    fn __repr__(&self) -> String {
        let e = self.plan.experiment();
        format!("Experiment('{}', horizon={}, trials={}, seed={})", e.name, e.horizon, e.trials, e.seed)
    }
}

/// Plays a cell of `Experiment._cell` and returns its trace as bytes. The plan is not needed.
#[pyfunction]
pub(crate) fn play_cell<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyBytes>> {
    played(py, &Playable::from_json(text).map_err(|error| stopped(py, &error))?)
}

/// Plays a cell with the GIL released, and returns its trace as bytes, as the log stores it.
fn played<'py>(py: Python<'py>, cell: &Playable) -> PyResult<Bound<'py, PyBytes>> {
    let trace = watched(py, None, |watcher| moglb_sim::play_cell(cell, watcher))?;
    Ok(PyBytes::new(py, &trace.to_bytes()))
}

/// The finished cells of an experiment, in a file. The file is locked until the log is closed.
#[pyclass(frozen, name = "Log", module = "moglb._moglb")]
pub(crate) struct PyLog {
    path: PathBuf,
    /// The open log; none once it is closed.
    log: Guarded<Option<CellLog>>,
}

#[pymethods]
impl PyLog {
    /// Opens the log of an experiment with `resume`, or starts a new one. `head` is the text that identifies
    /// the experiment of the cells; by default the TOML of `experiment`.
    #[new]
    #[pyo3(signature = (path, experiment, resume, head = None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        experiment: &PyExperiment,
        resume: bool,
        head: Option<String>,
    ) -> PyResult<Self> {
        let head = head.map_or_else(|| experiment.to_toml(py), Ok)?;
        let data = experiment.plan.data_key().map_err(|error| stopped(py, &error))?;
        let open = if resume { CellLog::resume } else { CellLog::create };
        let log = open(&path, &(head + &data)).map_err(|error| stopped(py, &error))?;
        Ok(Self { path, log: Guarded::new(Some(log)) })
    }

    /// Appends a played cell with its trace, as bytes.
    fn append(&self, py: Python<'_>, cell: Cell, trace: &[u8]) -> PyResult<()> {
        let appended = Trace::from_bytes(trace)
            .and_then(|trace| py.detach(|| self.with(|log| log.append(key(cell), &trace))));
        appended.map_err(|error| stopped(py, &error))
    }

    /// The trace of a cell that was in the log when it was opened or last reloaded; None for other cells.
    fn get<'py>(&self, py: Python<'py>, cell: Cell) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = py.detach(|| self.with(|log| Ok(log.get(key(cell)).map(Trace::to_bytes))));
        Ok(found.map_err(|error| stopped(py, &error))?.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Reads the file again, so that appended cells count as finished.
    fn reload(&self, py: Python<'_>) -> PyResult<()> {
        let reloaded = py.detach(|| self.open()?.as_mut().ok_or_else(|| self.closed())?.reload());
        reloaded.map_err(|error| stopped(py, &error))
    }

    /// Closes the file, so that other processes can open it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.log.ask(py, |log| *log = None)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.with(|log| Ok(log.len()))).map_err(|error| stopped(py, &error))
    }
}

impl PyLog {
    /// Runs `f` on the open log.
    fn with<R>(&self, f: impl FnOnce(&CellLog) -> Result<R, SimError>) -> Result<R, SimError> {
        f(self.open()?.as_ref().ok_or_else(|| self.closed())?)
    }

    /// The log, locked for this thread.
    fn open(&self) -> Result<MutexGuard<'_, Option<CellLog>>, SimError> {
        Ok(self.log.lock()?)
    }

    /// The error of any use of a closed log.
    fn closed(&self) -> SimError {
        SimError::File { path: self.path.clone(), source: std::io::Error::other("the log is closed") }
    }
}

/// The results of all trials of an experiment.
#[pyclass(frozen, name = "Results", module = "moglb._moglb")]
pub(crate) struct PyResults {
    results: moglb_sim::Results,
}

#[pymethods]
impl PyResults {
    /// The tidy table as a dictionary of columns: one row per run, trial and checkpoint. The front's columns
    /// are NaN for policies without a front.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut texts: [Vec<String>; 5] = Default::default();
        let mut whole: [Vec<i64>; 5] = Default::default();
        let mut real: [Vec<f64>; 5] = Default::default();
        let push = |row: moglb_sim::Row<'_>| {
            let text = [row.experiment, row.environment, row.environment_params, row.policy, row.params];
            texts.iter_mut().zip(text).for_each(|(column, text)| column.push(text.into()));
            let numbers = [row.dim as u64, row.arms as u64, row.objectives as u64, row.trial as u64, row.t];
            whole.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number as i64));
            let front = row.front.unwrap_or([f64::NAN; 4]);
            let numbers = [row.pareto_regret, front[0], front[1], front[2], front[3]];
            real.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
            Ok::<(), std::convert::Infallible>(())
        };
        let Ok(()) = self.results.rows(push);
        let dict = PyDict::new(py);
        let [experiment, environment, environment_params, policy, params] = texts;
        let [dim, arms, objectives, trial, t] = whole;
        let [pareto_regret, jaccard, precision, recall, front_size] = real;
        dict.set_item("experiment", PyList::new(py, experiment)?)?;
        dict.set_item("environment", PyList::new(py, environment)?)?;
        dict.set_item("environment_params", PyList::new(py, environment_params)?)?;
        dict.set_item("dim", PyArray1::from_vec(py, dim))?;
        dict.set_item("arms", PyArray1::from_vec(py, arms))?;
        dict.set_item("objectives", PyArray1::from_vec(py, objectives))?;
        dict.set_item("policy", PyList::new(py, policy)?)?;
        dict.set_item("params", PyList::new(py, params)?)?;
        dict.set_item("trial", PyArray1::from_vec(py, trial))?;
        dict.set_item("t", PyArray1::from_vec(py, t))?;
        dict.set_item("pareto_regret", PyArray1::from_vec(py, pareto_regret))?;
        dict.set_item("jaccard", PyArray1::from_vec(py, jaccard))?;
        dict.set_item("precision", PyArray1::from_vec(py, precision))?;
        dict.set_item("recall", PyArray1::from_vec(py, recall))?;
        dict.set_item("front_size", PyArray1::from_vec(py, front_size))?;
        Ok(dict)
    }

    /// The table of outcomes on real data as a dictionary of columns, as the command writes it to
    /// outcomes.csv. The columns are empty if no environment was real data. `ci95` is NaN where there is no
    /// interval.
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rows = py.detach(|| self.results.summary().outcome_rows());
        let dict = PyDict::new(py);
        let text = |name: &str, of: fn(&moglb_sim::OutcomeRow) -> &str| {
            dict.set_item(name, PyList::new(py, rows.iter().map(of))?)
        };
        text("environment", |row| &row.environment)?;
        text("environment_params", |row| &row.environment_params)?;
        text("kind", |row| row.kind)?;
        text("policy", |row| &row.policy)?;
        text("params", |row| &row.params)?;
        text("quantity", |row| row.quantity)?;
        text("of", |row| &row.of)?;
        dict.set_item("mean", PyArray1::from_vec(py, rows.iter().map(|row| row.mean).collect()))?;
        let ci95 = rows.iter().map(|row| row.ci95.unwrap_or(f64::NAN));
        dict.set_item("ci95", PyArray1::from_vec(py, ci95.collect()))?;
        Ok(dict)
    }

    /// The summary as JSON, as the command writes it.
    fn summary(&self, py: Python<'_>) -> String {
        let summary = py.detach(|| self.results.summary());
        written(&summary)
    }

    /// The experiment as TOML.
    fn to_toml(&self, py: Python<'_>) -> PyResult<String> {
        self.results.experiment.to_toml().map_err(|error| stopped(py, &error))
    }
}

/// A run of a custom policy: its environment as JSON, its id, its parameters as JSON, and the bytes of a
/// trace for each trial.
type Custom = (String, String, String, Items<Vec<u8>>);

/// Joins the results of the library's policies, if there are any, and those of policies written in Python.
#[pyfunction]
pub(crate) fn with_custom(
    py: Python<'_>,
    experiment: &PyExperiment,
    own: Option<&PyResults>,
    custom: Items<Custom>,
) -> PyResult<PyResults> {
    let wrong = |error: serde_json::Error| raised(py, "syntax", &error.to_string());
    let (plan, experiment) = (&experiment.plan, experiment.plan.experiment());
    let nothing = || moglb_sim::Results {
        experiment: experiment.clone(),
        checkpoints: checkpoints(experiment.horizon, experiment.points),
        runs: Vec::new(),
        foreign: Vec::new(),
    };
    let mut results = own.map_or_else(nothing, |own| own.results.clone());
    for (environment, policy, params, traces) in custom.0 {
        let environment: EnvironmentConfig = serde_json::from_str(&environment).map_err(wrong)?;
        // Prefer the plan's own environment, which has read its data already.
        let planned = plan.environments().iter().find(|planned| **planned == environment);
        let environment = planned.unwrap_or(&environment).clone();
        let params = serde_json::from_str(&params).map_err(wrong)?;
        let traces = traces.0.iter().map(|bytes| Trace::from_bytes(bytes)).collect::<Result<_, _>>();
        let traces = traces.map_err(|error| stopped(py, &error))?;
        results.foreign.push(ForeignRun { environment, policy, params, traces });
    }
    Ok(PyResults { results })
}

/// Runs an experiment on a number of threads (0: all cores). `progress` is called now and then with three
/// numbers of rounds: those played, those found in the log, and those planned.
#[pyfunction]
#[pyo3(signature = (experiment, threads = 0, log = None, progress = None))]
pub(crate) fn run(
    py: Python<'_>,
    experiment: &PyExperiment,
    threads: usize,
    log: Option<&PyLog>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PyResults> {
    let results = watched(py, progress.as_ref(), |watcher| match log {
        Some(log) => log.with(|log| moglb_sim::run(&experiment.plan, threads, Some(log), watcher)),
        None => moglb_sim::run(&experiment.plan, threads, None, watcher),
    })?;
    Ok(PyResults { results })
}

/// The progress of a run in rounds, and a flag that stops the run.
#[derive(Default)]
pub(crate) struct Meter {
    planned: AtomicU64,
    /// The rounds of cells that were found in the log.
    found: AtomicU64,
    played: AtomicU64,
    /// Set when the run shall stop, as after Ctrl-C.
    stop: AtomicBool,
}

impl Watcher for Meter {
    fn planned(&self, rounds: u64, found: u64) {
        self.planned.store(rounds, Ordering::Relaxed);
        self.found.store(found, Ordering::Relaxed);
    }

    fn played(&self, rounds: u64) -> bool {
        self.played.fetch_add(rounds, Ordering::Relaxed);
        !self.stop.load(Ordering::Relaxed)
    }
}

/// Runs `work` on another thread, while this thread checks for Ctrl-C and reports the progress. If a signal
/// or `progress` raises an exception, the work is stopped and the exception is returned.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Meter) -> Result<R, SimError> + Send,
) -> PyResult<R> {
    let meter = Meter::default();
    let (result, heard) = py.detach(|| {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| work(&meter));
            let mut heard = Ok(());
            let mut waits = 0_u32;
            while !worker.is_finished() {
                // The first waits are short, so that short runs return at once. Long runs are checked ten
                // times a second.
                let wait = if waits < 50 { Duration::from_millis(1) } else { Duration::from_millis(50) };
                waits = waits.saturating_add(1);
                std::thread::sleep(wait);
                if heard.is_ok() && waits >= 50 && waits.is_multiple_of(2) {
                    heard = Python::attach(|py| tell(py, progress, &meter));
                    if heard.is_err() {
                        meter.stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            (worker.join(), heard)
        })
    });
    heard?;
    let result = result.map_err(|_| raised(py, "foreign", "a thread of the run panicked"))?;
    let result = result.map_err(|error| stopped(py, &error))?;
    tell(py, progress, &meter)?;
    Ok(result)
}

/// Checks for signals, and calls `progress` with the rounds played, found and planned.
fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, meter: &Meter) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = progress {
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        progress.call1(py, (read(&meter.played), read(&meter.found), read(&meter.planned)))?;
    }
    Ok(())
}
