//! Measures of the quality of a front: Jaccard index, precision and recall against the true front,
//! hypervolume, and epsilon indicator.

use crate::Front;
use crate::front::{check_points, front};
use moglb_math::matrix::check_finite;
use moglb_math::{Error, Matrix};

/// The Jaccard index |A ∩ B| / |A ∪ B|; 1 for two empty sets.
pub fn jaccard(a: &Front, b: &Front) -> f64 {
    let shared = a.shared(b);
    ratio(shared, a.len() + b.len() - shared)
}

/// The share of the found arms that are on the true front; 1 if no arm was found.
pub fn precision(found: &Front, truth: &Front) -> f64 {
    ratio(found.shared(truth), found.len())
}

/// The share of the true front that was found; 1 if the true front is empty.
pub fn recall(found: &Front, truth: &Front) -> f64 {
    ratio(found.shared(truth), truth.len())
}

/// part / whole, and 1 for an empty whole.
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Returns the volume that the rows dominate above a reference point, exactly (the WFG method).
///
/// Rows that are not above the reference in every coordinate add nothing.
///
/// ```
/// use moglb::{hypervolume, Matrix};
/// let points = Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])?;
/// assert_eq!(hypervolume(&points, &[0.0, 0.0])?, 3.0);
/// # Ok::<(), moglb::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::NoPoints`], [`Error::NotFinite`] (also for a volume that overflows), or [`Error::Dimension`] if
/// the reference has another length.
pub fn hypervolume(points: &Matrix, reference: &[f64]) -> Result<f64, Error> {
    check_points("a hypervolume", points.into())?;
    if reference.len() != points.n_cols() {
        return Err(Error::Dimension { expected: points.n_cols(), got: reference.len() });
    }
    check_finite("a reference point", reference)?;
    let shift = |row: &[f64]| -> Vec<f64> { row.iter().zip(reference).map(|(p, r)| p - r).collect() };
    let above: Vec<Vec<f64>> = points.rows().map(shift).filter(|p| p.iter().all(|&x| x > 0.0)).collect();
    let volume = volume(undominated(above));
    check_finite("a hypervolume", &[volume])?;
    Ok(volume)
}

/// Returns the volume that only one point dominates above the origin, for each point. It is 0 for points that
/// others dominate or equal, and for those that are not above the origin in every coordinate.
pub fn contributions(points: &[Vec<f64>]) -> Vec<f64> {
    let above = |p: &&Vec<f64>| p.iter().all(|&x| x > 0.0);
    let alone = |k: usize| {
        let others = points[..k].iter().chain(&points[k + 1..]).filter(above);
        if above(&&points[k]) { exclusive(&points[k], others).max(0.0) } else { 0.0 }
    };
    (0..points.len()).map(alone).collect()
}

/// The volume of the union of the boxes [0, p], for points of which none dominates another.
fn volume(mut points: Vec<Vec<f64>>) -> f64 {
    // Sorting by decreasing first coordinate keeps the limited sets small; ties are sorted by the rest, which
    // fixes the order of the sum.
    points.sort_by(|a, b| b.partial_cmp(a).expect("points are finite"));
    (0..points.len()).map(|k| exclusive(&points[k], points[k + 1..].iter())).sum()
}

/// The volume of the part of a point's box that is in no other point's box.
fn exclusive<'a>(point: &[f64], others: impl Iterator<Item = &'a Vec<f64>>) -> f64 {
    let own: f64 = point.iter().product();
    let limited = others.map(|q| q.iter().zip(point).map(|(q, p)| q.min(*p)).collect());
    own - volume(undominated(limited.collect()))
}

/// The points that no other point dominates, without repetitions.
fn undominated(mut points: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    points.sort_by(|a, b| b.partial_cmp(a).expect("points are finite"));
    points.dedup();
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for point in points {
        if !kept.iter().any(|k| crate::dominates(k, &point)) {
            kept.push(point);
        }
    }
    kept
}

/// Returns the additive epsilon indicator: the smallest ε such that every row of `reference` is weakly
/// dominated by a row of `points` raised by ε in all coordinates. It is 0 or less if nothing is missing.
///
/// ```text
/// ε = max over o of min over s of maxᵢ (oⁱ − sⁱ)
/// ```
///
/// # Errors
///
/// [`Error::NoPoints`], [`Error::NotFinite`], or [`Error::Dimension`] if the tables differ in their number of
/// columns.
pub fn epsilon_indicator(points: &Matrix, reference: &Matrix) -> Result<f64, Error> {
    check_points("an epsilon indicator", points.into())?;
    check_points("an epsilon indicator", reference.into())?;
    if points.n_cols() != reference.n_cols() {
        return Err(Error::Dimension { expected: reference.n_cols(), got: points.n_cols() });
    }
    let lack = |s: &[f64], o: &[f64]| o.iter().zip(s).fold(f64::NEG_INFINITY, |m, (o, s)| m.max(o - s));
    let nearest = |o: &[f64]| points.rows().fold(f64::INFINITY, |m, s| m.min(lack(s, o)));
    Ok(reference.rows().fold(f64::NEG_INFINITY, |m, o| m.max(nearest(o))))
}

/// Returns the rows of a matrix that are on its front.
///
/// # Errors
///
/// As [`front`].
pub fn front_points(points: &Matrix) -> Result<Matrix, Error> {
    let rows: Vec<&[f64]> = front(points)?.iter().map(|arm| points.row(arm.0)).collect();
    Matrix::from_rows(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ArmId;
    use moglb_math::draw;

    fn set(ids: &[usize]) -> Front {
        ids.iter().map(|&id| ArmId(id)).collect()
    }

    /// Oracle 16.
    #[test]
    fn the_jaccard_index_is_one_only_for_equal_sets() {
        let (a, b) = (set(&[1, 2, 5]), set(&[2, 5, 7, 9]));
        assert_eq!(jaccard(&a, &b), 2.0 / 5.0);
        assert_eq!(jaccard(&b, &a), 2.0 / 5.0);
        assert_eq!(jaccard(&a, &a), 1.0);
        assert_eq!(jaccard(&a, &set(&[3])), 0.0);
        assert_eq!((precision(&a, &b), recall(&a, &b)), (2.0 / 3.0, 0.5));
        assert_eq!(jaccard(&Front::all(40), &set(&[1, 2, 3, 4])), 0.1, "JI_1 = |O*| / K");
    }

    #[test]
    fn hypervolumes_of_boxes_are_known() {
        let volume = |rows: &[[f64; 3]]| hypervolume(&Matrix::from_rows(rows).unwrap(), &[0.0; 3]).unwrap();
        assert_eq!(volume(&[[1.0, 2.0, 3.0]]), 6.0);
        assert_eq!(volume(&[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0.5, 1.0, 1.0]]), 6.0);
        assert_eq!(volume(&[[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]), 4.0);
        assert_eq!(volume(&[[1.0, 1.0, -1.0], [0.0, 5.0, 5.0]]), 0.0);
    }

    /// The hypervolume by its definition: inclusion and exclusion over all subsets.
    fn by_inclusion_exclusion(points: &[Vec<f64>]) -> f64 {
        let m = points[0].len();
        (1u32..1 << points.len())
            .map(|subset| {
                let chosen: Vec<_> = (0..points.len()).filter(|k| subset >> k & 1 == 1).collect();
                let corner = |i: usize| chosen.iter().fold(f64::INFINITY, |c, &k| c.min(points[k][i]));
                let volume: f64 = (0..m).map(corner).product();
                if chosen.len() % 2 == 1 { volume } else { -volume }
            })
            .sum()
    }

    #[test]
    fn the_hypervolume_agrees_with_inclusion_and_exclusion() {
        let mut rng = draw::seeded(5);
        for m in 1..=6 {
            for n in 1..=9 {
                let points: Vec<Vec<f64>> =
                    (0..n).map(|_| (0..m).map(|_| draw::unit(&mut rng)).collect()).collect();
                let got = hypervolume(&Matrix::from_rows(&points).unwrap(), &vec![0.0; m]).unwrap();
                let expected = by_inclusion_exclusion(&points);
                assert!((got - expected).abs() < 1e-12, "m = {m}, n = {n}: {got} {expected}");
            }
        }
    }

    #[test]
    fn the_epsilon_indicator_is_the_missing_height() {
        let truth = Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
        let found = Matrix::from_rows(&[[1.0, 0.0], [0.0, 0.7]]).unwrap();
        assert!((epsilon_indicator(&found, &truth).unwrap() - 0.3).abs() < 1e-15);
        assert_eq!(epsilon_indicator(&truth, &truth).unwrap(), 0.0);
        let better = Matrix::from_rows(&[[2.0, 2.0]]).unwrap();
        assert_eq!(epsilon_indicator(&better, &truth).unwrap(), -1.0);
    }

    #[test]
    fn bad_point_sets_are_refused() {
        let none = Matrix::from_rows::<[f64; 2]>(&[]).unwrap();
        let nan = Matrix::from_rows(&[[0.0, f64::NAN]]).unwrap();
        let fine = Matrix::from_rows(&[[0.0, 1.0]]).unwrap();
        assert!(matches!(hypervolume(&none, &[]), Err(Error::NoPoints { .. })));
        assert!(matches!(hypervolume(&nan, &[0.0, 0.0]), Err(Error::NotFinite { .. })));
        assert!(matches!(hypervolume(&fine, &[0.0]), Err(Error::Dimension { .. })));
        assert!(matches!(hypervolume(&fine, &[0.0, f64::NAN]), Err(Error::NotFinite { .. })));
        let huge = Matrix::from_rows(&[[1e200, 1e200], [1e199, 1e201]]).unwrap();
        assert!(matches!(hypervolume(&huge, &[0.0, 0.0]), Err(Error::NotFinite { .. })));
        assert!(matches!(epsilon_indicator(&nan, &fine), Err(Error::NotFinite { .. })));
        assert!(matches!(crate::gaps(&nan), Err(Error::NotFinite { .. })));
        assert!(matches!(front(&none), Err(Error::NoPoints { .. })));
    }
}
