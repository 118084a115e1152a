//! Simulated runs of one policy. Policies of the library run completely in the engine. Policies written in
//! Python run in the same loop, with a call into Python in every round.

use crate::arrays::positions;
use crate::call::SharedPolicy;
use crate::environment;
use crate::errors::{raised, stopped};
use crate::items;
use crate::policy::PyPolicy;
use moglb::{Arm, ArmId, ArmSet, Decision, Error, Front, Rng};
use moglb_sim::{EnvironmentConfig, Namespace, SimError, Streams, Trace, checkpoints, play};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Plays a policy on an environment and returns its curves. The policy is any object with `decide` and
/// `learn`; policies of the library are played without calls into Python.
#[pyfunction]
#[pyo3(signature = (policy, environment, horizon, points, seed, trial))]
pub(crate) fn simulate<'py>(
    policy: &Bound<'py, PyAny>,
    environment: &Bound<'py, PyDict>,
    horizon: u64,
    points: u64,
    seed: u64,
    trial: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let trace = played(policy, environment, horizon, points, seed, trial)?;
    curves(policy.py(), &checkpoints(horizon, points), &trace)
}

/// Plays a policy on an environment like [`simulate`], and returns the trace of a cell as bytes.
#[pyfunction]
#[pyo3(signature = (policy, environment, horizon, points, seed, trial))]
pub(crate) fn play_custom<'py>(
    policy: &Bound<'py, PyAny>,
    environment: &Bound<'py, PyDict>,
    horizon: u64,
    points: u64,
    seed: u64,
    trial: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let trace = played(policy, environment, horizon, points, seed, trial)?;
    Ok(PyBytes::new(policy.py(), &trace.to_bytes()))
}

/// Plays a policy on an environment and returns its trace. Exceptions of the policy and of signals, such as
/// `KeyboardInterrupt`, are passed on unchanged.
fn played(
    policy: &Bound<'_, PyAny>,
    environment: &Bound<'_, PyDict>,
    horizon: u64,
    points: u64,
    seed: u64,
    trial: usize,
) -> PyResult<Trace> {
    let py = policy.py();
    if horizon == 0 || points == 0 || points > 100_000 {
        return Err(raised(py, "parameters", "horizon and points count from 1, points to 100000"));
    }
    let config = environment::config(environment)?;
    let streams = Streams::new(seed, Namespace::Report, config.dim(), trial);
    let run = Run { config, rounds: checkpoints(horizon, points), streams, signal: Mutex::new(None) };
    let start = Instant::now();
    let (played, failure) = match policy.cast::<PyPolicy>() {
        Ok(own) if !overridden(policy)? => {
            let own = &own.get().shared;
            (py.detach(|| run.play_own(own)), None)
        }
        _ => {
            let mut foreign = PythonPolicy::new(policy);
            let played = py.detach(|| run.play(&mut foreign));
            (played, foreign.failure.into_inner().unwrap_or_else(PoisonError::into_inner))
        }
    };
    if let Some(error) = failure.or(run.signal.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        return Err(error);
    }
    let mut trace = played.map_err(|error: SimError| stopped(py, &error))?;
    trace.seconds = start.elapsed().as_secs_f64();
    Ok(trace)
}

/// A run of one policy on one environment.
struct Run {
    config: EnvironmentConfig,
    /// The rounds at which the curves have points.
    rounds: Vec<u64>,
    streams: Streams,
    /// The exception that a signal raised, such as `KeyboardInterrupt`.
    signal: Mutex<Option<PyErr>>,
}

impl Run {
    /// Plays a policy on an instance of the environment.
    fn play(&self, policy: &mut dyn moglb::Policy) -> Result<Trace, SimError> {
        let instance = self.config.instance(self.streams)?;
        play(&*instance, policy, &self.rounds, self.streams, &|_| self.keeps_going())
    }

    /// Plays a policy of the library. A copy plays, so that other threads can use the policy meanwhile and a
    /// run that fails leaves it unchanged. At the end the policy takes over the state of the copy, unless it
    /// has learned in another thread.
    fn play_own(&self, policy: &SharedPolicy) -> Result<Trace, SimError> {
        let (mut twin, t) = {
            let engine = policy.engine.read()?;
            (engine.twin()?, engine.policy().t())
        };
        let trace = self.play(&mut twin.policy_mut())?;
        let mut engine = policy.engine.write()?;
        if engine.policy().t() != t {
            let what = "the policy has learned elsewhere while it was simulated: nothing was taken over";
            return Err(Error::Parameters { what }.into());
        }
        engine.take_over(twin.twin()?);
        Ok(trace)
    }

    /// Checks for signals; false if one raised an exception.
    fn keeps_going(&self) -> bool {
        let checked = Python::attach(|py| py.check_signals());
        checked
            .map_err(|error| *self.signal.lock().unwrap_or_else(PoisonError::into_inner) = Some(error))
            .is_ok()
    }
}

/// True if the class of a policy overrides `decide` or `learn`. Such a policy must be called through Python.
fn overridden(policy: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = policy.py();
    let (own, base) = (policy.get_type(), py.get_type::<PyPolicy>());
    for name in ["decide", "learn"] {
        if !own.getattr(name)?.is(&base.getattr(name)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The trace as a dictionary of columns.
fn curves<'py>(py: Python<'py>, rounds: &[u64], trace: &Trace) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("t", PyArray1::from_vec(py, rounds.iter().map(|&t| t as i64).collect()))?;
    dict.set_item("pareto_regret", PyArray1::from_slice(py, &trace.pareto_regret))?;
    if let Some(fronts) = &trace.fronts {
        dict.set_item("jaccard", PyArray1::from_slice(py, &fronts.jaccard))?;
        dict.set_item("precision", PyArray1::from_slice(py, &fronts.precision))?;
        dict.set_item("recall", PyArray1::from_slice(py, &fronts.recall))?;
        dict.set_item("front_size", PyArray1::from_slice(py, &fronts.front_size))?;
    }
    let end = PyDict::new(py);
    end.set_item("jaccard_mean", trace.fronts.as_ref().map(|_| trace.end.jaccard_mean))?;
    end.set_item("exposure_entropy", trace.end.exposure_entropy)?;
    end.set_item("exposure_least", trace.end.exposure_least)?;
    end.set_item("exposure_gini", trace.end.exposure_gini)?;
    end.set_item("envy", trace.end.envy)?;
    end.set_item("share_on_front", trace.end.share_on_front)?;
    end.set_item("true_front_size", trace.end.true_front_size)?;
    end.set_item("hypervolume_mix", trace.end.hypervolume_mix)?;
    end.set_item("hypervolume_front", trace.end.hypervolume_front)?;
    end.set_item("projection_hits", trace.end.projection_hits)?;
    end.set_item("seconds", trace.seconds)?;
    dict.set_item("end", end)?;
    Ok(dict)
}

/// A policy written in Python. It decides with `decide(X)` and learns with `learn(x, reward, arm)`.
///
/// The engine's loop calls it without the GIL, so each call takes the GIL for its time. An exception of the
/// policy ends the run; it is kept in `failure` and raised in place of the engine's error.
struct PythonPolicy {
    object: Py<PyAny>,
    /// The fixed arms and their array, which is made once and passed in every round.
    fixed: Option<(Arc<ArmSet<'static>>, Py<PyArray2<f64>>)>,
    /// True if the policy's decisions have a front; none before the first decision. It must have a front in
    /// all rounds or in none.
    has_front: Mutex<Option<bool>>,
    /// The exception that the policy raised.
    failure: Mutex<Option<PyErr>>,
}

impl PythonPolicy {
    /// A policy before the first round.
    fn new(object: &Bound<'_, PyAny>) -> Self {
        let (has_front, failure) = (Mutex::default(), Mutex::default());
        Self { object: object.clone().unbind(), fixed: None, has_front, failure }
    }

    /// Keeps an exception of the policy for the caller, and returns the error that ends the run.
    fn fail(&self, error: PyErr) -> Error {
        let reason = error.to_string();
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        Error::Foreign { reason }
    }

    /// The contexts of arms as an array; that of the fixed arms is not made again.
    fn array<'py>(&self, py: Python<'py>, arms: &ArmSet) -> PyResult<Bound<'py, PyArray2<f64>>> {
        match &self.fixed {
            Some((set, array)) if std::ptr::eq(&**set, arms) => Ok(array.bind(py).clone()),
            _ => array(py, arms),
        }
    }
}

/// Copies the contexts of arms into an array.
fn array<'py>(py: Python<'py>, arms: &ArmSet) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let data: Vec<f64> = arms.iter().flat_map(|arm| arm.context().iter().copied()).collect();
    PyArray1::from_vec(py, data).reshape([arms.n_arms(), arms.dim()])
}

impl moglb::Policy for PythonPolicy {
    fn decide_into(&self, arms: &ArmSet, _: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        let n_arms = arms.n_arms();
        let decided = Python::attach(|py| -> PyResult<()> {
            let answer = self.object.bind(py).call_method1("decide", (self.array(py, arms)?,))?;
            read(&answer, n_arms, decision)
        });
        decided.map_err(|error| self.fail(error))?;
        let has = !decision.front.is_empty();
        let first = *self.has_front.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(has);
        if has != first {
            let reason = "it had a front in some rounds and none in others".into();
            return Err(Error::Foreign { reason });
        }
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        let learned = Python::attach(|py| -> PyResult<()> {
            let (x, reward) = (PyArray1::from_slice(py, arm.context()), PyArray1::from_slice(py, reward));
            self.object.bind(py).call_method1("learn", (x, reward, arm.id().0))?;
            Ok(())
        });
        learned.map_err(|error| self.fail(error))
    }

    fn fix_arms(&mut self, arms: &Arc<ArmSet<'static>>) -> Result<(), Error> {
        let made = Python::attach(|py| array(py, arms).map(Bound::unbind));
        self.fixed = Some((Arc::clone(arms), made.map_err(|error| self.fail(error))?));
        Ok(())
    }
}

/// Reads a decision of a policy written in Python: the position of an arm, or an object with `arm` and
/// optionally `front` and `probabilities`.
fn read(answer: &Bound<'_, PyAny>, n_arms: usize, decision: &mut Decision) -> PyResult<()> {
    let py = answer.py();
    let wrong = |message: String| raised(py, "foreign", &message);
    let part = |name: &str| -> Option<Bound<'_, PyAny>> {
        answer.getattr(PyString::new(py, name)).ok().filter(|part| !part.is_none())
    };
    let (arm, whole) = match answer.extract::<usize>() {
        Ok(arm) => (arm, false),
        Err(_) => {
            let arm = part("arm").and_then(|arm| arm.extract().ok());
            let message = || "decide must return the position of an arm, or an object with `arm`".to_owned();
            (arm.ok_or_else(|| wrong(message()))?, true)
        }
    };
    if arm >= n_arms {
        return Err(wrong(format!("decide returned arm {arm} of {n_arms}")));
    }
    decision.arm = ArmId(arm);
    decision.front = Front::default();
    decision.probabilities.clear();
    decision.probabilities.resize(n_arms, 0.0);
    decision.probabilities[arm] = 1.0;
    if !whole {
        return Ok(());
    }
    if let Some(front) = part("front") {
        let front = positions(&front, "a front")?;
        if let Some(arm) = front.iter().find(|&&arm| arm >= n_arms) {
            return Err(wrong(format!("the front holds arm {arm} of {n_arms}")));
        }
        decision.front = front.into_iter().map(ArmId).collect::<Front>();
    }
    if let Some(probabilities) = part("probabilities") {
        let numbers = probabilities.try_iter().map_err(|_| wrong("probabilities must be numbers".into()))?;
        // One number more than there are arms is enough to detect a wrong length, even of an endless
        // iterator.
        let probabilities: Vec<f64> =
            numbers.take(n_arms + 1).map(|p| items::read(&p?)).collect::<PyResult<_>>()?;
        let sum: f64 = probabilities.iter().sum();
        if probabilities.len() != n_arms
            || !probabilities.iter().all(|&p| p >= 0.0)
            || (sum - 1.0).abs() > 1e-9
        {
            return Err(wrong(format!("probabilities must be {n_arms} numbers that add up to 1")));
        }
        decision.probabilities = probabilities;
    }
    Ok(())
}
