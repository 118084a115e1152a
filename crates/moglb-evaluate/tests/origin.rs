//! Logs of policies that learn are distinguished from logs of fixed policies.

use moglb::{ArmSet, Decision, Link, Matrix, Norms, Objective, PlayConfig, PolicyConfig, Problem, draw};
use moglb_evaluate::{
    ArmFeatures, EvaluateConfig, Evaluation, Interval, Log, LogParts, LoggedBy, ReadOptions, Target,
    evaluate, read,
};

const ARMS: usize = 4;

fn evaluated(parts: LogParts, logged_by: Option<LoggedBy>) -> Evaluation {
    let config = EvaluateConfig { interval: Interval::Normal, logged_by, ..EvaluateConfig::default() };
    let log = Log::new(parts).unwrap();
    evaluate(&log, &[("uniform".into(), Target::Uniform)], &config).unwrap()
}

fn objectives() -> Vec<Objective> {
    ["a", "b"].map(|name| Objective::new(name, Link::Identity).range(0.0, 1.0)).to_vec()
}

/// A log of MOGLB-UCB with a lower bound on its probabilities, on fixed arms.
fn learned(rounds: usize, floor: f64, seed: u64) -> LogParts {
    let problem = Problem::new(3, objectives()).unwrap();
    let config: PolicyConfig = serde_json::from_str(r#"{"id": "moglb-ucb", "c": 0.1}"#).unwrap();
    let mut policy = config.build(&problem).unwrap();
    let play: PlayConfig =
        serde_json::from_str(&format!(r#"{{"floor": {{"share": {floor}, "over": "all"}}}}"#)).unwrap();
    let play = play.build(&problem).unwrap();
    let mut rng = draw::seeded(seed);
    let arms: Vec<f64> = (0..3 * ARMS).map(|_| 0.57 * draw::unit(&mut rng)).collect();
    let set = ArmSet::new(3, arms.clone(), Norms::Strict).unwrap();
    let mut decision = Decision::lean();
    let (mut parts, mut rewards, mut propensities) = (LogParts::default(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        play.decide(&*policy, &set, &[], &mut rng, &mut decision).unwrap();
        let x = set.arm(decision.arm);
        let mean = [x.context()[0], x.context()[1]];
        let reward = mean.map(|mean| f64::from(u8::from(draw::unit(&mut rng) < mean)));
        policy.learn(x, &reward).unwrap();
        parts.played.push(decision.arm.0);
        propensities.push(decision.probabilities[decision.arm.0]);
        rewards.push(reward);
    }
    parts.objectives = objectives();
    parts.arms = (0..ARMS).map(|arm| arm.to_string()).collect();
    parts.contexts = Matrix::from_rows(&vec![[0.0; 0]; rounds]).unwrap();
    parts.arm_features = ArmFeatures::Fixed(Matrix::new(3, arms).unwrap());
    parts.propensities = Some(propensities);
    parts.rewards = Matrix::from_rows(&rewards).unwrap();
    parts
}

/// A log of a fixed policy whose probabilities depend on the context.
fn fixed(rounds: usize, seed: u64) -> LogParts {
    const CHANCES: [[f64; 3]; 3] = [[0.9, 0.05, 0.05], [0.2, 0.4, 0.4], [0.3, 0.2, 0.5]];
    let mut rng = draw::seeded(seed);
    let (mut parts, mut contexts, mut propensities) = (LogParts::default(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let x = draw::below(3, &mut rng);
        let (mut left, mut arm) = (draw::unit(&mut rng), 0);
        while arm < 2 && left >= CHANCES[x][arm] {
            left -= CHANCES[x][arm];
            arm += 1;
        }
        contexts.push([x as f64]);
        propensities.push(CHANCES[x][arm]);
        parts.played.push(arm);
    }
    parts.objectives = vec![Objective::new("a", Link::Identity)];
    parts.arms = ["0", "1", "2"].map(String::from).to_vec();
    parts.contexts = Matrix::from_rows(&contexts).unwrap();
    parts.rewards = Matrix::from_rows(&vec![[0.5]; rounds]).unwrap();
    parts.propensities = Some(propensities);
    parts
}

#[test]
fn a_log_of_moglb_ucb_is_known_by_its_propensities() {
    for floor in [0.0, 0.02, 0.1] {
        let found = evaluated(learned(300, floor, 3), None);
        assert_eq!(found.logged_by, Some(LoggedBy::Learning), "{floor}");
        assert!(found.doubts[0].contains("in the same context"), "{:?}", found.doubts);
    }
}

/// No context occurs twice. The probability of arm 0 grows from 0.1 to 0.5, and that of arm 1 falls by the
/// same amount.
#[test]
fn propensities_that_drift_are_a_sign() {
    let n = 400;
    let mut parts = fixed(n, 1);
    parts.contexts = Matrix::from_rows(&(0..n).map(|t| [t as f64]).collect::<Vec<_>>()).unwrap();
    parts.played = (0..n).map(|t| t * 7 % 2).collect();
    let gained = |t: usize| 0.4 * t as f64 / n as f64;
    parts.propensities =
        Some((0..n).map(|t| if parts.played[t] == 0 { 0.1 + gained(t) } else { 0.9 - gained(t) }).collect());
    let found = evaluated(parts, None);
    assert!(found.doubts[0].contains("the propensities of arm 0 drift"), "{:?}", found.doubts);
}

/// At the stated chance of 1 in 15 000, one alarm in 300 logs has chance 2 %. Seeds are fixed.
#[test]
fn a_log_of_a_fixed_policy_gives_no_sign() {
    for seed in 0..300 {
        let mut parts = fixed(40 + seed as usize, seed);
        if seed % 2 == 1 {
            // Without contexts, different probabilities are no evidence.
            parts.contexts = Matrix::from_rows(&vec![[0.0; 0]; 40 + seed as usize]).unwrap();
        }
        let found = evaluated(parts, None);
        assert_eq!((found.logged_by, found.doubts.len()), (None, 0), "{seed}: {:?}", found.doubts);
    }
}

#[test]
fn what_is_stated_counts_more_than_what_the_log_shows() {
    let found = evaluated(learned(100, 0.1, 3), Some(LoggedBy::Fixed));
    assert_eq!((found.logged_by, found.doubts.len()), (Some(LoggedBy::Fixed), 0));
    let found = evaluated(fixed(100, 1), Some(LoggedBy::Learning));
    assert_eq!(found.logged_by, Some(LoggedBy::Learning));
    assert!(found.doubts[0].starts_with("logged by a policy that learns (as stated)"), "{:?}", found.doubts);
}

/// A policy that plays its best arm with probability 1, and changes the best arm over time.
#[test]
fn arms_that_were_certain_in_the_same_context_are_a_sign() {
    let mut parts = fixed(60, 2);
    parts.propensities = Some(vec![1.0; 60]);
    let found = evaluated(parts, None);
    assert!(found.doubts[0].contains("add up to 2"), "{:?}", found.doubts);
}

/// Estimated propensities are no evidence about the policy that wrote the log.
#[test]
fn estimated_propensities_are_no_sign() {
    let mut parts = fixed(200, 5);
    // Later rounds have other contexts, and so other propensities.
    let contexts: Vec<[f64; 1]> = (0..200).map(|t| [f64::from(t) / 200.0]).collect();
    parts.contexts = Matrix::from_rows(&contexts).unwrap();
    parts.played = (0..200).map(|t| usize::from(t * 7 % 200 < t)).collect();
    parts.propensities = None;
    let found = evaluated(parts.with_estimated_propensities().unwrap(), None);
    assert_eq!(found.logged_by, None, "{:?}", found.doubts);
}

/// The readers record contexts and versions even if they leave features out.
#[test]
fn every_form_of_json_and_csv_gives_its_signs_without_features() {
    let folder = tempfile::tempdir().unwrap();
    let found = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        evaluated(read(&path, &ReadOptions::default()).unwrap(), None).doubts.concat()
    };
    let decision = |t: usize, p: f64, more: &str| {
        format!("{{\"context\":[0.5],\"arm\":{},\"probability\":{p},\"rewards\":[1]{more}}}\n", t % 2)
    };
    let changed = (0..9).map(|t| decision(t, if t < 6 { 0.5 } else { 0.4 }, "")).collect();
    assert!(found("a.jsonl", changed).contains("arm 0 has the propensity 0.5 in round 0 and 0.4 in round 6"));
    assert_eq!(found("b.jsonl", (0..9).map(|t| decision(t, 0.5, ",\"version\":7")).collect()), "");
    let versions = (0..9).map(|t| decision(t, 0.5, &format!(",\"version\":{}", t / 5))).collect();
    assert!(found("c.jsonl", versions).contains("round 5 was decided by another version"));
    let vw = |t: usize, p: f64, model: usize| {
        format!(
            "{{\"_label_cost\":0,\"_label_probability\":{p},\"a\":[{},{}],\
             \"c\":{{\"x\":1,\"_multi\":[{{}},{{}}]}},\"VWState\":{{\"m\":\"{model}\"}}}}\n",
            1 + t % 2,
            2 - t % 2
        )
    };
    assert_eq!(found("a.dsjson", (0..9).map(|t| vw(t, 0.5, 1)).collect()), "");
    assert!(
        found("b.dsjson", (0..9).map(|t| vw(t, 0.5, t / 4)).collect()).contains("round 4 was decided by")
    );
    assert!(
        found("c.dsjson", (0..9).map(|t| vw(t, 0.3 + 0.01 * t as f64, 1)).collect()).contains("same context")
    );
    let row = |t: usize, p: f64| format!("{},{},0,{p}\n", t % 2, t % 3);
    let head = "item_id,position,click,propensity_score\n".to_owned();
    assert_eq!(found("a.csv", head.clone() + &(0..9).map(|t| row(t, 0.5)).collect::<String>()), "");
    let drifting: String = (0..9).map(|t| row(t, 0.3 + 0.01 * t as f64)).collect();
    assert!(found("b.csv", head + &drifting).contains("same context"));
}
