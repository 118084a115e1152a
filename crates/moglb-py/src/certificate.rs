//! The class `Certificate`: verdicts on the arms of a fixed set that are right with probability 1 − δ.

use crate::arms::PyArmSet;
use crate::arrays::{position, table, to_matrix, vector};
use crate::errors::{raised, refused};
use crate::fork::Guarded;
use crate::json::{config_of, value};
use crate::policy::PyPolicy;
use moglb::{ArmId, CertificateConfig, Error, Norms, Status};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde_json::{Map, Value};

/// Verdicts on the arms of a fixed set that all hold at all times, with probability 1 - delta: the arms that
/// are certainly Pareto optimal, the arms that are certainly dominated, and upper bounds on gaps and regret.
/// A certificate learns from any rewards of these arms, whatever method chose them.
///
/// `policy` provides the problem, and its fixed arms if `arms` is not passed. `sources` are the sources of
/// the bounds: "theorem-1", "tightened", "glb-omd", "likelihood-ratio" and "intervals". They share delta
/// equally, and the best bound counts. `scale` is a factor of all widths; nothing is proved for a factor
/// below one.
///
/// >>> import moglb
/// >>> policy = moglb.MoglbUcb(1, ["click"])
/// >>> certificate = moglb.Certificate(policy, [[0.9], [-0.9]])
/// >>> for t in range(400):
/// ...     certificate.learn(t % 2, [float(t % 10 < 7 - 4 * (t % 2))])
/// >>> certificate.status
/// ['in', 'out']
/// >>> certificate.jaccard_bound, certificate.arms_in.tolist()
/// (1.0, [0])
#[pyclass(frozen, name = "Certificate", module = "moglb._moglb")]
pub(crate) struct PyCertificate {
    /// The certificate of the engine; one thread at a time uses it.
    certificate: Guarded<moglb::Certificate>,
}

impl PyCertificate {
    /// Runs `work` with the certificate locked and the GIL released.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut moglb::Certificate) -> R + Send,
    ) -> PyResult<R> {
        self.certificate.ask(py, work)
    }

    /// The Python object of a new certificate, or the exception of its error.
    fn of(py: Python<'_>, certificate: Result<moglb::Certificate, Error>) -> PyResult<Self> {
        let certificate = certificate.map_err(|error| refused(py, &error))?;
        Ok(Self { certificate: Guarded::new(certificate) })
    }
}

#[pymethods]
impl PyCertificate {
    #[new]
    #[pyo3(signature = (policy, arms = None, *, delta = None, sources = None, scale = None))]
    fn new(
        py: Python<'_>,
        policy: &Bound<'_, PyPolicy>,
        arms: Option<&Bound<'_, PyAny>>,
        delta: Option<&Bound<'_, PyAny>>,
        sources: Option<&Bound<'_, PyAny>>,
        scale: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let problem = policy.get().shared.problem(py)?;
        let given = [("delta", delta), ("sources", sources), ("scale", scale)];
        let mut config = Map::new();
        for (name, part) in given.into_iter().filter_map(|(name, part)| Some((name, part?))) {
            config.insert(name.into(), value(name, part)?);
        }
        let config: CertificateConfig = config_of(py, Value::Object(config))?;
        let fixed = match arms {
            None => policy.get().shared.fixed(py)?,
            Some(arms) => arms.cast::<PyArmSet>().ok().map(|set| set.get().set.clone()),
        };
        let certificate = match (fixed, arms) {
            (Some(set), _) => py.detach(|| moglb::Certificate::new(problem, &set, config)),
            (None, Some(arms)) => {
                let contexts = to_matrix(&table(arms, "arms")?)?;
                let set = moglb::ArmSet::new(contexts.n_cols(), contexts.into_vec(), Norms::Strict);
                py.detach(|| moglb::Certificate::new(problem, &set?, config))
            }
            (None, None) => return Err(raised(py, "parameters", "the policy has no fixed arms: pass arms")),
        };
        Self::of(py, certificate)
    }

    /// Learns the reward vector of the arm at a position.
    fn learn(&self, arm: &Bound<'_, PyAny>, reward: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = arm.py();
        let (arm, reward) = (position(arm)?, vector(reward, "reward")?.as_slice()?.to_vec());
        let learned = self.ask(py, |certificate| certificate.learn(ArmId(arm), &reward))?;
        learned.map_err(|error| refused(py, &error))
    }

    /// Checks the undecided arms now. This also happens automatically whenever the number of rewards has
    /// grown by one percent.
    fn look(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, |certificate| certificate.look())
    }

    /// The verdict on each arm at the latest look: 'in' (Pareto optimal), 'out' (dominated) or 'undecided'.
    #[getter]
    fn status(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        self.ask(py, |certificate| {
            certificate.arms().iter().map(|arm| word(certificate.status(arm.id()))).collect()
        })
    }

    /// The positions of the arms that are certainly Pareto optimal.
    #[getter]
    fn arms_in<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(ids(py, &self.ask(py, |certificate| certificate.arms_in())?))
    }

    /// The positions of the arms that are certainly dominated.
    #[getter]
    fn arms_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(ids(py, &self.ask(py, |certificate| certificate.arms_out())?))
    }

    /// A lower bound on the Jaccard index between the true front and any set that contains all arms that are
    /// in and no arm that is out.
    #[getter]
    fn jaccard_bound(&self, py: Python<'_>) -> PyResult<f64> {
        self.ask(py, |certificate| certificate.jaccard_bound())
    }

    /// Upper bounds on the Pareto suboptimality gap of every arm.
    fn gap_bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, self.ask(py, |certificate| certificate.gap_bounds())?))
    }

    /// An upper bound on the Pareto regret of all plays so far.
    fn regret_bound(&self, py: Python<'_>) -> PyResult<f64> {
        self.ask(py, |certificate| certificate.regret_bound())
    }

    /// The number of rewards learned.
    #[getter]
    fn t(&self, py: Python<'_>) -> PyResult<u64> {
        self.ask(py, |certificate| certificate.t())
    }

    /// The certificate as text (JSON), from which `from_json` restores it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |certificate| certificate.to_json())
    }

    /// Restores a certificate from the text of `to_json`.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        Self::of(py, py.detach(|| moglb::Certificate::from_json(text)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |certificate| {
            let (inside, out) = (certificate.arms_in().len(), certificate.arms_out().len());
            let (n_arms, t) = (certificate.arms().n_arms(), certificate.t());
            format!("Certificate({inside} arms in, {out} out, {} undecided, t={t})", n_arms - inside - out)
        })
    }
}

/// The positions of arms as an array.
fn ids<'py>(py: Python<'py>, arms: &[ArmId]) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_vec(py, arms.iter().map(|arm| arm.0 as i64).collect())
}

/// The verdict as a word of the Python interface.
fn word(status: Status) -> &'static str {
    match status {
        Status::In => "in",
        Status::Out => "out",
        Status::Undecided => "undecided",
    }
}
