//! First rounds worked by hand, of policies whose other tests recompute them, and the inputs that S-TS
//! refuses. (Linear multi-objective policies are in `first_rounds_multi.rs`.)

use moglb::{
    ArmId, ArmSet, EkfUcb, EkfUcbConfig, Error, FairMoglbUcb, FairMoglbUcbConfig, Link, MoglbEb,
    MoglbEbConfig, MoglbUcb, MoglbUcbConfig, Objective, Policy, PolicyConfig, Problem, Width, draw,
};

fn one_click() -> Problem {
    Problem::new(1, vec![Objective::new("click", Link::Logit)]).unwrap()
}

fn close(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-6 * expected.abs(), "{got}, by hand {expected}");
}

/// d = m = 1, λ = D = 1, x = 1, y = 1. κ = μ′(1) = 0.1966119, so Z = 1 + κ/2; the slope at θ̂ = 0 is μ(0) − 1
/// = −½, so θ̂ = ½/Z; and Eq. (8) with R = 1, U = μ(1) = 0.7310586: (R + U)² = 2.9965638, log(20·√5) =
/// 3.8004512, γ = 16·2.9965638/κ·3.8004512 + 1 + 2·2.9965638/κ·log Z + κ/2.
#[test]
fn moglb_ucb_begins_as_by_hand() {
    let config = MoglbUcbConfig { width: Width::Proved { delta: 0.05 }, ..Default::default() };
    let mut policy = MoglbUcb::new(one_click(), config).unwrap();
    let arms = ArmSet::from_rows(&[[1.0], [-0.5]]).unwrap();
    policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
    close(policy.theta().row(0)[0], 0.455_246_5);
    close(policy.gram(0).log_det_ratio(), 0.093_769_0);
    close(policy.gamma(0), 930.7197);
    // Scores θ̂x + √γ·|x|/√Z: 0.4552465 + 29.110376 and −0.2276233 + 14.555188; the second arm is dominated.
    let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    assert_eq!(decision.probabilities, [1.0, 0.0]);
    close(decision.estimates.row(1)[0], -0.227_623_25);
    close(decision.widths.row(0)[0], 29.110_376);
    close(decision.widths.row(1)[0], 14.555_188);
}

/// The first round with λ = 3 and local curvature: w = μ′(0) = ¼, q = ⅓, θ̂ = ½·⅓/(1 + ¼·⅓) = 2/13; then H =
/// 3 + μ′(2/13) = 3.2485265 and the width at x = 1 is √(0.01·log(H/3)/H).
#[test]
fn ekf_ucb_begins_as_by_hand() {
    let config = EkfUcbConfig { lambda: 3.0, c: 0.01, ..Default::default() };
    let mut policy = EkfUcb::new(one_click(), config).unwrap();
    let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
    policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
    close(policy.theta().row(0)[0], 2.0 / 13.0);
    close(policy.gram(0).squared_norm(&[1.0]), 3.248_526_5);
    let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    close(decision.widths.row(0)[0], 0.015_652_5);
}

/// d = 1, m = 2, D = 1: τ² = ρ² = ½, and with d = 1 all of θ̄ is level, of variance D². Rewards (1, 1) at x =
/// 1 are learned from z = 0, with weights ¼ and scores −½: φ = (2.5 + ¼)/(2.5 + ¼) = 1, P = 1/(¼ + 2) = 4/9,
/// C⁻¹ = 1 + 2(2 − 16/9) = 13/9, θ̄̂ = 9/13·2·(4/9·½·2) = 8/13, θ̂ᵢ = 4/9·(½ + 16/13) = 10/13, with variance
/// 4/9 + (8/9)²·9/13.
///
/// Then τ² = (2·((2/13)² + 4/9 + (1/9)²·9/13) + ½)/3 = 0.4844401, and (1, 0) are learned from z = 10/13, with
/// weights 0.2166002 and scores −0.3166502 and 0.6833498: φ = 0.9608558 and 1.0844774, and the same formulas
/// give the asserted values.
#[test]
fn moglb_eb_begins_as_by_hand() {
    let objectives = ["a", "b"].map(|name| Objective::new(name, Link::Logit)).to_vec();
    let mut policy = MoglbEb::new(Problem::new(1, objectives).unwrap(), MoglbEbConfig::default()).unwrap();
    let arms = ArmSet::from_rows(&[[1.0], [-0.5]]).unwrap();
    for (reward, scales, mean, thetas, deviations) in [
        ([1.0, 1.0], 0.5, 8.0 / 13.0, [10.0 / 13.0; 2], [0.995_717_3; 2]),
        ([1.0, 0.0], 0.484_440_1, 0.466_275_5, [0.778_801_1, 0.379_632_5], [0.875_798_6, 0.890_245_0]),
    ] {
        policy.learn(arms.arm(ArmId(0)), &reward).unwrap();
        close(policy.scales().0, scales);
        close(policy.shared_mean()[0], mean);
        let decision = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
        for i in 0..2 {
            close(policy.theta().row(i)[0], thetas[i]);
            close(decision.estimates.row(1)[i], -0.5 * thetas[i]);
            close(decision.widths.row(0)[i], deviations[i]);
            close(decision.widths.row(1)[i], 0.5 * deviations[i]);
        }
    }
}

/// K = P = 3: every arm is overdue at first, then those not played yet, then the last; in round 4, 1·3 < 4,
/// all are overdue again.
#[test]
fn fair_moglb_ucb_goes_round_as_by_hand() {
    let problem = one_click().with_arms(3).unwrap();
    let config = FairMoglbUcbConfig { period: Some(3), ..Default::default() };
    let mut policy = FairMoglbUcb::new(problem, config).unwrap();
    let arms = ArmSet::from_rows(&[[1.0], [-0.5], [0.2]]).unwrap();
    let third = 1.0 / 3.0;
    for (played, probabilities) in
        [(1, [third; 3]), (2, [0.5, 0.0, 0.5]), (0, [1.0, 0.0, 0.0]), (0, [third; 3]), (2, [0.0, 0.5, 0.5])]
    {
        assert_eq!(policy.decide(&arms, &mut draw::seeded(1)).unwrap().probabilities, probabilities);
        policy.learn(arms.arm(ArmId(played)), &[1.0]).unwrap();
    }
}

fn s_ts(parameters: &str) -> Result<Box<dyn moglb::Restorable>, Error> {
    let objectives = ["a", "b"].map(|name| Objective::new(name, Link::Logit)).to_vec();
    let problem = Problem::new(1, objectives).unwrap().with_arms(2).unwrap();
    let text = format!(r#"{{"id":"s-ts"{parameters}}}"#);
    serde_json::from_str::<PolicyConfig>(&text).unwrap().build(&problem)
}

/// After one success of the first arm its posterior is Beta(2, 1), of mean ⅔; the other's is uniform, and its
/// draw is smaller with probability ⅔. Of 4000 decisions, a share that is off by more than five standard
/// errors (0.037) is a 6e-7 event.
#[test]
fn s_ts_plays_by_its_posteriors_as_by_hand() {
    let mut policy = s_ts(r#","weights":[1.0,0.0]"#).unwrap();
    let arms = ArmSet::from_rows(&[[1.0], [0.5]]).unwrap();
    policy.learn(arms.arm(ArmId(0)), &[1.0, 0.0]).unwrap();
    let mut rng = draw::seeded(3);
    let first = |_: &usize| policy.decide(&arms, &mut rng).unwrap().arm == ArmId(0);
    let share = (0..4000).filter(first).count() as f64 / 4000.0;
    assert!((share - 2.0 / 3.0).abs() < 0.037, "{share}");
}

#[test]
fn s_ts_refuses_impossible_weights() {
    for bad in [
        r#","spread":2,"weight_set":[[1,0]]"#,
        r#","weights":[1,1],"weight_set":[[1,0]]"#,
        r#","weight_set":[]"#,
        r#","spread":0"#,
        r#","reference":[0,0]"#,
        r#","weights":[1]"#,
        r#","weights":[-1,1]"#,
        r#","weight_set":[[1,0],[0,0]]"#,
        r#","scalarization":"chebyshev","reference":[0]"#,
    ] {
        assert!(s_ts(bad).is_err(), "{bad}");
    }
    assert!(s_ts(r#","scalarization":"chebyshev","spread":3"#).is_ok());
}
