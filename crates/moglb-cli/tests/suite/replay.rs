//! `moglb replay` as its users see it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn stroke() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/ist-stroke")
}

fn replay(log: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moglb")).arg("replay").arg(log).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const SMALL: [&str; 8] = [
    "--features",
    "additive",
    "--objectives",
    "y_no_isch14,y_no_bleed14",
    "--trials",
    "2",
    "--policy",
    "random",
];

/// The means of arms and log are those of the data's README. 2411 accepted rounds are expected, and five
/// standard deviations are 230.
#[test]
fn policies_stand_beside_always_each_arm_and_the_log_and_talk_goes_elsewhere() {
    let output = replay(&stroke(), &[&SMALL[..], &["--policy", "moglb-ucb,c=10"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let line = |start: &str| told.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(line("moglb-ucb,c=10").contains("y_no_isch14"), "{told}");
    assert!(line("always avoid both ").contains("y_no_isch14   0.95568"), "{told}");
    let random = told.lines().rfind(|line| line.starts_with("random")).unwrap();
    let accepted: f64 = random.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((accepted - 2411.0).abs() < 230.0, "{random}");
    let log = told.lines().rfind(|line| line.starts_with("logged")).unwrap();
    assert_eq!(log.split_whitespace().collect::<Vec<_>>()[1..4], ["19285.0", "0.250", "0.125"]);
    assert!(text(&output.stderr).ends_with("19285 rounds, 6 arms; rejection, 2 orders, 95 % intervals\n"));
    assert!(replay(&stroke(), &[&SMALL[..], &["-q"]].concat()).stderr.is_empty());
}

#[test]
fn json_is_the_same_on_any_number_of_threads() {
    let with = |threads| {
        replay(&stroke(), &[&SMALL[..], &["--method", "weighting", "--json", "--threads", threads]].concat())
            .stdout
    };
    let one = with("1");
    assert_eq!(one, with("2"));
    let found: Value = serde_json::from_slice(&one).unwrap();
    assert_eq!((&found["format"], &found["method"]), (&"moglb.replay/1".into(), &"weighting".into()));
    assert_eq!(found["policies"].as_array().unwrap().len(), 1 + 6 + 1);
}

#[test]
fn what_cannot_be_is_bad_input_in_one_line() {
    let cases: [(&[&str], &str); 8] = [
        (&["--policy", "best"], "policies[0] (best): unknown variant `best`"),
        (&["--policy", "moglb-ucb,c"], "expected NAME=VALUE after a comma, got `c`"),
        (&["--policy", "moglb-ucb,c=-1"], "policies[0] (moglb-ucb)"),
        (&["--policy", "random", "--method", "magic"], "--method: unknown variant `magic`"),
        (&["--policy", "random", "--features", "magic"], "--features: unknown variant `magic`"),
        (&["--policy", "random", "--trials", "0"], "trials must lie between 1 and 10000, got 0"),
        (&["--policy", "random", "--objectives", "y_none"], "there is no `y_none`"),
        (&["--policy", "exp4", "--features", "additive"], "exp4: the policy is for arms that stay the same"),
    ];
    for (args, expected) in cases {
        let output = replay(&stroke(), args);
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{args:?}: {told}");
        assert!(told.contains(expected) && output.stdout.is_empty(), "{args:?}: {told}");
    }
    let no_log = replay(&stroke().with_file_name("llm-routing"), &["--policy", "random", "--problem", "k4"]);
    assert!(text(&no_log.stderr).contains("expected a log, got data of the kind Full"));
}
