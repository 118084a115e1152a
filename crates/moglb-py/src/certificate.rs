//! A certified front: which arms are Pareto optimal beyond doubt.

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

/// What is certain about the arms of a fixed set, with probability 1 - delta at all times: which are Pareto optimal, which are
/// dominated, and how large gaps and regret can be. It learns from any rewards of these arms, whoever chose them.
///
/// `policy` says which problem it is, and has the arms unless they are given. `sources` are where bounds come from:
/// "theorem-1", "tightened", "glb-omd", "likelihood-ratio", "intervals"; they share delta, and the best bound counts. A `scale`
/// below one proves nothing.
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
    certificate: Guarded<moglb::Certificate>,
}

impl PyCertificate {
    /// Does a piece of work with the certificate while other threads of the interpreter run.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut moglb::Certificate) -> R + Send,
    ) -> PyResult<R> {
        self.certificate.ask(py, work)
    }

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
            (None, None) => return Err(raised(py, "parameters", "the policy has no fixed arms: give some")),
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

    /// Looks at the undecided arms now. It is done by itself whenever the number of rewards has grown by one percent.
    fn look(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, |certificate| certificate.look())
    }

    /// 'in' (Pareto optimal), 'out' (dominated) or 'undecided' for each arm, as of the latest look.
    #[getter]
    fn status(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        self.ask(py, |certificate| {
            certificate.arms().iter().map(|arm| word(certificate.status(arm.id()))).collect()
        })
    }

    /// The positions of the arms that are Pareto optimal beyond doubt.
    #[getter]
    fn arms_in<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(ids(py, &self.ask(py, |certificate| certificate.arms_in())?))
    }

    /// The positions of the arms that are dominated beyond doubt.
    #[getter]
    fn arms_out<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(ids(py, &self.ask(py, |certificate| certificate.arms_out())?))
    }

    /// A lower bound on the Jaccard index of any set that holds the arms that are in, and none that is out, with the true front.
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

    /// All that is known, as text.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |certificate| certificate.to_json())
    }

    /// A certificate from `to_json`.
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

fn ids<'py>(py: Python<'py>, arms: &[ArmId]) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_vec(py, arms.iter().map(|arm| arm.0 as i64).collect())
}

fn word(status: Status) -> &'static str {
    match status {
        Status::In => "in",
        Status::Out => "out",
        Status::Undecided => "undecided",
    }
}
