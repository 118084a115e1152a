//! First rounds of the linear multi-objective policies worked by hand, whole decisions at once.

use moglb::{ArmId, ArmSet, Decision, Link, Objective, PolicyConfig, Problem, Restorable, draw};

/// A policy for `n_objectives` objectives with rewards in [0, 1] and identity links: units are those of the
/// rewards, R = ½ and S = 1.
fn build(dim: usize, n_objectives: usize, config: &str) -> Box<dyn Restorable> {
    let objective = |i: usize| Objective::new(format!("y{i}"), Link::Identity).range(0.0, 1.0);
    let problem = Problem::new(dim, (0..n_objectives).map(objective).collect()).unwrap();
    serde_json::from_str::<PolicyConfig>(config).unwrap().build(&problem).unwrap()
}

fn arms() -> ArmSet<'static> {
    ArmSet::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.3, 0.4]]).unwrap()
}

/// After the rewards (0.5, 0.2) of the first arm and (0.4, 0.8) of the second: V = 2I, θ̂₁ = (0.25, 0.2), θ̂₂
/// = (0.1, 0.4). So the estimates of the four arms are
///
/// ```text
/// first objective    0.25   0.20   0.31   0.155
/// second             0.10   0.40   0.38   0.19
/// ‖x‖_{V⁻¹}          1/√2   1/√2   1/√2   1/√8
/// ```
fn after_two_rewards(config: &str) -> Box<dyn Restorable> {
    let mut policy = build(2, 2, config);
    policy.learn(arms().arm(ArmId(0)), &[0.5, 0.2]).unwrap();
    policy.learn(arms().arm(ArmId(1)), &[0.4, 0.8]).unwrap();
    policy
}

/// The decision, if the estimates are those above and the width of the first three arms is `width`.
fn decide(config: &str, width: f64) -> Decision {
    let decision = after_two_rewards(config).decide(&arms(), &mut draw::seeded(1)).unwrap();
    let estimates = [[0.25, 0.1], [0.2, 0.4], [0.31, 0.38], [0.155, 0.19]];
    for arm in 0..4 {
        let width = if arm == 3 { width / 2.0 } else { width };
        for i in 0..2 {
            let (estimate, shown) = (decision.estimates.row(arm)[i], decision.widths.row(arm)[i]);
            assert!((estimate - estimates[arm][i]).abs() < 1e-12, "{config}: {estimate}");
            assert!((shown - width).abs() < 1e-7, "{config}: {shown} for {width}");
        }
    }
    decision
}

const HALVES: [f64; 4] = [0.0, 0.5, 0.5, 0.0];
const THIRDS: [f64; 4] = [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0];
const SECOND: [f64; 4] = [0.0, 1.0, 0.0, 0.0];
const THIRD: [f64; 4] = [0.0, 0.0, 1.0, 0.0];

/// t = 3: γ = ½√(2·ln(2·4/0.05)) + 1 = 2.5929805, so that 0.01γ/√2 = 0.0183351.
#[test]
fn moslb_pl_decides_as_by_hand() {
    for (levels, epsilon, probabilities) in [
        ("[[0],[1]]", 0.02, THIRD),
        ("[[1],[0]]", 0.02, SECOND),
        // (0.25, 0.1) and (0.155, 0.19) are dominated by (0.31, 0.38), which is not above (0.2, 0.4).
        ("[[0,1]]", 0.02, HALVES),
        // 0.0183 counts as wide, and 0.0092 does not.
        ("[[0],[1]]", 0.018, THIRDS),
    ] {
        let config = format!(r#"{{"id":"moslb-pl","levels":{levels},"epsilon":{epsilon},"scale":0.01}}"#);
        assert_eq!(decide(&config, 0.018_335_141).probabilities, probabilities, "{config}");
    }
}

/// γ is that of MOSLB-PL. At 0.01γ the upper end 0.2683 of the first arm does not reach the lower end 0.2917
/// of the third; at 0.03γ (width 0.0550054) chains lead from 0.31 over 0.25 and 0.2 to 0.155, and in the
/// second objective from 0.4 to 0.38 and no further.
#[test]
fn moslb_pc_decides_as_by_hand() {
    for (chains, epsilon, scale, width, probabilities) in [
        ("[[0,1]]", 0.02, 0.01, 0.018_335_141, THIRD),
        ("[[0],[1]]", 0.02, 0.01, 0.018_335_141, HALVES),
        ("[[0]]", 0.06, 0.03, 0.055_005_423, [0.25; 4]),
        ("[[0,1]]", 0.06, 0.03, 0.055_005_423, HALVES),
        ("[[0,1]]", 0.05, 0.03, 0.055_005_423, THIRDS),
    ] {
        let config = format!(r#"{{"id":"moslb-pc","chains":{chains},"epsilon":{epsilon},"scale":{scale}}}"#);
        assert_eq!(decide(&config, width).probabilities, probabilities, "{config}");
    }
}

/// t = 3: γ = ½√(2·ln(2·2·3/0.05)) + 1 = 2.6553910 and 0.01γ/√2 = 0.0187765. With ε = 0.02 the third arm is
/// the only one from 0.29 on; with 0.035 steps of 0.07 lead from 0.31 over 0.25 and 0.2 to 0.155, and 0.4 is
/// the largest value in the second objective.
#[test]
fn stlo_decides_as_by_hand() {
    for (epsilon, probabilities) in [(0.02, THIRD), (0.035, SECOND), (0.018, THIRDS)] {
        let config = format!(r#"{{"id":"stlo","epsilon":{epsilon},"scale":0.01}}"#);
        assert_eq!(decide(&config, 0.018_776_450).probabilities, probabilities, "{config}");
    }
}

/// d = m = 1, T = 3000: γ₁ = ½√ln 40 + 1 = 1.9603228. Three arms have ε = 9000^−⅓ = 0.0480750, and an arm of
/// length 0.02 has a width of 0.0392. Two have 6000^−⅓ = 0.0550321, between the widths 0.0552811 and
/// 0.0548890 of 0.0282 and 0.028.
#[test]
fn stlo_begins_as_by_hand() {
    let policy = build(1, 1, r#"{"id":"stlo"}"#);
    let decide =
        |rows: &[[f64; 1]]| policy.decide(&ArmSet::from_rows(rows).unwrap(), &mut draw::seeded(1)).unwrap();
    let decision = decide(&[[1.0], [0.5], [0.02]]);
    assert!((decision.widths.row(0)[0] - 1.960_322_79).abs() < 1e-8, "{}", decision.widths.row(0)[0]);
    assert_eq!(decision.probabilities, [0.5, 0.5, 0.0]);
    assert_eq!(decide(&[[0.0282], [0.028]]).probabilities, [1.0, 0.0]);
}

/// The widths are those of STLO. 1/√25 = 0.2 is wider than all arms, and no arm is rejected: slacks are 0.4
/// and 1.2. T = 3000 has 1/√T = 0.0182574, and stages with W = 1/2, 1/4 and 1/8 reject no arm; 1/16 (slack
/// 0.125) rejects 0.1644 < 0.3288 − 0.125; 1/32 (0.0625) rejects 0.2188 < 0.3288 − 0.0625, then in the second
/// objective (0.1875) 0.1188 < 0.3988 − 0.1875. The third arm is left, and wider than 1/64.
#[test]
fn mtlo_decides_as_by_hand() {
    for (horizon, probabilities) in [(25, [0.25; 4]), (3000, THIRD)] {
        let config = format!(r#"{{"id":"mtlo","horizon":{horizon},"scale":0.01}}"#);
        assert_eq!(decide(&config, 0.018_776_450).probabilities, probabilities, "{config}");
    }
}

/// √β = ½√(ln 4 + 2·ln(2/0.05)) + 1 = 2.4802072 and 0.01√β/√2 = 0.0175377. With w = (cos φ, sin φ) and φ
/// uniform, the second arm is the best where (0.2 + 0.0175377)/cos φ is above (0.38 + 0.0175377)/sin φ, for
/// φ > 1.0700955: a share of 0.3187560; else the third is. Of 4000 decisions, a share that is off by more
/// than five standard errors (0.037) is a 6e-7 event.
#[test]
fn hypervolume_ucb_plays_by_random_weights_as_by_hand() {
    let config = r#"{"id":"hypervolume-ucb","scale":0.01}"#;
    assert!(decide(config, 0.017_537_713).given_sample);
    let (policy, mut rng, mut counts) = (after_two_rewards(config), draw::seeded(3), [0; 4]);
    for _ in 0..4000 {
        counts[policy.decide(&arms(), &mut rng).unwrap().arm.0] += 1;
    }
    assert_eq!(counts[1] + counts[2], 4000, "{counts:?}");
    assert!((f64::from(counts[1]) / 4000.0 - 0.318_756).abs() < 0.037, "{counts:?}");
}
