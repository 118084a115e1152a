//! Access to the learned state of policies with a model: estimates, matrices and confidence radii.

use crate::arrays::to_array;
use crate::call::SharedPolicy;
use crate::engine::Engine;
use crate::json::written;
use moglb::{EkfUcb, Gram, Kappa, MoglbEb, MoglbUcb, Restorable, Width};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

/// The estimates θ̂ of MOGLB-EB, MOGLB-UCB or EKF-UCB, one row per objective.
pub(crate) fn theta<'py>(policy: &SharedPolicy, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let theta = policy.ask_some(py, |engine| {
        let eb = engine.policy_as::<MoglbEb>().map(MoglbEb::theta);
        let ucb = || engine.policy_as::<MoglbUcb>().map(MoglbUcb::theta);
        eb.or_else(ucb).or_else(|| engine.policy_as::<EkfUcb>().map(EkfUcb::theta))
    })?;
    to_array(py, &theta)
}

/// The matrix Z as an array with two axes, or one matrix per objective as an array with three axes.
pub(crate) fn z<'py>(policy: &SharedPolicy, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    let grams = of_sets(policy, py, |sets| sets.grams().iter().map(|z| z.to_dense()).collect::<Vec<_>>())?;
    if let [z] = &grams[..] {
        return Ok(to_array(py, z)?.into_any());
    }
    let data: Vec<f64> = grams.iter().flat_map(|z| z.as_slice().iter().copied()).collect();
    let (m, d) = (grams.len(), grams[0].n_rows());
    let cube: Bound<'py, PyArray3<f64>> = PyArray1::from_vec(py, data).reshape([m, d, d])?;
    Ok(cube.into_any())
}

/// log(det Z_t / det Z_1), the growth of Z since the first round.
pub(crate) fn log_det<'py>(policy: &SharedPolicy, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    let log_dets = of_sets(policy, py, |sets| sets.grams().iter().map(|z| z.log_det_ratio()).collect())?;
    one_or_many(py, log_dets)
}

/// The squared radius γ of the confidence set.
pub(crate) fn gamma<'py>(policy: &SharedPolicy, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    one_or_many(py, of_sets(policy, py, |sets| sets.gammas())?)
}

/// The posterior mean of the coefficients that the objectives of MOGLB-EB share.
pub(crate) fn shared_mean<'py>(
    policy: &SharedPolicy,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let mean = policy.ask_some(py, |engine| Some(engine.policy_as::<MoglbEb>()?.shared_mean().to_vec()))?;
    Ok(PyArray1::from_vec(py, mean))
}

/// The scales τ² and ρ² of MOGLB-EB.
pub(crate) fn scales(policy: &SharedPolicy, py: Python<'_>) -> PyResult<(f64, f64)> {
    policy.ask_some(py, |engine| engine.policy_as::<MoglbEb>().map(MoglbEb::scales))
}

/// The current belief about each objective, as JSON; an empty list for a policy without a model.
pub(crate) fn beliefs(policy: &SharedPolicy, py: Python<'_>) -> PyResult<String> {
    let beliefs =
        policy.ask(py, |engine| engine.policy().model().map_or_else(Vec::new, |model| model.beliefs()))?;
    Ok(written(&beliefs))
}

/// A number if there is one value, otherwise an array.
fn one_or_many(py: Python<'_>, values: Vec<f64>) -> PyResult<Bound<'_, PyAny>> {
    match values[..] {
        [value] => Ok(value.into_pyobject(py)?.into_any()),
        _ => Ok(PyArray1::from_vec(py, values).into_any()),
    }
}

/// The confidence sets of an optimistic policy.
trait ConfidenceSets {
    /// The matrices Z: one for all objectives, or one for each.
    fn grams(&self) -> Vec<&Gram>;
    /// The squared radii γ: one for all objectives, or one for each.
    fn gammas(&self) -> Vec<f64>;
}

/// Returns a value of the confidence sets; refuses policies without them.
fn of_sets<R: Send>(
    policy: &SharedPolicy,
    py: Python<'_>,
    question: impl FnOnce(&dyn ConfidenceSets) -> R + Send,
) -> PyResult<R> {
    policy.ask_some(py, |engine| Some(question(confidence_sets(engine)?)))
}

/// The confidence sets of MOGLB-UCB or EKF-UCB; none for other policies.
fn confidence_sets(engine: &Engine) -> Option<&dyn ConfidenceSets> {
    match (engine.policy_as::<MoglbUcb>(), engine.policy_as::<EkfUcb>()) {
        (Some(policy), _) => Some(policy),
        (_, Some(policy)) => Some(policy),
        _ => None,
    }
}

/// True if all objectives have one Z: the configuration says so, and all have learned from the same rounds.
fn shares_gram(policy: &MoglbUcb) -> bool {
    let same = |i: usize| std::ptr::eq(policy.gram(0), policy.gram(i));
    policy.config().kappa == Kappa::Shared && (0..policy.problem().n_objectives()).all(same)
}

impl ConfidenceSets for MoglbUcb {
    fn grams(&self) -> Vec<&Gram> {
        let n = if shares_gram(self) { 1 } else { self.problem().n_objectives() };
        (0..n).map(|i| self.gram(i)).collect()
    }

    fn gammas(&self) -> Vec<f64> {
        let one = shares_gram(self) && !matches!(self.config().width, Width::Tightened { .. });
        (0..if one { 1 } else { self.problem().n_objectives() }).map(|i| self.gamma(i)).collect()
    }
}

impl ConfidenceSets for EkfUcb {
    fn grams(&self) -> Vec<&Gram> {
        (0..self.problem().n_objectives()).map(|i| self.gram(i)).collect()
    }

    fn gammas(&self) -> Vec<f64> {
        (0..self.problem().n_objectives()).map(|i| self.gamma(i)).collect()
    }
}
