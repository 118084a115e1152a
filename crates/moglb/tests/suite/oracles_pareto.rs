//! The axioms of the Pareto order, by the numbers of the oracle list: dominance, fronts, gaps, Jaccard index.

use crate::common::check;
use crate::common::reference;
use moglb::{ArmId, Front, Link, Matrix, dominates, front, gaps, jaccard, precision, recall};
use proptest::collection::vec;
use proptest::prelude::*;

/// Points with many ties: values on a small grid, zeros of both signs, and sometimes any number.
fn entry() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-2..=2_i32).prop_map(|k| f64::from(k) / 2.0),
        1 => Just(-0.0),
        2 => -1.0..1.0_f64,
    ]
}

fn points() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1..=6_usize, 1..=14_usize).prop_flat_map(|(m, n)| vec(vec(entry(), m), n))
}

fn matrix(points: &[Vec<f64>]) -> Matrix {
    Matrix::from_rows(points).unwrap()
}

fn ids(front: &Front) -> Vec<usize> {
    front.iter().map(|arm| arm.0).collect()
}

/// Oracle 11: fronts do not change under increasing maps of each objective, under repetition of an objective,
/// or under permutation of the arms. Links are increasing maps, so the front of scores is the front of means.
#[test]
fn fronts_are_invariant_under_links_permutations_and_repeated_objectives() {
    check(500, (points(), any::<u64>()), |(points, seed)| {
        let expected = ids(&front(&matrix(&points)).unwrap());
        let map = |f: &dyn Fn(usize, f64) -> f64| -> Vec<Vec<f64>> {
            points.iter().map(|row| row.iter().enumerate().map(|(i, &x)| f(i, x)).collect()).collect()
        };
        let linked = map(&|i, x| Link::ALL[(i + seed as usize) % 4].mean(x));
        prop_assert_eq!(&ids(&front(&matrix(&linked)).unwrap()), &expected, "links");
        let bent = map(&|i, x| if i % 2 == 0 { x * x * x + x } else { 8.0 * x - 4.0 });
        prop_assert_eq!(&ids(&front(&matrix(&bent)).unwrap()), &expected, "increasing maps");
        let repeated: Vec<Vec<f64>> = points.iter().map(|row| [&row[..], &row[..1]].concat()).collect();
        prop_assert_eq!(&ids(&front(&matrix(&repeated)).unwrap()), &expected, "a repeated objective");
        let shift = seed as usize % points.len();
        let mut rotated = points.clone();
        rotated.rotate_left(shift);
        let mut back: Vec<usize> =
            front(&matrix(&rotated)).unwrap().iter().map(|arm| (arm.0 + shift) % points.len()).collect();
        back.sort_unstable();
        prop_assert_eq!(&back, &expected, "permuted arms");
        Ok(())
    });
}

/// Oracle 12, the order: irreflexive, asymmetric, transitive, and Definition 1's second line.
#[test]
fn dominance_is_a_strict_order() {
    let triple = (1..=4_usize).prop_flat_map(|m| (vec(entry(), m), vec(entry(), m), vec(entry(), m)));
    check(20_000, triple, |(u, v, w)| {
        prop_assert!(!dominates(&u, &u));
        prop_assert!(!(dominates(&u, &v) && dominates(&v, &u)));
        if dominates(&u, &v) && dominates(&v, &w) {
            prop_assert!(dominates(&u, &w));
        }
        let not_dominated = v == u || v.iter().zip(&u).any(|(v, u)| v > u);
        prop_assert_eq!(!dominates(&u, &v), not_dominated);
        prop_assert_eq!(dominates(&u, &v), reference::dominated(&v, &u));
        Ok(())
    });
}

/// Oracle 12, the front: it is not empty, its arms are undominated, and every other arm is dominated by an
/// arm on it. The front of the front is the front. An arm on a front stays on the front of any subset.
#[test]
fn fronts_hold_exactly_the_undominated_arms() {
    check(1000, points(), |points| {
        let on = ids(&front(&matrix(&points)).unwrap());
        prop_assert!(!on.is_empty());
        for (arm, row) in points.iter().enumerate() {
            let beaten_on = on.iter().any(|&k| dominates(&points[k], row));
            let beaten = points.iter().any(|other| dominates(other, row));
            prop_assert_eq!(beaten, !on.contains(&arm));
            prop_assert_eq!(beaten, beaten_on, "a dominated arm is dominated by one on the front");
        }
        let kept: Vec<Vec<f64>> = on.iter().map(|&k| points[k].clone()).collect();
        prop_assert_eq!(front(&matrix(&kept)).unwrap().len(), kept.len());
        let half = points.len().div_ceil(2);
        let subset = front(&matrix(&points[..half])).unwrap();
        prop_assert!(on.iter().filter(|&&k| k < half).all(|&k| subset.contains(ArmId(k))));
        Ok(())
    });
}

/// Definition 3, by bisection: the least ε such that nothing dominates the row raised by ε.
fn gap_by_bisection(points: &[Vec<f64>], arm: usize) -> f64 {
    let optimal = |epsilon: f64| {
        let raised: Vec<f64> = points[arm].iter().map(|x| x + epsilon).collect();
        !points.iter().any(|other| reference::dominated(&raised, other))
    };
    let (mut low, mut high) = (0.0, 4.0);
    if optimal(low) {
        return 0.0;
    }
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if optimal(middle) { high = middle } else { low = middle }
    }
    high
}

/// Oracle 13: gaps agree with Definition 3.
#[test]
fn gaps_are_those_of_the_definition() {
    check(1000, points(), |points| {
        let (gap, on) = (gaps(&matrix(&points)).unwrap(), front(&matrix(&points)).unwrap());
        for (arm, row) in points.iter().enumerate() {
            let expected = gap_by_bisection(&points, arm);
            prop_assert!((gap[arm] - expected).abs() < 1e-12, "arm {arm}: {} for {expected}", gap[arm]);
            if on.contains(ArmId(arm)) {
                prop_assert_eq!(gap[arm], 0.0);
            }
            let least =
                |other: &Vec<f64>| other.iter().zip(row).fold(f64::INFINITY, |m, (o, x)| m.min(o - x));
            let over_all = points.iter().map(least).fold(0.0, f64::max);
            prop_assert_eq!(gap[arm], over_all, "x' over all arms or over the front");
            let best = |i: usize| points.iter().map(|other| other[i] - row[i]).fold(0.0, f64::max);
            let regrets = (0..row.len()).map(best).fold(f64::INFINITY, f64::min);
            prop_assert!(gap[arm] <= regrets, "max-min is at most min-max");
            let raised = |by: f64| {
                let mut points = points.clone();
                points[arm].iter_mut().for_each(|x| *x += by);
                front(&matrix(&points)).unwrap().contains(ArmId(arm))
            };
            prop_assert!(raised(gap[arm] + 1e-9), "raised by more than its gap an arm is optimal");
            prop_assert!(gap[arm] < 1e-9 || !raised(gap[arm] - 1e-9), "by less it is not");
        }
        Ok(())
    });
}

/// Oracle 13 for m = 1: the gap is the ordinary one.
#[test]
fn one_objective_has_the_ordinary_gap() {
    check(300, vec(-1.0..1.0_f64, 1..20), |values| {
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let gap = gaps(&Matrix::new(1, values.clone()).unwrap()).unwrap();
        prop_assert!(gap.iter().zip(&values).all(|(gap, value)| *gap == best - value));
        Ok(())
    });
}

/// Oracle 16: the Jaccard index is in [0, 1], one only for equal sets, and symmetric; |O*|/K compared with
/// all arms; precision and recall agree with counts.
#[test]
fn the_jaccard_index_compares_sets() {
    let set = || vec(0..12_usize, 0..10);
    check(2000, (set(), set()), |(a, b)| {
        let make = |ids: &[usize]| -> Front { ids.iter().map(|&id| ArmId(id)).collect() };
        let (left, right) = (make(&a), make(&b));
        let shared = (0..12).filter(|k| a.contains(k) && b.contains(k)).count();
        let either = (0..12).filter(|k| a.contains(k) || b.contains(k)).count();
        let index = jaccard(&left, &right);
        prop_assert_eq!(index, if either == 0 { 1.0 } else { shared as f64 / either as f64 });
        prop_assert_eq!(index, jaccard(&right, &left));
        prop_assert!((0.0..=1.0).contains(&index));
        prop_assert_eq!(index == 1.0, left == right);
        if !left.is_empty() {
            prop_assert_eq!(precision(&left, &right), shared as f64 / left.len() as f64);
            prop_assert_eq!(recall(&right, &left), shared as f64 / left.len() as f64);
        }
        prop_assert_eq!(jaccard(&Front::all(12), &left), left.len() as f64 / 12.0, "JI_1 = |O*| / K");
        Ok(())
    });
}
