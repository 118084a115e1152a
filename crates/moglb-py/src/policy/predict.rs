//! What a policy expects of arms: front, means and bounds, without drawing.

use crate::call::{OTHER_KIND, SharedPolicy};
use crate::lent::is_finite;
use crate::link_failure::take_failure;
use moglb::{Error, Matrix, MoglbEb, Target};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// Lower and upper.
pub(crate) type Bounds<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

pub(crate) fn front<'py>(
    policy: &SharedPolicy,
    py: Python<'py>,
    arms: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let mut decision = policy.pooled(false);
    policy.on_arms(py, arms, |call| Ok(call.score(&mut decision)?))?;
    Ok(PyArray1::from_vec(py, decision.front.iter().map(|arm| arm.0 as i64).collect()))
}

/// The means at estimates plus some multiples of the widths, for each arm in each objective; NaN where the
/// policy has no estimate.
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

/// Estimates and widths, as a decision has them.
fn estimates(
    policy: &SharedPolicy,
    py: Python<'_>,
    arms: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Matrix, Matrix)> {
    let mut decision = policy.pooled(true);
    policy.on_arms(py, arms, |call| Ok(call.score(&mut decision)?))?;
    Ok((std::mem::take(&mut decision.estimates), std::mem::take(&mut decision.widths)))
}

/// The column of an objective in a table of estimates: its own where there is one for each, the only one
/// where nothing else is pursued. What a policy knows about a weighted sum says nothing about the parts.
fn column(i: usize, n_objectives: usize, n_columns: usize, target: Option<&Target>) -> Option<usize> {
    match target {
        None => Some(i).filter(|_| n_columns == n_objectives),
        Some(Target::Objective(pursued)) => Some(0).filter(|_| *pursued == i && n_columns == 1),
        Some(Target::Weights(_)) => None,
    }
}

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
