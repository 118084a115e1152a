//! Tests that every section runs, at sizes that are too small to measure speed.

use std::collections::BTreeSet;
use std::process::{Command, Output};

const SECTIONS: [&str; 10] = [
    "limits",
    "windows",
    "streaming",
    "fresh",
    "policies",
    "front",
    "figure1",
    "reproduce",
    "state",
    "growth",
];

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moglb-bench")).args(arguments).output().expect("the program starts")
}

#[test]
fn a_quick_run_measures_every_section_and_writes_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("performance.md");
    let output = bench(&["--quick", "--no-reference", "--report", report.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut seen = BTreeSet::new();
    let records = String::from_utf8(output.stdout).unwrap();
    for line in records.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record in each line");
        assert!(
            record["spread"]["median"].as_f64().is_some_and(|m| m > 0.0) || record["note"].is_string(),
            "{line}"
        );
        seen.insert(record["section"].as_str().expect("a section").to_string());
    }
    assert!(seen.remove("machine"));
    assert_eq!(seen, SECTIONS.map(String::from).into());
    let text = std::fs::read_to_string(&report).unwrap();
    assert!(text.contains("numbers mean nothing") && text.contains("not measured in this run"));

    // The report depends only on the records.
    let (saved, again) = (folder.path().join("records.jsonl"), folder.path().join("again.md"));
    std::fs::write(&saved, records).unwrap();
    let output = bench(&["--from", saved.to_str().unwrap(), "--report", again.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_to_string(&again).unwrap(), text);
}

#[test]
fn an_unknown_section_is_refused_with_those_there_are() {
    let output = bench(&["windoze"]);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && words.contains("`windoze`"), "{words}");
    assert!(SECTIONS.iter().all(|section| words.contains(section)), "{words}");
}
