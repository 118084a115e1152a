//! Identification of the front: identifiers that users sample step by step, and experiments with them.

use crate::arms::PyArmSet;
use crate::arrays::{position, table, to_matrix, vector};
use crate::errors::refused;
use crate::experiment::{text_of, watched};
use crate::fork::Guarded;
use crate::json;
use moglb::{ArmId, IdentifierConfig, Norms, Problem, ProblemConfig};
use moglb_sim::{IdentificationPlan, IdentificationRun, Identified, IdentifiedTrial};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::Arc;

/// The engine behind `moglb.Identifier`.
#[pyclass(frozen, subclass, name = "Identifier", module = "moglb._moglb")]
pub(crate) struct PyIdentifier {
    /// The arms of the identifier; rewards are learned with their contexts.
    arms: Arc<moglb::ArmSet<'static>>,
    identifier: Guarded<Box<dyn moglb::Identifier>>,
}

#[pymethods]
impl PyIdentifier {
    #[new]
    #[pyo3(signature = (config, problem, arms))]
    fn new(
        config: &Bound<'_, PyDict>,
        problem: &Bound<'_, PyDict>,
        arms: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let py = config.py();
        let config: IdentifierConfig = json::config("the identifier", config)?;
        let mut problem = json::value("the problem", problem)?;
        let arms = match arms.cast::<PyArmSet>() {
            Ok(set) => set.get().set.clone(),
            Err(_) => {
                let contexts = to_matrix(&table(arms, "arms")?)?;
                let set = moglb::ArmSet::new(contexts.n_cols(), contexts.into_vec(), Norms::Strict);
                Arc::new(set.map_err(|error| refused(py, &error))?)
            }
        };
        problem["dim"] = arms.dim().into();
        let problem: ProblemConfig = json::config_of(py, problem)?;
        let built = py.detach(|| config.build(&Problem::from_config(problem)?, &arms));
        let identifier = Guarded::new(built.map_err(|error| refused(py, &error))?);
        Ok(Self { arms, identifier })
    }

    /// The position of the arm to sample next; `None` once the identifier has stopped.
    #[getter]
    fn next_arm(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        self.identifier.ask(py, |identifier| identifier.next_arm().map(|arm| arm.0))
    }

    /// Learns the reward vector of the requested arm, that of `next_arm`.
    fn learn(&self, arm: &Bound<'_, PyAny>, reward: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = arm.py();
        let (arm, reward) = (position(arm)?, vector(reward, "the reward")?);
        let reward = reward.as_slice()?;
        let learned =
            self.identifier.ask(py, |identifier| identifier.learn(self.arms.get(ArmId(arm))?, reward))?;
        learned.map_err(|error| refused(py, &error))
    }

    /// The positions of the arms on the front, as far as it is known. Once the identifier has stopped, this
    /// is its answer; before, it contains all arms that are not ruled out.
    #[getter]
    fn answer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let answer = self.identifier.ask(py, |identifier| identifier.answer())?;
        Ok(PyArray1::from_vec(py, answer.iter().map(|arm| arm.0 as i64).collect()))
    }

    /// The number of rewards learned.
    #[getter]
    fn samples(&self, py: Python<'_>) -> PyResult<u64> {
        self.identifier.ask(py, |identifier| identifier.samples())
    }
}

/// The descriptions of all identifiers, as JSON.
#[pyfunction]
pub(crate) fn identifiers() -> String {
    json::written(&moglb::IDENTIFIERS)
}

/// Runs an experiment in identification of the front on a number of threads (0: all cores). `config` is TOML
/// text or a dictionary. Returns the table, with a row for each trial, and the summary as JSON. `progress` is
/// called now and then with the number of finished trials, 0, and the number of planned trials.
#[pyfunction]
#[pyo3(signature = (config, threads = 0, progress = None))]
pub(crate) fn identify<'py>(
    config: &Bound<'py, PyAny>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, String)> {
    let py = config.py();
    let text = text_of(config)?;
    let identified = watched(py, progress.as_ref(), |watcher| {
        moglb_sim::identify(&IdentificationPlan::from_toml(&text)?, threads, watcher)
    })?;
    let summary = json::written(&identified.summary());
    Ok((columns(py, &identified)?, summary))
}

/// The tidy table as a dictionary of columns, as `moglb identify` writes it to results.csv.
fn columns<'py>(py: Python<'py>, identified: &Identified) -> PyResult<Bound<'py, PyDict>> {
    let summary = identified.summary();
    let pairs = || summary.runs.iter().zip(&identified.runs);
    let trials = || pairs().flat_map(|(info, run)| run.trials.iter().enumerate().map(move |one| (info, one)));
    let text = |of: fn(&IdentificationRun) -> String| PyList::new(py, trials().map(|(info, _)| of(info)));
    let size = |of: fn(&IdentificationRun) -> usize| {
        PyArray1::from_vec(py, trials().map(|(info, _)| of(info) as i64).collect())
    };
    let dict = PyDict::new(py);
    dict.set_item("experiment", PyList::new(py, trials().map(|_| &identified.experiment.name))?)?;
    dict.set_item("environment", text(|info| info.environment.clone())?)?;
    dict.set_item("environment_params", text(|info| json::written(&info.environment_params))?)?;
    dict.set_item("dim", size(|info| info.dim))?;
    dict.set_item("arms", size(|info| info.arms))?;
    dict.set_item("objectives", size(|info| info.objectives))?;
    dict.set_item("identifier", text(|info| info.identifier.clone())?)?;
    dict.set_item("params", text(|info| json::written(&info.params))?)?;
    let whole = |number: fn(usize, &IdentifiedTrial) -> u64| {
        PyArray1::from_vec(py, trials().map(|(_, (k, trial))| number(k, trial) as i64).collect())
    };
    let flag = |flag: fn(&IdentifiedTrial) -> bool| {
        PyArray1::from_vec(py, trials().map(|(_, (_, trial))| flag(trial)).collect())
    };
    dict.set_item("trial", whole(|k, _| k as u64))?;
    dict.set_item("samples", whole(|_, trial| trial.samples))?;
    dict.set_item("stopped", flag(|trial| trial.stopped))?;
    dict.set_item("success", flag(|trial| trial.success))?;
    dict.set_item("front_size", whole(|_, trial| trial.front_size as u64))?;
    dict.set_item("answer_size", whole(|_, trial| trial.answer_size as u64))?;
    dict.set_item("missed", whole(|_, trial| trial.missed as u64))?;
    dict.set_item("wrong", whole(|_, trial| trial.wrong as u64))?;
    let jaccard = trials().map(|(_, (_, trial))| trial.jaccard).collect();
    dict.set_item("jaccard", PyArray1::from_vec(py, jaccard))?;
    Ok(dict)
}
