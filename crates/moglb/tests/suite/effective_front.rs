//! The effective front is compared with its definition: exactly on whole numbers for two objectives, by the
//! corners of the set of weights for three and four, and by random weights for any number.

use crate::common::check;
use moglb::{ArmId, Front, Matrix, Rng, draw, effective_front, front};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

fn points(rows: usize, columns: usize, mut value: impl FnMut() -> f64) -> Matrix {
    Matrix::new(columns, (0..rows * columns).map(|_| value()).collect()).unwrap()
}

/// n and m, a seed, and the number of different values in a column. A small number makes ties and rows on
/// straight lines.
fn shapes() -> impl Strategy<Value = (usize, usize, u64, usize)> {
    (1..=25_usize, 1..=5_usize, any::<u64>(), prop_oneof![Just(3_usize), Just(6), Just(1 << 30)])
}

fn random(n: usize, m: usize, seed: u64, values: usize) -> Matrix {
    let mut rng = draw::seeded(seed);
    points(n, m, || draw::below(values, &mut rng) as f64)
}

#[test]
fn it_is_a_part_of_the_front_that_holds_the_best_rows_for_any_weights() {
    check(400, shapes(), |(n, m, seed, values)| {
        let points = random(n, m, seed, values);
        let effective = effective_front(&points).unwrap();
        let whole = front(&points).unwrap();
        prop_assert!(effective.iter().all(|arm| whole.contains(arm)), "not on the front");
        let mut rng = draw::seeded(seed ^ 1);
        for _ in 0..50 {
            let best = best_for(&points, &positive_weights(m, &mut rng));
            prop_assert!(effective.contains(best), "the best arm {best} for some weights is missing");
        }
        Ok(())
    });
}

/// Weights of all sizes: sometimes one objective counts a thousand times more than another.
fn positive_weights(m: usize, rng: &mut dyn Rng) -> Vec<f64> {
    (0..m).map(|_| (7.0 * (draw::unit(rng) - 1.0)).exp()).collect()
}

fn best_for(points: &Matrix, weights: &[f64]) -> ArmId {
    let value = |row: &[f64]| crate::common::dot(row, weights);
    let rows: Vec<f64> = points.rows().map(value).collect();
    ArmId((0..rows.len()).max_by(|&a, &b| rows[a].total_cmp(&rows[b])).unwrap())
}

/// With two objectives and whole numbers, at most two rows are needed for a dominating mixture, and products
/// are exact.
#[test]
fn with_two_objectives_it_is_the_upper_right_hull() {
    check(600, (1..=14_usize, any::<u64>(), 2..=12_usize), |(n, seed, values)| {
        let points = random(n, 2, seed, values);
        let whole = front(&points).unwrap();
        let row = |arm: ArmId| (points.row(arm.0)[0] as i64, points.row(arm.0)[1] as i64);
        // Between a (left, higher) and b (right, lower), a row is dominated if it is below the line through
        // them.
        let below = |x: ArmId, a: ArmId, b: ArmId| {
            let ((ax, ay), (bx, by), (xx, xy)) = (row(a), row(b), row(x));
            ax < xx && xx < bx && (bx - ax) * (xy - ay) < (by - ay) * (xx - ax)
        };
        let hull = whole.iter().filter(|&x| !whole.iter().any(|a| whole.iter().any(|b| below(x, a, b))));
        prop_assert_eq!(effective_front(&points).unwrap(), hull.collect::<Front>());
        Ok(())
    });
}

/// The weights for which x is the best are { w ≥ 0, Σw = 1, wᵀ(yₖ − x) ≤ 0 }. x is effective if some of them
/// are all positive. If any are, the mean of the corners is. At a corner, m − 1 of the inequalities hold with
/// equality.
fn is_effective(points: &Matrix, x: usize) -> bool {
    let m = points.n_cols();
    let mut planes: Vec<Vec<f64>> =
        (0..m).map(|i| (0..m).map(|j| -f64::from(u8::from(i == j))).collect()).collect();
    planes.extend(points.rows().map(|y| y.iter().zip(points.row(x)).map(|(y, x)| y - x).collect()));
    let (mut sum, mut corners) = (vec![0.0; m], 0);
    let mut chosen: Vec<usize> = (0..m - 1).collect();
    loop {
        let entry = |i: usize, j: usize| if i == m - 1 { 1.0 } else { planes[chosen[i]][j] };
        let side = DVector::from_fn(m, |i, _| f64::from(u8::from(i == m - 1)));
        let matrix = DMatrix::from_fn(m, m, entry);
        let solution = (matrix.determinant().abs() > 1e-9).then(|| matrix.lu().solve(&side)).flatten();
        let inside =
            |w: &DVector<f64>| planes.iter().all(|plane| crate::common::dot(plane, w.as_slice()) <= 1e-9);
        if let Some(w) = solution.filter(inside) {
            corners += 1;
            sum.iter_mut().zip(w.iter()).for_each(|(sum, w)| *sum += w);
        }
        // The next choice in order.
        let Some(place) = (0..m - 1).rev().find(|&k| chosen[k] < planes.len() - (m - 1 - k)) else { break };
        chosen[place] += 1;
        (place + 1..m - 1).for_each(|k| chosen[k] = chosen[k - 1] + 1);
    }
    corners > 0 && sum.iter().all(|w| w / f64::from(corners) > 1e-9)
}

#[test]
fn with_three_and_four_objectives_it_is_what_the_weights_say() {
    let (mut dropped, mut kept) = (0, 0);
    for (m, n, cases) in [(3, 9, 150), (4, 8, 60)] {
        for seed in 0..cases {
            let values = [4, 7, 1000][seed as usize % 3];
            let points = random(n, m, seed, values);
            let effective = effective_front(&points).unwrap();
            for x in front(&points).unwrap().iter() {
                let expected = is_effective(&points, x.0);
                assert_eq!(effective.contains(x), expected, "arm {x} of {points:?}");
                kept += usize::from(expected);
                dropped += usize::from(!expected);
            }
        }
    }
    assert!(dropped > 100 && kept > 100, "{dropped} dropped, {kept} kept: the cases show nothing");
}

#[test]
fn equal_rows_and_rows_on_a_line_are_kept() {
    let line = Matrix::from_rows(&[[0.0, 4.0], [1.0, 3.0], [2.0, 2.0], [4.0, 0.0], [1.0, 3.0]]).unwrap();
    assert_eq!(effective_front(&line).unwrap(), Front::all(5));
    // Half of the first and half of the second is better in two objectives and equal in the third.
    let weakly = Matrix::from_rows(&[[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.4, 0.4, 1.0]]).unwrap();
    assert_eq!(effective_front(&weakly).unwrap().arms(), [ArmId(0), ArmId(1)]);
    let one = Matrix::from_rows(&[[1.0], [3.0], [3.0]]).unwrap();
    assert_eq!(effective_front(&one).unwrap().arms(), [ArmId(1), ArmId(2)]);
}

/// Neither the order of the rows nor the units of the objectives change the front, large or small.
#[test]
fn order_and_units_do_not_matter() {
    for seed in 0..60 {
        let points = random(12, 3, seed, 50);
        let effective = effective_front(&points).unwrap();
        let reversed: Vec<Vec<f64>> = (0..12)
            .rev()
            .map(|k| points.row(k).iter().zip([1e300, 3.0, 1e-290]).map(|(y, s)| y * s).collect())
            .collect();
        let turned = effective_front(&Matrix::from_rows(&reversed).unwrap()).unwrap();
        assert_eq!(turned.iter().map(|arm| ArmId(11 - arm.0)).collect::<Front>(), effective, "seed {seed}");
    }
}

#[test]
fn bad_points_are_refused() {
    assert!(matches!(effective_front(&Matrix::default()), Err(moglb::Error::NoPoints { .. })));
    let bad = Matrix::from_rows(&[[0.0, f64::NAN]]).unwrap();
    assert!(matches!(effective_front(&bad), Err(moglb::Error::NotFinite { .. })));
}
