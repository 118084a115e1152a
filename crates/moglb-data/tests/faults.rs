//! Every fault of a folder is reported with its place.

use moglb_data::{Checked, Content, DataError, check, load};
use std::path::Path;
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn meta(problem: &str) -> String {
    format!(
        r#"{{ "format": "mob-data/1", "name": "mine", "problems":
            [{{ "id": "p", "objectives": [{{ "column": "y_a" }}], {problem} }}] }}"#
    )
}

const ARMS: &str = r#""kind": "arms", "arms": "arms.csv""#;
const FULL: &str = r#""kind": "full", "rounds": "rounds.csv", "rewards": "rewards.csv",
    "arms": "arms.csv", "arm_ids": [0, 1]"#;
const LOGGED: &str = r#""kind": "logged", "logged": "logged.csv", "arm_ids": [0, 1]"#;
const CANDIDATES: &str = r#""kind": "candidates", "candidates": "candidates.csv""#;

const GOOD_ARMS: &str = "arm_id,a_u,y_a\n0,0,0.5\n1,1,0.25\n";
const GOOD_ROUNDS: &str = "round_id,x_u\nr,0.5\ns,-1\n";
const GOOD_REWARDS: &str = "round_id,arm_id,y_a\nr,0,1\nr,1,0\ns,0,0.5\ns,1,0.5\n";
const GOOD_LOG: &str = "round_id,arm_id,propensity,y_a,x_u\n0,1,0.5,1,0\n1,0,1,0,0.5\n";
const GOOD_CANDIDATES: &str = "round_id,y_a,x_u\n0,1,0\n0,0,0.5\n1,0.5,1\n";

fn told(problem: &str, files: &[(&str, &str)]) -> Checked {
    let meta = meta(problem);
    let mut all = vec![("meta.json", meta.as_str())];
    all.extend(files);
    check(folder(&all).path(), 20)
}

/// The check of a folder with one given file; its other files are good.
fn told_of(file: &str, text: &str) -> Checked {
    let kind = match file {
        "arms.csv" => ARMS,
        "rounds.csv" | "rewards.csv" => FULL,
        "logged.csv" => LOGGED,
        _ => CANDIDATES,
    };
    let mut files = vec![("arms.csv", GOOD_ARMS), ("rounds.csv", GOOD_ROUNDS), ("rewards.csv", GOOD_REWARDS)];
    files.retain(|(name, _)| *name != file);
    files.push((file, text));
    told(kind, &files)
}

#[test]
fn good_tables_of_every_kind_are_read() {
    for (file, text, rounds) in [
        ("arms.csv", GOOD_ARMS, None),
        ("rewards.csv", GOOD_REWARDS, Some(2)),
        ("logged.csv", GOOD_LOG, Some(2)),
        ("candidates.csv", GOOD_CANDIDATES, Some(2)),
    ] {
        let Checked { dataset, findings, problems, .. } = told_of(file, text);
        assert_eq!(findings.kept(), [], "{file}");
        assert_eq!((problems[0].rounds, problems[0].arms, problems[0].objectives), (rounds, 2, 1), "{file}");
        assert_eq!(dataset.unwrap().problems[0].content.n_rounds(), rounds);
    }
}

#[test]
fn raw_columns_are_kept_beside_the_rewards_of_every_kind() {
    for (file, text, expected) in [
        ("arms.csv", "arm_id,a_u,y_a,raw_s\n0,0,0.5,2\n1,1,0.25,-7.5\n", &[2.0, -7.5][..]),
        (
            "rewards.csv",
            "round_id,arm_id,y_a,raw_s\ns,0,1,3\ns,1,0,4\nr,0,0.5,1\nr,1,0.5,2\n",
            &[1.0, 2.0, 3.0, 4.0],
        ),
        ("logged.csv", "round_id,arm_id,propensity,raw_s,y_a,x_u\n0,1,0.5,1e9,1,0\n", &[1e9]),
        ("candidates.csv", "round_id,y_a,x_u,raw_s\n0,1,0,5\n0,0,0.5,6\n", &[5.0, 6.0]),
    ] {
        let problem = told_of(file, text).dataset.expect(file).problems.remove(0);
        assert_eq!(problem.measures.names, ["raw_s"], "{file}");
        assert_eq!(problem.measures.values.as_slice(), expected, "{file}");
    }
    let without = told_of("arms.csv", GOOD_ARMS).dataset.unwrap().problems.remove(0);
    assert!(without.measures.names.is_empty() && without.measures.row(1).is_empty());
}

#[test]
fn a_raw_value_that_is_no_finite_number_is_told() {
    for (cell, code) in [("NaN", "not-finite"), ("inf", "not-finite"), ("", "blank"), ("7 s", "not-a-number")]
    {
        let text = format!("round_id,arm_id,y_a,raw_s\nr,0,1,1\nr,1,0,{cell}\ns,0,0.5,1\ns,1,0.5,1\n");
        let Checked { dataset, findings, .. } = told_of("rewards.csv", &text);
        let [finding] = findings.kept() else { panic!("{cell}: {findings:?}") };
        assert_eq!((finding.row, finding.column.as_deref()), (Some(3), Some("raw_s")), "{cell}");
        assert!(finding.fault.code() == code && dataset.is_none(), "{cell}");
    }
}

#[test]
fn every_fault_is_told_with_its_file_row_and_column() {
    for (file, text, expected) in [
        ("arms.csv", "arm_id,a_u\n0,0\n", "arms.csv:y_a: there is no such column"),
        ("arms.csv", "arm_id,y_a\n0,0\n", "arms.csv:a_*: there is no column of this name pattern"),
        ("arms.csv", "arm_id,a_u,a_u,y_a\n0,0,0,0\n", "arms.csv:a_u: two columns have this name"),
        ("arms.csv", "arm_id,a_u,y_a\n0,zero,0.5\n", "arms.csv:2:a_u: expected a number, got `zero`"),
        (
            "arms.csv",
            "arm_id,a_u,y_a\n0,0,1\n1,0,NaN\n",
            "arms.csv:3:y_a: expected a finite number, got `NaN`",
        ),
        ("arms.csv", "arm_id,a_u,y_a\n0,0,1e999\n", "arms.csv:2:y_a: expected a finite number, got `1e999`"),
        (
            "arms.csv",
            "arm_id,a_u,y_a\n0,0,1.5\n",
            "arms.csv:2:y_a: expected a number between 0 and 1, got 1.5",
        ),
        (
            "arms.csv",
            "arm_id,a_u,y_a\n0,-0.1,1\n",
            "arms.csv:2:a_u: expected a number between 0 and 1, got -0.1",
        ),
        ("arms.csv", "arm_id,a_u,y_a\n0,,1\n", "arms.csv:2:a_u: expected a value, got an empty cell"),
        ("arms.csv", "arm_id,a_u,y_a\n0,0,1\n0,0,1\n", "arms.csv:3:arm_id: arm `0` has another row already"),
        ("arms.csv", "arm_id,a_u,y_a\n0,0\n1,0,1\n", "arms.csv:2: expected 3 values, got 2"),
        ("arms.csv", "arm_id,a_u,y_a\n0,0,1,4\n", "arms.csv:2: expected 3 values, got 4"),
        ("arms.csv", "arm_id,a_u,y_a\n", "arms.csv: expected a row, got none"),
        ("arms.csv", "", "arms.csv: expected a header, got none"),
        ("rounds.csv", "round_id,x_u\nr,0.5\nr,1\n", "rounds.csv:3:round_id: round `r` occurs twice"),
        (
            "rounds.csv",
            "round_id,x_u\nr,0.5\ns,1.1\n",
            "rounds.csv:3:x_u: expected a number between -1 and 1",
        ),
        ("rewards.csv", "round_id,arm_id,y_a\nr,7,1\n", "rewards.csv:2:arm_id: there is no arm `7`"),
        ("rewards.csv", "round_id,arm_id,y_a\nq,0,1\n", "rewards.csv:2:round_id: there is no round `q`"),
        (
            "rewards.csv",
            "round_id,arm_id,y_a\nr,1,1\nr,0,0\ns,0,0\ns,1,0\n",
            "rewards.csv:2:arm_id: expected the reward of arm `0`, got that of `1`",
        ),
        (
            "rewards.csv",
            "round_id,arm_id,y_a\nr,0,1\nr,0,1\nr,1,0\ns,0,0\ns,1,0\n",
            "rewards.csv:3:arm_id: round `r, arm 0` occurs twice",
        ),
        (
            "rewards.csv",
            "round_id,arm_id,y_a\nr,0,1\nr,1,0\ns,0,0.5\n",
            "rewards.csv: round `s` has no reward of arm `1`",
        ),
        (
            "logged.csv",
            "round_id,arm_id,propensity,y_a,x_u\n0,1,0,1,0\n",
            "logged.csv:2:propensity: expected a propensity between 1e-40 and 1, got 0",
        ),
        (
            "logged.csv",
            "round_id,arm_id,propensity,y_a,x_u\n0,1,1.01,1,0\n",
            "logged.csv:2:propensity: expected a propensity",
        ),
        (
            "logged.csv",
            "round_id,arm_id,propensity,y_a,x_u\n0,2,1,1,0\n",
            "logged.csv:2:arm_id: there is no arm `2`",
        ),
        (
            "logged.csv",
            "round_id,arm_id,propensity,y_a,x_u\n0,1,1,1,0\n0,1,1,1,0\n",
            "logged.csv:3:round_id: round `0` occurs twice",
        ),
        (
            "candidates.csv",
            "round_id,y_a,x_u\n0,1,0\n1,0,0\n0,1,0\n",
            "candidates.csv:4:round_id: round `0` occurs twice",
        ),
    ] {
        let Checked { dataset, findings, .. } = told_of(file, text);
        let first = findings.kept().first().map(ToString::to_string).unwrap_or_default();
        assert!(first.starts_with(expected), "{text:?}: {first}");
        assert!(dataset.is_none(), "{text:?}");
    }
}

/// A complete last row may still be cut off inside its last number. That is a warning and not an error.
#[test]
fn a_file_that_is_cut_off_is_told_from_one_that_is_ragged() {
    let cut = told_of("arms.csv", "arm_id,a_u,y_a\n0,0,1\n1,0");
    let told: Vec<String> = cut.findings.kept().iter().map(ToString::to_string).collect();
    assert_eq!(told[1], "arms.csv:3: the file is cut off: its last row has 2 of 3 values");
    let whole = told_of("arms.csv", "arm_id,a_u,y_a\n0,0,1\n1,0,0.2");
    assert!(whole.dataset.is_some());
    assert_eq!((whole.findings.errors(), whole.findings.warnings()), (0, 1));
}

#[test]
fn what_a_spreadsheet_writes_is_read_with_warnings() {
    let Checked { dataset, findings, .. } =
        told_of("arms.csv", "\u{feff}arm_id,a_u,y_a\r\n0,0,0.5\r\n1,1,0.25\r\n");
    let Content::Arms(means) = &dataset.as_ref().unwrap().problems[0].content else { panic!("arms") };
    assert_eq!(means.as_slice(), [0.5, 0.25]);
    assert_eq!((findings.errors(), findings.warnings()), (0, 2));
}

#[test]
fn numbers_that_meta_states_are_held_against_the_tables() {
    for (stated, expected) in [
        (r#""n_arms": 3"#, "meta.json:p: meta.json states n_arms = 3, the files have 2"),
        (r#""context_dim": 2"#, "states context_dim = 2, the files have 1"),
        (r#""x_max_norm": 0.9"#, "states x_max_norm = 0.9, the files have 1"),
    ] {
        let Checked { findings, .. } = told(&format!("{ARMS}, {stated}"), &[("arms.csv", GOOD_ARMS)]);
        assert!(findings.kept()[0].to_string().contains(expected), "{:?}", findings.kept());
    }
}

/// A changed digit changes neither the length nor the number of rows.
#[test]
fn a_file_is_held_against_its_digest() {
    let digest = "314b64b93e95ffd18385ef5941c22560064d9425e0ca87372e995b15bcd89223";
    let with = |table: &str| {
        let files = format!(r#"}}], "files": [{{ "path": "arms.csv", "bytes": 32, "sha256": "{digest}""#);
        let meta = meta(ARMS).replace("}] }", &format!("{files} }}] }}"));
        check(folder(&[("meta.json", &meta), ("arms.csv", table)]).path(), 20)
    };
    assert!(with(GOOD_ARMS).dataset.is_some());
    let changed = with(&GOOD_ARMS.replace("0.25", "0.35"));
    assert!(changed.dataset.is_none());
    let [finding] = changed.findings.kept() else { panic!("{:?}", changed.findings) };
    assert_eq!(finding.fault.code(), "digest");
    assert!(
        finding.to_string().contains(&format!("arms.csv: meta.json states sha256 = {digest}")),
        "{finding}"
    );
    let longer = with(&GOOD_ARMS.replace("0.25", "0.125"));
    let codes: Vec<&str> = longer.findings.kept().iter().map(|finding| finding.fault.code()).collect();
    assert_eq!(codes, ["stated"], "another length is reported once");
}

#[test]
fn a_meta_that_describes_nothing_is_refused() {
    for (text, expected) in [
        ("", "meta.json:1: EOF"),
        ("{", "meta.json:1: EOF"),
        (r#"{ "format": "mob-data/1" }"#, "missing field `problems`"),
        (
            r#"{ "format": "mob-data/2", "problems": [] }"#,
            "expected the format `mob-data/1`, got `mob-data/2`",
        ),
        (&meta(r#""kind": "some""#), "unknown variant `some`"),
        (&meta(r#""kind": "full""#), "problem `p` needs a table `rounds`"),
        (&meta(r#""kind": "arms", "arms": "gone.csv""#), "gone.csv: cannot be read"),
        (&meta(r#""kind": "arms", "arms": "arms.xls""#), "arms.xls: expected a table in .csv"),
    ] {
        let folder = folder(&[("meta.json", text)]);
        let Err(error @ DataError::Findings { .. }) = load(folder.path()) else { panic!("{text}") };
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    assert!(load(Path::new("/nowhere/at/all")).is_err());
}

#[test]
fn more_findings_than_asked_for_are_counted() {
    let rows: String = (0..100).map(|k| format!("{k},2,0\n")).collect();
    let text = format!("arm_id,a_u,y_a\n{rows}");
    let meta = meta(ARMS);
    let folder = folder(&[("meta.json", &meta), ("arms.csv", &text)]);
    let checked = check(folder.path(), 3);
    assert_eq!((checked.findings.kept().len(), checked.findings.errors()), (3, 100));
    let error = load(folder.path()).unwrap_err().to_string();
    assert!(error.ends_with("(and 99 more; moglb data check shows them)"), "{error}");
}

/// Equal numbers in another format are equal data.
#[test]
fn json_lines_read_like_csv() {
    let lines = "{\"arm_id\":0,\"a_u\":0,\"y_a\":0.5}\n{\"arm_id\":\"1\",\"y_a\":0.25,\"a_u\":1}\n";
    let from_lines = told(r#""kind": "arms", "arms": "arms.jsonl""#, &[("arms.jsonl", lines)]);
    let from_csv = told_of("arms.csv", GOOD_ARMS);
    assert_eq!(from_lines.dataset, from_csv.dataset);
    for (lines, expected) in [
        ("{\"arm_id\":0,\"a_u\":0,\"y_a\":null}\n", "arms.jsonl:1:y_a: expected a value"),
        (
            "{\"arm_id\":0,\"a_u\":0,\"y_a\":0}\n{\"arm_id\":1,\"a_u\":0}\n",
            "arms.jsonl:2:y_a: expected a value",
        ),
        ("{\"arm_id\":0,\"a_u\":0,\"y_a\":0}\n[1]\n", "arms.jsonl:2: cannot be read: expected an object"),
        ("{\"arm_id\":0,\"a_u\":[1],\"y_a\":0}\n", "arms.jsonl:1:a_u: expected a number, got `[1]`"),
        ("", "arms.jsonl: expected a row"),
    ] {
        let checked = told(r#""kind": "arms", "arms": "arms.jsonl""#, &[("arms.jsonl", lines)]);
        let first = checked.findings.kept()[0].to_string();
        assert!(first.starts_with(expected), "{lines}: {first}");
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_the_feature_parquet_is_refused_with_a_reason() {
    let checked = told(r#""kind": "arms", "arms": "arms.parquet""#, &[("arms.parquet", "PAR1")]);
    assert!(checked.findings.kept()[0].to_string().contains("this build reads no Parquet"));
}
