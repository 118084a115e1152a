//! Predictions of a policy without a draw: front, means, bounds and probabilities of being on the front.

use crate::call::{OTHER_KIND, SharedPolicy};
use crate::lent::is_finite;
use crate::link_failure::take_failure;
use moglb::{Error, Matrix, MoglbEb, Target};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// Lower and upper bounds, each one row per arm and one column per objective.
pub(crate) type Bounds<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// The positions of the arms on the approximate front.
pub(crate) fn front<'py>(
    policy: &SharedPolicy,
    py: Python<'py>,
    arms: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let mut decision = policy.pooled(false);
    policy.on_arms(py, arms, |call| Ok(call.score(&mut decision)?))?;
    Ok(PyArray1::from_vec(py, decision.front.iter().map(|arm| arm.0 as i64).collect()))
}

/// The means at the estimates plus each shift times the widths, for each arm in each objective; NaN in
/// objectives without an estimate. A shift of 0 gives the prediction, −1 and 1 give the bounds.
pub(crate) fn means<'py, const N: usize>(
    policy: &SharedPolicy,
    py: Python<'py>,
    arms: Option<&Bound<'py, PyAny>>,
    shifts: [f64; N],
) -> PyResult<[Bound<'py, PyArray2<f64>>; N]> {
    let (problem, scale, target) = policy.ask(py, |engine| {
        (engine.policy().problem().clone(), engine.policy().facts().scale, engine.target.clone())
    })?;
    let (estimates, widths) = estimates(policy, py, arms)?;
    let objectives = problem.objectives();
    let columns: Vec<Option<usize>> = (0..objectives.len())
        .map(|i| column(i, objectives.len(), estimates.n_cols(), target.as_ref()))
        .collect();
    let mut means = Vec::new();
    for shift in shifts {
        let mean = |arm: usize, i: usize| {
            let Some(column) = columns[i] else { return f64::NAN };
            let (estimate, width) = (estimates.row(arm)[column], widths.row(arm)[column]);
            let score = if shift == 0.0 { estimate } else { estimate + shift * width };
            scale.mean(&objectives[i], score)
        };
        let rows = (0..estimates.n_rows()).flat_map(|arm| (0..columns.len()).map(move |i| (arm, i)));
        let values: Vec<f64> = rows.map(|(arm, i)| mean(arm, i)).collect();
        means.push(PyArray1::from_vec(py, values).reshape([estimates.n_rows(), columns.len()])?);
    }
    match take_failure() {
        Some(failure) => Err(failure),
        None => Ok(means.try_into().expect("one for each shift")),
    }
}

/// The estimates and widths of a decision on the arms.
fn estimates(
    policy: &SharedPolicy,
    py: Python<'_>,
    arms: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Matrix, Matrix)> {
    let mut decision = policy.pooled(true);
    policy.on_arms(py, arms, |call| Ok(call.score(&mut decision)?))?;
    Ok((std::mem::take(&mut decision.estimates), std::mem::take(&mut decision.widths)))
}

/// The column of an objective in a table of estimates. It is the objective's own column if the policy pursues
/// all objectives, and the only column if the policy pursues this one. An estimate of a weighted sum is not
/// an estimate of an objective, so then there is none.
fn column(i: usize, n_objectives: usize, n_columns: usize, target: Option<&Target>) -> Option<usize> {
    match target {
        None => Some(i).filter(|_| n_columns == n_objectives),
        Some(Target::Objective(pursued)) => Some(0).filter(|_| *pursued == i && n_columns == 1),
        Some(Target::Weights(_)) => None,
    }
}

/// The probability of each arm to be on the front, under the posterior of MOGLB-EB.
pub(crate) fn chances<'py>(
    policy: &SharedPolicy,
    py: Python<'py>,
    arms: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let chances = policy.on_arms(py, arms, |call| {
        let chances = call.engine.policy_as::<MoglbEb>().ok_or(OTHER_KIND)?.chances(call.arms.set)?;
        if !is_finite(&chances) {
            return Err(Error::ArrayChanged { reason: "the chances are not finite".into() }.into());
        }
        Ok(chances)
    })?;
    Ok(PyArray1::from_vec(py, chances))
}
