//! The beliefs of a policy are always a possible prior, and a policy that begins with them has the same
//! matrices and estimates.

use crate::common::direction;
use moglb::{
    Arm, ArmId, ArmSet, EkfUcb, EkfUcbConfig, Gram, Kappa, Link, Matrix, MoglbUcb, MoglbUcbConfig, Objective,
    Policy, PolicyConfig, Preferring, Prior, Problem, Rng, draw,
};

const NORMS: [f64; 10] = [1e-160, 1e-150, 1e-100, 1e-30, 1e-12, 1e-8, 1e-7, 1e-6, 1e-3, 1.0];

const CONFIGS: &[&str] = &[
    r#"{"id":"moglb-ucb"}"#,
    r#"{"id":"moglb-ucb","kappa":"per-objective","lambda":50.0}"#,
    r#"{"id":"moglb-ucb","discount":0.95}"#,
    r#"{"id":"ekf-ucb"}"#,
    r#"{"id":"ekf-ucb","lambda":1e-6}"#,
    r#"{"id":"ekf-ucb","discount":0.95}"#,
    r#"{"id":"moglb-eb"}"#,
    r#"{"id":"moglb-eb","discount":0.95}"#,
    r#"{"id":"window","window":8,"policy":{"id":"moglb-ucb"}}"#,
    r#"{"id":"restart","policy":{"id":"ekf-ucb"}}"#,
];

fn problem(dim: usize, m: usize) -> Problem {
    let objective = |i: usize| match i % 3 {
        0 => Objective::new("click", Link::Logit),
        1 => Objective::new("cost", Link::Identity).minimize().range(-3.0, 5.0),
        _ => Objective::new("view", Link::Probit),
    };
    Problem::new(dim, (0..m).map(objective).collect()).unwrap()
}

/// A context of a given norm: in any direction, or for some kinds nearly always in the first one.
fn context(kind: usize, dim: usize, norm: f64, rng: &mut dyn Rng) -> Vec<f64> {
    let norm = if kind == 2 { NORMS[draw::below(NORMS.len(), rng)] } else { norm };
    let collinear = kind == 1 || kind == 2 && draw::below(3, rng) > 0;
    let unit = if collinear { vec![1.0 / (dim as f64).sqrt(); dim] } else { direction(dim, rng) };
    let sign = if draw::below(2, rng) == 0 { 1.0 } else { -1.0 };
    unit.iter().map(|x| sign * norm * (1.0 - 1e-12) * x).collect()
}

/// A reward for each objective, at an end of its range. Unless `whole`, some of them are missing.
fn part(problem: &Problem, whole: bool, rng: &mut dyn Rng) -> Vec<Option<f64>> {
    let one = |objective: &Objective| {
        let (low, high) = objective.rewards();
        let y = [low, high][draw::below(2, rng)];
        (whole || draw::below(3, rng) > 0).then_some(y)
    };
    problem.objectives().iter().map(one).collect()
}

/// The configuration of a policy with a prior added.
fn with_prior(text: &str, prior: &[Prior]) -> PolicyConfig {
    let mut config: serde_json::Value = serde_json::from_str(text).unwrap();
    let parameters = if config["policy"].is_object() { &mut config["policy"] } else { &mut config };
    parameters["prior"] = serde_json::to_value(prior).unwrap();
    serde_json::from_value(config).unwrap()
}

/// All norms and kinds of contexts, for a few rounds each.
fn sweep(dim: usize, m: usize, mut round: impl FnMut(&str, usize, &[f64], &Problem, &mut dyn Rng)) {
    let problem = problem(dim, m);
    for (n, norm) in NORMS.into_iter().enumerate() {
        for kind in 0..3 {
            let mut rng = draw::seeded((100 * n + kind) as u64);
            let place = format!("d = {dim}, m = {m}, norm {norm:e}, kind {kind}");
            for t in 0..7 {
                let x = context(kind, dim, norm, &mut rng);
                round(&place, t, &x, &problem, &mut rng);
            }
        }
    }
}

#[test]
fn what_a_policy_believes_is_never_refused() {
    for text in CONFIGS {
        let config: PolicyConfig = serde_json::from_str(text).unwrap();
        for (dim, m) in [(1, 1), (2, 2), (5, 3)] {
            let mut policy = config.build(&problem(dim, m)).unwrap();
            sweep(dim, m, |place, t, x, problem, rng| {
                if t == 0 {
                    policy = config.build(problem).unwrap();
                }
                let reward = part(problem, t % 2 == 0, rng);
                policy.learn_part(Arm::new(ArmId(0), x).unwrap(), &reward).unwrap();
                let beliefs = policy.model().map_or_else(Vec::new, |model| model.beliefs());
                assert_eq!(beliefs.len(), m, "{text}");
                with_prior(text, &beliefs).build(problem).unwrap_or_else(|error| {
                    panic!(
                        "{text}, {place}, round {t}: {error}\n{}",
                        serde_json::to_string(&beliefs).unwrap()
                    )
                });
            });
        }
    }
}

/// Two matrices must agree up to the rounding of the larger one, and so must the widths that are computed
/// from them.
fn assert_same(place: &str, one: &Gram, other: &Gram, rng: &mut dyn Rng) {
    let (a, b) = (one.to_dense(), other.to_dense());
    let largest = a.as_slice().iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
        assert!((a - b).abs() <= 1e-12 * largest, "{place}: {a} and {b}");
    }
    for _ in 0..5 {
        let x = direction(one.dim(), rng);
        let (a, b) = (one.squared_norm_inv(&x), other.squared_norm_inv(&x));
        // Z⁻¹ is known up to the rounding of the largest entry of Z, relative to its least eigenvalue.
        let tolerance = 1e-13 * largest / one.lambda();
        assert!((a - b).abs() <= tolerance * a, "{place}: widths {a} and {b}");
    }
}

fn assert_near(place: &str, one: &Matrix, other: &Matrix) {
    for (a, b) in one.as_slice().iter().zip(other.as_slice()) {
        assert!((a - b).abs() <= 1e-12 * a.abs(), "{place}: estimates {a} and {b}");
    }
}

#[test]
fn a_policy_that_begins_with_beliefs_of_moglb_ucb_is_where_that_one_was() {
    for kappa in [Kappa::Shared, Kappa::PerObjective] {
        for (dim, m) in [(1, 1), (2, 2), (5, 3)] {
            let first = |prior| MoglbUcbConfig { kappa, prior, ..Default::default() };
            let mut policy = MoglbUcb::new(problem(dim, m), first(vec![])).unwrap();
            sweep(dim, m, |place, t, x, problem, rng| {
                if t == 0 {
                    policy = MoglbUcb::new(problem.clone(), first(vec![])).unwrap();
                }
                let reward = part(problem, t % 2 == 0, rng);
                policy.learn_part(Arm::new(ArmId(0), x).unwrap(), &reward).unwrap();
                let pupil = MoglbUcb::new(
                    problem.clone(),
                    first(policy.model().map_or_else(Vec::new, |model| model.beliefs())),
                )
                .unwrap();
                (0..m).for_each(|i| assert_same(place, policy.gram(i), pupil.gram(i), rng));
                assert_near(place, &policy.theta(), &pupil.theta());
            });
        }
    }
}

#[test]
fn a_policy_that_begins_with_beliefs_of_ekf_ucb_is_where_that_one_was() {
    for lambda in [1e-6, 3.0] {
        for (dim, m) in [(1, 1), (2, 2), (5, 3)] {
            let first = |prior| EkfUcbConfig { lambda, prior, ..Default::default() };
            let mut policy = EkfUcb::new(problem(dim, m), first(vec![])).unwrap();
            sweep(dim, m, |place, t, x, problem, rng| {
                if t == 0 {
                    policy = EkfUcb::new(problem.clone(), first(vec![])).unwrap();
                }
                let reward = part(problem, t % 2 == 0, rng);
                policy.learn_part(Arm::new(ArmId(0), x).unwrap(), &reward).unwrap();
                let pupil = EkfUcb::new(
                    problem.clone(),
                    first(policy.model().map_or_else(Vec::new, |model| model.beliefs())),
                )
                .unwrap();
                (0..m).for_each(|i| assert_same(place, policy.gram(i), pupil.gram(i), rng));
                assert_near(place, &policy.theta(), &pupil.theta());
            });
        }
    }
}

/// Contexts of one direction for many rounds: the other directions keep λ to the digits that the trace leaves
/// of it.
#[test]
fn long_runs_in_one_direction_leave_the_others_as_they_are() {
    let problem = problem(4, 2);
    let mut policy = MoglbUcb::new(problem.clone(), MoglbUcbConfig::default()).unwrap();
    for t in 0..20_000 {
        policy.learn(Arm::new(ArmId(0), &[0.5; 4]).unwrap(), &[f64::from(t % 2), 1.0]).unwrap();
    }
    let config = MoglbUcbConfig {
        prior: policy.model().map_or_else(Vec::new, |model| model.beliefs()),
        ..Default::default()
    };
    let pupil = MoglbUcb::new(problem, config).unwrap();
    assert_same("20 000 rounds", policy.gram(0), pupil.gram(0), &mut draw::seeded(1));
}

#[test]
fn a_way_to_play_has_the_beliefs_of_its_policy() {
    let problem = problem(3, 2);
    let config: PolicyConfig = serde_json::from_str(CONFIGS[0]).unwrap();
    let mut policy = config.build(&problem).unwrap();
    let arms = ArmSet::from_rows(&[[1e-7, 2e-7, 0.0]]).unwrap();
    policy.learn(arms.arm(ArmId(0)), &[1.0, 5.0]).unwrap();
    let beliefs = policy.model().map_or_else(Vec::new, |model| model.beliefs());
    let play: moglb::PlayConfig = serde_json::from_str(r#"{"prefer":{"kind":"uniform"}}"#).unwrap();
    let preferring = Preferring::new(policy, play.build(&problem).unwrap());
    assert_eq!(preferring.model().map_or_else(Vec::new, |model| model.beliefs()), beliefs);
    with_prior(CONFIGS[0], &beliefs).build(&problem).unwrap();
}
