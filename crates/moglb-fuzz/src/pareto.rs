//! Fronts, gaps and volumes of any finite points, compared with their definitions.

use crate::promise::Promised;
use arbitrary::{Result, Unstructured};
use moglb::{Front, FrontFilter, Matrix, dominates, front, front_points, gaps, hypervolume};

/// Checks the points that the bytes encode.
pub fn run(bytes: &[u8]) {
    let _ = check(&mut Unstructured::new(bytes));
}

fn check(u: &mut Unstructured<'_>) -> Result<()> {
    let points = points(u)?;
    let found = front(&points).promised("finite points");
    let is_best = |k: usize| (0..points.n_rows()).all(|other| !dominates(points.row(other), points.row(k)));
    let expected: Vec<usize> = (0..points.n_rows()).filter(|&k| is_best(k)).collect();
    assert_eq!(found.iter().map(|arm| arm.0).collect::<Vec<_>>(), expected, "{points:?}");
    let mut again = Front::default();
    FrontFilter::new().filter(&points, &mut again).promised("finite points");
    assert_eq!(again, found);
    let gaps = gaps(&points).promised("finite points");
    for (k, gap) in gaps.iter().enumerate() {
        assert!(*gap >= 0.0 && (*gap == 0.0 || !found.contains(moglb::ArmId(k))), "{gap} of {k}");
    }
    front_points(&points).promised("finite points");
    if points.n_cols() <= 4 {
        let reference = vec![-1.0; points.n_cols()];
        let volume = hypervolume(&points, &reference);
        assert!(volume.as_ref().is_ok_and(|volume| *volume >= 0.0) || volume.is_err(), "{volume:?}");
    }
    Ok(())
}

/// Returns up to 600 points, so that every algorithm of the filter is used. They have few distinct
/// values, so that many are equal.
fn points(u: &mut Unstructured<'_>) -> Result<Matrix> {
    let columns = u.int_in_range(1..=7usize)?;
    let rows = 1 + u.len().min(600 * columns) / columns;
    let style = u.int_in_range(0..=3u8)?;
    let values = (0..rows * columns).map(|_| value(u, style)).collect::<Result<Vec<f64>>>()?;
    Ok(Matrix::new(columns, values).promised("whole rows"))
}

/// Returns one coordinate: from a few values, on a grid, close to one, or any finite number.
fn value(u: &mut Unstructured<'_>, style: u8) -> Result<f64> {
    Ok(match style {
        0 => f64::from(u.arbitrary::<u8>()? % 8),
        1 => f64::from(u.arbitrary::<i8>()?) / 64.0,
        2 => 1.0 + f64::EPSILON * f64::from(u.arbitrary::<u8>()?),
        _ => {
            let value = f64::from_bits(u.arbitrary()?);
            if value.is_finite() { value } else { 0.0 }
        }
    })
}
