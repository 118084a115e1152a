//! Functions of arrays: fronts, gaps, indicators and the projection onto a ball.

use crate::arrays::{positions, rows, table, to_matrix, vector};
use crate::errors::refused;
use crate::lent::{is_finite, unchanged};
use moglb::{ArmId, Error, Front, Gram};
use numpy::PyArray1;
use pyo3::prelude::*;

/// Runs `work` on borrowed points with the GIL released. If another thread changes the points meanwhile, this
/// is [`Error::ArrayChanged`].
fn on_lent<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R, Error> + Send) -> PyResult<R> {
    py.detach(|| unchanged(true, work)).map_err(|error| refused(py, &error))
}

/// The error of a result that can be NaN or infinite only because the points changed.
fn not_finite() -> Error {
    Error::ArrayChanged { reason: "the result is not finite".into() }
}

/// The mask of the rows that no other row dominates; larger is better.
///
/// >>> import moglb
/// >>> moglb.front([[1.0, 0.0], [0.0, 1.0], [0.0, 0.5]]).tolist()
/// [True, True, False]
#[pyfunction]
pub(crate) fn front<'py>(points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let (py, points) = (points.py(), table(points, "points")?);
    let points = rows(&points)?;
    let found = on_lent(py, || match moglb::front(points)? {
        // Points have a front, however many there are. So another thread wrote NaN after the check.
        found if found.is_empty() => Err(Error::ArrayChanged { reason: "the front is empty".into() }),
        found => Ok(found),
    })?;
    let mut mask = vec![false; points.n_rows()];
    found.iter().for_each(|arm| mask[arm.0] = true);
    Ok(PyArray1::from_vec(py, mask))
}

/// The Pareto suboptimality gap of each row: the smallest number that, added to every entry, puts the row on
/// the front.
///
/// >>> import moglb
/// >>> moglb.gaps([[1.0, 1.0], [0.25, 0.5]]).tolist()
/// [0.0, 0.5]
#[pyfunction]
pub(crate) fn gaps<'py>(means: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (py, means) = (means.py(), table(means, "means")?);
    let means = rows(&means)?;
    let gaps = on_lent(py, || {
        let gaps = moglb::gaps(means)?;
        if is_finite(&gaps) { Ok(gaps) } else { Err(not_finite()) }
    })?;
    Ok(PyArray1::from_vec(py, gaps))
}

/// True if a point dominates another one: no entry is smaller, and at least one is larger.
///
/// >>> import moglb
/// >>> moglb.dominates([1.0, 1.0], [1.0, 0.0])
/// True
#[pyfunction]
pub(crate) fn dominates(point: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (a, b) = (vector(point, "point")?, vector(other, "other")?);
    let (a, b) = (a.as_slice()?, b.as_slice()?);
    if a.len() != b.len() {
        let error = moglb::Error::Dimension { expected: a.len(), got: b.len() };
        return Err(refused(point.py(), &error));
    }
    Ok(moglb::dominates(a, b))
}

/// The volume that the rows dominate above a reference point.
///
/// >>> import moglb
/// >>> moglb.hypervolume([[2.0, 1.0], [1.0, 2.0]], [0.0, 0.0])
/// 3.0
#[pyfunction]
pub(crate) fn hypervolume(points: &Bound<'_, PyAny>, reference: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (py, points) = (points.py(), to_matrix(&table(points, "points")?)?);
    let reference = vector(reference, "reference")?.as_slice()?.to_vec();
    py.detach(|| moglb::hypervolume(&points, &reference)).map_err(|error| refused(py, &error))
}

/// The additive ε-indicator: the smallest number that, added to every entry of `found`, lets each row of
/// `truth` be matched or dominated by a row of `found`.
///
/// >>> import moglb
/// >>> moglb.epsilon_indicator([[1.0, 0.0]], [[1.0, 0.5]])
/// 0.5
#[pyfunction]
pub(crate) fn epsilon_indicator(found: &Bound<'_, PyAny>, truth: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (py, found) = (found.py(), to_matrix(&table(found, "found")?)?);
    let truth = to_matrix(&table(truth, "truth")?)?;
    py.detach(|| moglb::epsilon_indicator(&found, &truth)).map_err(|error| refused(py, &error))
}

/// Reads a set of arms: their positions in any order, or a mask.
fn arms(given: &Bound<'_, PyAny>, what: &str) -> PyResult<Front> {
    Ok(positions(given, what)?.into_iter().map(ArmId).collect())
}

/// The Jaccard index |A ∩ B| / |A ∪ B| of two sets of arms, which are positions or masks; 1 for two empty
/// sets.
///
/// >>> import moglb
/// >>> moglb.jaccard([0, 1], [1, 2, 3])
/// 0.25
#[pyfunction]
pub(crate) fn jaccard(found: &Bound<'_, PyAny>, truth: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(moglb::jaccard(&arms(found, "found")?, &arms(truth, "truth")?))
}

/// The share of the found arms that are on the true front.
///
/// >>> import moglb
/// >>> moglb.precision([0, 1], [1, 2, 3])
/// 0.5
#[pyfunction]
pub(crate) fn precision(found: &Bound<'_, PyAny>, truth: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(moglb::precision(&arms(found, "found")?, &arms(truth, "truth")?))
}

/// The share of the true front that was found.
///
/// >>> import moglb
/// >>> moglb.recall([0, 1], [1, 2, 3, 4])
/// 0.25
#[pyfunction]
pub(crate) fn recall(found: &Bound<'_, PyAny>, truth: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(moglb::recall(&arms(found, "found")?, &arms(truth, "truth")?))
}

/// The projection of θ onto the ball of a radius: the point of the ball that is closest to θ in the norm of
/// Z.
///
/// >>> import moglb
/// >>> moglb.project([3.0, 4.0], [[1.0, 0.0], [0.0, 1.0]], 1.0).round(6).tolist()
/// [0.6, 0.8]
#[pyfunction]
pub(crate) fn project<'py>(
    theta: &Bound<'py, PyAny>,
    z: &Bound<'py, PyAny>,
    radius: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let py = theta.py();
    let (theta, z) = (vector(theta, "theta")?.as_slice()?.to_vec(), to_matrix(&table(z, "z")?)?);
    let projected = py.detach(|| moglb::project(&theta, &Gram::from_dense(&z)?, radius));
    Ok(PyArray1::from_vec(py, projected.map_err(|error| refused(py, &error))?))
}
