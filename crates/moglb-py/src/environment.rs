//! The engine's part of the class `Environment`: a simulated problem that users play round by round.

use crate::arrays::{position, to_array};
use crate::errors::{raised, stopped};
use crate::fork::Guarded;
use crate::json;
use moglb::{ArmId, Matrix};
use moglb_sim::{EnvironmentConfig, Namespace, Noise, SimError, Stage, Streams};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::borrow::Cow;

/// One instance of a simulated problem. The same parameters, seed and trial give the same instance on every
/// machine.
///
/// >>> import moglb
/// >>> world = moglb.Environment("paper", dim=5, seed=1)
/// >>> world.arms().shape, world.means().shape
/// ((20, 5), (20, 5))
/// >>> len(world.pull(world.front()[0]))
/// 5
#[pyclass(frozen, subclass, name = "Environment", module = "moglb._moglb")]
pub(crate) struct PyEnvironment {
    config: EnvironmentConfig,
    seed: u64,
    trial: usize,
    instance: Box<dyn moglb_sim::Environment>,
    /// The random part of the rewards; every pull advances it.
    noise: Guarded<Noise>,
}

/// Reads the configuration of an environment from a dictionary.
pub(crate) fn config(object: &Bound<'_, PyDict>) -> PyResult<EnvironmentConfig> {
    json::config("the environment", object)
}

#[pymethods]
impl PyEnvironment {
    #[new]
    #[pyo3(signature = (config, seed, trial))]
    fn new(config: &Bound<'_, PyDict>, seed: u64, trial: usize) -> PyResult<Self> {
        let (py, config) = (config.py(), self::config(config)?);
        let streams = Streams::new(seed, Namespace::Report, config.dim(), trial);
        let made = py.detach(|| {
            let instance = config.instance(streams)?;
            let noise = Guarded::new(Noise::new(streams, &*instance)?);
            Ok((instance, noise))
        });
        let (instance, noise) = made.map_err(|error: SimError| stopped(py, &error))?;
        Ok(Self { config, seed, trial, instance, noise })
    }

    /// The contexts of round t, one row per arm.
    #[pyo3(signature = (t = 1))]
    fn arms<'py>(&self, py: Python<'py>, t: u64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let stage = self.stage(py, t)?;
        let rows: Vec<&[f64]> = stage.arms.iter().map(|arm| arm.context()).collect();
        to_array(py, &Matrix::from_rows(&rows).expect("rows of one length"))
    }

    /// The expected reward of each arm (rows) in each objective (columns) in round t; larger is better.
    #[pyo3(signature = (t = 1))]
    fn means<'py>(&self, py: Python<'py>, t: u64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.stage(py, t)?.means)
    }

    /// The positions of the arms on the true front of round t.
    #[pyo3(signature = (t = 1))]
    fn front<'py>(&self, py: Python<'py>, t: u64) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let stage = self.stage(py, t)?;
        Ok(PyArray1::from_vec(py, stage.front.iter().map(|arm| arm.0 as i64).collect()))
    }

    /// The Pareto suboptimality gap of each arm in round t.
    #[pyo3(signature = (t = 1))]
    fn gaps<'py>(&self, py: Python<'py>, t: u64) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, &self.stage(py, t)?.gaps))
    }

    /// Draws a reward vector for playing an arm in round t. The next call draws another one.
    #[pyo3(signature = (arm, t = 1))]
    fn pull<'py>(
        &self,
        py: Python<'py>,
        arm: &Bound<'py, PyAny>,
        t: u64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let arm = position(arm)?;
        let stage = self.stage(py, t)?;
        stage.arms.get(ArmId(arm)).map_err(|error| crate::errors::refused(py, &error))?;
        let reward = self.noise.ask(py, |noise| {
            let mut reward = Vec::new();
            noise.pull(self.instance.problem(), &stage, ArmId(arm), t, &mut reward);
            reward
        })?;
        Ok(PyArray1::from_vec(py, reward))
    }

    /// True if the arms are the same in every round.
    #[getter]
    fn has_fixed_arms(&self) -> bool {
        self.instance.has_fixed_arms()
    }

    /// The problem that policies are built for, as JSON.
    fn _problem(&self) -> String {
        json::written(self.instance.problem().config())
    }

    /// The lower and the upper end of the reward range of each objective.
    fn _ranges(&self) -> Vec<(f64, f64)> {
        self.instance.problem().objectives().iter().map(moglb::Objective::rewards).collect()
    }

    /// The configuration as JSON, with every default that does not depend on the environment.
    fn _config(&self) -> String {
        json::written(&self.config)
    }

    /// The seed of the instance and of its rewards.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of the trial; other trials of the same seed are other instances.
    #[getter]
    fn trial(&self) -> usize {
        self.trial
    }

    /// Restarts the rewards: the next `pull` draws what the first `pull` drew.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let streams = Streams::new(self.seed, Namespace::Report, self.config.dim(), self.trial);
        let noise = Noise::new(streams, &*self.instance).map_err(|error| stopped(py, &error))?;
        self.noise.ask(py, |mine| *mine = noise)
    }
}

impl PyEnvironment {
    /// The arms, means, front and gaps of round t, which counts from 1.
    fn stage(&self, py: Python<'_>, t: u64) -> PyResult<Cow<'_, Stage>> {
        if t == 0 {
            return Err(raised(py, "parameters", "rounds count from 1"));
        }
        py.detach(|| self.instance.stage(t)).map_err(|error| stopped(py, &error))
    }
}

/// The ids of all environments.
#[pyfunction]
pub(crate) fn environment_ids() -> Vec<&'static str> {
    moglb_sim::ENVIRONMENTS.iter().map(|info| info.id).collect()
}
