//! Fixed arms use cached scores, and fresh arms are scored from scratch; the decisions have the same bits.

use moglb::{
    ArmId, ArmSet, Decision, Kappa, Link, Matrix, MoglbEb, MoglbEbConfig, MoglbUcb, MoglbUcbConfig, Norms,
    Objective, Policy, Prior, Problem, Restorable, Rng, Storage, Width, draw,
};
use std::sync::Arc;

/// Arms that make comparisons close: duplicates, zeros, tiny and nearly collinear contexts.
fn arms(n_arms: usize, dim: usize, rng: &mut dyn Rng) -> Arc<ArmSet<'static>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for arm in 0..n_arms {
        let fresh: Vec<f64> = (0..dim).map(|_| 0.5 * draw::normal(rng)).collect();
        let earlier = |rng: &mut dyn Rng, rows: &[Vec<f64>]| rows[draw::below(rows.len(), rng)].clone();
        rows.push(match (arm, draw::below(8, rng)) {
            (0, _) => fresh,
            (_, 0) => earlier(rng, &rows),
            (_, 1) => {
                earlier(rng, &rows).iter().zip(&fresh).map(|(x, e)| x * (1.0 - 1e-12) + 1e-13 * e).collect()
            }
            (_, 2) => fresh.iter().map(|x| 1e-8 * x).collect(),
            (_, 3) if arm % 5 == 0 => vec![0.0; dim],
            (_, 4) => earlier(rng, &rows).iter().map(|x| -x).collect(),
            _ => fresh,
        });
    }
    Arc::new(ArmSet::new(dim, rows.concat(), Norms::Clip).unwrap())
}

fn problem(dim: usize, m: usize, radius: f64) -> Problem {
    let objective = |i: usize| {
        let objective = Objective::new(format!("y{i}"), Link::ALL[i % 4]).range(0.0, 1.0);
        if i % 3 == 2 { objective.minimize() } else { objective }
    };
    Problem::new(dim, (0..m).map(objective).collect()).unwrap().with_radius(radius).unwrap()
}

fn compare(case: u64, rounds: usize) {
    let mut rng = draw::seeded(case);
    let (dim, m, n_arms) =
        (1 + draw::below(9, &mut rng), 1 + draw::below(6, &mut rng), 1 + draw::below(60, &mut rng));
    let arms = arms(n_arms, dim, &mut rng);
    let width = match case % 4 {
        0 => Width::Tuned { c: 0.0 },
        1 => Width::Tuned { c: 0.1 },
        2 => Width::Proved { delta: 0.05 },
        _ => Width::Tightened { delta: 0.05 },
    };
    let kappa = if case.is_multiple_of(3) { Kappa::PerObjective } else { Kappa::Shared };
    let config = MoglbUcbConfig { width, kappa, ..Default::default() };
    let radius = [0.3, 1.0, 2.0][draw::below(3, &mut rng)];
    let mut slow = MoglbUcb::new(problem(dim, m, radius), config).unwrap();
    let mut fast = slow.clone();
    // Half of the cases store the contexts in f32.
    let storage = if case % 8 < 4 { Storage::F64 } else { Storage::F32 };
    let arms = Arc::new(ArmSet::clone(&arms).stored_as(storage));
    fast.fix_arms(&arms).unwrap();
    let (mut obvious, mut lean) = (Decision::default(), Decision::lean());
    let (mut slow_rng, mut fast_rng) = (draw::seeded(case), draw::seeded(case));
    for t in 0..rounds {
        slow.decide_into(&arms, &mut slow_rng, &mut obvious).unwrap();
        fast.decide_into(&arms, &mut fast_rng, &mut lean).unwrap();
        assert_eq!(lean.front, obvious.front, "case {case}, round {t}");
        assert_eq!(
            (lean.arm, &lean.probabilities),
            (obvious.arm, &obvious.probabilities),
            "case {case}, round {t}"
        );
        assert!(lean.estimates.as_slice().is_empty() && lean.widths.as_slice().is_empty());
        let reward: Vec<f64> = (0..m).map(|_| draw::below(2, &mut rng) as f64).collect();
        slow.learn(arms.arm(obvious.arm), &reward).unwrap();
        fast.learn(arms.arm(lean.arm), &reward).unwrap();
        if rounds < 1000 && t % 50 == 7 {
            // A policy that is restored from a snapshot continues in the same way, after its arms are fixed
            // again.
            fast = MoglbUcb::from_bytes(&fast.to_bytes()).unwrap();
            fast.fix_arms(&arms).unwrap();
        }
    }
    assert_eq!(slow.to_bytes(), fast.to_bytes(), "case {case}");
    fast.decide_into(&arms, &mut fast_rng, &mut obvious).unwrap();
    assert_eq!(obvious.estimates.n_rows(), n_arms, "estimates on request");
}

#[test]
fn carried_scores_decide_as_the_obvious_ones_do() {
    for case in 0..400 {
        compare(case, 80);
    }
}

#[test]
fn carried_scores_decide_the_same_beyond_a_refresh() {
    for case in 1000..1003 {
        compare(case, 25_000);
    }
}

/// Cached counts of the present samples give the same decisions as counting them again, and the rest of the
/// state is the same too.
#[test]
fn moglb_eb_decides_the_same_on_fixed_arms() {
    for case in 0..100 {
        let mut rng = draw::seeded(case);
        let (dim, m, n_arms) =
            (1 + draw::below(9, &mut rng), 1 + draw::below(6, &mut rng), 1 + draw::below(60, &mut rng));
        let arms = arms(n_arms, dim, &mut rng);
        let config = MoglbEbConfig {
            samples: [2, 3, 20][case as usize % 3],
            threshold: [0.0, 0.2, 0.5][case as usize / 3 % 3],
            ..Default::default()
        };
        let mut slow = MoglbEb::new(problem(dim, m, 1.0), config).unwrap();
        let mut fast = slow.clone();
        let (mut whole, mut lean) = (Decision::default(), Decision::lean());
        let (mut slow_rng, mut fast_rng) = (draw::seeded(case), draw::seeded(case));
        for t in 0..60 {
            if t == 0 || t == 33 {
                // The arms are fixed at first, and again by a policy that is restored in the middle of a
                // batch.
                fast = MoglbEb::from_bytes(&fast.to_bytes()).unwrap();
                fast.fix_arms(&arms).unwrap();
            }
            slow.decide_into(&arms, &mut slow_rng, &mut whole).unwrap();
            fast.decide_into(&arms, &mut fast_rng, &mut lean).unwrap();
            assert_eq!(lean.front, whole.front, "case {case}, round {t}");
            assert_eq!(
                (lean.arm, &lean.probabilities),
                (whole.arm, &whole.probabilities),
                "case {case}, round {t}"
            );
            let reward: Vec<f64> = (0..m).map(|_| draw::below(2, &mut rng) as f64).collect();
            slow.learn(arms.arm(whole.arm), &reward).unwrap();
            fast.learn(arms.arm(lean.arm), &reward).unwrap();
        }
        assert!(slow.to_bytes() == fast.to_bytes(), "case {case}: the states differ");
    }
}

/// Sets that are larger than the nearer caches are scanned once a round, by several workers.
#[test]
fn large_sets_decide_the_same_on_any_number_of_threads_and_in_any_storage() {
    let mut rng = draw::seeded(31);
    let (dim, m, n_arms) = (32, 4, 17_003);
    let arms = arms(n_arms, dim, &mut rng);
    let slow = MoglbUcb::new(problem(dim, m, 1.0), MoglbUcbConfig::default()).unwrap();
    let rewards: Vec<Vec<f64>> =
        (0..12).map(|_| (0..m).map(|_| draw::below(2, &mut rng) as f64).collect()).collect();
    let play = |mut policy: MoglbUcb, arms: &Arc<ArmSet<'static>>| {
        let (mut rng, mut decision) = (draw::seeded(4), Decision::lean());
        let mut fronts = Vec::new();
        for reward in &rewards {
            policy.decide_into(arms, &mut rng, &mut decision).unwrap();
            fronts.push(decision.front.clone());
            policy.learn(arms.arm(decision.arm), reward).unwrap();
        }
        (fronts, policy.to_bytes())
    };
    let expected = play(slow.clone(), &arms);
    let sizes: Vec<usize> = expected.0.iter().skip(1).map(|front| front.len()).collect();
    assert!(sizes.iter().any(|n| *n > 4096) && sizes.iter().any(|n| *n < 1000), "fronts of {sizes:?}");
    for (threads, storage) in [(1, Storage::F64), (1, Storage::F32), (2, Storage::F64), (3, Storage::F32)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let arms = Arc::new(ArmSet::clone(&arms).stored_as(storage));
        let mut fast = slow.clone();
        let got = pool.install(|| {
            fast.fix_arms(&arms).unwrap();
            play(fast, &arms)
        });
        assert!(got == expected, "{threads} threads, {storage:?}");
    }
}

#[test]
fn other_arms_than_the_fixed_ones_are_still_decided() {
    let mut rng = draw::seeded(5);
    let (fixed, other) = (arms(20, 3, &mut rng), arms(9, 3, &mut rng));
    let mut policy = MoglbUcb::new(problem(3, 2, 1.0), MoglbUcbConfig::default()).unwrap();
    policy.fix_arms(&fixed).unwrap();
    for set in [&fixed, &other, &fixed] {
        let decision = policy.decide(set, &mut rng).unwrap();
        assert_eq!(decision.probabilities.len(), set.n_arms());
        policy.learn(set.arm(decision.arm), &[0.0, 1.0]).unwrap();
    }
    let wrong = Arc::new(ArmSet::from_rows(&[[0.1, 0.2]]).unwrap());
    assert!(policy.fix_arms(&wrong).is_err());
}

/// Asserts that the front of a policy on its fixed arms is that of the exact scores, after each of some
/// rounds.
fn assert_exact(
    policy: &mut MoglbUcb,
    arms: &Arc<ArmSet<'static>>,
    rounds: &[(usize, Vec<f64>)],
    case: &str,
) {
    let mut rng = draw::seeded(1);
    let (mut obvious, mut lean) = (Decision::default(), Decision::lean());
    policy.fix_arms(arms).unwrap();
    for (t, (arm, reward)) in rounds.iter().enumerate() {
        policy.learn(arms.arm(ArmId(*arm)), reward).unwrap();
        policy.decide_into(arms, &mut rng, &mut obvious).unwrap();
        policy.decide_into(arms, &mut rng, &mut lean).unwrap();
        assert_eq!(lean.front, obvious.front, "{case}, round {t}");
    }
}

fn policy(dim: usize, m: usize, c: f64) -> MoglbUcb {
    let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::Identity)).collect();
    let config = MoglbUcbConfig { width: Width::Tuned { c }, ..Default::default() };
    MoglbUcb::new(Problem::new(dim, objectives).unwrap(), config).unwrap()
}

/// The rounding errors of two contexts add up.
#[test]
fn contexts_that_are_rounded_to_f32_in_opposite_directions_are_told_apart() {
    let (dim, half, tiny) = (32, 2f64.powi(-24), 2f64.powi(-40));
    for n_others in [20, 200] {
        let mut rows = vec![vec![0.0; dim]; 3 + n_others];
        for j in 0..15 {
            rows[0][j] = 0.25 * (1.0 + half - tiny);
            rows[1][15 + j] = 0.25 * (1.0 + half + tiny);
        }
        rows[1][15] = 0.25;
        rows[2][31] = 1.0;
        (0..n_others).for_each(|k| rows[3 + k][k % 30] = 0.01);
        let arms = ArmSet::from_rows(&rows).unwrap().stored_as(Storage::F32);
        let mut policy = policy(dim, 1, 1e6);
        assert_exact(&mut policy, &Arc::new(arms), &vec![(2, vec![0.0]); 3], &format!("{n_others} others"));
    }
}

/// Rounding errors that agree in many objectives make the score sum of the better arm the smaller one.
#[test]
fn an_arm_that_dominates_with_a_smaller_rounded_sum_is_noticed() {
    let (half, tiny) = (2f64.powi(-24), 2f64.powi(-40));
    for m in [2, 3, 4, 5, 9, 20] {
        for ahead in [1.05e-7, 1.3e-7, 2e-7, 4e-7, 1e-6] {
            // The first objective favors the first feature, and the others the next two.
            let better = 0.5 * (1.0 + half / 2.0 + 2.0 * tiny);
            let mut rows = vec![
                vec![0.5, 0.5 * (1.0 + half + tiny), 0.5, 0.0],
                vec![0.5 + ahead, better, better, 0.0],
                vec![1.0, 0.0, 0.0, 0.0],
                vec![0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0],
            ];
            rows.extend((0..200).map(|k| vec![0.0, 0.0, 0.0, 0.5 - 1e-3 * k as f64]));
            let arms = ArmSet::new(4, rows.concat(), Norms::Clip).unwrap().stored_as(Storage::F32);
            let mut policy = policy(4, m, 0.0);
            let reward = |t: usize| (0..m).map(|i| f64::from((i == 0) == t.is_multiple_of(2))).collect();
            let rounds: Vec<_> = (0..300).map(|t| (2 + t % 2, reward(t))).collect();
            assert_exact(&mut policy, &Arc::new(arms), &rounds, &format!("{m} objectives, {ahead} ahead"));
        }
    }
}

/// The matrix of a belief may have an eigenvalue that is slightly negative, as if by rounding. Bounds on
/// widths still rest on λ.
#[test]
fn beliefs_that_are_nearly_semidefinite_leave_fronts_exact() {
    for beyond in [0.0, 1.0, 1.9, 1.98, 5.0] {
        let (a, b) = (0.9e10, 0.9e10 + beyond);
        let information = Matrix::from_rows(&[[a, b], [b, a]]).unwrap();
        let prior = vec![Prior::information(vec![0.0, 0.0], &information)];
        let config = MoglbUcbConfig { width: Width::Tuned { c: 100.0 }, prior, ..Default::default() };
        let problem = Problem::new(2, vec![Objective::new("y", Link::Identity)]).unwrap();
        let mut policy = MoglbUcb::new(problem, config).unwrap();
        let along = |k: i32| (0.2 + 0.0025 * f64::from(k)) / 2_f64.sqrt();
        let rows: Vec<[f64; 2]> = (0..300).map(|k| [along(k), -along(k)]).collect();
        let arms = Arc::new(ArmSet::from_rows(&rows).unwrap());
        let case = format!("{beyond} beyond");
        assert_exact(&mut policy, &arms, &[(0, vec![0.0]), (1, vec![0.0])], &case);
        // Arms that are not fixed are pruned.
        let (mut fresh, mut rng) = (Decision::lean(), draw::seeded(1));
        policy.decide_into(&ArmSet::clone(&arms), &mut rng, &mut fresh).unwrap();
        assert_eq!(fresh.front.iter().collect::<Vec<_>>(), [ArmId(299)], "{case}");
        assert!(MoglbUcb::from_bytes(&policy.to_bytes()).is_ok(), "{case}");
    }
}
