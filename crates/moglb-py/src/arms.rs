//! The class `ArmSet`: contexts that are checked once and then used in many decisions.

use crate::arrays::{position, table, to_array, to_matrix};
use crate::errors::{raised, refused, shown};
use crate::sparse::{csr, is_sparse, to_scipy};
use moglb::{Matrix, Norms, Storage};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::sync::Arc;

/// The arms on offer, copied and checked once. Many decisions can then use them without reading them again.
///
/// `norms` is the treatment of contexts that are longer than one: "strict" refuses them, "clip" shortens each
/// of them to length one, and a number divides all contexts by that number. The zeros of a sparse matrix of
/// SciPy are not stored. `storage="f32"` halves the memory traffic of huge fixed sets; decisions stay the
/// same, bit for bit.
///
/// >>> import moglb
/// >>> arms = moglb.ArmSet([[0.6, 0.1], [0.2, 0.7]])
/// >>> len(arms), arms.dim
/// (2, 2)
/// >>> moglb.ArmSet([[3.0, 4.0]], norms=5.0).contexts.tolist()
/// [[0.6, 0.8]]
#[pyclass(frozen, name = "ArmSet", module = "moglb")]
pub(crate) struct PyArmSet {
    /// The arms. Shared, because a policy with these arms fixed keeps them too.
    pub(crate) set: Arc<moglb::ArmSet<'static>>,
}

#[pymethods]
impl PyArmSet {
    #[new]
    #[pyo3(signature = (contexts, *, norms = None, storage = "f64"))]
    fn new(contexts: &Bound<'_, PyAny>, norms: Option<&Bound<'_, PyAny>>, storage: &str) -> PyResult<Self> {
        let py = contexts.py();
        let norms = read_norms(py, norms)?;
        let storage = match storage {
            "f64" => Storage::F64,
            "f32" => Storage::F32,
            other => {
                let message = format!("storage must be \"f64\" or \"f32\", got \"{}\"", shown(other));
                return Err(raised(py, "parameters", &message));
            }
        };
        if is_sparse(contexts) {
            let set = moglb::ArmSet::sparse(csr(contexts, "contexts", 2)?, norms);
            return Ok(Self { set: Arc::new(set.map_err(|error| refused(py, &error))?.stored_as(storage)) });
        }
        let contexts = to_matrix(&table(contexts, "contexts")?)?;
        let set = py.detach(|| {
            let dim = contexts.n_cols();
            moglb::ArmSet::new(dim, contexts.into_vec(), norms).map(|set| set.stored_as(storage))
        });
        Ok(Self { set: Arc::new(set.map_err(|error| refused(py, &error))?) })
    }

    /// The contexts, one row per arm: an array, or a CSR matrix of SciPy if the arm set was made from a
    /// sparse matrix.
    #[getter]
    fn contexts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.set.table() {
            Some(table) => to_scipy(py, table),
            None => Ok(to_array(py, &self.matrix())?.into_any()),
        }
    }

    /// The context of the arm at a position, as a dense vector.
    fn context<'py>(&self, arm: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let py = arm.py();
        let arm = self.set.get(moglb::ArmId(position(arm)?)).map_err(|error| refused(py, &error))?;
        Ok(PyArray1::from_slice(py, &arm.numbers().to_dense()))
    }

    /// The number of features.
    #[getter]
    fn dim(&self) -> usize {
        self.set.dim()
    }

    fn __len__(&self) -> usize {
        self.set.n_arms()
    }

    fn __repr__(&self) -> String {
        format!("ArmSet({} arms of {} features)", self.set.n_arms(), self.set.dim())
    }

    /// The parts of a pickle: the function that restores the arm set, and its arguments.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, ReducedArmSet<'py>)> {
        let this = slf.get();
        let storage = match this.set.storage() {
            Storage::F64 => "f64",
            Storage::F32 => "f32",
        };
        let restore = slf.py().import("moglb._arrays")?.getattr("restore_arm_set")?;
        Ok((restore, (slf.get_type(), this.contexts(slf.py())?, storage)))
    }
}

/// The arguments that restore an arm set: its class, its contexts and its storage.
type ReducedArmSet<'py> = (Bound<'py, PyType>, Bound<'py, PyAny>, &'static str);

impl PyArmSet {
    /// The contexts of a dense arm set, one row per arm.
    fn matrix(&self) -> Matrix {
        let rows: Vec<&[f64]> = self.set.iter().map(|arm| arm.context()).collect();
        Matrix::from_rows(&rows).expect("rows of one length")
    }
}

/// Reads the argument `norms`, the treatment of contexts longer than one: a word or a number.
fn read_norms(py: Python<'_>, norms: Option<&Bound<'_, PyAny>>) -> PyResult<Norms> {
    let Some(norms) = norms else { return Ok(Norms::Strict) };
    if let Ok(name) = norms.extract::<String>() {
        return match &name[..] {
            "strict" => Ok(Norms::Strict),
            "clip" => Ok(Norms::Clip),
            _ => {
                let message =
                    format!("norms must be \"strict\", \"clip\" or a number, got \"{}\"", shown(&name));
                Err(raised(py, "parameters", &message))
            }
        };
    }
    let message = "norms must be \"strict\", \"clip\" or a number";
    norms.extract::<f64>().map(Norms::DivideBy).map_err(|_| raised(py, "input-type", message))
}
