//! Arguments of callers, each read once: arms, a played arm, a way to play, a snapshot.

use crate::arms::PyArmSet;
use crate::arrays::{Held, position, vector};
use crate::errors::{raised, refused};
use crate::items::Items;
use crate::json::{config_of, value};
use crate::sparse::{csr, is_sparse};
use moglb::{Arm, ArmId, Error, Norms, PlayConfig, PolicySnapshot};
use numpy::PyArray1;
use numpy::ndarray::{Dimension, Ix1, Ix2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The arms that a caller passed.
pub(crate) enum InputArms<'py> {
    /// An arm set that is checked.
    Checked(Arc<moglb::ArmSet<'static>>),
    /// Contexts that are not checked yet: the numbers, the number of rows, and the number of columns.
    Rows(Held<'py, Ix2>, usize, usize),
}

impl InputArms<'_> {
    /// Reads an arm set, which is checked already, a sparse matrix, which is checked now, or a table of
    /// contexts. `what` is the name of the argument in error messages.
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

    /// The number of columns and the numbers; none for checked arms.
    pub(crate) fn rows(&self) -> PyResult<Option<(usize, &[f64])>> {
        match self {
            Self::Checked(_) => Ok(None),
            Self::Rows(numbers, _, n_columns) => Ok(Some((*n_columns, numbers.as_slice()?))),
        }
    }

    /// The arm set, if it is checked.
    pub(crate) fn checked(&self) -> Option<&moglb::ArmSet<'static>> {
        match self {
            Self::Checked(set) => Some(set),
            Self::Rows(..) => None,
        }
    }

    /// True if other threads can write to the numbers.
    pub(crate) fn is_lent(&self) -> bool {
        matches!(self, Self::Rows(numbers, ..) if numbers.is_lent())
    }

    /// The arms as an arm set that outlives the call. The numbers are copied first and checked after that, so
    /// that no other thread can change them after the check.
    pub(crate) fn kept(self, py: Python<'_>) -> PyResult<Arc<moglb::ArmSet<'static>>> {
        match self {
            Self::Checked(set) => Ok(set),
            Self::Rows(numbers, _, dim) => {
                let set = moglb::ArmSet::new(dim, numbers.owned()?, Norms::Strict);
                Ok(Arc::new(set.map_err(|error| refused(py, &error))?))
            }
        }
    }
}

/// The played arm that a caller passed: a position, a context, or both.
pub(crate) struct PlayedArm<'py> {
    pub(crate) position: Option<usize>,
    context: InputContext<'py>,
}

/// The context of a played arm.
enum InputContext<'py> {
    Numbers(Held<'py, Ix1>),
    /// A sparse context, as an arm set of one arm.
    Sparse(moglb::ArmSet<'static>),
    /// No context: the caller passed only the position.
    None,
}

/// A borrowed context of a played arm, which can be read with the GIL released.
#[derive(Clone, Copy)]
pub(crate) enum PlayedContext<'a> {
    Numbers(&'a [f64]),
    Sparse(Arm<'a>),
    /// No context: the caller passed only the position.
    None,
}

impl PlayedArm<'_> {
    /// Reads a played arm. `x` is its context or its position; `arm` is the position next to a context.
    pub(crate) fn read<'py>(
        x: &Bound<'py, PyAny>,
        arm: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PlayedArm<'py>> {
        let arm = arm.map(position).transpose()?;
        let with = |context| Ok(PlayedArm { position: arm, context });
        if let Some((context, _)) = Held::at_hand(x)? {
            return with(InputContext::Numbers(context));
        }
        let is_vector = x.cast::<PyArray1<f64>>().is_ok() || x.cast::<PyList>().is_ok();
        if !is_vector && x.extract::<i128>().is_ok() {
            return Ok(PlayedArm { position: Some(position(x)?), context: InputContext::None });
        }
        if !is_vector && is_sparse(x) {
            return with(InputContext::Sparse(sparse_set(x, "context", 1)?));
        }
        with(InputContext::Numbers(vector(x, "context")?))
    }

    /// The context, borrowed.
    pub(crate) fn context(&self) -> PyResult<PlayedContext<'_>> {
        Ok(match &self.context {
            InputContext::Numbers(numbers) => PlayedContext::Numbers(numbers.as_slice()?),
            InputContext::Sparse(set) => PlayedContext::Sparse(set.arm(ArmId(0))),
            InputContext::None => PlayedContext::None,
        })
    }
}

/// The parts of a reward vector: its numbers, and none where it is NaN, which means not known yet.
pub(crate) fn known(reward: &[f64]) -> Vec<Option<f64>> {
    reward.iter().map(|&y| (!y.is_nan()).then_some(y)).collect()
}

/// Reads a list that begins with a sparse matrix as arm sets of one size; none for any other object.
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
                return Err(raised(py, "input-type", "a list of sparse matrices must hold nothing else"));
            }
        }
    }
    if sets.iter().any(|set| set.n_arms() != sets[0].n_arms()) {
        return Err(raised(py, "shape", "all arm sets of a batch must have the same number of arms"));
    }
    Ok(Some(sets))
}

/// The rows of a sparse matrix as checked arms; a vector (`n_axes` 1) is one arm.
fn sparse_set(object: &Bound<'_, PyAny>, what: &str, n_axes: usize) -> PyResult<moglb::ArmSet<'static>> {
    moglb::ArmSet::sparse(csr(object, what, n_axes)?, Norms::Strict)
        .map_err(|error| refused(object.py(), &error))
}

/// The way to play a policy: the keyword arguments of `decide` and `decide_list`.
pub(crate) struct HowToPlay {
    /// The configuration; none if the caller passed no part of it.
    pub(crate) config: Option<PlayConfig>,
    /// The number of plays of each arm so far.
    pub(crate) exposures: Vec<u64>,
}

/// The names of the fields of [`PlayConfig`], which are the names of the arguments.
const PARTS: [&str; 7] = ["prefer", "belief", "objectives", "floor", "include", "exclude", "baseline"];

impl HowToPlay {
    /// Reads the keyword arguments of a method. An argument that is `None` counts as missing.
    pub(crate) fn read(method: &str, given: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (mut table, mut exposures) = (Map::new(), Vec::new());
        let Some(given) = given else { return Ok(Self { config: None, exposures }) };
        for (name, part) in given {
            let name = name.cast::<PyString>()?.to_cow()?;
            if !PARTS.contains(&&*name) && name != "exposures" {
                let message = format!("Policy.{method}() got an unexpected keyword argument '{name}'");
                return Err(PyTypeError::new_err(message));
            }
            if part.is_none() {
                continue;
            }
            if name == "exposures" {
                Items(exposures) = part.extract()?;
            } else {
                // An array of positions is a list of them.
                table.insert((*name).into(), value(&name, &plain(&part, &name)?)?);
            }
        }
        if table.is_empty() {
            return Ok(Self { config: None, exposures });
        }
        Ok(Self { config: Some(config_of(given.py(), Value::Object(table))?), exposures })
    }
}

/// Converts an array to lists, and returns any other object unchanged.
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

/// Reads a snapshot from text or bytes. The outer error is for another type, the inner one for a snapshot
/// that cannot be read.
pub(crate) fn snapshot_of(snapshot: &Bound<'_, PyAny>) -> PyResult<Result<PolicySnapshot, Error>> {
    if let Ok(text) = snapshot.extract::<String>() {
        return Ok(PolicySnapshot::from_json(&text));
    }
    if let Ok(bytes) = snapshot.cast::<PyBytes>() {
        return Ok(PolicySnapshot::from_bytes(bytes.as_bytes()));
    }
    Err(raised(snapshot.py(), "input-type", "a snapshot is text (JSON) or bytes"))
}
