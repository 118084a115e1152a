//! Tables of a log that the memory limit refuses are a typed error. A test program of its own, with one test:
//! the limit is that of the process, and other tests would see it.

use moglb::{Error, Link, Matrix, Objective, PolicyConfig, Problem, set_memory_limit};
use moglb_data::Layout;
use moglb_evaluate::{
    ArmFeatures, Estimator, EvaluateConfig, EvaluateError, Interval, Log, LogParts, ReadOptions, Snapshot,
    Target, estimate_propensities, evaluate, read,
};

const ROUNDS: usize = 40;
const ARMS: usize = 10;

type Make<'a> = &'a dyn Fn() -> Result<(), EvaluateError>;

fn parts() -> LogParts {
    let unit = |k: usize| k as f64 / ARMS as f64;
    LogParts {
        objectives: vec![Objective::new("a", Link::Identity)],
        arms: LogParts::numbered(ARMS).unwrap(),
        contexts: Matrix::from_fn(ROUNDS, 1, |t, _| unit(t / ARMS)),
        arm_features: ArmFeatures::Fixed(Matrix::from_fn(ARMS, 1, |arm, _| unit(arm))),
        played: (0..ROUNDS).map(|t| t % ARMS).collect(),
        propensities: Some(vec![0.1; ROUNDS]),
        rewards: Matrix::from_fn(ROUNDS, 1, |t, _| unit(t % 7)),
        ..LogParts::default()
    }
}

fn evaluated(target: Target, layout: Layout) -> Result<(), EvaluateError> {
    let config = EvaluateConfig {
        estimator: Estimator::Dr,
        interval: Interval::Normal,
        folds: 2,
        layout: Some(layout),
        ..EvaluateConfig::default()
    };
    evaluate(&Log::new(parts()).unwrap(), &[("target".into(), target)], &config).map(drop)
}

/// A decision of VW with this number of actions, of three features each.
fn decision(n_actions: usize) -> String {
    let actions = vec![r#"{"u":1,"v":0.5,"w":2}"#; n_actions].join(",");
    format!(r#"{{"_label_cost":0,"_label_probability":0.5,"_labelIndex":0,"c":{{"_multi":[{actions}]}}}}"#)
}

fn read_lines(line: impl Fn(usize) -> String, features: bool) -> Result<(), EvaluateError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.json");
    let lines: Vec<String> = (0..ROUNDS).map(line).collect();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    read(&path, &ReadOptions { features, ..ReadOptions::default() }).map(drop)
}

/// One decision has many actions, and all others get a place for each of them.
fn read_decisions(features: bool) -> Result<(), EvaluateError> {
    read_lines(|t| decision(if t == 0 { ARMS } else { 1 }), features)
}

fn snapshot() -> Target {
    let problem = Problem::new(1, vec![Objective::new("a", Link::Identity)]).unwrap();
    let config: PolicyConfig = serde_json::from_str(r#"{"id":"random"}"#).unwrap();
    let json = config.build(&problem).unwrap().to_json();
    Target::Snapshot(Box::new(Snapshot::from_json("target", &json, None).unwrap()))
}

#[test]
fn tables_of_a_log_are_refused_above_the_limit() {
    let (table, additive) = ((ROUNDS, ARMS), Layout::Additive);
    let all: [(&str, (usize, usize), Make<'_>); 7] = [
        ("the actions of all decisions", table, &|| read_decisions(false)),
        ("the features of all actions", (ROUNDS * ARMS, 3), &|| read_decisions(true)),
        // A column for each name, and every round has names of its own.
        ("the features of a log", (ROUNDS, ROUNDS), &|| {
            read_lines(
                |t| format!(r#"{{"context":{{"x{t}":1}},"arm":0,"probability":0.5,"rewards":[1]}}"#),
                true,
            )
        }),
        // One, x and a of all arms, and one and x of each.
        ("the vectors of the direct method", (ROUNDS, 3 + 2 * ARMS), &|| {
            evaluated(Target::Uniform, Layout::Hybrid)
        }),
        ("the probabilities of a policy", table, &|| evaluated(snapshot(), additive)),
        ("the choices of a greedy policy", table, &|| evaluated(Target::Greedy(vec![1.0]), additive)),
        ("the estimated propensities", table, &|| {
            let parts = parts();
            // Every arm is played once for each context, so no column separates two of them.
            estimate_propensities(&parts.contexts, &parts.played, ARMS).map(drop)
        }),
    ];
    for (what, (rows, columns), make) in all {
        let bytes = (rows * columns * 8) as u64;
        set_memory_limit(bytes);
        assert_eq!(make(), Ok(()), "{what}: {bytes} bytes are allowed");
        set_memory_limit(bytes - 1);
        let expected = EvaluateError::Memory { what, error: Error::TooLarge { rows, columns } };
        assert_eq!((expected.code(), make()), ("too-large", Err(expected)));
    }
}
