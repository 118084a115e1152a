//! The class `Monitor`: tests of the assumptions behind a policy.

use crate::arrays::{position, vector};
use crate::decision::PyDecision;
use crate::errors::{Refusal, refused};
use crate::fork::Guarded;
use crate::inputs::{PlayedArm, known};
use crate::json::written;
use crate::policy::PyPolicy;
use moglb::{ArmId, ArmSet, Error, Health, MonitorConfig};
use pyo3::prelude::*;
use std::sync::{Arc, MutexGuard};

/// Counts the events that show whether the assumptions behind a policy hold, while the policy decides and
/// learns through the monitor. Its decisions and what it learns are the same as without a monitor, bit for
/// bit.
///
/// `level` is the probability of a false alarm of each test, over all rounds. `tolerance` is the error of
/// predicted means that is allowed, as a share of the range of rewards. `warm_up` is the number of rewards of
/// an objective before its predictions are tested; by default 20 per feature, or 10 per arm if the number of
/// arms is fixed and that is more. The page Alarms of the documentation has a section for each alarm.
///
/// >>> import moglb
/// >>> monitor = moglb.Monitor(moglb.MoglbUcb(2, ["click"], seed=7))
/// >>> X = [[0.6, 0.1], [0.2, 0.7]]
/// >>> d = monitor.decide(X)
/// >>> monitor.learn(X[d.arm], [1.0])
/// >>> monitor
/// Monitor(no alarms)
/// >>> monitor.clipped(1)
/// >>> monitor.alarms()[0]["page"]
/// 'alarms.html#contexts-too-long'
#[pyclass(frozen, name = "Monitor", module = "moglb._moglb")]
pub(crate) struct PyMonitor {
    /// The monitored policy. If both locks are needed, its lock is taken before that of the monitor.
    policy: Py<PyPolicy>,
    seen: Guarded<Seen>,
}

/// A monitor of the engine, with the fixed arms that it has counted.
struct Seen {
    monitor: moglb::Monitor,
    /// The fixed arms whose contexts are counted already, so that they are not counted in every round.
    fixed: Option<Arc<ArmSet<'static>>>,
}

impl PyMonitor {
    /// Locks the monitor. Call it with the GIL released: the thread that holds this lock may be learning, and
    /// a link written in Python may then wait for the GIL.
    fn locked(&self) -> Result<MutexGuard<'_, Seen>, Error> {
        self.seen.lock()
    }

    /// Runs a function on the monitor. A function that the policy calls while it learns, such as a link
    /// written in Python, is refused: it would wait for its own lock.
    fn ask<R: Send>(&self, py: Python<'_>, ask: impl FnOnce(&mut moglb::Monitor) -> R + Send) -> PyResult<R> {
        self.policy.get().shared.read(py, |_idle| Ok(ask(&mut self.locked()?.monitor)))
    }
}

#[pymethods]
impl PyMonitor {
    /// A monitor of a policy. With `state`, the text of `to_json`, it continues from there, with the
    /// parameters in that text.
    #[new]
    #[pyo3(signature = (policy, state = None, *, level = 0.001, tolerance = 0.05, warm_up = None))]
    fn new(
        py: Python<'_>,
        policy: Py<PyPolicy>,
        state: Option<&str>,
        level: f64,
        tolerance: f64,
        warm_up: Option<u64>,
    ) -> PyResult<Self> {
        let problem = policy.get().shared.problem(py)?;
        let monitor = match state {
            None => moglb::Monitor::new(problem, MonitorConfig { level, tolerance, warm_up }),
            Some(text) => moglb::Monitor::from_json(text).and_then(|monitor| {
                if *monitor.problem() == problem {
                    return Ok(monitor);
                }
                Err(Error::SnapshotDamaged { reason: "the monitor is of another problem".into() })
            }),
        };
        let monitor = monitor.map_err(|error| refused(py, &error))?;
        Ok(Self { policy, seen: Guarded::new(Seen { monitor, fixed: None }) })
    }

    /// Makes a decision of the policy and counts it, like `decide` of the policy without other arguments.
    #[pyo3(signature = (arms = None, *, tables = true))]
    fn decide(&self, py: Python<'_>, arms: Option<&Bound<'_, PyAny>>, tables: bool) -> PyResult<PyDecision> {
        let policy = &self.policy.get().shared;
        let mut decision = policy.pooled(tables);
        let decided = policy.try_on_arms(py, arms, |call| {
            call.decide(&mut policy.generator()?, &mut decision)?;
            let mut seen = self.locked()?;
            seen.offered(call.arms.set, call.engine.fixed.as_ref());
            Ok(seen.monitor.decided(&decision)?)
        })?;
        if let Err(Refusal::Engine(error)) = &decided {
            // If the monitor itself was lost in a fork, its error is raised below.
            py.detach(|| self.locked().map(|mut seen| seen.monitor.refused(error))).ok();
        }
        decided.map_err(|refusal| refusal.raised(py))?;
        Ok(PyDecision::of(py, decision, 0.0))
    }

    /// Counts a decision that was made without the monitor. `arm` is the played arm, if it is not the arm of
    /// the decision.
    #[pyo3(signature = (decision, arm = None))]
    fn decided(&self, py: Python<'_>, decision: &PyDecision, arm: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut decision = decision.copied(py)?;
        if let Some(arm) = arm {
            decision.arm = ArmId(position(arm)?);
        }
        self.ask(py, |monitor| monitor.decided(&decision))?.map_err(|error| refused(py, &error))
    }

    /// Lets the policy learn the reward vector of a played arm, like its own `learn`, and counts it. For a
    /// policy that `learns_parts`, NaN marks a reward that is not known yet.
    #[pyo3(signature = (x, reward, arm = None))]
    fn learn(
        &self,
        x: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        arm: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let played = PlayedArm::read(x, arm)?;
        let reward = known(vector(reward, "reward")?.as_slice()?);
        self.policy.get().shared.on_played(x.py(), &played, |engine, arm| {
            self.locked()?.monitor.learn_part(engine.policy_mut(), arm, &reward)
        })
    }

    /// Counts contexts that were shortened before they were passed to the policy. `contexts` is their number.
    fn clipped(&self, py: Python<'_>, contexts: u64) -> PyResult<()> {
        self.ask(py, |monitor| monitor.clipped(contexts))
    }

    /// The counts so far: a dictionary with `contexts`, `radius`, `objectives`, `front` and `exposure`, each
    /// with its `alarm` or None.
    fn health<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let health = self.ask(py, |monitor| monitor.health())?;
        loads(py, &written(&health))
    }

    /// The current alarms: dictionaries with `code`, `severity`, `message` and `page`.
    fn alarms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let health = self.ask(py, |monitor| monitor.health())?;
        let alarms: Vec<_> = health.alarms().collect();
        loads(py, &written(&alarms))
    }

    /// The monitored policy.
    #[getter]
    fn policy(&self, py: Python<'_>) -> Py<PyPolicy> {
        self.policy.clone_ref(py)
    }

    /// All counts as text (JSON). It does not contain the policy, which has its own snapshot.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |monitor| monitor.to_json())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Monitor({})", words(&self.ask(py, |monitor| monitor.health())?)))
    }
}

impl Seen {
    /// Counts the contexts of arms; fixed arms are counted once.
    fn offered(&mut self, set: &ArmSet<'_>, fixed: Option<&Arc<ArmSet<'static>>>) {
        let own = fixed.filter(|arms| std::ptr::eq(&***arms, set));
        let known = self.fixed.as_ref().zip(own).is_some_and(|(known, own)| Arc::ptr_eq(known, own));
        if !known {
            self.monitor.offered(set);
            self.fixed = own.cloned().or(self.fixed.take());
        }
    }
}

/// The codes of the current alarms, each once, for `repr`.
fn words(health: &Health) -> String {
    let mut codes: Vec<&str> = Vec::new();
    for alarm in health.alarms() {
        if !codes.contains(&alarm.code.name()) {
            codes.push(alarm.code.name());
        }
    }
    if codes.is_empty() { "no alarms".into() } else { codes.join(", ") }
}

/// The Python object of a JSON text.
fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}
