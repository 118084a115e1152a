//! Laws of the mathematics under the policies: fronts, Gram matrices, hypervolumes.

use crate::common::{ball, check, close, dense, dot, reference, vector};
use moglb::{
    ArmId, ArmSet, Decision, Gram, Matrix, Norms, dominates, draw, front, front_points, gaps, hypervolume,
};
use nalgebra::DMatrix;
use proptest::collection::vec;
use proptest::prelude::*;

/// Numbers that break careless comparisons: ties, zeros of both signs, huge and tiny numbers, and neighbors
/// that sums confuse.
fn awkward() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => (-2..=2_i32).prop_map(f64::from),
        1 => Just(-0.0),
        1 => Just(1.0 + f64::EPSILON),
        1 => Just(1.0 - f64::EPSILON / 2.0),
        1 => prop_oneof![Just(1e308), Just(-1e308), Just(f64::MAX), Just(f64::MIN)],
        1 => prop_oneof![Just(1e-308), Just(5e-324), Just(-5e-324), Just(1e-17), Just(-1e-17)],
        1 => prop_oneof![Just(1e16), Just(-1e16), Just(1e16 + 2.0)],
        2 => -1.0..1.0_f64,
    ]
}

fn awkward_points() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1..=8_usize, 1..=24_usize).prop_flat_map(|(m, n)| vec(vec(awkward(), m), n))
}

#[test]
fn the_front_is_the_brute_force_front_for_awkward_numbers() {
    check(4000, awkward_points(), |points| {
        let got: Vec<usize> =
            front(&Matrix::from_rows(&points).unwrap()).unwrap().iter().map(|a| a.0).collect();
        prop_assert_eq!(got, reference::front(&points));
        Ok(())
    });
}

/// 1e16 + 1 = 1e16: a dominator and a row that it dominates can have equal sums, with the rows in either
/// order.
#[test]
fn a_dominator_wins_where_sums_round_to_the_same() {
    let dominated = vec![1e16, 1.0, 0.0];
    let dominator = vec![1e16, 1.0, 1e-3];
    assert_eq!(dominated.iter().sum::<f64>(), dominator.iter().sum::<f64>(), "the sums must collide");
    for (rows, winner) in
        [([dominated.clone(), dominator.clone()], ArmId(1)), ([dominator, dominated], ArmId(0))]
    {
        assert_eq!(front(&Matrix::from_rows(&rows).unwrap()).unwrap().arms(), [winner]);
    }
    // Sums that overflow are equal too.
    let huge = [vec![f64::MAX, f64::MAX, 0.0], vec![f64::MAX, f64::MAX, 1.0]];
    assert_eq!(front(&Matrix::from_rows(&huge).unwrap()).unwrap().arms(), [ArmId(1)]);
}

#[test]
fn the_front_of_many_points_is_the_brute_force_front() {
    let mut rng = draw::seeded(301);
    for (n, m) in [(400, 2), (400, 3), (300, 5), (200, 8)] {
        let points: Vec<Vec<f64>> = (0..n).map(|_| ball(m, 1.0, &mut rng)).collect();
        let matrix = Matrix::from_rows(&points).unwrap();
        let got: Vec<usize> = front(&matrix).unwrap().iter().map(|a| a.0).collect();
        assert_eq!(got, reference::front(&points), "n = {n}, m = {m}");
        let kept = front_points(&matrix).unwrap();
        assert!(kept.rows().zip(&got).all(|(row, &k)| row == points[k]) && kept.n_rows() == got.len());
        assert!(got.len() > 1 && got.len() < n, "{} of {n} points show little", got.len());
    }
}

#[test]
fn gaps_are_finite_nonnegative_and_zero_exactly_where_no_arm_is_better_in_all() {
    check(2000, awkward_points(), |points| {
        let gap = gaps(&Matrix::from_rows(&points).unwrap()).unwrap();
        for (arm, row) in points.iter().enumerate() {
            let beaten = points.iter().any(|other| other.iter().zip(row).all(|(o, x)| o > x));
            prop_assert!(gap[arm] >= 0.0);
            prop_assert_eq!(gap[arm] > 0.0, beaten, "arm {}: gap {}", arm, gap[arm]);
            prop_assert!(gap[arm] == 0.0 || points.iter().any(|other| dominates(other, row)));
        }
        Ok(())
    });
}

/// Sizes and a seed for a Gram matrix: up to 40 features, on both sides of the lane count of 8.
fn grams() -> impl Strategy<Value = (usize, usize, u64)> {
    (1..=40_usize, 0..=60_usize, any::<u64>())
}

#[test]
fn the_gram_matrix_agrees_with_a_dense_one() {
    check(300, grams(), |(dim, updates, seed)| {
        let mut rng = draw::seeded(seed);
        let (lambda, weight) =
            ([0.25, 1.0, 7.0][seed as usize % 3], [0.0, 0.098, 0.5, 3.0][seed as usize % 4]);
        let mut z = Gram::new(dim, lambda, weight);
        let mut plain = DMatrix::<f64>::identity(dim, dim) * lambda;
        for _ in 0..updates {
            let x = ball(dim, 1.0, &mut rng);
            z.add(&x);
            plain += vector(&x) * vector(&x).transpose() * weight;
        }
        prop_assert!((dense(&z) - &plain).amax() < 1e-12 * plain.amax(), "Z itself");
        let inverse = plain.clone().try_inverse().unwrap();
        let (b, x) = (ball(dim, 1.0, &mut rng), ball(dim, 1.0, &mut rng));
        let off = (vector(&z.solve(&b)) - &inverse * vector(&b)).amax();
        prop_assert!(off < 1e-11 / lambda, "Z⁻¹b is off by {off}");
        let (got, expected) = (z.squared_norm_inv(&x), (vector(&x).transpose() * &inverse * vector(&x))[0]);
        prop_assert!(close(got * lambda, expected * lambda, 1e-11), "‖x‖²_Z⁻¹ {got} for {expected}");
        let (got, expected) = (z.squared_norm(&x), (vector(&x).transpose() * &plain * vector(&x))[0]);
        prop_assert!(close(got, expected, 1e-11), "‖x‖²_Z {got} for {expected}");
        let expected = plain.symmetric_eigenvalues().iter().map(|l| (l / lambda).ln()).sum::<f64>();
        prop_assert!(
            close(z.log_det_ratio(), expected, 1e-10),
            "log det {} for {expected}",
            z.log_det_ratio()
        );
        prop_assert_eq!((z.dim(), z.lambda(), z.weight()), (dim, lambda, weight));
        let symmetric = z.to_dense();
        prop_assert!((0..dim).all(|i| (0..dim).all(|j| symmetric.row(i)[j] == symmetric.row(j)[i])));
        Ok(())
    });
}

#[test]
fn a_dense_matrix_becomes_the_gram_matrix_with_its_entries() {
    check(300, grams(), |(dim, _, seed)| {
        let mut rng = draw::seeded(seed);
        let a = DMatrix::from_fn(dim, dim, |_, _| draw::normal(&mut rng));
        let plain = &a * a.transpose() + DMatrix::identity(dim, dim) * 0.5;
        let z = Gram::from_dense(&Matrix::new(dim, plain.as_slice().to_vec()).unwrap()).unwrap();
        prop_assert!((dense(&z) - &plain).amax() < 1e-13 * plain.amax());
        let expected = plain.symmetric_eigenvalues().iter().map(|l| l.ln()).sum::<f64>();
        prop_assert!(close(z.log_det_ratio(), expected, 1e-9), "{} for {expected}", z.log_det_ratio());
        Ok(())
    });
}

/// XᵀX summed in two ways differs by rounding, also where an entry is nearly zero compared with a diagonal of
/// one.
#[test]
fn a_dense_matrix_may_be_symmetric_up_to_rounding() {
    let nearly = Matrix::new(2, vec![1.0, 3e-17, -2e-17, 1.0]).unwrap();
    assert!(Gram::from_dense(&nearly).is_ok(), "an asymmetry of 5e-17 next to a diagonal of 1 was refused");
    let skewed = Matrix::new(2, vec![1.0, 0.1, 0.2, 1.0]).unwrap();
    assert_eq!(Gram::from_dense(&skewed), Err(moglb::Error::NotPositiveDefinite));
}

/// The log determinant of a dense Z is not limited by the sum that contexts of norm one can reach.
#[test]
fn the_log_determinant_of_a_large_matrix_does_not_overflow() {
    let diagonal = |value: f64| {
        let data = (0..64).map(|n| if n % 9 == 0 { value } else { 0.0 }).collect();
        Gram::from_dense(&Matrix::new(8, data).unwrap()).unwrap().log_det_ratio()
    };
    let expected = 8.0 * 100.0 * std::f64::consts::LN_10;
    assert!(close(diagonal(1e100), expected, 1e-12), "{} for {expected}", diagonal(1e100));
    assert_eq!(diagonal(1.0), 0.0);
}

/// The share of a box that is dominated, estimated with common random points: an error of 5 standard errors
/// is a 6e-7 event.
#[test]
fn the_hypervolume_agrees_with_counting_random_points() {
    let mut rng = draw::seeded(310);
    for (n, m) in [(12, 2), (15, 3), (12, 5), (8, 7)] {
        let points: Vec<Vec<f64>> =
            (0..n).map(|_| (0..m).map(|_| 0.4 + 0.6 * draw::unit(&mut rng)).collect()).collect();
        let exact = hypervolume(&Matrix::from_rows(&points).unwrap(), &vec![0.0; m]).unwrap();
        let draws = 200_000;
        let below = (0..draws).filter(|_| {
            let q: Vec<f64> = (0..m).map(|_| draw::unit(&mut rng)).collect();
            points.iter().any(|p| p.iter().zip(&q).all(|(p, q)| p > q))
        });
        let share = below.count() as f64 / f64::from(draws);
        let error = (exact * (1.0 - exact) / f64::from(draws)).sqrt();
        assert!((share - exact).abs() < 5.0 * error, "m = {m}: {exact}, counted {share} ± {error}");
    }
}

#[test]
fn the_hypervolume_of_two_objectives_is_a_staircase() {
    check(500, vec((0.0..1.0_f64, 0.0..1.0_f64), 1..40), |points| {
        let rows: Vec<[f64; 2]> = points.iter().map(|&(x, y)| [x, y]).collect();
        let got = hypervolume(&Matrix::from_rows(&rows).unwrap(), &[0.0, 0.0]).unwrap();
        let mut sorted = rows;
        sorted.sort_by(|a, b| b[0].total_cmp(&a[0]));
        let (mut area, mut height) = (0.0, 0.0);
        for [x, y] in sorted {
            area += x * (y - f64::min(y, height));
            height = height.max(y);
        }
        prop_assert!(close(got, area, 1e-13), "{got} for {area}");
        Ok(())
    });
}

#[test]
fn clipped_contexts_keep_their_direction_and_short_ones_their_bits() {
    check(1000, vec(-1e3..1e3_f64, 1..12), |row| {
        let arms = ArmSet::new(row.len(), row.clone(), Norms::Clip).unwrap();
        let (clipped, length) = (arms.context(0), crate::common::norm(&row));
        if length <= 1.0 {
            prop_assert_eq!(clipped, &row[..]);
        } else {
            prop_assert!((crate::common::norm(clipped) - 1.0).abs() < 1e-15);
            prop_assert!(close(dot(clipped, &row), length, 1e-14));
        }
        Ok(())
    });
}

/// A decision is overwritten completely, whatever policy and arm set it was used for before.
#[test]
fn a_reused_decision_is_equal_to_a_fresh_one() {
    use moglb::{Link, Objective, PolicyConfig, Problem};
    let mut rng = draw::seeded(320);
    let objectives = || (0..3).map(|i| Objective::new(format!("y{i}"), Link::Logit)).collect::<Vec<_>>();
    let mut reused = Decision::default();
    for round in 0..60 {
        let (dim, n_arms) = (1 + draw::below(10, &mut rng), 1 + draw::below(30, &mut rng));
        let problem = Problem::new(dim, objectives()).unwrap().with_arms(n_arms).unwrap();
        let id = ["moglb-ucb", "ekf-ucb", "p-ucb", "s-ucb", "p-ts", "random"][round % 6];
        let config: PolicyConfig = serde_json::from_str(&format!(r#"{{"id":"{id}"}}"#)).unwrap();
        let mut policy = config.build(&problem).unwrap();
        let rows: Vec<Vec<f64>> = (0..n_arms).map(|_| ball(dim, 1.0, &mut rng)).collect();
        let arms = ArmSet::from_rows(&rows).unwrap();
        for seed in 0..4 {
            let fresh = policy.decide(&arms, &mut draw::seeded(seed)).unwrap();
            policy.decide_into(&arms, &mut draw::seeded(seed), &mut reused).unwrap();
            assert!(fresh == reused, "{id}, d = {dim}, K = {n_arms}");
            policy.learn(arms.arm(fresh.arm), &[1.0, 0.0, 0.5]).unwrap();
        }
    }
}
