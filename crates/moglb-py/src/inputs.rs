//! What callers hand over, read once: arms, a played arm, a configuration, a snapshot.

use crate::arms::PyArmSet;
use crate::arrays::{Held, position, vector};
use crate::engine::Engine;
use crate::errors::{raised, refused};
use crate::items::Items;
use crate::json::value;
use crate::sparse::{csr, is_sparse};
use moglb::{Error, Norms, PlayConfig, PolicyConfig, PolicySnapshot, ProblemConfig};
use numpy::PyArray1;
use numpy::ndarray::{Dimension, Ix1, Ix2};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Arms as they were given.
pub(crate) enum InputArms<'py> {
    Checked(Arc<moglb::ArmSet<'static>>),
    /// Their numbers, of how many rows, and of how many columns.
    Rows(Held<'py, Ix2>, usize, usize),
}

impl InputArms<'_> {
    /// An arm set that was checked before, the rows of a sparse matrix, which are checked now, or rows.
    pub(crate) fn read<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<InputArms<'py>> {
        let rows = |(numbers, shape): (Held<'py, Ix2>, Ix2)| {
            let (n_rows, n_columns) = shape.into_pattern();
            InputArms::Rows(numbers, n_rows, n_columns)
        };
        if let Some(held) = Held::at_hand(object)? {
            return Ok(rows(held));
        }
        if let Ok(set) = object.cast::<PyArmSet>() {
            return Ok(InputArms::Checked(Arc::clone(&set.get().set)));
        }
        if is_sparse(object) {
            return Ok(InputArms::Checked(Arc::new(sparse_set(object, what, 2)?)));
        }
        Ok(rows(Held::read(object, what, 2)?))
    }
}

/// A played arm as it was given.
pub(crate) enum PlayedArm<'py> {
    Context(Held<'py, Ix1>, Option<usize>),
    /// As an arm set of its own.
    Sparse(moglb::ArmSet<'static>, Option<usize>),
    Position(usize),
}

impl PlayedArm<'_> {
    /// The position of an arm, or its context.
    pub(crate) fn read<'py>(x: &Bound<'py, PyAny>, arm: Option<usize>) -> PyResult<PlayedArm<'py>> {
        if let Some((context, _)) = Held::at_hand(x)? {
            return Ok(PlayedArm::Context(context, arm));
        }
        let is_vector = x.cast::<PyArray1<f64>>().is_ok() || x.cast::<PyList>().is_ok();
        if !is_vector && x.extract::<i128>().is_ok() {
            return Ok(PlayedArm::Position(position(x)?));
        }
        if !is_vector && is_sparse(x) {
            return Ok(PlayedArm::Sparse(sparse_set(x, "context", 1)?, arm));
        }
        Ok(PlayedArm::Context(vector(x, "context")?, arm))
    }
}

/// The arm sets of a list that begins with a sparse matrix.
pub(crate) fn sparse_sets(arms: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Arc<moglb::ArmSet<'static>>>>> {
    let py = arms.py();
    if !(arms.is_instance_of::<PyList>() || arms.is_instance_of::<PyTuple>()) {
        return Ok(None);
    }
    let Items(items) = arms.extract::<Items<Bound<'_, PyAny>>>()?;
    if !items.first().is_some_and(is_sparse) {
        return Ok(None);
    }
    let mut sets = Vec::new();
    for item in items {
        match InputArms::read(&item, "arms")? {
            InputArms::Checked(set) => sets.push(set),
            InputArms::Rows(..) => {
                return Err(raised(py, "input-type", "a list of sparse matrices holds nothing else"));
            }
        }
    }
    if sets.iter().any(|set| set.n_arms() != sets[0].n_arms()) {
        return Err(raised(py, "shape", "all arm sets of a batch must have the same number of arms"));
    }
    Ok(Some(sets))
}

/// The rows of a sparse matrix, checked as arms; a single one if it is a vector.
fn sparse_set(object: &Bound<'_, PyAny>, what: &str, n_axes: usize) -> PyResult<moglb::ArmSet<'static>> {
    moglb::ArmSet::sparse(csr(object, what, n_axes)?, Norms::Strict)
        .map_err(|error| refused(object.py(), &error))
}

/// A policy for a problem, both as dictionaries.
pub(crate) fn engine(problem: &Bound<'_, PyDict>, policy: &Bound<'_, PyDict>) -> PyResult<Engine> {
    let py = problem.py();
    let wrong = |error: serde_json::Error| raised(py, "parameters", &error.to_string());
    let problem: ProblemConfig = serde_json::from_value(value("the problem", problem)?).map_err(wrong)?;
    let policy: PolicyConfig = serde_json::from_value(value("the policy", policy)?).map_err(wrong)?;
    py.detach(|| Engine::build(problem, &policy)).map_err(|error| refused(py, &error))
}

/// How to play, part by part as it stands in [`PlayConfig`]; none if no part was given.
pub(crate) fn play(py: Python<'_>, parts: [Option<&Bound<'_, PyAny>>; 7]) -> PyResult<Option<PlayConfig>> {
    if parts.iter().all(Option::is_none) {
        return Ok(None);
    }
    let names = ["prefer", "belief", "objectives", "floor", "include", "exclude", "baseline"];
    let mut table = Map::new();
    for (name, part) in names.into_iter().zip(parts) {
        if let Some(part) = part {
            // An array of positions is a list of them.
            table.insert(name.into(), value(name, &plain(part, name)?)?);
        }
    }
    let config = serde_json::from_value(Value::Object(table));
    config.map(Some).map_err(|error| raised(py, "parameters", &error.to_string()))
}

/// An array as lists, anything else as it is.
fn plain<'py>(part: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if part.is_exact_instance_of::<PyDict>() || part.is_exact_instance_of::<PyList>() {
        return Ok(part.clone());
    }
    let py = part.py();
    let plain =
        PLAIN.get_or_try_init(py, || PyResult::Ok(py.import("moglb._arrays")?.getattr("plain")?.unbind()))?;
    plain.bind(py).call1((part, name))
}

/// A snapshot from text or bytes.
pub(crate) fn snapshot_of(snapshot: &Bound<'_, PyAny>) -> PyResult<Result<PolicySnapshot, Error>> {
    if let Ok(text) = snapshot.extract::<String>() {
        return Ok(PolicySnapshot::from_json(&text));
    }
    if let Ok(bytes) = snapshot.cast::<PyBytes>() {
        return Ok(PolicySnapshot::from_bytes(bytes.as_bytes()));
    }
    Err(raised(snapshot.py(), "input-type", "a snapshot is text (JSON) or bytes"))
}
