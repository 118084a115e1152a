//! `moglb evaluate` as its users see it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn stroke() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/ist-stroke")
}

fn evaluate(log: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moglb")).arg("evaluate").arg(log).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The value and the effective rounds agree with `reference_ope.csv`.
#[test]
fn a_table_has_values_and_overlap_and_talk_goes_elsewhere() {
    let output =
        evaluate(&stroke(), &["--policy", "aspirin=arm:3", "--policy", "uniform", "--replications", "100"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let row: Vec<&str> = told.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..4], ["aspirin", "y_alive14", "0.90615", "0.00420"]);
    assert!(told.lines().any(|line| line.starts_with("uniform  17356.3")), "{told}");
    assert!(text(&output.stderr).ends_with("19285 rounds, 6 arms; snips, 95 % bca intervals\n"));
    assert!(
        evaluate(&stroke(), &["--policy", "uniform", "--interval", "normal", "--quiet"]).stderr.is_empty()
    );
}

#[test]
fn json_has_all_that_was_found() {
    let args = [
        "--policy",
        "arm:3",
        "--policy",
        "arm:5",
        "--objectives",
        "y_no_bleed14",
        "--estimator",
        "dr",
        "--json",
    ];
    let args = [&args[..], &["--interval", "bernstein", "--replications", "100"]].concat();
    let output = evaluate(&stroke(), &args);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["format"], &json["estimator"]), (&"moglb.evaluation/1".into(), &"dr".into()));
    assert_eq!(json["policies"][1]["standing"]["verdict"], "dominated");
    assert_eq!(json["policies"][1]["standing"]["dominated_by"], serde_json::json!([0]));
    let (low, high) = (&json["policies"][0]["each"]["low"][0], &json["policies"][0]["each"]["high"][0]);
    assert!(low.as_f64() < Some(0.98) && high.as_f64() > Some(0.98));
}

/// A policy that has learned nothing and may play only arm 1, on the vectors [1, x, a] of the log, and a
/// table with the same probabilities.
#[test]
fn saved_policies_and_tables_of_probabilities_are_targets() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let line = |k: usize| {
        let (arm, reward) = (k % 2, f64::from(u8::from(k.is_multiple_of(3))));
        format!(
            "{{\"context\":[0.5],\"arms\":[[1],[0]],\"arm\":{arm},\"probability\":0.5,\
             \"rewards\":[{reward},1]}}\n"
        )
    };
    let log = write("log.jsonl", (0..40).map(line).collect());
    let objectives = ["a", "b"].map(|name| moglb::Objective::new(name, moglb::Link::Identity)).to_vec();
    let problem = moglb::Problem::new(3, objectives).unwrap();
    let policy = moglb::PolicyConfig::recommended().build(&problem).unwrap();
    write("policy.json", moglb::Restorable::to_json(&*policy));
    let wrapped = r#"{ "snapshot": "policy.json", "play": { "include": [1] }, "layout": "additive" }"#;
    let saved = format!("saved=snapshot:{}", write("wrapped.json", wrapped.into()));
    let table = format!("table=table:{}", write("table.csv", "a,b\n".to_owned() + &"0,1\n".repeat(40)));
    let args = ["--policy", &saved, "--policy", &table, "--policy", "arm:1", "--json", "--threads", "2"];
    let output = evaluate(Path::new(&log), &args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let values: Vec<&serde_json::Value> = (0..3).map(|k| &json["policies"][k]["value"]).collect();
    assert_eq!((values[0], values[1]), (values[2], values[2]));
}

#[test]
fn a_log_without_propensities_is_refused_until_they_are_estimated() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let line = |k: usize| {
        let (arm, reward) = ([0, 1, 1][k % 3], usize::from(k % 5 < 2));
        format!(
            "{{\"context\":[{}],\"arm\":{arm},\"rewards\":{{\"click\":{reward}}}}}\n",
            (k * 7 % 10) as f64 / 10.0
        )
    };
    std::fs::write(&log, (0..60).map(line).collect::<String>()).unwrap();
    let refused = evaluate(&log, &["--policy", "arm:1"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(text(&refused.stderr).contains("has no propensities"), "{}", text(&refused.stderr));
    let output = evaluate(&log, &["--policy", "arm:1", "--estimate-propensities"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("propensities are estimated"));
}

#[test]
fn what_cannot_be_is_bad_input_in_one_line() {
    for args in [
        &["--policy", "best"][..],
        &["--policy", "arm:9"],
        &["--policy", "greedy:1,x,1,1"],
        &["--policy", "table:/nowhere.csv"],
        &["--policy", "snapshot:/nowhere.json"],
        &["--policy", "uniform", "--estimator", "magic"],
        &["--policy", "uniform", "--level", "1.5"],
        &["--policy", "uniform", "--interval", "bernstein"],
        &["--policy", "uniform", "--objectives", "y_none"],
        &["--policy", "uniform", "--range", "1,0"],
        &["--policy", "uniform", "--layout", "round"],
        &["--policy", "logged", "--estimator", "dr"],
        &["--policy", "uniform", "--estimate-propensities"],
        &[],
    ] {
        let output = evaluate(&stroke(), args);
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{args:?}: {told}");
    }
    assert_eq!(evaluate(Path::new("/nowhere"), &["--policy", "uniform"]).status.code(), Some(2));
}

/// A log of one context in which the probability of arm 0 grows, and a log that differs from it only in
/// constant probabilities.
#[test]
fn a_log_of_a_policy_that_learned_is_doubted_on_standard_error_and_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, p: fn(usize) -> f64| {
        let line = |t: usize| {
            let (arm, chance) = (usize::from(t.is_multiple_of(4)), p(t));
            let of_arm = if arm == 0 { chance } else { 1.0 - chance };
            format!("{{\"context\":[1],\"arm\":{arm},\"probability\":{of_arm},\"rewards\":[{}]}}\n", t % 2)
        };
        let path = folder.path().join(name);
        std::fs::write(&path, (0..200).map(line).collect::<String>()).unwrap();
        path
    };
    let learning = write("learning.jsonl", |t| 0.5 + 0.002 * t as f64);
    let output = evaluate(&learning, &["--policy", "uniform", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let told = text(&output.stderr);
    assert!(told.contains("learning.jsonl: logged by a policy that learns (the propensities of"), "{told}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["logged_by"], json["doubts"].as_array().unwrap().len()), (&"learning".into(), 1));
    let output = evaluate(&learning, &["--policy", "uniform", "--logged-by", "fixed", "--json"]);
    assert!(!text(&output.stderr).contains("learns"));
    let fixed = write("fixed.jsonl", |_| 0.75);
    let output = evaluate(&fixed, &["--policy", "uniform", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["logged_by"].is_null() && json["doubts"].as_array().unwrap().is_empty(), "{json}");
    let output = evaluate(&fixed, &["--policy", "uniform", "--logged-by", "learning"]);
    assert!(text(&output.stderr).contains("logged by a policy that learns (as stated)"));
    assert_eq!(evaluate(&fixed, &["--policy", "uniform", "--logged-by", "me"]).status.code(), Some(2));
}

/// Arm 1 was played in two of forty rounds.
#[test]
fn few_effective_rounds_are_told_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.jsonl");
    let line = |t: usize| {
        let (arm, p) = if t % 20 == 7 { (1, 0.05) } else { (0, 0.95) };
        format!("{{\"arm\":{arm},\"probability\":{p},\"rewards\":[{}]}}\n", t % 3)
    };
    std::fs::write(&log, (0..40).map(line).collect::<String>()).unwrap();
    let output = evaluate(&log, &["--policy", "arm:1"]);
    let told = text(&output.stderr);
    assert!(told.contains("arm:1: the log is worth 2.0 rounds of it, fewer than 50"), "{told}");
}

/// Every file has numbers near the limits of a double. The command prints finite numbers or an error of one
/// line.
#[test]
fn magnitudes_without_bounds_are_bad_input_in_every_form_of_logs() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, text_of: &dyn Fn(&str, &str) -> String| {
        for (reward, propensity) in [
            ("1e308", "0.5"),
            ("-1e308", "0.5"),
            ("1e155", "0.5"),
            ("0", "1e-308"),
            ("0", "1e-41"),
            ("0", "0"),
            ("0", "1.5"),
            ("0", "-0.5"),
            ("0", "NaN"),
            ("1e999", "0.5"),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, text_of(reward, propensity)).unwrap();
            let output =
                evaluate(&path, &["--policy", "uniform", "--estimator", "ips", "--interval", "normal"]);
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{name} {reward} {propensity}: {told}");
            assert!(told.lines().count() == 1 && output.stdout.is_empty(), "{told}");
        }
    };
    check("log.jsonl", &|reward, p| {
        let line = format!("{{\"arm\":0,\"probability\":{p},\"rewards\":[{reward}]}}\n");
        line.repeat(4)
    });
    check("log.dsjson", &|reward, p| {
        let line = format!("{{\"_label_cost\":{reward},\"_label_probability\":{p},\"a\":[1,2]}}\n");
        line.repeat(4)
    });
    check("log.csv", &|reward, p| {
        let line = format!("0,1,0,{p},{reward}\n");
        "item_id,position,click,propensity_score,y_b\n".to_owned() + &line.repeat(4)
    });
}
