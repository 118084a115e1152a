//! The class `Link`, and links written in Python.

use crate::arrays::vector;
use crate::errors::{raised, refused, shown};
use crate::items::read;
use crate::link_failure::{keep_failure, take_failure};
use numpy::PyArray1;
use pyo3::prelude::*;

/// A link function μ: the mean of a reward as a function of the score z = θᵀx.
///
/// >>> import moglb
/// >>> moglb.Link("logit").mean([0.0, 1.0]).round(3).tolist()
/// [0.5, 0.731]
/// >>> moglb.Link("logit").constants(1.0)["kappa"].__round__(6)
/// 0.196612
#[pyclass(frozen, eq, hash, name = "Link", module = "moglb")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyLink(moglb::Link);

/// A link written in Python.
struct Callables {
    mean: Py<PyAny>,
    /// The slope of the mean; without it the slope is a central difference of the mean.
    slope: Option<Py<PyAny>>,
    /// The range of rewards.
    rewards: (f64, f64),
}

impl Callables {
    /// Calls a function of the link. If it raises, the exception is kept for the caller of the engine, and
    /// the result is NaN.
    fn call(function: &Py<PyAny>, z: f64) -> f64 {
        Python::attach(|py| {
            let called = function.call1(py, (z,)).and_then(|value| read(value.bind(py)));
            called.unwrap_or_else(|error: PyErr| {
                keep_failure(error);
                f64::NAN
            })
        })
    }
}

impl moglb::LinkFunction for Callables {
    fn mean(&self, z: f64) -> f64 {
        Self::call(&self.mean, z)
    }

    fn slope(&self, z: f64) -> f64 {
        match &self.slope {
            Some(slope) => Self::call(slope, z),
            None => {
                let step = 1e-5 * z.abs().max(1.0);
                (self.mean(z + step) - self.mean(z - step)) / (2.0 * step)
            }
        }
    }

    fn rewards(&self) -> (f64, f64) {
        self.rewards
    }
}

/// Registers a link written in Python under a name.
#[pyfunction]
#[pyo3(signature = (name, mean, slope, rewards))]
pub(crate) fn register_link(
    py: Python<'_>,
    name: &str,
    mean: Py<PyAny>,
    slope: Option<Py<PyAny>>,
    rewards: (f64, f64),
) -> PyResult<PyLink> {
    let link = moglb::Link::register(name, Callables { mean, slope, rewards });
    link.map(PyLink).map_err(|error| refused(py, &error))
}

#[pymethods]
impl PyLink {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        let message = || {
            let name = shown(name);
            format!("there is no link `{name}`: expected identity, logit, probit, log or a registered link")
        };
        moglb::Link::named(name).map(Self).ok_or_else(|| raised(py, "parameters", &message()))
    }

    /// The name of the link in configurations.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The mean μ(z) of each score.
    fn mean<'py>(&self, z: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.each(z, |link, z| link.mean(z))
    }

    /// The slope μ′(z) at each score.
    fn slope<'py>(&self, z: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.each(z, |link, z| link.slope(z))
    }

    /// The cumulant g(z) at each score, with g′ = μ.
    fn cumulant<'py>(&self, z: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.each(z, |link, z| link.cumulant(z))
    }

    /// The score of each mean, the inverse of μ.
    fn inverse<'py>(&self, means: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (py, means) = (means.py(), vector(means, "means")?);
        let scores: Result<Vec<f64>, _> =
            means.as_slice()?.iter().map(|&mean| self.0.inverse(mean)).collect();
        Ok(PyArray1::from_vec(py, scores.map_err(|error| refused(py, &error))?))
    }

    /// The constants of Assumption 3 on [−radius, radius]: "kappa" (κ), "lipschitz" (L) and "bound" (U).
    fn constants<'py>(&self, py: Python<'py>, radius: f64) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let constants = self.0.constants(radius);
        let dict = pyo3::types::PyDict::new(py);
        dict.set_item("kappa", constants.kappa)?;
        dict.set_item("lipschitz", constants.lipschitz)?;
        dict.set_item("bound", constants.bound)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        format!("Link('{}')", self.0.name())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, pyo3::types::PyType>, (&'static str,)) {
        (slf.get_type(), (slf.get().0.name(),))
    }
}

impl PyLink {
    /// Applies a function of the link to each score. Raises the exception of a link written in Python.
    fn each<'py>(
        &self,
        z: &Bound<'py, PyAny>,
        f: impl Fn(moglb::Link, f64) -> f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (py, z) = (z.py(), vector(z, "scores")?);
        let values = z.as_slice()?.iter().map(|&z| f(self.0, z)).collect();
        match take_failure() {
            Some(failure) => Err(failure),
            None => Ok(PyArray1::from_vec(py, values)),
        }
    }
}
