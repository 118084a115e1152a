//! Off-policy evaluation: reads logs and target policies from Python, and returns the estimates as JSON.

use crate::arrays::{positions, table, to_matrix, vector};
use crate::errors::{raised, refused, shown};
use crate::items::Items;
use crate::json;
use moglb::{Link, Matrix, Objective, PlayConfig};
use moglb_data::Layout as LogLayout;
use moglb_evaluate::{
    ArmFeatures, EvaluateConfig, EvaluateError, Log, LogParts, ReadOptions, Snapshot, Target as TargetPolicy,
    on_threads,
};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Estimates the value vectors of target policies from the log of another policy. Users call
/// `moglb.evaluate`.
///
/// >>> import json, moglb
/// >>> log = dict(arms=[0, 1, 0, 1], propensities=[0.5] * 4, rewards=[[1.0], [0.0], [1.0], [1.0]])
/// >>> found = moglb._moglb.evaluate(log, [("always 1", "arm", 1)], {"estimator": "snips"}, False, 1)
/// >>> json.loads(found)["policies"][0]["value"]
/// [0.5]
#[pyfunction]
pub(crate) fn evaluate(
    log: &Bound<'_, PyAny>,
    policies: Items<(String, String, Bound<'_, PyAny>)>,
    config: &Bound<'_, PyDict>,
    estimate_propensities: bool,
    threads: usize,
) -> PyResult<String> {
    let py = log.py();
    let config: EvaluateConfig = json::config("the configuration", config)?;
    let parts = match log.cast::<PyDict>() {
        Ok(parts) => given(parts)?,
        Err(_) => {
            let path: std::path::PathBuf = log.extract()?;
            let options = ReadOptions { features: true, ..ReadOptions::default() };
            py.detach(|| moglb_evaluate::read(&path, &options)).map_err(|error| stopped(py, &error))?
        }
    };
    let targets = policies.0.iter().map(target).collect::<PyResult<Vec<_>>>()?;
    let found = py.detach(|| {
        let parts = if estimate_propensities { parts.with_estimated_propensities()? } else { parts };
        let log = Log::new(parts)?;
        // A private thread pool: a pool shared by the process would not survive a fork.
        on_threads(threads, || moglb_evaluate::evaluate(&log, &targets, &config))?
    });
    let found = found.map_err(|error| stopped(py, &error))?;
    serde_json::to_string(&found).map_err(|error| raised(py, "parameters", &error.to_string()))
}

/// The exception for an error of the evaluation.
fn stopped(py: Python<'_>, error: &EvaluateError) -> PyErr {
    raised(py, error.code(), &error.to_string())
}

/// Reads a log from a dictionary of arrays. The number of arms is `n_arms` if the log has it, otherwise that
/// of the probabilities or of the features of arms, otherwise the largest position of a played arm plus one.
fn given(parts: &Bound<'_, PyDict>) -> PyResult<LogParts> {
    let get = |name: &str| Ok::<_, PyErr>(parts.get_item(name)?.filter(|part| !part.is_none()));
    let needed = |name: &'static str| {
        let missing = || raised(parts.py(), "input-type", &format!("a log needs `{name}`"));
        get(name)?.ok_or_else(missing)
    };
    let matrix = |name: &str| -> PyResult<Option<Matrix>> {
        get(name)?.map(|part| to_matrix(&table(&part, name)?)).transpose()
    };
    let played = positions(&needed("arms")?, "arms")?;
    let rewards = to_matrix(&table(&needed("rewards")?, "rewards")?)?;
    let propensities = match get("propensities")? {
        Some(part) => Some(vector(&part, "propensities")?.as_slice()?.to_vec()),
        None => None,
    };
    let probabilities = matrix("probabilities")?;
    let contexts = matrix("contexts")?.unwrap_or_else(|| Matrix::from_fn(played.len(), 0, |_, _| 0.0));
    let (arm_features, n_offered) = match get("arm_contexts")? {
        None => (ArmFeatures::None, None),
        Some(part) => offered(&part)?,
    };
    let n_arms = match get("n_arms")? {
        Some(given) => given.extract()?,
        None => {
            let seen = played.iter().max().map_or(0, |arm| arm.saturating_add(1));
            probabilities.as_ref().map(Matrix::n_cols).or(n_offered).unwrap_or(seen)
        }
    };
    let objectives = match get("objectives")? {
        Some(objectives) => json::config("the objectives", &objectives)?,
        None => (0..rewards.n_cols()).map(|k| Objective::new(k.to_string(), Link::Identity)).collect(),
    };
    Ok(LogParts {
        objectives,
        arms: LogParts::numbered(n_arms).map_err(|error| stopped(parts.py(), &error))?,
        contexts,
        arm_features,
        played,
        propensities,
        probabilities,
        rewards,
        ..LogParts::default()
    })
}

/// Reads the features of arms and the number K of arms. The array has the shape (K, d) for all rounds
/// together, or (n, K, d) for each of n rounds.
fn offered(part: &Bound<'_, PyAny>) -> PyResult<(ArmFeatures, Option<usize>)> {
    let three = part.getattr_opt("ndim")?.is_some_and(|ndim| ndim.extract::<usize>().is_ok_and(|n| n == 3));
    if !three {
        let fixed = to_matrix(&table(part, "arm_contexts")?)?;
        let n_arms = fixed.n_rows();
        return Ok((ArmFeatures::Fixed(fixed), Some(n_arms)));
    }
    let cube = crate::arrays::cube(part, "arm_contexts")?;
    let shape = cube.shape();
    let (n_arms, dim) = (shape[1], shape[2]);
    let rows = Matrix::new(dim, cube.as_slice()?.to_vec()).map_err(|error| refused(part.py(), &error))?;
    Ok((ArmFeatures::PerRound(rows), Some(n_arms)))
}

/// Reads a target policy: its name, its kind, and the value that the kind needs, such as a table.
fn target((name, kind, what): &(String, String, Bound<'_, PyAny>)) -> PyResult<(String, TargetPolicy)> {
    let py = what.py();
    let found = match kind.as_str() {
        "uniform" => TargetPolicy::Uniform,
        "logged" => TargetPolicy::Logged,
        "arm" => TargetPolicy::Arm(crate::arrays::position(what)?),
        "table" => TargetPolicy::Table(to_matrix(&table(what, name)?)?),
        "greedy" => TargetPolicy::Greedy(vector(what, "weights")?.as_slice()?.to_vec()),
        "snapshot" => TargetPolicy::Snapshot(Box::new(snapshot(name, what.cast::<PyDict>()?)?)),
        other => {
            let message = format!("there is no policy of kind `{}`", shown(other));
            return Err(raised(py, "input-type", &message));
        }
    };
    Ok((name.clone(), found))
}

/// Reads a target that is a saved policy: the text of its snapshot, and optionally the way to play, the
/// layout of the features and their scale.
fn snapshot(name: &str, parts: &Bound<'_, PyDict>) -> PyResult<Snapshot> {
    let py = parts.py();
    let get = |name: &str| Ok::<_, PyErr>(parts.get_item(name)?.filter(|part| !part.is_none()));
    let text: String = get("text")?.map_or(Ok(String::new()), |text| text.extract())?;
    let play: Option<PlayConfig> = get("play")?.map(|play| json::config("play", &play)).transpose()?;
    let layout: Option<LogLayout> =
        get("layout")?.map(|layout| json::config("layout", &layout)).transpose()?;
    let scale: Option<f64> = get("scale")?.map(|scale| scale.extract()).transpose()?;
    let snapshot = Snapshot::from_json(name, &text, play.as_ref()).map_err(|error| stopped(py, &error))?;
    Ok(match layout {
        Some(layout) => snapshot.with_layout(layout, scale),
        None => snapshot,
    })
}
