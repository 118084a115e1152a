//! The class `Policy`, one class for all policies. The classes that users name, such as `MoglbUcb`, are its
//! subclasses in Python.
//!
//! This file defines the interface to Python. Its methods are one line each; the work is done in the files
//! under `policy/`, by subject. (Several blocks of methods would need PyO3's `multiple-pymethods`, which
//! collects the methods of every class with linker sections when the module is loaded.)

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
use crate::json::written;
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
    /// An empty object. `_rebuild` or `_resume` make the policy.
    #[new]
    fn new() -> Self {
        Self { shared: SharedPolicy::empty() }
    }

    /// Draws an arm. `arms` has a context in each row, or is an `ArmSet`; by default it is the fixed arms.
    /// With `tables=False` estimates and widths stay empty, which is faster; arm, front and probabilities are
    /// the same.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "view"], seed=7)
    /// >>> d = policy.decide([[0.6, 0.1], [0.2, 0.7]])
    /// >>> d.front.tolist(), d.estimates.shape
    /// ([0, 1], (2, 2))
    ///
    /// The other arguments are the way to play, like `play` in an experiment: `prefer`, a preference over the
    /// front; `belief`, the values that it compares (`"mean"`, `"optimistic"` or `"pessimistic"`);
    /// `objectives`, the objectives that count (the others are learned but ignored when playing); `floor`, a
    /// share of the plays that is spread evenly; `include` and `exclude`, lists of allowed arms and of arms
    /// that are not allowed; `baseline`, an arm with a guaranteed share; and `exposures`, the number of plays
    /// of each arm so far. They change the draw, but nothing that is learned.
    ///
    /// >>> weights = {"kind": "weights", "weights": [0.7, 0.3]}
    /// >>> d = policy.decide([[0.6, 0.1], [0.2, 0.7]], prefer=weights, floor={"share": 0.1})
    /// >>> d.probabilities.sum().item(), d.shortfall
    /// (1.0, 0.0)
    #[pyo3(signature = (arms = None, *, tables = true, **play),
           text_signature = "($self, arms=None, *, tables=True, prefer=None, belief=None, objectives=None, \
                             floor=None, include=None, exclude=None, baseline=None, exposures=None)")]
    fn decide(
        &self,
        py: Python<'_>,
        arms: Option<&Bound<'_, PyAny>>,
        tables: bool,
        play: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyDecision> {
        decide::decide(&self.shared, py, arms, tables, play)
    }

    /// Draws k distinct arms. Returns their positions, the preferred arms first, and for each arm the
    /// probability that it is in the list; these probabilities add up to k. The other arguments are those of
    /// `decide`.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click", "view"], seed=7)
    /// >>> X = [[0.6, 0.1], [0.2, 0.7], [0.1, 0.1]]
    /// >>> arms, inclusion = policy.decide_list(X, 2, prefer={"kind": "uniform"})
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

    /// Makes one decision for each of many arm sets of one size, as if by calls of `decide` one after the
    /// other. `arms` is an array of the shape (sets, arms, features), or a list of sparse matrices, one per
    /// set.
    ///
    /// >>> import moglb, numpy as np
    /// >>> policy = moglb.MoglbUcb(2, ["click"], seed=7)
    /// >>> policy.decide_many(np.full((3, 4, 2), 0.1)).probabilities.shape
    /// (3, 4)
    #[pyo3(signature = (arms, *, tables = true))]
    fn decide_many(&self, arms: &Bound<'_, PyAny>, tables: bool) -> PyResult<PyDecisionBatch> {
        decide::decide_many(&self.shared, arms, tables)
    }

    /// Learns the reward vector of a played arm. `x` is the context of the arm. It may also be the position
    /// of the arm, if arms are fixed or the policy learns by position. `arm` is the position next to a
    /// context.
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

    /// Learns the parts of a reward vector that are known by now; NaN marks a missing part. Missing parts may
    /// come in later calls, or never: a missing part has no weight. Only for policies with `learns_parts`.
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

    /// True if a part of a reward vector can be learned before, or without, the rest.
    ///
    /// >>> import moglb
    /// >>> moglb.MoglbUcb(2, ["click"]).learns_parts, moglb.PUcb(2, ["click"], n_arms=3).learns_parts
    /// (True, False)
    #[getter]
    fn learns_parts(&self, py: Python<'_>) -> PyResult<bool> {
        self.shared.ask(py, |engine| engine.policy().facts().learns_parts)
    }

    /// Learns many reward vectors in their order, either all or none. NaN in `y` marks a reward that is not
    /// known yet: a policy with `learns_parts` learns the rest of the row, other policies skip the row.
    /// Returns the mask of the rows from which at least one reward was learned.
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

    /// Fixes the arms: from now on these arms, and no others, are on offer. Decisions are then much faster,
    /// and stay the same.
    ///
    /// >>> import moglb
    /// >>> policy = moglb.MoglbUcb(2, ["click"], seed=7)
    /// >>> policy.fix_arms([[0.6, 0.1], [0.2, 0.7]])
    /// >>> d = policy.decide(tables=False)
    /// >>> policy.learn(d.arm, [1.0])
    fn fix_arms(&self, arms: &Bound<'_, PyAny>) -> PyResult<()> {
        learn::fix_arms(&self.shared, arms)
    }

    /// The approximate front of arms, as positions, without drawing an arm. For a policy that samples
    /// (Thompson sampling) it is the front of one fixed sample.
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

    /// The policy's current estimate of the mean reward of each arm (rows) in each objective (columns). NaN
    /// in objectives without an estimate: all of them for `Random`, and all but the target for a policy of a
    /// single objective.
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

    /// Lower and upper confidence bounds of the mean rewards; NaN where `predict` is NaN.
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

    /// The number of projections of an estimate back onto the ball of radius D.
    #[getter]
    fn projection_hits(&self, py: Python<'_>) -> PyResult<u64> {
        self.shared.ask(py, |engine| engine.policy().model().map_or(0, |model| model.projection_hits()))
    }

    /// The learned policy as JSON, with the version of its format. Every bit of the numbers is kept.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.shared.ask(py, |engine| engine.policy().to_json())
    }

    /// The learned policy as bytes, with a checksum.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.shared.ask(py, |engine| engine.policy().to_bytes())?))
    }

    /// The state of the random number generator, as text. With it and a snapshot a restored policy continues
    /// exactly as the original.
    #[getter]
    fn rng_state(&self, py: Python<'_>) -> PyResult<String> {
        self.shared.rng.ask(py, |rng| generator::to_text(rng))
    }

    /// Replaces the policy by a snapshot, JSON or bytes.
    fn _resume(&self, snapshot: &Bound<'_, PyAny>) -> PyResult<()> {
        snapshot::resume(&self.shared, snapshot)
    }

    /// Builds the policy, or builds it again, with these parameters and without any rewards.
    fn _rebuild(&self, problem: &Bound<'_, PyDict>, policy: &Bound<'_, PyDict>, seed: u64) -> PyResult<()> {
        snapshot::rebuild(&self.shared, problem, policy, seed)
    }

    /// The current belief about each objective, as JSON.
    fn _beliefs(&self, py: Python<'_>) -> PyResult<String> {
        learned::beliefs(&self.shared, py)
    }

    /// Changes objectives or arms. The change is a dictionary, or JSON if it contains `None`. The knowledge
    /// about objectives and arms that stay is kept.
    fn _change(&self, change: &Bound<'_, PyAny>) -> PyResult<()> {
        snapshot::change(&self.shared, change)
    }

    /// Decides on the fixed arms. Returns the decision and the context of its arm.
    fn _decide_fixed<'py>(&self, py: Python<'py>) -> PyResult<(PyDecision, Bound<'py, PyArray1<f64>>)> {
        decide::decide_fixed(&self.shared, py)
    }

    /// The learned policy as bytes, the state of the generator and the fixed arms, all of one moment.
    fn _whole<'py>(&self, py: Python<'py>) -> PyResult<Whole<'py>> {
        snapshot::whole(&self.shared, py)
    }

    /// Restores the generator from `rng_state`.
    fn _set_rng_state(&self, py: Python<'_>, state: &str) -> PyResult<()> {
        snapshot::set_rng_state(&self.shared, py, state)
    }

    /// The problem and the configuration of the policy in a snapshot, as JSON.
    #[staticmethod]
    fn _parts(snapshot: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
        snapshot::parts(snapshot)
    }

    /// Refuses a problem and a configuration that are not those of a snapshot.
    #[staticmethod]
    fn _check_made_with(
        snapshot: &Bound<'_, PyAny>,
        problem: &Bound<'_, PyDict>,
        policy: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        snapshot::check_made_with(snapshot, problem, policy)
    }

    /// The estimates θ̂, one row per objective.
    fn _theta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        learned::theta(&self.shared, py)
    }

    /// The matrix Z: one for all objectives, or one for each (objectives × features × features).
    fn _z<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        learned::z(&self.shared, py)
    }

    /// log(det Z_t / det Z_1): one number for all objectives, or one for each.
    fn _log_det<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        learned::log_det(&self.shared, py)
    }

    /// The squared radius γ of the confidence set: one number for all objectives, or one for each.
    fn _gamma<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        learned::gamma(&self.shared, py)
    }

    /// The posterior mean of the coefficients that the objectives of MOGLB-EB share; larger is better.
    fn _shared_mean<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        learned::shared_mean(&self.shared, py)
    }

    /// The scales of MOGLB-EB: τ², the variance of coefficients around the shared mean, and ρ², the variance
    /// of the shared mean's entries around their common level.
    fn _scales(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        learned::scales(&self.shared, py)
    }

    /// The probability of each arm to be on the front, under the posterior of MOGLB-EB.
    fn _chances<'py>(
        &self,
        py: Python<'py>,
        arms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        predict::chances(&self.shared, py, arms)
    }
}

/// The descriptions of all policies, as JSON.
#[pyfunction]
pub(crate) fn policies() -> String {
    written(&moglb::POLICIES)
}

/// The id of the recommended policy.
#[pyfunction]
pub(crate) fn recommended() -> &'static str {
    moglb::PolicyConfig::recommended().id()
}
