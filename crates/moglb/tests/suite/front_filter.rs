//! The front filter is compared with a comparison of all rows with all, on every path that it may choose.

use crate::common::{check, reference};
use moglb::{ArmId, Error, Front, FrontFilter, Matrix, Rng, draw, front};
use proptest::collection::vec;
use proptest::prelude::*;

/// Kinds of sets that lead the filter to different paths.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Independent values: a front of medium size.
    Uniform,
    /// One shared factor: a small front.
    Correlated,
    /// The positive part of the unit sphere: all rows are on the front.
    Sphere,
    /// Few values, so that most rows tie somewhere and many are equal.
    Grid,
    /// Few values near a plane: many equal rows on a large front.
    Plane,
    /// Values that differ in their last bits only: 16-bit codes and packed keys cannot distinguish them.
    Close,
    /// Values whose sums overflow.
    Huge,
    /// Values so small that all sums are subnormal.
    Tiny,
}

const KINDS: [Kind; 8] = [
    Kind::Uniform,
    Kind::Correlated,
    Kind::Sphere,
    Kind::Grid,
    Kind::Plane,
    Kind::Close,
    Kind::Huge,
    Kind::Tiny,
];

fn points(kind: Kind, n: usize, m: usize, rng: &mut dyn Rng) -> Vec<Vec<f64>> {
    (0..n).map(|_| point(kind, m, rng)).collect()
}

fn point(kind: Kind, m: usize, rng: &mut dyn Rng) -> Vec<f64> {
    let uniform: Vec<f64> = (0..m).map(|_| draw::unit(rng)).collect();
    let length = uniform.iter().map(|x| x * x).sum::<f64>().sqrt();
    let total: f64 = uniform.iter().sum();
    let shared = draw::normal(rng);
    let value = |x: f64| match kind {
        Kind::Uniform => x,
        Kind::Correlated => shared + 0.3 * x,
        Kind::Sphere => x / length,
        Kind::Grid => (4.0 * x).floor() - 2.0,
        Kind::Plane => (6.0 * x / total).floor(),
        Kind::Close => 1e9 + (1000.0 * x / total).floor() * f64::EPSILON * 1e9,
        Kind::Huge => (x - 0.5) * 2.0 * f64::MAX,
        Kind::Tiny => (x * 1000.0).floor() * 5e-324,
    };
    uniform.iter().map(|&x| value(x)).collect()
}

fn found(points: &[Vec<f64>]) -> Vec<usize> {
    front(&Matrix::from_rows(points).unwrap()).unwrap().iter().map(|arm| arm.0).collect()
}

#[test]
fn the_front_is_that_of_comparing_all_with_all() {
    let sizes = (1..=12_usize, 1..=300_usize, 0..KINDS.len(), any::<u64>());
    check(1500, sizes, |(m, n, kind, seed)| {
        let points = points(KINDS[kind], n, m, &mut draw::seeded(seed));
        prop_assert_eq!(found(&points), reference::front(&points), "{:?}", KINDS[kind]);
        Ok(())
    });
}

/// Sets beyond the first window and the first batch of the trees; some fronts have a thousand rows and more.
#[test]
fn large_fronts_are_those_of_comparing_all_with_all() {
    let mut rng = draw::seeded(77);
    for kind in KINDS {
        for (n, m) in [(4000, 2), (4000, 3), (6000, 4), (5000, 5), (3000, 8), (2500, 12), (1500, 40)] {
            let points = points(kind, n, m, &mut rng);
            assert_eq!(found(&points), reference::front(&points), "{kind:?}, n = {n}, m = {m}");
        }
    }
}

/// Zeros of both signs are equal, so neither row dominates the other, and both equal a row of the front.
#[test]
fn the_sign_of_a_zero_does_not_matter() {
    check(300, (1..=6_usize, vec(0..5_usize, 70 * 6)), |(m, picks)| {
        let values = [0.0, -0.0, 5e-324, -5e-324, 1.0];
        let points: Vec<Vec<f64>> =
            picks.chunks_exact(m).map(|row| row.iter().map(|&k| values[k]).collect()).collect();
        prop_assert_eq!(found(&points), reference::front(&points));
        Ok(())
    });
}

#[test]
fn equal_rows_are_all_kept_however_many() {
    for m in [1, 2, 3, 5, 12] {
        let points = Matrix::new(m, vec![0.5; 20_000 * m]).unwrap();
        assert_eq!(front(&points).unwrap(), Front::all(20_000), "m = {m}");
    }
}

/// An increasing staircase is inserted from the wrong side: each step goes before all others.
#[test]
fn a_staircase_may_grow_from_either_end() {
    for sign in [1.0, -1.0] {
        let rows: Vec<[f64; 3]> =
            (0..5000).map(|k| [f64::from(-k), sign * f64::from(k), -sign * f64::from(k)]).collect();
        assert_eq!(front(&Matrix::from_rows(&rows).unwrap()).unwrap(), Front::all(5000));
    }
}

#[test]
fn a_constant_objective_changes_nothing() {
    let mut rng = draw::seeded(5);
    for m in [2, 3, 4, 6] {
        let points = points(Kind::Uniform, 3000, m, &mut rng);
        for place in 0..=m {
            let mut wider = points.clone();
            wider.iter_mut().for_each(|row| row.insert(place, 0.25));
            assert_eq!(found(&wider), found(&points), "m = {m}, constant at {place}");
        }
    }
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut rng = draw::seeded(6);
    for kind in KINDS {
        for m in [1, 2, 3, 5, 9] {
            let points = points(kind, 2000, m, &mut rng);
            let mut order: Vec<usize> = (0..points.len()).collect();
            order.sort_by(|&a, &b| points[a].partial_cmp(&points[b]).unwrap());
            let sorted: Vec<Vec<f64>> = order.iter().map(|&row| points[row].clone()).collect();
            let mut back: Vec<usize> = found(&sorted).iter().map(|&row| order[row]).collect();
            back.sort_unstable();
            assert_eq!(back, found(&points), "{kind:?}, m = {m}");
        }
    }
}

#[test]
fn a_filter_forgets_what_it_saw_before() {
    let mut rng = draw::seeded(8);
    let (mut filter, mut kept) = (FrontFilter::new(), Front::default());
    for round in 0..60 {
        let (n, m) = ([1, 7, 64, 65, 700, 3000][round % 6], 1 + round % 7);
        let points = Matrix::from_rows(&points(KINDS[round % KINDS.len()], n, m, &mut rng)).unwrap();
        filter.filter(&points, &mut kept).unwrap();
        assert_eq!(kept, front(&points).unwrap(), "n = {n}, m = {m}");
    }
}

/// The position does not matter: in the sample, after it, in the last row, in few rows or many.
#[test]
fn a_value_that_is_not_finite_is_refused_and_the_front_stays() {
    let mut filter = FrontFilter::new();
    for (n, kind) in [(5, Kind::Uniform), (3000, Kind::Uniform), (3000, Kind::Sphere)] {
        for index in [0, 1, 17, 4 * n - 1] {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut values = points(kind, n, 4, &mut draw::seeded(9)).concat();
                values[index] = bad;
                let mut front = Front::all(2);
                let refused = filter.filter(&Matrix::new(4, values).unwrap(), &mut front);
                assert!(
                    matches!(refused, Err(Error::NotFinite { index: at, .. }) if at == index),
                    "{refused:?}"
                );
                assert_eq!(front.arms(), [ArmId(0), ArmId(1)]);
            }
        }
    }
    let none = Matrix::from_rows::<[f64; 2]>(&[]).unwrap();
    assert!(matches!(filter.filter(&none, &mut Front::default()), Err(Error::NoPoints { .. })));
}

#[test]
fn the_front_does_not_depend_on_the_number_of_threads() {
    let mut rng = draw::seeded(10);
    for (kind, n, m) in [(Kind::Sphere, 12_000, 5), (Kind::Uniform, 150_000, 4), (Kind::Plane, 30_000, 9)] {
        let points = Matrix::from_rows(&points(kind, n, m, &mut rng)).unwrap();
        let fronts = [1, 2, 5].map(|n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| front(&points).unwrap())
        });
        assert!(fronts[0] == fronts[1] && fronts[0] == fronts[2], "{kind:?}");
        assert!(fronts[0].len() > 1);
    }
}
