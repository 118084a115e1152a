//! The classes `Decision` and `DecisionBatch`. Their numbers become NumPy arrays on first access.

use crate::arrays::to_matrix;
use crate::errors::raised;
use crate::items::Items;
use crate::pool::{DecisionNumbers, Pool, Pooled};
use moglb::{ArmId, Front, Matrix};
use numpy::{Element, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyInt;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A decision of a policy: the arm to play, with the front and the probabilities that are needed to audit the
/// decision or to evaluate another policy on it later.
///
/// >>> import moglb
/// >>> policy = moglb.MoglbUcb(2, [moglb.Objective("click", "logit")], seed=7)
/// >>> d = policy.decide([[0.6, 0.1], [0.2, 0.7]])
/// >>> d.probabilities.tolist()
/// [0.5, 0.5]
#[pyclass(frozen, name = "Decision", module = "moglb")]
pub(crate) struct PyDecision {
    /// The position of the arm to play.
    // A Python object, so that reading the attribute is a slot access without a call.
    #[pyo3(get)]
    arm: Py<PyInt>,
    n_arms: usize,
    n_front: usize,
    probability: f64,
    given_sample: bool,
    shortfall: f64,
    /// The numbers that are not yet exposed as NumPy arrays.
    numbers: Mutex<DecisionNumbers>,
    front: Array,
    probabilities: Array,
    estimates: Array,
    widths: Array,
    /// The pool that receives the memory when the decision is dropped, if the policy still exists.
    pool: Weak<Pool>,
}

/// An array that is made without a copy on first access. Later accesses return the same array, which is
/// read-only.
type Array = PyOnceLock<Py<PyAny>>;

impl PyDecision {
    /// Takes the result out of a decision buffer. The working memory stays in the buffer.
    pub(crate) fn of(py: Python<'_>, mut decision: Pooled<'_>, shortfall: f64) -> Self {
        let (arm, given_sample) = (decision.arm.0, decision.given_sample);
        let (numbers, pool) = (DecisionNumbers::of(&mut decision), Arc::downgrade(decision.pool()));
        Self::new(py, arm, given_sample, numbers, shortfall, pool)
    }

    /// A copy of arm, front and probabilities, without tables.
    pub(crate) fn copied(&self, py: Python<'_>) -> PyResult<moglb::Decision> {
        let front: Vec<usize> = self.front(py)?.extract()?;
        let mut copy = moglb::Decision::lean();
        copy.arm = ArmId(self.arm.extract(py)?);
        copy.front = front.into_iter().map(ArmId).collect();
        copy.probabilities = self.probabilities(py)?.extract()?;
        Ok(copy)
    }

    /// A decision of its parts, none of which is an array yet.
    fn new(
        py: Python<'_>,
        arm: usize,
        given_sample: bool,
        numbers: DecisionNumbers,
        shortfall: f64,
        pool: Weak<Pool>,
    ) -> Self {
        let Ok(object) = arm.into_pyobject(py);
        Self {
            arm: object.unbind(),
            n_arms: numbers.probabilities.len(),
            n_front: numbers.front.len(),
            probability: numbers.probabilities[arm],
            given_sample,
            shortfall,
            numbers: Mutex::new(numbers),
            front: Array::new(),
            probabilities: Array::new(),
            estimates: Array::new(),
            widths: Array::new(),
            pool,
        }
    }

    /// Returns an array of the decision, and makes it on first access from the numbers that `numbers` takes
    /// out. The array is a vector if no shape (rows, columns) comes with the numbers.
    fn array<'py, T: Element>(
        &self,
        array: &Array,
        py: Python<'py>,
        numbers: impl FnOnce(&mut DecisionNumbers) -> (Vec<T>, Option<[usize; 2]>),
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = array.get_or_try_init(py, || {
            let (numbers, shape) = numbers(&mut self.numbers.lock().unwrap_or_else(PoisonError::into_inner));
            let vector = PyArray1::from_vec(py, numbers);
            let array = match shape {
                Some(shape) => vector.reshape(shape)?.into_any(),
                None => vector.into_any(),
            };
            array.call_method1("setflags", (false,))?;
            PyResult::Ok(array.unbind())
        })?;
        Ok(array.bind(py).clone())
    }
}

impl Drop for PyDecision {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            let numbers = self.numbers.get_mut().unwrap_or_else(PoisonError::into_inner);
            pool.give_back_numbers(numbers, self.n_arms);
        }
    }
}

/// Takes the numbers of a matrix and its shape.
fn table(matrix: &mut Matrix) -> (Vec<f64>, Option<[usize; 2]>) {
    let shape = [matrix.n_rows(), matrix.n_cols()];
    (take(matrix).into_vec(), Some(shape))
}

/// The positions of the arms of a front, as NumPy stores them.
fn positions(front: &Front) -> impl Iterator<Item = i64> {
    front.iter().map(|ArmId(index)| index as i64)
}

#[pymethods]
impl PyDecision {
    /// The positions of the arms on the approximate front; empty for a policy that has none.
    #[getter]
    fn front<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(&self.front, py, |numbers| (positions(&take(&mut numbers.front)).collect(), None))
    }

    /// The probability of each arm to be drawn, in the order of the arm set.
    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(&self.probabilities, py, |numbers| (take(&mut numbers.probabilities), None))
    }

    /// The probability with which this arm was drawn.
    #[getter]
    fn probability(&self) -> f64 {
        self.probability
    }

    /// True if the probabilities are conditional on a random sample that was drawn first (Thompson sampling).
    #[getter]
    fn given_sample(&self) -> bool {
        self.given_sample
    }

    /// The distance by which the preferred arms miss the constraints of a preference, as a share of the
    /// reward range of the objective that is missed most; 0 if the constraints are kept or there are none.
    #[getter]
    fn shortfall(&self) -> f64 {
        self.shortfall
    }

    /// The estimate of each arm (rows) in each objective (columns): θ̂ᵀx for policies with a model, the mean
    /// reward for others. Empty if the decision was made without tables.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(&self.estimates, py, |numbers| table(&mut numbers.estimates))
    }

    /// The width of each estimate, its possible error as the policy computes it; shaped like `estimates`.
    #[getter]
    fn widths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(&self.widths, py, |numbers| table(&mut numbers.widths))
    }

    /// Restores a decision from the parts of a pickle.
    #[staticmethod]
    fn _of(
        arm: usize,
        given_sample: bool,
        front: Items<usize>,
        probabilities: Items<f64>,
        estimates: PyReadonlyArray2<'_, f64>,
        widths: PyReadonlyArray2<'_, f64>,
        shortfall: f64,
    ) -> PyResult<Self> {
        let (py, Items(front), Items(probabilities)) = (estimates.py(), front, probabilities);
        let n_arms = probabilities.len();
        if arm >= n_arms || front.iter().any(|&arm| arm >= n_arms) {
            return Err(raised(py, "unknown-arm", &format!("a decision on {n_arms} arms has another arm")));
        }
        let front = front.into_iter().map(ArmId).collect();
        let (estimates, widths) = (to_matrix(&estimates)?, to_matrix(&widths)?);
        let numbers = DecisionNumbers { front, probabilities, estimates, widths };
        Ok(Self::new(py, arm, given_sample, numbers, shortfall, Weak::new()))
    }

    /// The parts of a pickle: `_of` and its arguments.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, ReducedDecision<'py>)> {
        let (py, this) = (slf.py(), slf.get());
        let parts = (
            this.arm.clone_ref(py),
            this.given_sample,
            this.front(py)?,
            this.probabilities(py)?,
            this.estimates(py)?,
            this.widths(py)?,
            this.shortfall,
        );
        Ok((slf.get_type().getattr("_of")?, parts))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let front = if self.n_front > 10 {
            format!("{} arms", self.n_front)
        } else {
            self.front(py)?.call_method0("tolist")?.to_string()
        };
        let (arm, n_arms, probability) = (self.arm.bind(py), self.n_arms, self.probability);
        Ok(format!("Decision(arm={arm} of {n_arms}, front={front}, probability={probability:.4})"))
    }
}

/// The arguments that restore a decision, in the order of `_of`.
type ReducedDecision<'py> =
    (Py<PyInt>, bool, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, f64);

/// Decisions on many arm sets that all have the same number of arms.
#[pyclass(frozen, name = "DecisionBatch", module = "moglb")]
pub(crate) struct PyDecisionBatch {
    /// The number of arms of each set.
    n_arms: usize,
    arms: Vec<i64>,
    /// The masks of the fronts, set after set.
    fronts: Vec<bool>,
    probabilities: Vec<f64>,
    /// The number of columns of estimates and widths.
    n_columns: usize,
    estimates: Vec<f64>,
    widths: Vec<f64>,
}

impl PyDecisionBatch {
    /// A batch without decisions.
    pub(crate) fn new(n_arms: usize) -> Self {
        let (arms, fronts, probabilities) = (Vec::new(), Vec::new(), Vec::new());
        Self { n_arms, arms, fronts, probabilities, n_columns: 0, estimates: Vec::new(), widths: Vec::new() }
    }

    /// Appends a copy of a decision.
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

    /// Numbers with the axes sets, arms and columns; without arms if the decisions were made without tables.
    fn cube<'py>(&self, py: Python<'py>, data: &[f64]) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let rows = if data.is_empty() { 0 } else { self.n_arms };
        PyArray1::from_slice(py, data).reshape([self.arms.len(), rows, self.n_columns])
    }
}

#[pymethods]
impl PyDecisionBatch {
    /// The position of the arm to play, for each set.
    #[getter]
    fn arms<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_slice(py, &self.arms)
    }

    /// The masks of the fronts, sets × arms: true if the arm is on the front of its set.
    #[getter]
    fn fronts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        PyArray1::from_slice(py, &self.fronts).reshape([self.arms.len(), self.n_arms])
    }

    /// The probability of each arm of each set, sets × arms.
    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        PyArray1::from_slice(py, &self.probabilities).reshape([self.arms.len(), self.n_arms])
    }

    /// The estimates, sets × arms × objectives; empty if the decisions were made without tables.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.cube(py, &self.estimates)
    }

    /// The widths, sets × arms × objectives; empty if the decisions were made without tables.
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
