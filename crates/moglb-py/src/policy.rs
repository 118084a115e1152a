//! Policies: one class for all of them; the names that people use are its subclasses in Python.
//!
//! This file is the class as Python sees it. Its methods are one line each; the work is done in the files
//! under `policy/`, by subject. (Several blocks of methods would need PyO3's `multiple-pymethods`, which
//! collects those of every class with linker sections when the module is loaded.)

mod decide;
mod learn;
mod learned;
mod predict;
mod snapshot;

use crate::arms::PyArmSet;
use crate::call::SharedPolicy;
use crate::decision::{PyDecision, PyDecisionBatch};
use crate::generator;
use crate::items::Items;
use decide::List;
use numpy::{PyArray1, PyArray2};
use predict::Bounds;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use snapshot::Whole;

/// The engine behind every policy of the package.
#[pyclass(frozen, subclass, name = "Policy", module = "moglb._moglb")]
pub(crate) struct PyPolicy {
    pub(crate) shared: SharedPolicy,
}

#[pymethods]
impl PyPolicy {
    /// An object with nothing in it: `_rebuild` or `_resume` make the policy.
    #[new]
    fn new() -> Self {
        Self { shared: SharedPolicy::empty() }
    }

    /// Draws an arm. `arms` holds a context in each row, or is an `ArmSet`; without it the fixed arms are
    /// meant. Without `tables` estimates and widths stay empty, which is faster; arm, front and probabilities
    /// are the same.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "view"], seed=7)
    /// >>> d = policy.decide([[0.6, 0.1], [0.2, 0.7]])
    /// >>> d.front.tolist(), d.estimates.shape
    /// ([0, 1], (2, 2))
    ///
    /// The other arguments say how to play, as `play` does in an experiment: a preference over the front,
    /// which values it compares (`"mean"`, `"optimistic"`, `"pessimistic"`), the objectives that count (the
    /// others are in shadow), a floor, lists of arms, a baseline, and how often each arm was played. They
    /// change what is drawn and nothing that is learned.
    ///
    /// >>> d = policy.decide([[0.6, 0.1], [0.2, 0.7]], prefer={"kind": "weights", "weights": [0.7, 0.3]}, floor={"share": 0.1})
    /// >>> d.probabilities.sum().item(), d.shortfall
    /// (1.0, 0.0)
    #[pyo3(signature = (arms = None, *, tables = true, **play),
           text_signature = "($self, arms=None, *, tables=True, prefer=None, belief=None, objectives=None, floor=None, \
                             include=None, exclude=None, baseline=None, exposures=None)")]
    fn decide(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        tables: bool,
        play: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyDecision> {
        decide::decide(&self.shared, py, arms, tables, play)
    }

    /// Draws k distinct arms. Returns their positions, the most wanted first, and the probability of every
    /// arm to be among them, which add up to k. The other arguments are those of `decide`.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "view"], seed=7)
    /// >>> arms, inclusion = policy.decide_list([[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]], 2, prefer={"kind": "uniform"})
    /// >>> len(set(arms.tolist())), round(inclusion.sum().item(), 9)
    /// (2, 2.0)
    #[pyo3(signature = (arms, k, **play),
           text_signature = "($self, arms, k, *, prefer=None, belief=None, objectives=None, floor=None, \
                             include=None, exclude=None, baseline=None, exposures=None)")]
    fn decide_list<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
        k: usize,
        play: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<List<'py>> {
        decide::decide_list(&self.shared, py, arms, k, play)
    }

    /// One decision for each of many arm sets of one size (sets, arms, features), as if they were made one by
    /// one. A list of sparse matrices, one per set, is read without its zeros.
    ///
    /// >>> import moglb, numpy as np
    /// >>> policy = moglb.MoglbUcb(2, ["click"], seed=7)
    /// >>> policy.decide_many(np.full((3, 4, 2), 0.1)).probabilities.shape
    /// (3, 4)
    #[pyo3(signature = (arms, *, tables = true))]
    fn decide_many(&self, arms: &Bound<'_, PyAny>, tables: bool) -> PyResult<PyDecisionBatch> {
        decide::decide_many(&self.shared, arms, tables)
    }

    /// Learns the reward vector of a played arm: its context, or its position where arms are fixed or learned
    /// one by one.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "view"])
    /// >>> policy.learn([0.6, 0.1], [1.0, 0.0])
    /// >>> policy.t
    /// 1
    #[pyo3(signature = (x, reward, arm = None))]
    fn learn(
        &self,
        x: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        arm: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        learn::learn(&self.shared, x, reward, arm)
    }

    /// Learns the parts of a reward vector that are known by now; NaN is what is not. The rest may come in
    /// later calls, or never: a missing part weighs nothing. Only policies that `learns_parts`.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "sale"])
    /// >>> policy.learn_part([0.6, 0.1], [1.0, float("nan")])
    /// >>> policy.learn_part([0.6, 0.1], [float("nan"), 0.0])
    #[pyo3(signature = (x, reward, arm = None))]
    fn learn_part(
        &self,
        x: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        arm: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        learn::learn_part(&self.shared, x, reward, arm)
    }

    /// Whether a part of a reward vector can be learned before, or without, the rest.
    ///
    /// >>> import moglb
    /// >>> moglb.MoglbUcb(2, ["click"]).learns_parts, moglb.PUcb(2, ["click"], n_arms=3).learns_parts
    /// (True, False)
    #[getter]
    fn learns_parts(&self, py: Python<'_>) -> PyResult<bool> {
        self.shared.ask(py, |engine| engine.policy().facts().learns_parts)
    }

    /// Learns many reward vectors, all or none, in their order. NaN in Y is not yet known: a policy that
    /// `learns_parts` learns the rest of the row, others leave it out. Returns which rows anything was
    /// learned of.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "sale"])
    /// >>> nan = float("nan")
    /// >>> policy.learn_many([[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]], [[1, 0], [0, nan], [nan, nan]]).tolist()
    /// [True, True, False]
    #[pyo3(signature = (x, y, arms = None))]
    fn learn_many<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        arms: Option<Items<usize>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        learn::learn_many(&self.shared, x, y, arms)
    }

    /// The arms of the last `fix_arms`.
    #[getter]
    fn fixed_arms(&self, py: Python<'_>) -> PyResult<Option<PyArmSet>> {
        Ok(self.shared.fixed(py)?.map(|set| PyArmSet { set }))
    }

    /// Says that these arms, and no others, will be on offer from now on: deciding is then much faster, and
    /// decides the same.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click"], seed=7)
    /// >>> policy.fix_arms([[0.6, 0.1], [0.2, 0.7]])
    /// >>> d = policy.decide(tables=False)
    /// >>> policy.learn(d.arm, [1.0])
    fn fix_arms(&self, arms: &Bound<'_, PyAny>) -> PyResult<()> {
        learn::fix_arms(&self.shared, arms)
    }

    /// The approximate front of some arms, as positions, without drawing. Of a policy that samples (Thompson
    /// sampling) it is that of one fixed sample.
    ///
    /// >>> import moglb
    /// >>> moglb.MoglbUcb(2, ["click"]).front([[0.6, 0.1], [0.2, 0.7]]).tolist()
    /// [0, 1]
    #[pyo3(signature = (arms = None))]
    fn front<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        predict::front(&self.shared, py, arms)
    }

    /// The expected reward of each arm (rows) in each objective (columns), as the policy sees it now. NaN in
    /// objectives that it has no estimate of: all of them for `Random`, all but its target for a policy made
    /// for a single objective.
    ///
    /// >>> import moglb
    /// >>> moglb.MoglbUcb(2, ["click"]).predict([[0.6, 0.1]]).tolist()
    /// [[0.5]]
    #[pyo3(signature = (arms = None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let [means] = predict::means(&self.shared, py, arms, [0.0])?;
        Ok(means)
    }

    /// Lower and upper confidence bounds of the expected rewards; NaN where `predict` is.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click"], width=moglb.Tightened(0.05))
    /// >>> policy.learn([0.6, 0.1], [1.0])
    /// >>> lower, upper = policy.predict_bounds([[0.6, 0.1]])
    /// >>> bool(lower < policy.predict([[0.6, 0.1]]) < upper)
    /// True
    #[pyo3(signature = (arms = None))]
    fn predict_bounds<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bounds<'py>> {
        let [lower, upper] = predict::means(&self.shared, py, arms, [-1.0, 1.0])?;
        Ok((lower, upper))
    }

    /// The number of rewards learned.
    #[getter]
    fn t(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.ask(py, |engine| engine.policy().t())
    }

    /// How often an estimate had to be projected back onto the ball.
    #[getter]
    fn projection_hits(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.ask(py, |engine| engine.policy().model().map_or(0, |model| model.projection_hits()))
    }

    /// The learned policy as JSON, with the version of its format; bits are kept.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.shared.ask(py, |engine| engine.policy().to_json())
    }

    /// The learned policy as bytes, with a checksum.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.shared.ask(py, |engine| engine.policy().to_bytes())?))
    }

    /// Where the generator is, as text: with it and a snapshot a policy goes on as if it had never been away.
    #[getter]
    fn rng_state(&self, py: Python<'_>) -> PyResult<String> {
        self.shared.rng.ask(py, |rng| generator::to_text(rng))
    }

    /// Takes the place of the learned state, from JSON or bytes.
    fn _resume(&self, snapshot: &Bound<'_, PyAny>) -> PyResult<()> {
        snapshot::resume(&self.shared, snapshot)
    }

    /// Starts, or starts anew, with these parameters.
    fn _rebuild(&self, problem: &Bound<'_, PyDict>, policy: &Bound<'_, PyDict>, seed: u64) -> PyResult<()> {
        snapshot::rebuild(&self.shared, problem, policy, seed)
    }

    /// What is believed about each objective by now, as JSON.
    fn _beliefs(&self, py: Python<'_>) -> PyResult<String> {
        learned::beliefs(&self.shared, py)
    }

    /// Changes objectives or arms, as a dictionary says or, where it holds `None`, JSON; what is known of
    /// those that stay is kept.
    fn _change(&self, change: &Bound<'_, PyAny>) -> PyResult<()> {
        snapshot::change(&self.shared, change)
    }

    /// Decides on the fixed arms; the decision and the context of its arm.
    fn _decide_fixed<'py>(&self, py: Python<'py>) -> PyResult<(PyDecision, Bound<'py, PyArray1<f64>>)> {
        decide::decide_fixed(&self.shared, py)
    }

    /// What was learned, where the generator is, and the fixed arms, all at one moment.
    fn _whole<'py>(&self, py: Python<'py>) -> PyResult<Whole<'py>> {
        snapshot::whole(&self.shared, py)
    }

    fn _set_rng_state(&self, py: Python<'_>, state: &str) -> PyResult<()> {
        snapshot::set_rng_state(&self.shared, py, state)
    }

    /// Problem and policy of a snapshot, as JSON.
    #[staticmethod]
    fn _parts(snapshot: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
        snapshot::parts(snapshot)
    }

    /// Refuses a problem and a policy that are not those of a snapshot.
    #[staticmethod]
    fn _check_made_with(
        snapshot: &Bound<'_, PyAny>,
        problem: &Bound<'_, PyDict>,
        policy: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        snapshot::check_made_with(snapshot, problem, policy)
    }

    /// θ̂, one row per objective.
    fn _theta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        learned::theta(&self.shared, py)
    }

    /// Z, one for all objectives or one for each.
    fn _z<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        learned::z(&self.shared, py)
    }

    /// log det(Z_t)/det(Z_1), one for all objectives or one for each.
    fn _log_det<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        learned::log_det(&self.shared, py)
    }

    /// γ, one for all objectives or one for each.
    fn _gamma<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        learned::gamma(&self.shared, py)
    }

    /// What the objectives of MOGLB-EB share, larger is better.
    fn _shared_mean<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        learned::shared_mean(&self.shared, py)
    }

    /// τ² and ρ² of MOGLB-EB.
    fn _scales(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        learned::scales(&self.shared, py)
    }

    /// The chance of each arm to be on the front, as MOGLB-EB sees it.
    fn _chances<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        predict::chances(&self.shared, py, arms)
    }
}

/// What is known about every policy, as JSON.
#[pyfunction]
pub(crate) fn policies() -> String {
    serde_json::to_string(&moglb::POLICIES).expect("text and numbers")
}

/// The id of the policy to begin with.
#[pyfunction]
pub(crate) fn recommended() -> &'static str {
    moglb::PolicyConfig::recommended().id()
}
