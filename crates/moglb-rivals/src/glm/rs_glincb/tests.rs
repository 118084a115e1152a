//! Tests of RS-GLinCB: rounds worked by hand, its two confidence sets, and the number of switches.

use super::*;
use moglb_core::{Link, Objective};
use moglb_math::draw;
use moglb_pareto::ArmId;

/// d = 1, T = 3000, δ = 0.05: g² = log 60000 = 11.0021, λ = g², γ√κ = 25g/√0.1966119, and the threshold
/// is 1/(γ√κ). At scale 0.1 a first context of 1 has norm 1/√λ = 0.3015, above the threshold 0.0535. So
/// the round is a warm-up, and its θ_o solves λθ = 1 − μ(θ).
#[test]
fn the_first_round_is_that_worked_by_hand() {
    let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
    let mut policy = RsGlincb::new(problem, RsGlincbConfig { scale: 0.1, ..Default::default() }).unwrap();
    let lambda = 60_000.0_f64.ln();
    assert!((policy.lambda - lambda).abs() < 1e-12);
    let warm = 2.5 * lambda.sqrt() / 0.196_611_933_241_481_85_f64.sqrt();
    assert!((policy.warm_radius() - warm).abs() < 1e-9);
    assert!((policy.threshold() - 1.0 / warm).abs() < 1e-12);
    assert!((policy.radius() - 15.0 * lambda.sqrt()).abs() < 1e-9);
    let arms = ArmSet::from_rows(&[[1.0], [0.05]]).unwrap();
    assert_eq!(policy.decide(&arms, &mut draw::seeded(1)).unwrap().arm, ArmId(0));
    policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
    let theta = policy.warm.theta[0];
    assert!((lambda * theta - (1.0 - Link::Logit.mean(theta))).abs() < 1e-8, "{theta}");
    assert_eq!((policy.warm_rounds(), policy.t()), (1, 1));
    // The other arm's norm, 0.05/√(λ + 1), is below the threshold.
    policy.learn(arms.arm(ArmId(1)), &[0.0]).unwrap();
    assert_eq!((policy.warm_rounds(), policy.t()), (1, 2));
}

/// A switch comes when det H has doubled, so there are at most d·log₂(1 + t·L/(eλd)) switches.
#[test]
fn switches_are_rare() {
    let problem = Problem::new(2, vec![Objective::new("y", Link::Logit)]).unwrap();
    let mut policy = RsGlincb::new(problem, RsGlincbConfig { scale: 0.002, ..Default::default() }).unwrap();
    let arms = ArmSet::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]]).unwrap();
    let mut rng = draw::seeded(4);
    for _ in 0..3000 {
        let arm = policy.decide(&arms, &mut rng).unwrap().arm;
        policy.learn(arms.arm(arm), &[f64::from(draw::unit(&mut rng) < 0.6)]).unwrap();
    }
    let most = 2.0 * (1.0 + 3000.0 * 0.25 / (E * policy.lambda * 2.0)).log2();
    let switches = policy.switches();
    assert!(switches >= 2 && switches as f64 <= most, "{switches} switches, at most {most}");
    assert!(policy.warm_rounds() < 100, "{}", policy.warm_rounds());
}

/// T = 2, δ = 1, d = 1: g² = λ = log 2. At scale 0.01 no round is a warm-up: 1/√λ = 1.201122 is below the
/// threshold 1/(0.25g/√0.1966119) = 2.130356. So θ_o = 0, and a reward at x = 1 adds μ′(0)/e = 1/(4e) to
/// H. H has doubled with the eighth reward: log 2 + 8/(4e) = 1.428906, while after seven it is
/// 1.336936 < 2 log 2. Six of the eight rewards are 1, so θ_τ solves 8μ(θ) + λθ = 6, and the width at
/// x = 1 falls from 1.5g/√λ to 1.5g/√H_τ. H doubles again with reward 24.
#[test]
fn the_switch_is_that_worked_by_hand() {
    let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
    let config = RsGlincbConfig { horizon: 2, delta: 1.0, scale: 0.01, ..Default::default() };
    let mut policy = RsGlincb::new(problem, config).unwrap();
    let arms = ArmSet::from_rows(&[[1.0], [-0.5]]).unwrap();
    let close = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-6, "{got} for {expected}");
    close(policy.threshold(), 2.130356);
    for round in 0..7 {
        policy.learn(arms.arm(ArmId(0)), &[f64::from(round != 2)]).unwrap();
    }
    let before = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    assert_eq!((policy.switches(), policy.warm_rounds(), policy.rest.theta[0]), (0, 0, 0.0));
    close(before.widths.row(0)[0], 1.5);
    close(policy.rest.design.gram().squared_norm(&[1.0]), 1.336936);
    policy.learn(arms.arm(ArmId(0)), &[0.0]).unwrap();
    assert_eq!(policy.switches(), 1);
    close(policy.rest.theta[0], 0.769220);
    close(policy.held.gram().squared_norm(&[1.0]), 1.428906);
    let after = policy.decide(&arms, &mut draw::seeded(1)).unwrap();
    // Indices 0.769220 + 1.044725 and −0.384610 + 0.522363.
    assert_eq!(after.arm, ArmId(0));
    close(after.estimates.row(1)[0], -0.384610);
    close(after.widths.row(0)[0], 1.044725);
    for round in 9..=24 {
        assert_eq!(policy.switches(), 1, "before reward {round}");
        policy.learn(arms.arm(ArmId(0)), &[1.0]).unwrap();
    }
    assert_eq!(policy.switches(), 2);
    // 24μ(1) + λ = 18.2 < 22: the maximum is at the edge of the ball.
    close(policy.rest.theta[0], 1.0);
}

/// Returns, for one run over the whole horizon, the largest ‖θ − θ_o‖_V/(γ√κ) after a warm-up round and
/// the largest ‖θ − θ_τ‖_{H_τ}/(150g) after a switch. S = 0.1 is small enough that the warm-up ends
/// before the horizon. Rewards are the two ends of an interval of length 1.
fn farthest(link: Link, horizon: u64, seed: u64) -> [f64; 2] {
    let mut rng = draw::seeded(4000 + seed);
    let low = if link == Link::Identity { -0.5 } else { 0.0 };
    let objective = Objective::new("y", link).range(low, low + 1.0);
    let problem = Problem::new(2, vec![objective]).unwrap().with_radius(0.1).unwrap();
    let mut policy = RsGlincb::new(problem, RsGlincbConfig { horizon, ..Default::default() }).unwrap();
    let arms = ArmSet::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]).unwrap();
    let (length, angle) = (0.1 * draw::unit(&mut rng).sqrt(), std::f64::consts::TAU * draw::unit(&mut rng));
    let truth = [length * angle.cos(), length * angle.sin()];
    let off = |gram: &moglb_math::Gram, theta: &[f64]| {
        gram.squared_norm(&[truth[0] - theta[0], truth[1] - theta[1]]).sqrt()
    };
    let (mut ratios, mut decision) = ([0.0_f64; 2], Decision::lean());
    for _ in 0..horizon {
        policy.decide_into(&arms, &mut rng, &mut decision).unwrap();
        let arm = arms.arm(decision.arm);
        let (warm, switches) = (policy.warm_rounds(), policy.switches());
        let chance = link.mean(dot(&truth, arm.context())) - low;
        policy.learn(arm, &[low + f64::from(draw::unit(&mut rng) < chance)]).unwrap();
        if policy.warm_rounds() > warm {
            let ratio = off(policy.warm.design.gram(), &policy.warm.theta) / policy.warm_radius();
            ratios[0] = ratios[0].max(ratio);
        }
        if policy.switches() > switches {
            ratios[1] = ratios[1].max(off(policy.held.gram(), &policy.rest.theta) / policy.radius());
        }
    }
    assert!(policy.warm_rounds() > 100 && policy.switches() > 1, "a part of the rounds is missing");
    ratios
}

/// At δ = 0.05 more than 15 escapes in 100 runs would be a 4e-5 event. The proved sets are wide: narrowed
/// to 4 % (warm-up) and 0.03 % (switches) of their radii, they fail in more than half of the runs.
fn both_sets_cover_and_narrower_ones_do_not(link: Link, horizon: u64) {
    let runs: Vec<[f64; 2]> = (0..100).map(|seed| farthest(link, horizon, seed)).collect();
    for (set, what, narrow) in [(0, "warm-up", 0.04), (1, "switches", 0.0003)] {
        let escapes = |radius: f64| runs.iter().filter(|ratios| ratios[set] > radius).count();
        let largest = runs.iter().map(|ratios| ratios[set]).fold(0.0, f64::max);
        println!(
            "{link:?}, {what}: at most {largest} radii off; {} of 100 runs at {narrow}",
            escapes(narrow)
        );
        assert!(escapes(1.0) <= 15, "{what}: {} of 100 runs left the set", escapes(1.0));
        assert!(escapes(narrow) > 50, "{what}: only {} of 100 runs left {narrow} of it", escapes(narrow));
    }
}

#[test]
fn both_confidence_sets_cover_with_a_logit_link() {
    both_sets_cover_and_narrower_ones_do_not(Link::Logit, 2000);
}

#[test]
fn both_confidence_sets_cover_with_an_identity_link() {
    both_sets_cover_and_narrower_ones_do_not(Link::Identity, 1000);
}

#[test]
fn both_confidence_sets_cover_with_a_probit_link() {
    both_sets_cover_and_narrower_ones_do_not(Link::Probit, 1500);
}
