//! `moglb data check` as its users see it.

use std::path::Path;
use std::process::{Command, Output};

fn check(path: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moglb")).args(["data", "check"]).arg(path).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_good_folder_is_told_in_a_table() {
    let output = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/llm-routing"), &[]);
    assert_eq!(output.status.code(), Some(0));
    let told = text(&output.stdout);
    let words: Vec<&str> = told.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(words, ["k4", "full", "3559", "4", "31", "0", "3", "0"]);
    assert!(text(&output.stderr).ends_with("data/llm-routing: 0 errors, 0 warnings\n"));
}

#[test]
fn a_bad_folder_is_told_with_places_and_the_exit_code_of_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let meta = r#"{ "format": "mob-data/1", "problems": [{ "id": "p", "kind": "arms", "arms": "arms.csv",
        "objectives": [{ "column": "y_a" }] }] }"#;
    std::fs::write(folder.path().join("meta.json"), meta).unwrap();
    std::fs::write(folder.path().join("arms.csv"), "arm_id,a_u,y_a\r\n0,0,2\r\n1,,0\r\n").unwrap();
    let output = check(folder.path(), &["--most", "2"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stdout);
    assert!(told.contains("error: arms.csv:2:y_a: expected a number between 0 and 1, got 2\n"), "{told}");
    assert!(told.contains("warning: arms.csv: lines end with CRLF"), "{told}");
    assert!(told.ends_with("1 more (--most shows more of them)\n"), "{told}");
    let output = check(folder.path(), &["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["errors"], &json["problems"][0]["missing"]), (&2.into(), &1.into()));
    assert_eq!((&json["findings"][2]["row"], &json["findings"][2]["code"]), (&3.into(), &"blank".into()));
    assert!(text(&output.stderr).lines().count() == 1);
}

/// The library reads Parquet only with its feature `parquet`. The message about a damaged file shows that
/// this program enables the feature.
#[test]
fn the_command_has_the_reader_of_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let meta = r#"{ "format": "mob-data/1", "problems": [{ "id": "p", "kind": "arms", "arms": "arms.parquet",
        "objectives": [{ "column": "y_a" }] }] }"#;
    std::fs::write(folder.path().join("meta.json"), meta).unwrap();
    std::fs::write(folder.path().join("arms.parquet"), "PAR1, but not really").unwrap();
    let told = text(&check(folder.path(), &[]).stdout);
    assert!(told.contains("arms.parquet: cannot be read") && !told.contains("no Parquet"), "{told}");
}
