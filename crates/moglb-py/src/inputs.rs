//! What callers hand over, read once: arms, a played arm, a way to play, a snapshot.

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

    /// The number of columns and the numbers, unless the arms were checked before.
    pub(crate) fn rows(&self) -> PyResult<Option<(usize, &[f64])>> {
        match self {
            Self::Checked(_) => Ok(None),
            Self::Rows(numbers, _, n_columns) => Ok(Some((*n_columns, numbers.as_slice()?))),
        }
    }

    /// The arms, if they were checked before.
    pub(crate) fn checked(&self) -> Option<&moglb::ArmSet<'static>> {
        match self {
            Self::Checked(set) => Some(set),
            Self::Rows(..) => None,
        }
    }

    /// Whether somebody else can write to the numbers.
    pub(crate) fn is_lent(&self) -> bool {
        matches!(self, Self::Rows(numbers, ..) if numbers.is_lent())
    }

    /// The arms as a set that is kept: copied first, and checked then.
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

/// A played arm as it was given.
pub(crate) struct PlayedArm<'py> {
    pub(crate) position: Option<usize>,
    context: InputContext<'py>,
}

enum InputContext<'py> {
    Numbers(Held<'py, Ix1>),
    /// As an arm set of its own.
    Sparse(moglb::ArmSet<'static>),
    None,
}

/// The context of a played arm, to be read without the interpreter.
#[derive(Clone, Copy)]
pub(crate) enum PlayedContext<'a> {
    Numbers(&'a [f64]),
    Sparse(Arm<'a>),
    /// Only the position was given.
    None,
}

impl PlayedArm<'_> {
    /// The position of an arm, or its context with or without a position.
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

    pub(crate) fn context(&self) -> PyResult<PlayedContext<'_>> {
        Ok(match &self.context {
            InputContext::Numbers(numbers) => PlayedContext::Numbers(numbers.as_slice()?),
            InputContext::Sparse(set) => PlayedContext::Sparse(set.arm(ArmId(0))),
            InputContext::None => PlayedContext::None,
        })
    }
}

/// The known parts of a reward vector: its numbers, but for NaN.
pub(crate) fn known(reward: &[f64]) -> Vec<Option<f64>> {
    reward.iter().map(|&y| (!y.is_nan()).then_some(y)).collect()
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

/// How a policy is to be played: the arguments of `decide` and `decide_list` that come by name.
pub(crate) struct HowToPlay {
    /// None if no part of it was given.
    pub(crate) config: Option<PlayConfig>,
    /// How often each arm was played.
    pub(crate) exposures: Vec<u64>,
}

/// The parts of [`PlayConfig`], by their names there.
const PARTS: [&str; 7] = ["prefer", "belief", "objectives", "floor", "include", "exclude", "baseline"];

impl HowToPlay {
    /// The arguments that a method was given by name; `None` is as if it were not there.
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
