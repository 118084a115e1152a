//! Probabilities lie in [0, 1] and add up to one up to four units in the last place, for every policy and
//! every way to play.

use crate::common::{ball, problems};
use crate::conformance::every_config;
use moglb::{
    ArmSet, Decision, Link, Objective, PlayConfig, Policy, PolicyConfig, Preferring, Problem, Restorable,
    draw,
};

/// The sum of some numbers, rounded once or twice in total.
fn exact_sum(numbers: &[f64]) -> f64 {
    let (mut sum, mut rest) = (0.0, 0.0);
    for &number in numbers {
        let next: f64 = sum + number;
        rest += if sum >= number { (sum - next) + number } else { (number - next) + sum };
        sum = next;
    }
    sum + rest
}

fn check(place: &str, decision: &Decision) {
    let p = &decision.probabilities;
    assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{place}: {p:?}");
    let off = exact_sum(p) - 1.0;
    assert!(off.abs() <= 4.0 * f64::EPSILON, "{place}: they add up to 1 + {off:e}");
    assert!(p[decision.arm.0] > 0.0, "{place}: an arm of probability zero was drawn");
}

fn problem(n_arms: usize) -> Problem {
    let objectives = vec![
        Objective::new("a", Link::Logit),
        Objective::new("b", Link::Identity).minimize().range(0.0, 4.0),
    ];
    Problem::new(2, objectives).unwrap().with_arms(n_arms).unwrap()
}

/// Decides and learns for some rounds, after one reward of each arm.
fn play(place: &str, policy: &mut dyn Policy, n_arms: usize, rounds: usize) {
    let (problem, mut rng) = (problem(n_arms), draw::seeded(n_arms as u64));
    let arms = ArmSet::from_rows(&(0..n_arms).map(|_| ball(2, 1.0, &mut rng)).collect::<Vec<_>>()).unwrap();
    for round in 0..n_arms + rounds {
        let decision = policy.decide(&arms, &mut rng).unwrap();
        check(&format!("{place}, {n_arms} arms, round {round}"), &decision);
        let arm = if round < n_arms { arms.iter().nth(round).unwrap() } else { arms.arm(decision.arm) };
        policy.learn(arm, &problems::reward(&problem, &mut rng)).unwrap();
    }
}

fn build(text: &str, n_arms: usize) -> Box<dyn Restorable> {
    serde_json::from_str::<PolicyConfig>(text).unwrap().build(&problem(n_arms)).unwrap()
}

#[test]
fn every_policy_gives_probabilities() {
    for text in every_config() {
        for n_arms in [1, 2, 3, 7] {
            play(&text, &mut *build(&text, n_arms), n_arms, 12);
        }
    }
}

/// Shares of experts whose sum exceeds one because of rounding.
#[test]
fn mixtures_of_any_share_give_probabilities() {
    for id in ["exp3", "exp4", "mo-us", "iltcb", "epoch-greedy", "mo-ks", "s-ucb", "hoo"] {
        for k in 1..=20 {
            let parameters = match id {
                "exp3" | "exp4" => format!(r#","gamma":{}"#, 0.0497 * f64::from(k)),
                "mo-us" => format!(r#","alpha":{}"#, 1.0 + 0.0497 * f64::from(k)),
                "s-ucb" => format!(r#","spread":{}"#, 2 * k + 1),
                _ => String::new(),
            };
            let text = format!(r#"{{"id":"{id}"{parameters}}}"#);
            for n_arms in [1, 3] {
                play(&text, &mut *build(&text, n_arms), n_arms, 6);
            }
        }
    }
}

#[test]
fn many_arms_have_probabilities_too() {
    for id in ["exp3", "exp4", "mo-us", "iltcb", "hoo", "mo-ogde", "moglb-eb", "random", "s-ucb"] {
        let text = format!(r#"{{"id":"{id}"}}"#);
        play(&text, &mut *build(&text, 301), 301, 3);
    }
}

const PREFERENCES: [&str; 8] = [
    r#"{"kind":"own"}"#,
    r#"{"kind":"uniform"}"#,
    r#"{"kind":"best","objective":0}"#,
    r#"{"kind":"weights","weights":[1,2]}"#,
    r#"{"kind":"chebyshev","weights":[1,1]}"#,
    r#"{"kind":"hypervolume"}"#,
    r#"{"kind":"least-exposed"}"#,
    r#"{"kind":"mix","of":[{"share":0.1,"prefer":{"kind":"uniform"}},
        {"share":0.2,"prefer":{"kind":"knee"}},{"share":0.7,"prefer":{"kind":"own"}}]}"#,
];

#[test]
fn every_way_to_play_gives_probabilities() {
    for prefer in PREFERENCES {
        for (k, over) in ["all", "front", "all", "front"].into_iter().enumerate() {
            let (floor, share) = ([0.07, 0.31, 0.53, 1.0][k], [0.0, 0.11, 0.37, 0.9][k]);
            let play_config = format!(
                r#"{{"prefer":{prefer},"floor":{{"share":{floor},"over":"{over}"}},
                    "baseline":{{"arm":0,"share":{share}}}}}"#
            );
            let config: PlayConfig = serde_json::from_str(&play_config).expect(&play_config);
            for n_arms in [1, 3, 7, 11] {
                for id in ["moglb-eb", "p-ucb"] {
                    let policy = build(&format!(r#"{{"id":"{id}"}}"#), n_arms);
                    let way = config.build(&problem(n_arms)).unwrap();
                    play(&play_config, &mut Preferring::new(policy, way), n_arms, 12);
                }
            }
        }
    }
}
