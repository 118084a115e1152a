//! The class `Ledger`: decisions whose rewards are not complete.

use crate::arrays::vector;
use crate::errors::{raised, refused, shown};
use crate::fork::Guarded;
use crate::inputs::{PlayedArm, known};
use crate::items::read;
use crate::json::written;
use crate::policy::PyPolicy;
use moglb::{Delivery, Error, LedgerState};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Keeps the played arm of every decision until its reward vector is complete, and passes each part to the
/// policy exactly once. Rewards may come late, in parts, out of order, twice or never.
///
/// >>> import moglb
/// >>> policy = moglb.MoglbUcb(2, ["click", "sale"])
/// >>> ledger = moglb.Ledger(policy)
/// >>> number = ledger.open([0.6, 0.1])
/// >>> ledger.deliver(number, {"click": 1.0})
/// 'learned'
/// >>> ledger.deliver(number, {"click": 1.0})
/// 'repeated'
/// >>> ledger.deliver(number, {"sale": 0.0})
/// 'learned'
/// >>> len(ledger)
/// 0
#[pyclass(frozen, name = "Ledger", module = "moglb._moglb")]
pub(crate) struct PyLedger {
    /// The policy that learns. If both locks are needed, its lock is taken before that of the ledger.
    policy: Py<PyPolicy>,
    ledger: Guarded<moglb::Ledger>,
}

#[pymethods]
impl PyLedger {
    /// A ledger for the decisions of a policy. With `state`, the text of `to_json`, it continues from there.
    #[new]
    #[pyo3(signature = (policy, state = None))]
    fn new(py: Python<'_>, policy: Py<PyPolicy>, state: Option<&str>) -> PyResult<Self> {
        let problem = policy.get().shared.problem(py)?;
        let ledger = match state {
            None => Ok(moglb::Ledger::new(problem)),
            Some(text) => serde_json::from_str::<LedgerState>(text)
                .map_err(|error| Error::SnapshotDamaged { reason: error.to_string() })
                .and_then(|state| moglb::Ledger::from_state(problem, state)),
        };
        Ok(Self { policy, ledger: Guarded::new(ledger.map_err(|error| refused(py, &error))?) })
    }

    /// Records a played arm and returns the number of its decision. The arguments are those of `learn`.
    #[pyo3(signature = (x, arm = None))]
    fn open(&self, x: &Bound<'_, PyAny>, arm: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        let played = PlayedArm::read(x, arm)?;
        self.policy.get().shared.on_played(x.py(), &played, |_, arm| self.ledger.lock()?.open(arm))
    }

    /// Delivers the parts of a reward that have come: a dictionary by objective, or a vector with NaN for
    /// parts that have not come. Returns 'learned' if the policy learned a part, 'waiting' if the parts wait
    /// for the others, 'repeated' if all of them had come before, and 'settled' if the decision was complete
    /// or closed before.
    fn deliver(&self, decision: u64, reward: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        let py = reward.py();
        let reward = match reward.cast::<PyDict>() {
            Ok(parts) => self.by_name(parts)?,
            Err(_) => known(vector(reward, "reward")?.as_slice()?),
        };
        let delivered =
            self.policy.get().shared.write(py, |engine| {
                Ok(self.ledger.lock()?.deliver(engine.policy_mut(), decision, &reward)?)
            });
        Ok(word(delivered?))
    }

    /// Closes a decision without its missing rewards. Returns 'waiting' if the decision was open, 'settled'
    /// otherwise.
    fn close(&self, py: Python<'_>, decision: u64) -> PyResult<&'static str> {
        let closed = self.ledger.ask(py, |ledger| ledger.close(decision))?;
        Ok(word(closed.map_err(|error| refused(py, &error))?))
    }

    /// Closes all open decisions with smaller numbers, and returns how many there were.
    fn close_before(&self, py: Python<'_>, decision: u64) -> PyResult<usize> {
        self.ledger.ask(py, |ledger| ledger.close_before(decision))
    }

    /// The number that the next decision will have.
    #[getter]
    fn next_decision(&self, py: Python<'_>) -> PyResult<u64> {
        self.ledger.ask(py, |ledger| ledger.next_id())
    }

    /// The policy that learns.
    #[getter]
    fn policy(&self, py: Python<'_>) -> Py<PyPolicy> {
        self.policy.clone_ref(py)
    }

    /// The content of the ledger as text (JSON). It does not contain the policy, which has its own snapshot.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let state = self.ledger.ask(py, |ledger| ledger.state())?;
        Ok(written(&state))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.ledger.ask(py, |ledger| ledger.len())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.ledger
            .ask(py, |ledger| format!("Ledger({} of {} decisions wait)", ledger.len(), ledger.next_id()))
    }
}

impl PyLedger {
    /// Reads parts of a reward from a dictionary by the names of objectives.
    fn by_name(&self, parts: &Bound<'_, PyDict>) -> PyResult<Vec<Option<f64>>> {
        let py = parts.py();
        let problem = self.policy.get().shared.problem(py)?;
        let mut reward = vec![None; problem.n_objectives()];
        // A copy of the items: a method of a value may change the dictionary.
        for item in parts.items().iter() {
            let (name, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let (name, value): (String, f64) = (read(&name)?, read(&value)?);
            let place = problem.objectives().iter().position(|objective| objective.name == name);
            let Some(place) = place else {
                return Err(raised(
                    py,
                    "objective-not-found",
                    &format!("there is no objective `{}`", shown(&name)),
                ));
            };
            reward[place] = Some(value);
        }
        Ok(reward)
    }
}

/// The result of a delivery as a word of the Python interface.
fn word(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Learned => "learned",
        Delivery::Waiting => "waiting",
        Delivery::Repeated => "repeated",
        Delivery::Settled => "settled",
    }
}
