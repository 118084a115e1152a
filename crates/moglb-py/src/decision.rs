//! Decisions, turned into arrays when they are asked for.

use crate::arrays::{to_array, to_matrix};
use moglb::{ArmId, Matrix};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

/// What a policy decided, with all that is needed to audit it or to evaluate another policy on it later.
///
/// >>> import moglb
/// >>> policy = moglb.MoglbUcb(2, [moglb.Objective("click", "logit")], seed=7)
/// >>> d = policy.decide([[0.6, 0.1], [0.2, 0.7]])
/// >>> d.probabilities.tolist()
/// [0.5, 0.5]
#[pyclass(frozen, module = "moglb")]
pub(crate) struct Decision {
    arm: usize,
    front: Vec<i64>,
    probabilities: Vec<f64>,
    given_sample: bool,
    estimates: Matrix,
    widths: Matrix,
}

impl Decision {
    /// What a decision says, without the memory that it was made with.
    pub(crate) fn of(decision: &moglb::Decision) -> Self {
        Self {
            arm: decision.arm.0,
            front: positions(&decision.front).collect(),
            probabilities: decision.probabilities.clone(),
            given_sample: decision.given_sample,
            estimates: decision.estimates.clone(),
            widths: decision.widths.clone(),
        }
    }
}

fn positions(front: &moglb::Front) -> impl Iterator<Item = i64> {
    front.iter().map(|ArmId(index)| index as i64)
}

#[pymethods]
impl Decision {
    /// The position of the arm to play.
    #[getter]
    fn arm(&self) -> usize {
        self.arm
    }

    /// The positions of the arms on the approximate front; empty for a policy that has none.
    #[getter]
    fn front<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_slice(py, &self.front)
    }

    /// The probability of every arm.
    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.probabilities)
    }

    /// The probability with which this arm was drawn.
    #[getter]
    fn probability(&self) -> f64 {
        self.probabilities[self.arm]
    }

    /// Whether the probabilities are conditional on a random sample that was drawn first (Thompson sampling).
    #[getter]
    fn given_sample(&self) -> bool {
        self.given_sample
    }

    /// The estimate of each arm (rows) in each objective: θ̂ᵀx for policies with a model, the mean reward for others.
    /// Empty if the decision was made without tables.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.estimates)
    }

    /// How far each estimate may be off, as the policy sees it.
    #[getter]
    fn widths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, &self.widths)
    }

    #[staticmethod]
    fn _of(
        arm: usize,
        front: Vec<i64>,
        probabilities: Vec<f64>,
        given_sample: bool,
        estimates: PyReadonlyArray2<'_, f64>,
        widths: PyReadonlyArray2<'_, f64>,
    ) -> Self {
        let (estimates, widths) = (to_matrix(&estimates), to_matrix(&widths));
        Self { arm, front, probabilities, given_sample, estimates, widths }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Reduced<'py>)> {
        let (py, this) = (slf.py(), slf.get());
        let (estimates, widths) = (this.estimates(py)?, this.widths(py)?);
        let parts =
            (this.arm, this.front.clone(), this.probabilities.clone(), this.given_sample, estimates, widths);
        Ok((slf.get_type().getattr("_of")?, parts))
    }

    fn __repr__(&self) -> String {
        let front = if self.front.len() > 10 {
            format!("{} arms", self.front.len())
        } else {
            format!("{:?}", self.front)
        };
        let (arm, probability, n_arms) = (self.arm, self.probability(), self.probabilities.len());
        format!("Decision(arm={arm} of {n_arms}, front={front}, probability={probability:.4})")
    }
}

type Reduced<'py> = (usize, Vec<i64>, Vec<f64>, bool, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// Many decisions on arm sets of one size.
#[pyclass(frozen, module = "moglb")]
pub(crate) struct DecisionBatch {
    n_arms: usize,
    arms: Vec<i64>,
    fronts: Vec<bool>,
    probabilities: Vec<f64>,
    n_columns: usize,
    estimates: Vec<f64>,
    widths: Vec<f64>,
}

impl DecisionBatch {
    pub(crate) fn new(n_arms: usize) -> Self {
        let (arms, fronts, probabilities) = (Vec::new(), Vec::new(), Vec::new());
        Self { n_arms, arms, fronts, probabilities, n_columns: 0, estimates: Vec::new(), widths: Vec::new() }
    }

    pub(crate) fn push(&mut self, decision: &moglb::Decision) {
        self.arms.push(decision.arm.0 as i64);
        let first = self.fronts.len();
        self.fronts.resize(first + self.n_arms, false);
        positions(&decision.front).for_each(|arm| self.fronts[first + arm as usize] = true);
        self.probabilities.extend_from_slice(&decision.probabilities);
        self.n_columns = decision.estimates.n_cols();
        self.estimates.extend_from_slice(decision.estimates.as_slice());
        self.widths.extend_from_slice(decision.widths.as_slice());
    }

    fn cube<'py>(&self, py: Python<'py>, data: &[f64]) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let rows = if data.is_empty() { 0 } else { self.n_arms };
        PyArray1::from_slice(py, data).reshape([self.arms.len(), rows, self.n_columns])
    }
}

#[pymethods]
impl DecisionBatch {
    /// The position of the arm to play, for each set.
    #[getter]
    fn arms<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_slice(py, &self.arms)
    }

    /// Whether each arm of each set is on its front.
    #[getter]
    fn fronts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        PyArray1::from_slice(py, &self.fronts).reshape([self.arms.len(), self.n_arms])
    }

    /// The probability of each arm of each set.
    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        PyArray1::from_slice(py, &self.probabilities).reshape([self.arms.len(), self.n_arms])
    }

    /// The estimates: sets, arms, objectives.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.cube(py, &self.estimates)
    }

    /// The widths: sets, arms, objectives.
    #[getter]
    fn widths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.cube(py, &self.widths)
    }

    fn __len__(&self) -> usize {
        self.arms.len()
    }

    fn __repr__(&self) -> String {
        format!("DecisionBatch({} decisions on sets of {} arms)", self.arms.len(), self.n_arms)
    }
}
