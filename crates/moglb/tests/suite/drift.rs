//! Laws of policies that wrap policies: a window is what it is defined to be, a change is detected, and there
//! are no other alarms.

use crate::common::{ball, bernoulli, dot, problems};
use moglb::{
    ArmId, ArmSet, Error, Link, Objective, Policy, PolicyConfig, PolicySnapshot, Problem, Restart,
    RestartConfig, Restorable, Rng, Window, WindowConfig, draw,
};
use std::sync::Arc;

const DIM: usize = 3;

fn problem() -> Problem {
    let objectives = vec![
        Objective::new("click", Link::Logit),
        Objective::new("cost", Link::Identity).minimize().range(-0.5, 1.5),
    ];
    Problem::new(DIM, objectives).unwrap().with_arms(7).unwrap()
}

fn arms() -> Arc<ArmSet<'static>> {
    let mut rng = draw::seeded(400);
    Arc::new(ArmSet::from_rows(&(0..7).map(|_| ball(DIM, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap())
}

fn config(text: &str) -> PolicyConfig {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_refit_window_is_a_policy_that_was_told_the_window() {
    for inner in ["moglb-ucb", "moglb-eb", "ekf-ucb", "p-ucb", "exp3", "pcz"] {
        let inner = config(&format!(r#"{{"id":"{inner}"}}"#));
        let mut policy =
            Window::new(problem(), WindowConfig { policy: Box::new(inner.clone()), window: 40 }).unwrap();
        let (arms, mut rng, mut played) = (arms(), draw::seeded(1), Vec::new());
        policy.fix_arms(&arms).unwrap();
        for round in 1..=200_usize {
            let arm = policy.decide(&arms, &mut rng).unwrap().arm;
            let reward = problems::reward(&problem(), &mut rng);
            policy.learn(arms.arm(arm), &reward).unwrap();
            played.push((arm, reward));
            // Up to 45 rounds are known; the 46th makes a new policy of the last 40.
            let known = if round <= 45 { round } else { 40 + (round - 46) % 6 };
            let mut fresh = inner.build(&problem()).unwrap();
            for (arm, reward) in &played[round - known..] {
                fresh.learn(arms.arm(*arm), reward).unwrap();
            }
            assert_eq!(policy.inner().t(), known as u64, "{}", inner.id());
            if round % 7 == 0 || known == 40 {
                assert_eq!(policy.inner().to_bytes(), fresh.to_bytes(), "{} in round {round}", inner.id());
            }
        }
        assert_eq!(policy.t(), 200);
    }
}

/// Beyond refits and restarts, on fixed arms, with rewards in parts, snapshots continue to the bit.
#[test]
fn snapshots_go_on_after_refits_and_restarts() {
    for text in [
        r#"{"id":"window","window":24}"#,
        r#"{"id":"window","window":24,"policy":{"id":"ekf-ucb"}}"#,
        r#"{"id":"restart","memory":30,"policy":{"id":"moglb-ucb","discount":0.9}}"#,
        r#"{"id":"restart","memory":0,"policy":{"id":"ekf-ucb"}}"#,
    ] {
        let arms = arms();
        let round = |policy: &mut dyn Restorable, k: usize, rng: &mut dyn Rng| {
            let decision = policy.decide(&arms, rng).unwrap();
            // The rewards are reversed twice, so there is a change to detect.
            let high = f64::from(u8::from((k / 500).is_multiple_of(2)));
            let part = [(!k.is_multiple_of(3)).then_some(high), Some(high - 0.25)];
            policy.learn_part(arms.arm(decision.arm), &part).unwrap();
            decision
        };
        let (mut policy, mut rng) = (config(text).build(&problem()).unwrap(), draw::seeded(3));
        policy.fix_arms(&arms).unwrap();
        for k in 0..1500 {
            round(&mut *policy, k, &mut rng);
            if [10, 27, 510, 707, 1301].contains(&k) {
                let (json, bytes) = (policy.to_json(), policy.to_bytes());
                let mut twin = PolicySnapshot::from_json(&json).unwrap().restore().unwrap();
                assert_eq!(twin.to_bytes(), bytes, "{text}");
                let mut other = PolicySnapshot::from_bytes(&bytes).unwrap().restore().unwrap();
                let (mut one, mut two) = (draw::seeded(5), draw::seeded(5));
                for k in k + 1..k + 60 {
                    assert!(round(&mut *twin, k, &mut one) == round(&mut *other, k, &mut two), "{text}");
                }
                assert_eq!(twin.to_json(), other.to_json(), "{text}");
            }
        }
        if text.contains("restart") {
            assert!(!policy.to_json().contains(r#""restarts":0"#), "{text}: two changes went unnoticed");
        }
    }
}

/// Fixed arms make deciding faster and have no other effect: other arms can be learned from, also after the
/// inner policy is rebuilt.
#[test]
fn other_arms_than_the_fixed_ones_are_learned_from() {
    let (fixed, mut rng) = (arms(), draw::seeded(401));
    let rows: Vec<Vec<f64>> = (0..7).map(|_| ball(DIM, 1.0, &mut rng)).collect();
    let played = ArmSet::from_rows(&rows).unwrap();
    // Both policies need arms that stay the same, but only the first one reads the arms when they are fixed.
    for inner in ["fair-moglb-ucb", "exp4"] {
        let mut policy = config(&format!(r#"{{"id":"window","window":24,"policy":{{"id":"{inner}"}}}}"#))
            .build(&problem())
            .unwrap();
        policy.fix_arms(&fixed).unwrap();
        for round in 0..60 {
            let reward = problems::reward(&problem(), &mut rng);
            policy.learn(played.arm(ArmId(round % 7)), &reward).unwrap();
        }
        policy.decide(&played, &mut rng).unwrap();
        let refused = policy.decide(&fixed, &mut rng).map(drop);
        assert!(matches!(refused, Err(Error::Parameters { .. })), "{inner}: {refused:?}");
        assert_eq!(policy.fix_arms(&fixed), refused, "{inner}");
    }
}

#[test]
fn parameters_without_sense_are_refused() {
    for (text, name) in [
        (r#"{"id":"window","window":7}"#, "window"),
        (r#"{"id":"window","window":1000001}"#, "window"),
        (r#"{"id":"restart","level":0.0}"#, "level"),
        (r#"{"id":"restart","level":1.5}"#, "level"),
        (r#"{"id":"restart","memory":1000001}"#, "memory"),
    ] {
        let error = config(text).build(&problem()).err().expect(text);
        assert!(matches!(error, Error::ParameterBounds { name: got, .. } if got == name), "{text}: {error}");
    }
    for inside in ["window", "restart"] {
        for around in ["window", "restart"] {
            let nested = config(&format!(r#"{{"id":"{around}","policy":{{"id":"{inside}"}}}}"#));
            assert!(matches!(nested.build(&problem()), Err(Error::Parameters { .. })));
        }
    }
    let inside = config(r#"{"id":"window","policy":{"id":"moglb-eb","threshold":2.0}}"#);
    assert!(matches!(inside.build(&problem()), Err(Error::Threshold { .. })));
    assert!(serde_json::from_str::<PolicyConfig>(r#"{"id":"window","policy":{"id":"none"}}"#).is_err());
}

/// Two logistic objectives of five features whose coefficients may change their sign. Returns the round of
/// the first restart, if any.
fn first_restart(inner: &str, turn: usize, horizon: usize, seed: u64) -> Option<usize> {
    let objectives = ["a", "b"].map(|name| Objective::new(name, Link::Logit)).to_vec();
    let problem = Problem::new(5, objectives).unwrap().with_radius(2.0).unwrap().with_arms(20).unwrap();
    let config = RestartConfig { policy: Box::new(config(inner)), ..Default::default() };
    let mut policy = Restart::new(problem, config).unwrap();
    let mut rng = draw::seeded(seed);
    let mut theta: Vec<Vec<f64>> = (0..2).map(|_| ball(5, 2.0, &mut rng)).collect();
    let rows: Vec<Vec<f64>> = (0..20).map(|_| ball(5, 1.0, &mut rng)).collect();
    let arms = Arc::new(ArmSet::from_rows(&rows).unwrap());
    policy.fix_arms(&arms).unwrap();
    for round in 1..=horizon {
        if round == turn {
            theta.iter_mut().flatten().for_each(|x| *x = -*x);
        }
        let arm = policy.decide(&arms, &mut rng).unwrap().arm;
        let mean = |theta: &Vec<f64>| 1.0 / (1.0 + (-dot(theta, &rows[arm.0])).exp());
        let reward: Vec<f64> = theta.iter().map(|theta| bernoulli(mean(theta), &mut rng)).collect();
        policy.learn(arms.arm(arm), &reward).unwrap();
        if policy.restarts() > 0 {
            return Some(round);
        }
    }
    None
}

/// At level 0.05 in 10 000 rounds, more than 9 alarms in 60 runs would be a 4e-4 event.
#[test]
fn there_are_no_more_false_alarms_than_the_level_says() {
    for inner in [r#"{"id":"moglb-ucb"}"#, r#"{"id":"random"}"#] {
        let alarms = (0..60).filter(|&seed| first_restart(inner, 0, 10_000, 600 + seed).is_some()).count();
        assert!(alarms <= 9, "{inner}: {alarms} false alarms in 60 runs");
        println!("{inner}: {alarms} false alarms in 60 runs of 10000 rounds");
    }
}

/// Coefficients that change their sign are detected within 500 rounds in nine of ten runs, and not before.
#[test]
fn a_change_is_noticed_within_five_hundred_rounds() {
    for inner in [r#"{"id":"moglb-ucb"}"#, r#"{"id":"moglb-eb"}"#, r#"{"id":"random"}"#] {
        let mut delays: Vec<usize> = (0..40)
            .map(|seed| first_restart(inner, 2001, 4000, 700 + seed).map_or(9999, |round| round - 2000))
            .collect();
        delays.sort();
        println!("{inner}: {delays:?}");
        assert!(delays[35] <= 500, "{inner}: {delays:?}");
        assert!(delays[0] > 5);
    }
}

/// The new policy receives the rounds since the change, but no more than the memory holds.
#[test]
fn a_new_policy_is_told_the_rounds_since_the_change() {
    for memory in [0, 10, 200] {
        let problem = Problem::new(1, vec![Objective::new("y", Link::Logit)]).unwrap();
        let mut policy = Restart::new(problem, RestartConfig { memory, ..Default::default() }).unwrap();
        let arms = ArmSet::from_rows(&[[1.0]]).unwrap();
        let (mut round, mut rng) = (0, draw::seeded(2));
        while policy.restarts() == 0 {
            round += 1;
            let chance = if round <= 1000 { 0.7 } else { 0.3 };
            policy.learn(arms.arm(ArmId(0)), &[bernoulli(chance, &mut rng)]).unwrap();
        }
        let (since, told) = (round - 1000, policy.inner().t() as i64);
        assert!(since > 0 && since < 200, "noticed after {since} rounds");
        let most = memory as i64 + 1;
        assert!(told <= most && (told - since.min(most)).abs() <= 60, "got {told}, {since} rounds since");
    }
}
