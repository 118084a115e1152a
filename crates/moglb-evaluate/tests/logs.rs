//! Logs in foreign formats and in the format of this library, and the errors about them.

use moglb::{Direction, Matrix};
use moglb_evaluate::{
    Estimator, EvaluateConfig, EvaluateError, Form, Interval, Log, LogParts, ReadOptions, Target, evaluate,
    read,
};
use std::path::PathBuf;

fn written(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn parts(name: &str, text: &str) -> Result<LogParts, EvaluateError> {
    let (_folder, path) = written(name, text);
    read(&path, &ReadOptions { features: true, ..ReadOptions::default() })
}

fn told(name: &str, text: &str) -> String {
    let error = parts(name, text).unwrap_err().to_string();
    error.rsplit_once(name).map_or(error.clone(), |(_, end)| end.to_owned())
}

const DSJSON: &str = concat!(
    r#"{"_label_cost":-1.0,"_label_probability":0.8,"_label_Action":2,"_labelIndex":1,"a":[2,1],"#,
    r#""p":[0.8,0.2],"c":{"User":{"age":0.5,"from":"x"},"_multi":[{"Item":{"size":1}},"#,
    r#"{"Item":{"size":2}}]}}"#,
    "\n",
    "\n",
    r#"{"_label_cost":0.0,"_label_probability":0.3,"_labelIndex":0,"a":[1,2],"p":[0.3,0.7],"#,
    r#""c":{"User":{"age":0.1,"from":"y"},"_multi":[{"Item":{"size":3}},{"Item":{"size":4}}]}}"#,
    "\n",
);

#[test]
fn a_log_of_vw_is_read_with_its_costs_probabilities_and_features() {
    let log = Log::new(parts("log.json", DSJSON).unwrap()).unwrap();
    assert_eq!((log.played(), log.propensities()), (&[1, 0][..], &[0.8, 0.3][..]));
    assert_eq!(log.probabilities().unwrap().as_slice(), [0.2, 0.8, 0.3, 0.7]);
    assert_eq!(
        (log.rewards().as_slice(), log.objectives()[0].direction),
        (&[-1.0, 0.0][..], Direction::Minimize)
    );
    assert_eq!(
        log.contexts().as_slice(),
        [0.5, 1.0, 0.0, 0.1, 0.0, 1.0],
        "User.age, User.from=x, User.from=y"
    );
    assert_eq!((log.arm_features(0, 1), log.arm_features(1, 0)), (&[2.0][..], &[3.0][..]));
    let vectors = DSJSON.replace(r#""_label_cost":-1.0"#, r#""_label_rewards":{"click":1,"pay":0.2}"#);
    let vectors = vectors.replace(r#""_label_cost":0.0"#, r#""_label_rewards":{"click":0,"pay":0.1}"#);
    let log = parts("log.dsjson", &vectors).unwrap();
    assert_eq!((log.rewards.as_slice(), log.objectives[1].name.as_str()), (&[1.0, 0.2, 0.0, 0.1][..], "pay"));
}

/// The second decision has one more action.
#[test]
fn decisions_of_vw_may_have_any_number_of_actions() {
    let more = DSJSON.replace(r#""a":[1,2],"p":[0.3,0.7]"#, r#""a":[1,3,2],"p":[0.3,0.5,0.2]"#);
    let more = more.replace(r#"{"Item":{"size":4}}"#, r#"{"Item":{"size":4}},{"Item":{"size":5}}"#);
    let log = Log::new(parts("log.json", &more).unwrap()).unwrap();
    assert_eq!((log.n_arms(), log.n_offered(0), log.n_offered(1)), (3, 2, 3));
    assert_eq!(log.probabilities().unwrap().as_slice(), [0.2, 0.8, 0.0, 0.3, 0.2, 0.5]);
    assert_eq!((log.arm_features(0, 2), log.arm_features(1, 2)), (&[0.0][..], &[5.0][..]));
    let config =
        EvaluateConfig { estimator: Estimator::Ips, interval: Interval::Normal, ..EvaluateConfig::default() };
    let of = |target| evaluate(&log, &[("target".into(), target)], &config);
    // With two actions each has probability 1/2, with three 1/3: −1·(0.5/0.8) and 0, divided by 2.
    assert!((of(Target::Uniform).unwrap().policies[0].value[0] + 0.3125).abs() < 1e-15);
    assert_eq!(
        of(Target::Arm(2)).unwrap_err().to_string(),
        "`target`, round 0: there are 2 arms, numbered from 0, got 2"
    );
    let beyond = Matrix::from_rows(&[[0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]).unwrap();
    assert_eq!(of(Target::Table(beyond)).unwrap_err().code(), "not-probabilities");
    let unlikely = parts("log.json", &more.replace("0.5,0.2]", "0.5,0.3]")).unwrap();
    assert_eq!(Log::new(unlikely).unwrap_err().code(), "not-probabilities");
}

#[test]
fn what_is_wrong_with_a_log_of_vw_is_told_with_its_line() {
    for (from, to, expected) in [
        (
            r#""_labelIndex":0"#,
            r#""_labelIndex":1"#,
            ", line 3: `_labelIndex` is 1, the action that was played is 1",
        ),
        (
            r#""_label_probability":0.3"#,
            r#""_label_probability":0.4"#,
            ", line 3: `_label_probability` is 0.4, `p` has 0.3",
        ),
        (r#""p":[0.3,0.7]"#, r#""p":[0.3]"#, ", line 3: `p`: expected 2 as in `a`, got 1"),
        (r#""a":[1,2]"#, r#""a":[1,3]"#, ", line 3: there are 2 actions, got 3"),
        (r#""_label_cost":0.0,"#, "", ", line 3: expected `_label_cost`"),
        (
            r#""_label_cost":0.0"#,
            r#""_label_cost":"x""#,
            ", line 3: `_label_cost`: expected a number, got \"x\"",
        ),
        (r#",{"Item":{"size":4}}"#, "", ", line 3: there are 1 actions, got 2"),
        (r#""_label_cost":0.0"#, r#""pdrop":0.5,"_label_cost":0.0"#, ", line 3: rounds were dropped"),
    ] {
        let told = told("log.json", &DSJSON.replace(from, to));
        assert!(told.starts_with(expected), "{told}");
    }
    assert!(told("log.json", "[1]\n").contains("line 1: expected a JSON object"));
}

const OBD: &str = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1\n\
    0,t,2,1,0,0.25,aa,bb\n1,t,0,2,1,0.5,aa,cc\n";

#[test]
fn a_table_of_the_open_bandit_dataset_is_read_with_positions_in_the_context() {
    let log = Log::new(parts("log.csv", OBD).unwrap()).unwrap();
    assert_eq!((log.n_arms(), log.played(), log.propensities()), (3, &[2, 0][..], &[0.25, 0.5][..]));
    assert_eq!(log.rewards().as_slice(), [0.0, 1.0]);
    assert_eq!(log.contexts().row(0), [1.0, 0.0, 1.0, 1.0, 0.0], "position=1, position=2, aa, bb, cc");
    let (_folder, path) = written("log.csv", OBD);
    let wide = ReadOptions { n_arms: Some(80), form: Some(Form::Obd), ..ReadOptions::default() };
    assert_eq!(read(&path, &wide).unwrap().arms.len(), 80);
    assert_eq!(
        told("log.csv", &OBD.replace("0.25", "x")),
        ", line 2: column `propensity_score`: expected a number, got `x`"
    );
    assert_eq!(told("log.csv", &OBD.replace("item_id", "item")), ", line 1: there is no column `item_id`");
    let without = parts("log.csv", &OBD.replace("propensity_score", "score")).unwrap();
    assert_eq!(Log::new(without).unwrap_err(), EvaluateError::NoPropensities);
    let blank = parts("log.csv", &OBD.replace("0.25", "")).unwrap();
    assert_eq!(Log::new(blank).unwrap_err(), EvaluateError::NoPropensities, "one that is missing is enough");
}

const DECISIONS: &str = concat!(
    r#"{"format":"moglb.decisions/1","objectives":[{"name":"click","link":"logit","range":[0,1]},"#,
    r#"{"name":"cost","link":"identity","direction":"minimize"}],"arms":["a","b"]}"#,
    "\n",
    r#"{"id":"1","context":{"age":0.5},"arms":[[1,0],[0,1]],"arm":"b","probabilities":[0.3,0.7],"#,
    r#""rewards":{"cost":0.2,"click":1}}"#,
    "\n",
    r#"{"id":"2","context":{"age":0.1},"arms":[[1,0],[0,1]],"arm":0,"probabilities":[0.4,0.6],"#,
    r#""rewards":[0,0.5]}"#,
    "\n",
);

#[test]
fn a_decision_log_of_our_own_is_read() {
    let log = Log::new(parts("log.jsonl", DECISIONS).unwrap()).unwrap();
    assert_eq!((log.played(), log.propensities()), (&[1, 0][..], &[0.7, 0.4][..]));
    assert_eq!(log.rewards().as_slice(), [1.0, 0.2, 0.0, 0.5]);
    assert_eq!((log.contexts().as_slice(), log.arm_features(0, 1)), (&[0.5, 0.1][..], &[0.0, 1.0][..]));
    assert_eq!(log.objectives()[1].direction, Direction::Minimize);
    let bare = r#"{"arm":1,"probability":0.5,"rewards":{"a":1,"b":2}}"#;
    let log = Log::new(parts("log.jsonl", bare).unwrap()).unwrap();
    assert_eq!((log.n_arms(), log.n_objectives(), log.contexts().n_cols()), (2, 2, 0));
}

#[test]
fn what_is_wrong_with_a_decision_log_is_told_with_its_line() {
    for (from, to, expected) in [
        (r#""id":"2""#, r#""id":"1""#, ", line 3: the decision \"1\" came before"),
        (
            r#""arm":"b""#,
            r#""arm":"c""#,
            ", line 2: `arm`: expected a position or one of the names of arms, got \"c\"",
        ),
        (r#""arm":0"#, r#""arm":-1"#, ", line 3: `arm`: expected a position"),
        (r#""arm":0"#, r#""arm":99999999999"#, ", line 3: `arm`: expected a position"),
        ("[0,0.5]", "[0]", ", line 3: `rewards`: expected 2, got 1"),
        ("[0,0.5]", "[0,null]", ", line 3: `rewards`: expected a number, got null"),
        (r#","click":1"#, "", ", line 2: `click`: expected a number, got null"),
        ("moglb.decisions/1", "moglb.decisions/9", ", line 1: expected a decision"),
        ("[0.4,0.6]", "0.4", ", line 3: `probabilities`: expected a list of numbers, got 0.4"),
    ] {
        let told = told("log.jsonl", &DECISIONS.replace(from, to));
        assert!(told.starts_with(expected), "{told}");
    }
    let mut none = DECISIONS.replace(r#""probabilities":[0.3,0.7],"#, "");
    assert_eq!(Log::new(parts("log.jsonl", &none).unwrap()).unwrap_err(), EvaluateError::NoPropensities);
    none.clear();
    assert_eq!(Log::new(parts("log.jsonl", &none).unwrap()).unwrap_err().code(), "empty-log");
    assert!(matches!(
        read("/nowhere/log.jsonl".as_ref(), &ReadOptions::default()),
        Err(EvaluateError::File { .. })
    ));
    assert!(told("log.txt", "").contains("name the form"));
}
