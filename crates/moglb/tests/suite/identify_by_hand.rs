//! Identification of the front: rounds worked by hand, with numbers from the formulas.

use crate::common::identify::{build, ids, learn};
use moglb::{
    AuerConfig, BestArmRule, GegeBudgetConfig, GegeConfig, IdentifierConfig, Scalarization, ScalarizedConfig,
};

/// K = 3, m = 2, δ = 0.1, σ = 0.1: β(n) = 0.1·√(2·(log 240 + 2·log n)/n), with log 240 = 5.480639.
#[test]
fn the_first_rounds_of_pareto_front_identification_are_those_by_hand() {
    let config = IdentifierConfig::Auer(AuerConfig { accuracy: 0.1, delta: 0.1, sigma: 0.1 });
    let (mut auer, arms) = build(&config, 3, 2);
    // 2β(1) = 0.662. Arms 0 and 1 are clearly no worse than any other, M̂ = 1.1, but either may still
    // dominate arm 2, M̂(2, 0) = M̂(2, 1) = 0.1: they wait.
    learn(&mut *auer, &arms, &[(0, &[1.0, 0.0]), (1, &[0.0, 1.0]), (2, &[0.0, 0.0])]);
    // 2β(2) = 0.524: arm 0 leads arm 2 by min(1, 1/2).
    learn(&mut *auer, &arms, &[(0, &[1.0, 1.0]), (1, &[0.0, 1.0]), (2, &[0.0, 0.0])]);
    assert_eq!(ids(&auer.answer()), [0, 1, 2]);
    // 2β(3) = 0.452: the lead is min(1, 2/3) now, so arm 2 is rejected. M̂(1, 0) = 1 + 0.1 − 2/3 = 0.433: arm
    // 1 is not clear of arm 0.
    learn(&mut *auer, &arms, &[(0, &[1.0, 1.0]), (1, &[0.0, 1.0]), (2, &[0.0, 0.0])]);
    assert_eq!(ids(&auer.answer()), [0, 1]);
    // 2β(4) = 0.406, M̂(1, 0) = 0.6: both are accepted.
    learn(&mut *auer, &arms, &[(0, &[1.0, 0.0]), (1, &[0.0, 1.0])]);
    assert_eq!((auer.next_arm(), ids(&auer.answer()), auer.samples()), (None, vec![0, 1], 11));
}

#[test]
fn the_control_goes_on_sampling_every_arm() {
    let config = IdentifierConfig::Uniform(AuerConfig { accuracy: 0.1, delta: 0.1, sigma: 0.1 });
    let (mut uniform, arms) = build(&config, 3, 2);
    for rewards in [[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 0.0]] {
        learn(&mut *uniform, &arms, &[(0, &rewards), (1, &[0.0, 1.0]), (2, &[0.0, 0.0])]);
    }
    assert_eq!((uniform.next_arm(), ids(&uniform.answer()), uniform.samples()), (None, vec![0, 1], 12));
}

/// K = 3, m = 2, δ = 0.1, σ = 0.1 as above, with ε₀ = 0.8: close is within 0.4, apart is by 0.2.
///
/// 1. 2β(1) = 0.662. Every arm is clear of every other, M̂(0, 1) = M̂(1, 0) = 0.1 + 0.8 being the least: all
///    are accepted. Arm 2 is apart from both, 0.9 − 0.662 = 0.238. For arms 0 and 1 this is open, as
///    0.1 − 0.662 ≤ 0.2 and 0.1 + 0.662 > 0.4: they are sampled further.
/// 2. 0.1 + 2β(8) = 0.1 + 0.2·√(2·(5.480639 + 4.158883)/8) = 0.4105, and
///    0.1 + 2β(9) = 0.1 + 0.2·√(2·(5.480639 + 4.394449)/9) = 0.3963:
///    after nine samples they are close, in both directions, and the second is left out.
#[test]
fn the_rounds_of_a_sparse_cover_are_those_by_hand() {
    let config = IdentifierConfig::AuerCover(AuerConfig { accuracy: 0.8, delta: 0.1, sigma: 0.1 });
    let (mut cover, arms) = build(&config, 3, 2);
    learn(&mut *cover, &arms, &[(0, &[1.0, 0.0]), (1, &[0.9, 0.1]), (2, &[0.0, 1.0])]);
    for _ in 2..=8 {
        learn(&mut *cover, &arms, &[(0, &[1.0, 0.0]), (1, &[0.9, 0.1])]);
    }
    assert_eq!(ids(&cover.answer()), [0, 1, 2]);
    learn(&mut *cover, &arms, &[(0, &[1.0, 0.0]), (1, &[0.9, 0.1])]);
    assert_eq!((cover.next_arm(), ids(&cover.answer()), cover.samples()), (None, vec![0, 2], 19));
}

/// K = 2, m = 2, δ = 0.1: δ₁ = 0.6/π² = 0.060793, and for gaps of ε₁ = 1/4 the theory needs
/// 32·σ²·h/ε₁²·log(2·m·K/δ₁) = 256·4.879729 = 1249.2 samples. A hundredth of it, divided equally and rounded
/// up, is 7 of each arm.
#[test]
fn the_first_round_of_gege_is_that_by_hand() {
    let config = GegeConfig { accuracy: 0.0, delta: 0.1, sigma: 0.5, scale: 0.01 };
    let (mut gege, arms) = build(&IdentifierConfig::Gege(config.clone()), 2, 2);
    learn(&mut *gege, &arms, &[(0, &[1.0, 1.0][..]); 7]);
    learn(&mut *gege, &arms, &[(1, &[0.0, 0.0][..]); 7]);
    // Arm 0 leads by 1 in both objectives: arm 1 is rejected and arm 0 accepted.
    assert_eq!((gege.next_arm(), ids(&gege.answer()), gege.samples()), (None, vec![0], 14));
    // Equal arms are not separated: ε₂ = 1/8 and δ₂ = δ₁/4 need 0.01·1024·log(8·4/δ₁) = 64.2 samples, 33 of
    // each.
    let (mut gege, arms) = build(&IdentifierConfig::Gege(config), 2, 2);
    learn(&mut *gege, &arms, &[(0, &[1.0, 1.0][..]); 7]);
    learn(&mut *gege, &arms, &[(1, &[1.0, 1.0][..]); 7]);
    learn(&mut *gege, &arms, &[(0, &[1.0, 0.0][..]); 33]);
    learn(&mut *gege, &arms, &[(1, &[0.0, 1.0][..]); 33]);
    assert_eq!((gege.next_arm(), ids(&gege.answer())), (None, vec![0, 1]), "only the last round counts");
}

/// Three arms, the last far below the others: round 1 has 0.01·384·log(12/δ₁) = 20.3 samples, 7 of each.
/// Round 2 is for the two that are left, with their number and rank: 33 of each as above, not
/// 0.01·1536·log(12·4/δ₁) = 102.5, 35 of each.
#[test]
fn the_second_round_of_gege_is_for_the_arms_that_are_left() {
    let config = GegeConfig { accuracy: 0.0, delta: 0.1, sigma: 0.5, scale: 0.01 };
    let (mut gege, arms) = build(&IdentifierConfig::Gege(config), 3, 2);
    for (arm, reward) in [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]].iter().enumerate() {
        learn(&mut *gege, &arms, &[(arm, &reward[..]); 7]);
    }
    assert_eq!(ids(&gege.answer()), [0, 1]);
    learn(&mut *gege, &arms, &[(0, &[1.0, 0.0][..]); 33]);
    learn(&mut *gege, &arms, &[(1, &[0.0, 1.0][..]); 33]);
    assert_eq!((gege.next_arm(), ids(&gege.answer()), gege.samples()), (None, vec![0, 1], 87));
}

/// Four arms of rank four: log₂ 4 = 2 rounds with half of the budget each, after which two and then one of
/// them are left.
///
/// 1. 20 samples, 4 of them for rounding: 4 of each arm. Arm 3 is below arm 1 by min(0.4, 0.5). Arm 2 is
///    below arm 1 by 0.1, which is the gap of arm 1 too: arm 1 may be needed to reject arm 2. Arm 0 is on the
///    front by min(M(0, 1), M(3, 0) + Δ*₃) = 0.5. So 1 and 2 are left, arm 0 is accepted and arm 3 rejected.
/// 2. 20 samples, 2 of them for rounding: 9 of each. Both gaps are 0.1 again, and of equal gaps the arm off
///    the front is rejected first.
#[test]
fn the_rounds_of_gege_with_a_budget_are_those_by_hand() {
    let config = IdentifierConfig::GegeBudget(GegeBudgetConfig { budget: 40 });
    let means = [[1.0, 0.0], [0.5, 0.6], [0.4, 0.5], [0.1, 0.1]];
    for (second, answer) in [([0.4, 0.5], vec![0, 1]), ([0.45, 0.7], vec![0, 1, 2])] {
        let (mut gege, arms) = build(&config, 4, 2);
        for (arm, reward) in means.iter().enumerate() {
            learn(&mut *gege, &arms, &[(arm, &reward[..]); 4]);
        }
        assert_eq!(ids(&gege.answer()), [0, 1, 2]);
        learn(&mut *gege, &arms, &[(1, &means[1][..]); 9]);
        learn(&mut *gege, &arms, &[(2, &second[..]); 9]);
        assert_eq!((gege.next_arm(), ids(&gege.answer()), gege.samples()), (None, answer, 34));
    }
}

fn scalarized(config: ScalarizedConfig) -> IdentifierConfig {
    IdentifierConfig::Scalarized(ScalarizedConfig { accuracy: 0.1, delta: 0.1, sigma: 0.1, ..config })
}

/// K = 2, two weight vectors: β(1) = 0.1·√(2·log(4·2·2/0.1)) = 0.3186.
#[test]
fn the_first_rounds_of_scalarized_identification_are_those_by_hand() {
    let weights = Some(vec![vec![2.0, 0.0], vec![0.0, 1.0]]);
    let linear = ScalarizedConfig { scalarization: Scalarization::Linear, weights, ..Default::default() };
    let (mut best, arms) = build(&scalarized(linear), 2, 2);
    // Values 1 and 0 are further apart than 2β: each weight vector has its winner.
    learn(&mut *best, &arms, &[(0, &[1.0, 0.0]), (1, &[0.0, 1.0])]);
    assert_eq!((best.next_arm(), ids(&best.answer()), best.samples()), (None, vec![0, 1], 2));
    // The smaller of the two weighted objectives is zero for both arms: nothing is decided.
    let weights = Some(vec![vec![1.0, 1.0]]);
    let minimum = ScalarizedConfig { weights, ..Default::default() };
    let (mut best, arms) = build(&scalarized(minimum), 2, 2);
    learn(&mut *best, &arms, &[(0, &[1.0, 0.0]), (1, &[0.0, 1.0]), (0, &[1.0, 1.0]), (1, &[0.0, 1.0])]);
    // Values ½·min(1, ½) and 0, and 2·½·β(2) = 0.1·√(2·(5.075174 + 1.386294)/2) = 0.2542, so ¼ is not enough.
    learn(&mut *best, &arms, &[(0, &[1.0, 1.0]), (1, &[0.0, 1.0])]);
    // ½·⅔ = ⅓ is compared with 2·½·β(3) = 0.1·√(2·(5.075174 + 2.197225)/3) = 0.2202.
    assert_eq!((best.next_arm(), ids(&best.answer())), (None, vec![0]));
}

#[test]
fn lucb_samples_the_best_arm_and_its_strongest_rival() {
    let config = ScalarizedConfig { rule: BestArmRule::Lucb, ..Default::default() };
    let (mut lucb, arms) = build(&IdentifierConfig::Scalarized(config), 3, 1);
    learn(&mut *lucb, &arms, &[(0, &[0.0]), (1, &[1.0]), (2, &[0.0])]);
    learn(&mut *lucb, &arms, &[(0, &[0.0]), (1, &[1.0])]);
    // The upper bound of arm 2 is the highest now: it has fewer samples.
    learn(&mut *lucb, &arms, &[(1, &[1.0]), (2, &[0.0])]);
}
