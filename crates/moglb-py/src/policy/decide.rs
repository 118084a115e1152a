//! Decisions of a policy: a single arm, a list of arms, or one arm for each of many arm sets.

use crate::arrays::cube;
use crate::call::{Call, SharedPolicy};
use crate::decision::{PyDecision, PyDecisionBatch};
use crate::errors::Refusal;
use crate::inputs::{HowToPlay, sparse_sets};
use crate::lent::{Offered, is_finite, unchanged};
use moglb::{ArmId, ArmSet, Decision, Error, PlayConfig};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The arms of a list, and the inclusion probability of every arm.
pub(crate) type List<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Draws an arm: with the policy's own draw, or with the way to play in `play`.
pub(crate) fn decide(
    policy: &SharedPolicy,
    py: Python<'_>,
    arms: Option<&Bound<'_, PyAny>>,
    tables: bool,
    play: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyDecision> {
    let play = HowToPlay::read("decide", play)?;
    let mut decision = policy.pooled(tables);
    let shortfall = policy.on_arms(py, arms, |call| match &play.config {
        None => Ok(call.decide(&mut policy.generator()?, &mut decision).map(|()| 0.0)?),
        Some(config) => decide_as(policy, call, config, &play.exposures, &mut decision),
    })?;
    Ok(PyDecision::of(py, decision, shortfall))
}

/// Decides with a way to play. Returns the distance by which the preferred arms miss its constraints.
fn decide_as(
    policy: &SharedPolicy,
    call: Call<'_>,
    config: &PlayConfig,
    exposures: &[u64],
    decision: &mut Decision,
) -> Result<f64, Refusal> {
    // The way to play is checked first, so that an error does not advance the generator.
    let play = config.build(call.engine.policy().problem())?;
    let rng = &mut policy.generator()?;
    let played = play.decide(call.engine.policy(), call.arms.set, exposures, rng, decision)?;
    call.arms.check(call.engine, decision)?;
    Ok(played.shortfall)
}

/// Draws a list of k distinct arms.
pub(crate) fn decide_list<'py>(
    policy: &SharedPolicy,
    py: Python<'py>,
    arms: Option<&Bound<'py, PyAny>>,
    k: usize,
    play: Option<&Bound<'py, PyDict>>,
) -> PyResult<List<'py>> {
    let HowToPlay { config, exposures } = HowToPlay::read("decide_list", play)?;
    let config = config.unwrap_or_default();
    let list = policy.on_arms(py, arms, |call| {
        let play = config.build(call.engine.policy().problem())?;
        let rng = &mut policy.generator()?;
        let list = play.decide_list(call.engine.policy(), call.arms.set, &exposures, k, rng)?;
        if call.arms.is_lent && !is_finite(&list.inclusion) {
            let reason = "the inclusion probabilities are not finite".into();
            return Err(Error::ArrayChanged { reason }.into());
        }
        Ok(list)
    })?;
    let arms = list.arms.iter().map(|ArmId(index)| *index as i64).collect();
    Ok((PyArray1::from_vec(py, arms), PyArray1::from_vec(py, list.inclusion)))
}

/// Makes one decision for each arm set: a list of sparse matrices, or an array with three axes.
pub(crate) fn decide_many(
    policy: &SharedPolicy,
    arms: &Bound<'_, PyAny>,
    tables: bool,
) -> PyResult<PyDecisionBatch> {
    if let Some(sets) = sparse_sets(arms)? {
        let sets: Vec<&ArmSet<'_>> = sets.iter().map(|set| &**set).collect();
        return decide_on_each(policy, arms.py(), sets[0].n_arms(), tables, false, |_| Ok(sets));
    }
    let cube = cube(arms, "arms")?;
    let (n_sets, n_arms, dim) = cube.as_array().dim();
    let (data, size) = (cube.as_slice()?, n_arms * dim);
    decide_on_each(policy, arms.py(), n_arms, tables, true, |problem| {
        if dim != problem.dim() {
            return Err(Error::Dimension { expected: problem.dim(), got: dim });
        }
        (0..n_sets).map(|k| ArmSet::borrowed(dim, &data[k * size..][..size])).collect()
    })
}

/// Makes one decision for each of the arm sets that `sets` returns; all have the same number of arms. The
/// generator is locked for all decisions together, so they are those of a loop that no other thread
/// interrupts.
fn decide_on_each<'a, S: std::borrow::Borrow<ArmSet<'a>>>(
    policy: &SharedPolicy,
    py: Python<'_>,
    n_arms: usize,
    tables: bool,
    is_lent: bool,
    sets: impl FnOnce(&moglb::Problem) -> Result<Vec<S>, Error> + Send,
) -> PyResult<PyDecisionBatch> {
    let mut decision = policy.pooled(tables);
    policy.read(py, |engine| {
        Ok(unchanged(is_lent, || {
            let (own, mut batch) = (engine.policy(), PyDecisionBatch::new(n_arms));
            let sets = sets(own.problem())?;
            // All sets are checked before the first draw, so that an error does not advance the generator.
            sets.iter().try_for_each(|set| own.problem().check_arms(set.borrow()))?;
            let mut rng = policy.generator()?;
            for set in sets.iter().map(S::borrow) {
                Call { engine, arms: Offered { set, is_lent } }.decide(&mut rng, &mut decision)?;
                batch.push(&decision);
            }
            Ok::<_, Error>(batch)
        })?)
    })
}

/// Decides on the fixed arms. Returns the decision and the context of its arm.
pub(crate) fn decide_fixed<'py>(
    policy: &SharedPolicy,
    py: Python<'py>,
) -> PyResult<(PyDecision, Bound<'py, PyArray1<f64>>)> {
    let mut decision = policy.pooled(true);
    let context = policy.on_arms(py, None, |call| {
        call.decide(&mut policy.generator()?, &mut decision)?;
        Ok(call.arms.set.context(decision.arm.0).to_vec())
    })?;
    Ok((PyDecision::of(py, decision, 0.0), PyArray1::from_vec(py, context)))
}
