//! Construction, snapshots and changes of a policy.

use crate::arms::PyArmSet;
use crate::call::SharedPolicy;
use crate::change::Change;
use crate::engine::Engine;
use crate::errors::{raised, refused};
use crate::generator;
use crate::inputs::snapshot_of;
use crate::json;
use moglb::{PolicyConfig, PolicySnapshot, ProblemConfig};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// The learned policy as bytes, the state of the generator as text, and the fixed arms.
pub(crate) type Whole<'py> = (Bound<'py, PyBytes>, String, Option<PyArmSet>);

/// Builds a policy without rewards, and restarts the generator with a seed.
pub(crate) fn rebuild(
    policy: &SharedPolicy,
    problem: &Bound<'_, PyDict>,
    config: &Bound<'_, PyDict>,
    seed: u64,
) -> PyResult<()> {
    let py = problem.py();
    let built = built(problem, config)?;
    let rebuilt = py.detach(|| {
        policy.engine.replace(built)?;
        *policy.rng.lock()? = generator::seeded(seed);
        Ok(())
    });
    rebuilt.map_err(|error| refused(py, &error))
}

/// Replaces the policy by a snapshot. The generator does not change.
pub(crate) fn resume(policy: &SharedPolicy, snapshot: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = snapshot.py();
    let restored = snapshot_of(snapshot)?.and_then(Engine::restore).map_err(|error| refused(py, &error))?;
    py.detach(|| policy.engine.replace(restored)).map_err(|error| refused(py, &error))
}

/// Changes the objectives or the arms by way of a snapshot. Fixed arms stay, unless the arms change.
pub(crate) fn change(policy: &SharedPolicy, change: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = change.py();
    let change: Change = match change.extract::<String>() {
        Ok(text) => {
            serde_json::from_str(&text).map_err(|error| raised(py, "parameters", &error.to_string()))?
        }
        Err(_) => json::config("the change", change)?,
    };
    policy.write(py, |engine| {
        let keeps_arms = change.keeps_arms();
        let changed = Engine::restore(change.apply(engine.policy().snapshot())?)?;
        if !keeps_arms {
            engine.fixed = None;
        }
        engine.take_over(changed);
        Ok(())
    })
}

/// The learned policy, the generator and the fixed arms. The engine is locked for writing, so that no
/// decision of another thread comes between the three parts.
pub(crate) fn whole<'py>(policy: &SharedPolicy, py: Python<'py>) -> PyResult<Whole<'py>> {
    let (bytes, rng, fixed) = policy.write(py, |engine| {
        let rng = generator::to_text(&*policy.rng.lock()?);
        Ok((engine.policy().to_bytes(), rng, engine.fixed.clone()))
    })?;
    Ok((PyBytes::new(py, &bytes), rng, fixed.map(|set| PyArmSet { set })))
}

/// Restores the generator from its text.
pub(crate) fn set_rng_state(policy: &SharedPolicy, py: Python<'_>, state: &str) -> PyResult<()> {
    let message = "the state of a generator is written by rng_state";
    let rng = generator::from_text(state).ok_or_else(|| raised(py, "parameters", message))?;
    policy.rng.ask(py, |mine| *mine = rng)
}

/// The problem and the configuration of the policy in a snapshot, as JSON.
pub(crate) fn parts(snapshot: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
    let snapshot = snapshot_of(snapshot)?.map_err(|error| refused(snapshot.py(), &error))?;
    Ok((json::written(&snapshot.problem), json::written(&snapshot.policy)))
}

/// Refuses a problem and a configuration that are not those of a snapshot.
pub(crate) fn check_made_with(
    snapshot: &Bound<'_, PyAny>,
    problem: &Bound<'_, PyDict>,
    config: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let py = snapshot.py();
    let learned = snapshot_of(snapshot)?.map_err(|error| refused(py, &error))?;
    let made = built(problem, config)?;
    let parts = |snapshot: &PolicySnapshot| {
        let text = serde_json::to_value((&snapshot.problem, &snapshot.policy));
        text.expect("a configuration can be written")
    };
    if py.detach(|| parts(&made.policy().snapshot()) == parts(&learned)) {
        return Ok(());
    }
    Err(raised(py, "snapshot-policy", "the policy was not made with the parameters that came with it"))
}

/// Builds a policy for a problem; both are dictionaries.
fn built(problem: &Bound<'_, PyDict>, config: &Bound<'_, PyDict>) -> PyResult<Engine> {
    let py = problem.py();
    let problem: ProblemConfig = json::config("the problem", problem)?;
    let config: PolicyConfig = json::config("the policy", config)?;
    py.detach(|| Engine::build(problem, &config)).map_err(|error| refused(py, &error))
}
