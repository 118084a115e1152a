//! No widths are computed for arms that cannot be on the front; the front is that of all scores, bit for bit.

use moglb::{
    ArmId, ArmSet, Decision, EkfUcb, EkfUcbConfig, Kappa, Link, MoglbUcb, MoglbUcbConfig, Norms, Objective,
    Policy, Problem, Width, dominates, draw,
};

/// Contexts of many lengths, with duplicates and zeros.
fn arms(n_arms: usize, dim: usize, seed: u64) -> ArmSet<'static> {
    let mut rng = draw::seeded(seed);
    let mut contexts: Vec<f64> = Vec::new();
    for arm in 0..n_arms {
        let size = [0.0, 0.01, 0.2, 0.5, 1.0][draw::below(5, &mut rng)];
        if arm > 0 && draw::below(10, &mut rng) == 0 {
            let earlier = draw::below(arm, &mut rng) * dim;
            contexts.extend_from_within(earlier..earlier + dim);
        } else {
            contexts.extend((0..dim).map(|_| size * draw::normal(&mut rng)));
        }
    }
    ArmSet::new(dim, contexts, Norms::Clip).unwrap()
}

#[test]
fn a_pruned_front_is_the_front_of_all_scores() {
    for case in 0..60 {
        let mut rng = draw::seeded(case);
        let (dim, m) = (1 + draw::below(20, &mut rng), 1 + draw::below(8, &mut rng));
        let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::ALL[i % 4]).range(0.0, 1.0));
        let problem = Problem::new(dim, objectives.collect()).unwrap();
        let width = [Width::Tuned { c: 0.0 }, Width::Tuned { c: 0.1 }, Width::Proved { delta: 0.1 }]
            [case as usize % 3];
        let kappa = if case % 2 == 0 { Kappa::Shared } else { Kappa::PerObjective };
        let config = MoglbUcbConfig { width, kappa, ..Default::default() };
        compare(&mut MoglbUcb::new(problem, config).unwrap(), dim, m, case);
    }
}

#[test]
fn a_pruned_front_of_ekf_ucb_is_the_front_of_all_scores() {
    for case in 0..40 {
        let mut rng = draw::seeded(1000 + case);
        let (dim, m) = (1 + draw::below(20, &mut rng), 1 + draw::below(8, &mut rng));
        let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::ALL[i % 4]).range(0.0, 1.0));
        let problem = Problem::new(dim, objectives.collect()).unwrap();
        let objective = (case % 4 == 0).then(|| draw::below(m, &mut rng));
        let config = EkfUcbConfig { c: [0.0, 0.01, 1.0][case as usize % 3], objective, ..Default::default() };
        compare(&mut EkfUcb::new(problem, config).unwrap(), dim, m, case);
    }
}

/// The rows that no other row dominates, by Definition 2.
fn front_by_definition(decision: &Decision, n_arms: usize) -> Vec<ArmId> {
    let score = |arm: usize| -> Vec<f64> {
        let (estimates, widths) = (decision.estimates.row(arm), decision.widths.row(arm));
        estimates.iter().zip(widths).map(|(estimate, width)| estimate + width).collect()
    };
    let scores: Vec<Vec<f64>> = (0..n_arms).map(score).collect();
    let dominated = |arm: &usize| scores.iter().any(|other| dominates(other, &scores[*arm]));
    (0..n_arms).filter(|arm| !dominated(arm)).map(ArmId).collect()
}

#[test]
fn the_front_of_a_small_set_is_that_of_its_scores_with_ties_and_twins() {
    for case in 0..40 {
        let mut rng = draw::seeded(2000 + case);
        let (dim, m) = (1 + draw::below(12, &mut rng), 1 + draw::below(8, &mut rng));
        let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::ALL[i % 4]).range(0.0, 1.0));
        let problem = Problem::new(dim, objectives.collect()).unwrap();
        let width = if case % 3 == 0 { Width::Tuned { c: 0.0 } } else { Width::Tuned { c: 0.1 } };
        let config = MoglbUcbConfig { width, ..Default::default() };
        let mut policy = MoglbUcb::new(problem, config).unwrap();
        let (mut whole, mut lean) = (Decision::default(), Decision::lean());
        for t in 0..40 {
            // All numbers of tiles and lanes occur, with larger sets before smaller ones too.
            let n_arms = 1 + (97 * t + 31 * case as usize) % 110;
            // Every fourth set has no duplicates.
            let arms = if t % 4 == 0 { distinct(n_arms, dim, t as u64) } else { arms(n_arms, dim, t as u64) };
            policy.decide_into(&arms, &mut draw::seeded(t as u64), &mut whole).unwrap();
            policy.decide_into(&arms, &mut draw::seeded(t as u64), &mut lean).unwrap();
            if t > 0 {
                assert_eq!(
                    whole.front.arms(),
                    front_by_definition(&whole, n_arms),
                    "case {case}, {n_arms} arms"
                );
            }
            assert_eq!(lean.front, whole.front, "case {case}, {n_arms} arms");
            let reward: Vec<f64> = (0..m).map(|_| draw::below(2, &mut rng) as f64).collect();
            policy.learn(arms.arm(lean.arm), &reward).unwrap();
        }
    }
}

#[test]
fn an_arm_has_the_same_bits_in_small_and_in_large_sets() {
    let mut some = Decision::default();
    for case in 0..36 {
        let mut rng = draw::seeded(3000 + case);
        // Every number of features that has code of its own, and some that have not; more objectives than
        // those with code of their own.
        let (dim, m) = (1 + case as usize % 18, 1 + draw::below(9, &mut rng));
        let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::ALL[i % 4]).range(0.0, 1.0));
        let problem = Problem::new(dim, objectives.collect()).unwrap();
        let kappa = if case % 2 == 0 { Kappa::Shared } else { Kappa::PerObjective };
        let config = MoglbUcbConfig { width: Width::Tuned { c: 0.1 }, kappa, ..Default::default() };
        let mut policy = MoglbUcb::new(problem, config).unwrap();
        let large = arms(150, dim, case);
        for _ in 0..30 {
            let reward: Vec<f64> = (0..m).map(|_| draw::below(2, &mut rng) as f64).collect();
            policy.learn(large.arm(ArmId(draw::below(150, &mut rng))), &reward).unwrap();
        }
        let mut all = Decision::default();
        policy.decide_into(&large, &mut rng, &mut all).unwrap();
        for n_arms in [1, 7, 8, 9, 16, 17, 25, 33, 40, 41, 96] {
            let rows: Vec<&[f64]> = (0..n_arms).map(|arm| large.context(arm)).collect();
            policy.decide_into(&ArmSet::from_rows(&rows).unwrap(), &mut rng, &mut some).unwrap();
            assert_eq!((some.estimates.n_rows(), some.widths.n_rows()), (n_arms, n_arms));
            for arm in 0..n_arms {
                assert_eq!(some.estimates.row(arm), all.estimates.row(arm), "case {case}, {n_arms} arms");
                assert_eq!(some.widths.row(arm), all.widths.row(arm), "case {case}, {n_arms} arms");
            }
        }
    }
}

/// Contexts in general position.
fn distinct(n_arms: usize, dim: usize, seed: u64) -> ArmSet<'static> {
    let mut rng = draw::seeded(seed);
    let contexts = (0..n_arms * dim).map(|_| 0.5 * draw::normal(&mut rng)).collect();
    ArmSet::new(dim, contexts, Norms::Clip).unwrap()
}

/// Plays a policy that decides every round twice: with all scores, and without those that are not needed.
fn compare(policy: &mut dyn Policy, dim: usize, m: usize, case: u64) {
    let mut rng = draw::seeded(case);
    let (mut whole, mut lean) = (Decision::default(), Decision::lean());
    for t in 0..40 {
        // Sizes below and above the one where pruning begins, with incomplete last tiles.
        let arms = arms(200 + 37 * (t % 9), dim, 100 * case + t as u64);
        policy.decide_into(&arms, &mut draw::seeded(t as u64), &mut whole).unwrap();
        policy.decide_into(&arms, &mut draw::seeded(t as u64), &mut lean).unwrap();
        assert_eq!(lean.front, whole.front, "case {case}, round {t}");
        assert_eq!((lean.arm, &lean.probabilities), (whole.arm, &whole.probabilities));
        let reward: Vec<f64> = (0..m).map(|_| draw::below(2, &mut rng) as f64).collect();
        policy.learn(arms.arm(lean.arm), &reward).unwrap();
    }
}

/// The squares of contexts of 1e-160 are denormal numbers, with few digits or none.
#[test]
fn contexts_that_are_next_to_nothing_are_pruned_right() {
    for case in 0..20 {
        let mut rng = draw::seeded(case);
        let (dim, m) = ([6, 33][case as usize / 3 % 2], 1 + draw::below(3, &mut rng));
        let objectives = (0..m).map(|i| Objective::new(format!("y{i}"), Link::ALL[i % 2]));
        let widths =
            [Width::Proved { delta: 0.1 }, Width::Tightened { delta: 0.1 }, Width::Tuned { c: 0.25 }];
        // With λ far from 1, lengths and widths lose different digits.
        let config =
            MoglbUcbConfig { width: widths[case as usize % 3], lambda: Some(50.0), ..Default::default() };
        let problem = Problem::new(dim, objectives.collect()).unwrap();
        let mut policy = MoglbUcb::new(problem, config).unwrap();
        let contexts = (0..650 * dim).map(|_| 1e-160 * draw::normal(&mut rng)).collect();
        let arms = ArmSet::new(dim, contexts, Norms::Clip).unwrap();
        let (mut lean, mut whole) = (Decision::lean(), Decision::default());
        for t in 0..5 {
            let reward: Vec<f64> = (0..m).map(|_| draw::below(2, &mut rng) as f64).collect();
            policy.learn(arms.arm(ArmId(draw::below(650, &mut rng))), &reward).unwrap();
            policy.decide_into(&arms, &mut rng, &mut lean).unwrap();
            policy.decide_into(&arms, &mut rng, &mut whole).unwrap();
            assert_eq!(lean.front, whole.front, "case {case}, round {t}");
        }
    }
}
