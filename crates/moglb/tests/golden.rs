//! Golden traces: the behavior of a policy, round by round, must never change without a review.
//!
//! `cargo xtask golden` writes the traces again. A trace holds all inputs (arms, rewards, seed), so every
//! interface of the project can replay it: same arms, same fronts, same bits.

use moglb::{
    ArmId, ArmSet, LearnsBy, Link, Norms, Objective, POLICIES, PolicyConfig, PolicySnapshot, Problem,
    ProblemConfig, Rng, draw,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One trace as it is stored.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Trace {
    format: String,
    problem: ProblemConfig,
    policy: PolicyConfig,
    /// The seed of the generator that is passed to `decide`.
    seed: u64,
    rounds: Vec<Round>,
    /// The policy after the last round.
    end: PolicySnapshot,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Round {
    /// The contexts of the round, if they differ from those of the round before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    arms: Option<Vec<Vec<f64>>>,
    arm: usize,
    front: Vec<usize>,
    /// The estimate of the drawn arm in each objective.
    estimates: Vec<f64>,
    reward: Vec<f64>,
}

fn objectives() -> Vec<Objective> {
    vec![
        Objective::new("click", Link::Logit),
        Objective::new("view", Link::Probit),
        Objective::new("cost", Link::Identity).minimize(),
        Objective::new("visits", Link::Log).range(0.0, 5.0),
    ]
}

fn draw_arms(rng: &mut dyn Rng) -> Vec<Vec<f64>> {
    let contexts = (0..12 * 4).map(|_| 0.6 * draw::normal(rng)).collect();
    let arms = ArmSet::new(4, contexts, Norms::Clip).unwrap();
    arms.iter().map(|arm| arm.context().to_vec()).collect()
}

fn draw_reward(rng: &mut dyn Rng) -> Vec<f64> {
    let (click, view) = (draw::below(2, rng) as f64, draw::below(2, rng) as f64);
    vec![click, view, 2.0 * draw::unit(rng) - 1.0, draw::below(6, rng) as f64]
}

/// Plays a policy, with fresh arms every round or with one set for all rounds.
fn play(config: &str, fresh: bool) -> Trace {
    let policy: PolicyConfig = serde_json::from_str(config).unwrap();
    let mut problem = Problem::new(4, objectives()).unwrap();
    if !fresh {
        problem = problem.with_arms(12).unwrap();
    }
    let (mut built, seed) = (policy.build(&problem).unwrap(), 2019);
    let (mut rng, mut world) = (draw::seeded(seed), draw::seeded(7));
    let mut rounds = Vec::new();
    let mut rows = draw_arms(&mut world);
    for t in 0..80 {
        if fresh && t > 0 {
            rows = draw_arms(&mut world);
        }
        let arms = ArmSet::from_rows(&rows).unwrap();
        let decision = built.decide(&arms, &mut rng).unwrap();
        let reward = draw_reward(&mut world);
        built.learn(arms.arm(decision.arm), &reward).unwrap();
        rounds.push(Round {
            arms: (fresh || t == 0).then(|| rows.clone()),
            arm: decision.arm.0,
            front: decision.front.iter().map(|ArmId(index)| index).collect(),
            estimates: decision.estimates.row(decision.arm.0).to_vec(),
            reward,
        });
    }
    let problem = problem.config().clone();
    Trace { format: "moglb.golden/1".into(), problem, policy, seed, rounds, end: built.snapshot() }
}

/// The trace as JSON with one line for each round, so that a diff shows the rounds that have changed.
fn written(trace: &Trace) -> String {
    let rounds: Vec<String> =
        trace.rounds.iter().map(|round| serde_json::to_string(round).unwrap()).collect();
    let line = |name: &str, json: serde_json::Result<String>| format!("\"{name}\":{},\n", json.unwrap());
    let head = [
        line("format", serde_json::to_string(&trace.format)),
        line("problem", serde_json::to_string(&trace.problem)),
        line("policy", serde_json::to_string(&trace.policy)),
        line("seed", serde_json::to_string(&trace.seed)),
    ];
    let end = serde_json::to_string(&trace.end).unwrap();
    format!("{{{}\"rounds\":[\n{}\n],\n\"end\":{end}}}\n", head.concat(), rounds.join(",\n"))
}

fn check(name: &str, config: &str, fresh: bool) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.json"));
    let played = play(config, fresh);
    if std::env::var_os("MOGLB_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, written(&played)).unwrap();
    }
    let text = std::fs::read_to_string(&path).expect("a golden trace; `cargo xtask golden` writes it");
    let golden: Trace = serde_json::from_str(&text).unwrap();
    for (t, (got, expected)) in played.rounds.iter().zip(&golden.rounds).enumerate() {
        assert_eq!(got, expected, "{name}: round {t}");
    }
    assert_eq!(played, golden, "{name}");
}

#[test]
fn moglb_ucb_tuned_on_fixed_arms() {
    check("moglb-ucb-tuned", r#"{ "id": "moglb-ucb", "c": 0.05 }"#, false);
}

#[test]
fn moglb_ucb_tightened_with_a_kappa_per_objective_on_fresh_arms() {
    let config = r#"{ "id": "moglb-ucb", "width": "tightened", "delta": 0.1,
        "kappa": "per-objective", "lambda": 2.0 }"#;
    check("moglb-ucb-tightened", config, true);
}

#[test]
fn moglb_ucb_proved_on_fixed_arms() {
    check("moglb-ucb-proved", r#"{ "id": "moglb-ucb", "width": "proved", "delta": 0.05 }"#, false);
}

#[test]
fn ekf_ucb_on_fixed_arms_and_its_control_on_fresh_ones() {
    check("ekf-ucb", r#"{ "id": "ekf-ucb", "c": 0.05 }"#, false);
    check("ekf-ucb-control", r#"{ "id": "ekf-ucb", "lambda": 1.0, "objective": 2 }"#, true);
}

#[test]
fn moglb_eb_on_fixed_arms_and_on_fresh_ones() {
    check("moglb-eb", r#"{ "id": "moglb-eb", "threshold": 0.25, "samples": 40 }"#, false);
    check("moglb-eb-fresh", r#"{ "id": "moglb-eb", "threshold": 0.1, "samples": 9 }"#, true);
}

#[test]
fn the_baselines() {
    check("p-ucb", r#"{ "id": "p-ucb" }"#, false);
    check("s-ucb", r#"{ "id": "s-ucb", "weights": [4.0, 3.0, 2.0, 1.0] }"#, false);
    check("p-ts", r#"{ "id": "p-ts" }"#, false);
    check("random", r#"{ "id": "random" }"#, false);
}

/// A hash by FNV-1a over the bytes of whole numbers.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_all(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.add(number.to_bits()));
    }
}

/// The first arms, and a digest of every arm, front, probability, estimate and width of 60 rounds and of the
/// snapshot after them.
fn digest(config: &PolicyConfig, fresh: bool) -> String {
    let problem = Problem::new(4, objectives()).unwrap().with_arms(12).unwrap();
    let mut policy = config.build(&problem).unwrap();
    let (mut rng, mut world) = (draw::seeded(2019), draw::seeded(7));
    let (mut digest, mut first) = (Digest::new(), Vec::new());
    let mut rows = draw_arms(&mut world);
    for t in 0..60 {
        if fresh && t > 0 {
            rows = draw_arms(&mut world);
        }
        let arms = ArmSet::from_rows(&rows).unwrap();
        let decision = policy.decide(&arms, &mut rng).unwrap();
        policy.learn(arms.arm(decision.arm), &draw_reward(&mut world)).unwrap();
        digest.add(decision.arm.0 as u64);
        decision.front.iter().for_each(|ArmId(arm)| digest.add(arm as u64));
        digest.add_all(&decision.probabilities);
        digest.add_all(decision.estimates.as_slice());
        digest.add_all(decision.widths.as_slice());
        if t % 10 == 5 {
            first.push(decision.arm.0);
        }
    }
    policy.to_json().bytes().for_each(|byte| digest.add(u64::from(byte)));
    let first: Vec<String> = first.iter().map(usize::to_string).collect();
    format!("{} {:016x}", first.join(","), digest.0)
}

/// One line for each policy, and one more on fresh arms for a policy that takes them. Widths that can be
/// scaled are narrow.
fn digests() -> Vec<String> {
    let mut lines = Vec::new();
    for info in POLICIES {
        let scaled = info.parameters.iter().any(|parameter| parameter.name == "scale");
        let scale = if scaled { r#", "scale": 0.1"# } else { "" };
        let config: PolicyConfig =
            serde_json::from_str(&format!(r#"{{ "id": "{}"{scale} }}"#, info.id)).unwrap();
        let problem = Problem::new(4, objectives()).unwrap().with_arms(12).unwrap();
        lines.push(format!("{} fixed {}", info.id, digest(&config, false)));
        if config.build(&problem).unwrap().facts().learns_by == LearnsBy::Context {
            lines.push(format!("{} fresh {}", info.id, digest(&config, true)));
        }
    }
    lines
}

/// Each line of `policies.txt` has the policy, the kind of arms (fixed or fresh), the arms of rounds 6, 16, …
/// 56 and the digest.
#[test]
fn every_policy_has_the_same_bits_on_every_machine() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/policies.txt");
    let played = digests();
    if std::env::var_os("MOGLB_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, played.join("\n") + "\n").unwrap();
    }
    let golden = std::fs::read_to_string(&path).expect("golden digests; `cargo xtask golden` writes them");
    for (played, golden) in played.iter().zip(golden.lines()) {
        assert_eq!(played, golden);
    }
    assert_eq!(played.len(), golden.lines().count());
}
