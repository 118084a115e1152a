//! General policies: rounds worked by hand, regret that levels off, and equality of policies that must be
//! equal.

use crate::common::{ball, bernoulli, close, direction, dot};
use moglb::{
    ArmId, ArmSet, Decision, Error, Exp3, Exp3Config, Link, Objective, PolicyConfig, Problem, Restorable,
    draw,
};

/// Two objectives on a fixed arm set with rewards ±1. Means are linear, so scalarizations of linear
/// predictions include the best arm.
struct World {
    problem: Problem,
    arms: ArmSet<'static>,
    means: Vec<[f64; 2]>,
}

impl World {
    fn new(dim: usize, n_arms: usize, seed: u64) -> Self {
        let mut rng = draw::seeded(seed);
        let thetas = [(); 2].map(|()| direction(dim, &mut rng));
        let rows: Vec<Vec<f64>> = (0..n_arms).map(|_| ball(dim, 1.0, &mut rng)).collect();
        let means = rows.iter().map(|x| [0, 1].map(|i| 0.95 * dot(&thetas[i], x))).collect();
        Self { problem: problem(dim, 2, n_arms), arms: ArmSet::from_rows(&rows).unwrap(), means }
    }

    fn best(&self) -> f64 {
        self.means.iter().map(|mean| mean[0]).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Plays `rounds` rounds, passes each decision to `see`, and returns the regret of each round in the
    /// first objective.
    fn play(&self, config: &str, rounds: usize, seed: u64, mut see: impl FnMut(&Decision)) -> Vec<f64> {
        let (mut policy, mut rng) = (build(config, &self.problem).unwrap(), draw::seeded(seed));
        let mut decision = Decision::default();
        let mut round = || {
            policy.decide_into(&self.arms, &mut rng, &mut decision).unwrap();
            see(&decision);
            let mean = self.means[decision.arm.0];
            let reward = mean.map(|mean| 2.0 * bernoulli((1.0 + mean) / 2.0, &mut rng) - 1.0);
            policy.learn(self.arms.arm(decision.arm), &reward).unwrap();
            self.best() - mean[0]
        };
        (0..rounds).map(|_| round()).collect()
    }
}

/// Identity links with rewards in [−1, 1]: a reward of −1 is 0 in units of the range, and 1 is 1.
fn problem(dim: usize, n_objectives: usize, n_arms: usize) -> Problem {
    let objectives = (0..n_objectives).map(|i| Objective::new(format!("y{i}"), Link::Identity)).collect();
    Problem::new(dim, objectives).unwrap().with_arms(n_arms).unwrap()
}

fn build(config: &str, problem: &Problem) -> Result<Box<dyn Restorable>, Error> {
    serde_json::from_str::<PolicyConfig>(config).unwrap().build(problem)
}

/// The regret is less than half of that of random play, and less in the second half of the rounds than in the
/// first.
#[test]
fn regret_is_below_that_of_random_play_and_levels_off() {
    for config in [
        r#"{"id":"ucb1"}"#,
        r#"{"id":"exp3","horizon":10000}"#,
        r#"{"id":"exp4","horizon":10000}"#,
        r#"{"id":"epoch-greedy","c":5.0}"#,
        r#"{"id":"iltcb"}"#,
        r#"{"id":"mo-ks"}"#,
        r#"{"id":"mo-ks","rewards":"adversarial","horizon":10000}"#,
        r#"{"id":"mo-us"}"#,
    ] {
        let (rounds, mut halves, mut random) = (10_000, [0.0; 2], 0.0);
        for seed in 0..3 {
            let world = World::new(3, 5, 30 + seed);
            let regret = world.play(config, rounds, seed, |_| ());
            let (first, second) = regret.split_at(rounds / 2);
            halves[0] += first.iter().sum::<f64>();
            halves[1] += second.iter().sum::<f64>();
            random +=
                rounds as f64 * world.means.iter().map(|mean| world.best() - mean[0]).sum::<f64>() / 5.0;
        }
        println!("{config}: regret {halves:?} in each half, random {random}");
        assert!(halves[0] + halves[1] < 0.5 * random, "{config}: {halves:?} of {random}");
        assert!(halves[1] < 0.8 * halves[0], "{config}: {halves:?}");
    }
}

/// UCB1 on weights is S-UCB with these weights, and MO-KS for stochastic rewards is UCB1.
#[test]
fn equal_policies_decide_equally() {
    let world = World::new(2, 6, 3);
    let trace = |config: &str| {
        let mut all = Vec::new();
        world.play(config, 400, 8, |decision| all.push((decision.arm, decision.probabilities.clone())));
        all
    };
    assert!(trace(r#"{"id":"ucb1","target":[3.0,1.0]}"#) == trace(r#"{"id":"s-ucb","weights":[3.0,1.0]}"#));
    assert!(trace(r#"{"id":"ucb1","target":1}"#) == trace(r#"{"id":"mo-ks","target":1}"#));
    assert!(trace(r#"{"id":"ucb1","target":1}"#) != trace(r#"{"id":"ucb1","target":0}"#));
}

fn two_arms() -> ArmSet<'static> {
    ArmSet::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap()
}

fn probabilities(policy: &dyn Restorable) -> Vec<f64> {
    policy.decide(&two_arms(), &mut draw::seeded(1)).unwrap().probabilities
}

/// Learns the rewards of a list of plays, one objective.
fn learn(policy: &mut dyn Restorable, plays: &[(usize, f64)]) {
    plays.iter().for_each(|&(arm, y)| policy.learn(two_arms().arm(ArmId(arm)), &[y]).unwrap());
}

fn assert_close(what: &str, got: &[f64], expected: [f64; 2]) {
    assert!((0..2).all(|k| close(got[k], expected[k], 1e-6)), "{what}: {got:?} for {expected:?}");
}

/// n = 3: mean ½ + √(2·log 3/2) for the arm with two plays, 1 + √(2·log 3) for the other, in units of the
/// range 2.
#[test]
fn ucb1_begins_by_hand() {
    let mut policy = build(r#"{"id":"ucb1"}"#, &problem(2, 1, 2)).unwrap();
    assert_eq!(probabilities(&*policy), [0.5, 0.5]);
    learn(&mut *policy, &[(0, 1.0)]);
    assert_eq!(probabilities(&*policy), [0.0, 1.0], "each arm is played once first");
    learn(&mut *policy, &[(1, 1.0), (0, -1.0)]);
    let decision = policy.decide(&two_arms(), &mut draw::seeded(1)).unwrap();
    assert_close("means", decision.estimates.as_slice(), [0.0, 1.0]);
    assert_close("bonus", decision.widths.as_slice(), [2.0 * 1.048147, 2.0 * 1.482304]);
    assert_eq!(decision.arm, ArmId(1));
}

/// γ = ½: a reward of 1 for arm 0 at p = ½ multiplies its weight by exp(½·1/(½·2)), so
/// p_0 = ½·e^½/(e^½ + 1) + ¼.
#[test]
fn exp3_begins_by_hand() {
    let mut policy = build(r#"{"id":"exp3","gamma":0.5}"#, &problem(2, 1, 2)).unwrap();
    assert_eq!(probabilities(&*policy), [0.5, 0.5]);
    learn(&mut *policy, &[(0, 1.0)]);
    assert_close("exp3", &probabilities(&*policy), [0.561230, 0.438770]);
    learn(&mut *policy, &[(1, -1.0)]);
    assert_close("a reward of zero changes nothing", &probabilities(&*policy), [0.561230, 0.438770]);
    // √(2·log 2/((e − 1)·3000)).
    let by_horizon = Exp3::new(problem(2, 1, 2), Exp3Config::default()).unwrap();
    assert!(close(by_horizon.gamma(), 0.016399, 1e-5), "{}", by_horizon.gamma());
}

/// T = 100: β = 0.135810, η = 0.055927, γ = 0.123628. A reward of 1 for arm 0 at p = ½ adds 2η(1 + β) to
/// ηG̃_0 and 2ηβ to ηG̃_1.
#[test]
fn exp3_p_begins_by_hand() {
    let config = r#"{"id":"mo-ks","rewards":"adversarial","horizon":100}"#;
    let mut policy = build(config, &problem(2, 1, 2)).unwrap();
    assert_close("exp3.p", &probabilities(&*policy), [0.5, 0.5]);
    learn(&mut *policy, &[(0, 1.0)]);
    assert_close("exp3.p", &probabilities(&*policy), [0.524481, 0.475519]);
}

/// Losses 0 and 1, t = 3: η = ½√(log 2/6) = 0.169944; the gap is not known yet, so ε = η for both arms, and
/// p_0 = (1 − 2η)/(1 + e^−η) + η.
#[test]
fn exp3_plus_plus_begins_by_hand() {
    let mut policy = build(r#"{"id":"mo-us"}"#, &problem(2, 1, 2)).unwrap();
    learn(&mut *policy, &[(1, -1.0)]);
    assert_eq!(probabilities(&*policy), [1.0, 0.0], "each arm is played once first");
    learn(&mut *policy, &[(0, 1.0)]);
    assert_close("exp3++", &probabilities(&*policy), [0.527978, 0.472022]);
}

/// A thousand plays of each arm, losses 0 and 1, t = 2001: the bounds are ±0.108391, so Δ̂ = 0.783217 and,
/// with c = 0.01, ε = 0.01·log 2001/(2001·Δ̂²). At this point, exponential weights without exploration would
/// hardly ever play the worse arm.
#[test]
fn exp3_plus_plus_explores_as_the_gap_asks() {
    let mut policy = build(r#"{"id":"mo-us","c":0.01}"#, &problem(2, 1, 2)).unwrap();
    let plays: Vec<(usize, f64)> = (0..2000).map(|t| (t % 2, if t % 2 == 0 { 1.0 } else { -1.0 })).collect();
    learn(&mut *policy, &plays);
    let worse = probabilities(&*policy)[1];
    assert!((worse / 6.192728e-5 - 1.0).abs() < 1e-4, "{worse}");
}

/// One greedy expert and one uniform expert, γ = ½: p = ½(½ + ½·½) + ¼ for the better arm. A reward of 1
/// there multiplies the weights by exp(0.4) and exp(0.2).
#[test]
fn exp4_begins_by_hand() {
    let mut policy = build(r#"{"id":"exp4","gamma":0.5}"#, &problem(2, 1, 2)).unwrap();
    assert_eq!(probabilities(&*policy), [0.5, 0.5]);
    learn(&mut *policy, &[(1, 1.0)]);
    assert_eq!(probabilities(&*policy), [1.0, 0.0], "each arm is played once first");
    learn(&mut *policy, &[(0, -1.0)]);
    assert_close("exp4", &probabilities(&*policy), [0.375, 0.625]);
    learn(&mut *policy, &[(1, 1.0)]);
    assert_close("exp4", &probabilities(&*policy), [0.362542, 0.637458]);
}

/// c = 10, K = 2 and log|H| = log 2 (at least): after the second exploration ⌊10√(2/(2 log 2))⌋ = 12 rounds
/// follow the best policy, after the third 14.
#[test]
fn epoch_greedy_explores_and_follows_in_turn() {
    let mut policy = build(r#"{"id":"epoch-greedy","c":10.0}"#, &problem(2, 1, 2)).unwrap();
    learn(&mut *policy, &[(1, 1.0), (0, -1.0)]);
    for follows in [12, 14] {
        for round in 0..follows {
            assert_eq!(probabilities(&*policy), [0.0, 1.0], "round {round} of {follows}");
            // Rewards of exploitation rounds do not count: the worse arm would look good by now.
            learn(&mut *policy, &[(0, 1.0)]);
        }
        assert_eq!(probabilities(&*policy), [0.5, 0.5], "explores after {follows} rounds");
        learn(&mut *policy, &[(1, 1.0)]);
    }
}

/// One policy: all probability that is not for exploration goes to its arm. μ = 1/(2K) after two rounds,
/// √(log(16·1024²/δ)/(2·1024)) after 1024, and this value until the next power of two.
#[test]
fn iltcb_explores_less_from_epoch_to_epoch() {
    let mut policy = build(r#"{"id":"iltcb"}"#, &problem(2, 1, 2)).unwrap();
    assert_eq!(probabilities(&*policy), [0.5, 0.5]);
    learn(&mut *policy, &[(1, 1.0), (0, -1.0)]);
    assert_close("iltcb", &probabilities(&*policy), [0.25, 0.75]);
    let plays: Vec<(usize, f64)> = (2..1024).map(|t| (t % 2, if t % 2 == 0 { -1.0 } else { 1.0 })).collect();
    learn(&mut *policy, &plays);
    assert_close("iltcb", &probabilities(&*policy), [0.097906, 0.902094]);
    learn(&mut *policy, &plays[..1000]);
    assert_close("iltcb", &probabilities(&*policy), [0.097906, 0.902094]);
    learn(&mut *policy, &plays[..24]);
    assert!(probabilities(&*policy)[0] < 0.08, "the next epoch has begun");
}

/// A policy that must know all arms to learn refuses arms that change.
#[test]
fn arms_of_experts_must_stay_the_same() {
    for id in ["exp4", "epoch-greedy", "iltcb"] {
        let mut policy = build(&format!(r#"{{"id":"{id}"}}"#), &problem(2, 1, 2)).unwrap();
        learn(&mut *policy, &[(0, 0.5)]);
        let (before, moved) = (policy.to_bytes(), ArmSet::from_rows(&[[0.9, 0.0], [0.0, 1.0]]).unwrap());
        let got = policy.decide(&moved, &mut draw::seeded(1));
        assert!(matches!(got, Err(Error::Parameters { .. })), "{id}");
        assert!(matches!(policy.learn(moved.arm(ArmId(0)), &[0.5]), Err(Error::Parameters { .. })), "{id}");
        assert_eq!(policy.to_bytes(), before, "{id}");
    }
}

#[test]
fn bad_configurations_are_refused() {
    let (fixed, open) = (problem(2, 2, 3), Problem::new(2, vec![Objective::new("y", Link::Logit)]).unwrap());
    for (id, bad) in [
        ("exp3", r#""gamma":0.0"#),
        ("exp3", r#""gamma":1.5"#),
        ("exp3", r#""horizon":0"#),
        ("exp4", r#""gamma":-1.0"#),
        ("exp4", r#""horizon":0"#),
        ("exp4", r#""experts":0"#),
        ("exp4", r#""experts":10001"#),
        ("epoch-greedy", r#""experts":0"#),
        ("epoch-greedy", r#""c":-1.0"#),
        ("iltcb", r#""delta":0.0"#),
        ("iltcb", r#""experts":0"#),
        ("mo-ks", r#""horizon":0"#),
        ("mo-ks", r#""delta":2.0"#),
        ("mo-us", r#""alpha":0.5"#),
        ("mo-us", r#""c":0.0"#),
    ] {
        let got = build(&format!(r#"{{"id":"{id}",{bad}}}"#), &fixed).map(|_| ());
        assert!(matches!(got, Err(Error::ParameterBounds { .. })), "{id} {bad}: {got:?}");
    }
    for id in ["ucb1", "exp3", "exp4", "epoch-greedy", "iltcb", "mo-ks", "mo-us"] {
        let got = build(&format!(r#"{{"id":"{id}","target":2}}"#), &fixed).map(|_| ());
        assert!(matches!(got, Err(Error::UnknownObjective { got: 2, .. })), "{id}: {got:?}");
        let got = build(&format!(r#"{{"id":"{id}"}}"#), &open).map(|_| ());
        assert!(matches!(got, Err(Error::ArmCountNeeded { policy }) if policy == id), "{id}: {got:?}");
        let unknown = format!(r#"{{"id":"{id}","lambda":1.0}}"#);
        assert!(serde_json::from_str::<PolicyConfig>(&unknown).is_err(), "{id} has no lambda");
    }
    assert!(serde_json::from_str::<PolicyConfig>(r#"{"id":"mo-ks","rewards":"kind"}"#).is_err());
}
