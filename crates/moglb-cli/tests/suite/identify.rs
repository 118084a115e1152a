//! `moglb identify`: files, tables, errors, and the same bytes on any number of threads.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const FILES: [&str; 5] = ["config.toml", "identify.png", "identify.svg", "results.csv", "summary.json"];
const EXPERIMENT: &str = "name = 'small'\ntrials = 4\n\
    environments = [{ id = 'spread', dim = 4, gap = 0.2 }]\n\
    identifiers = [{ id = 'auer', accuracy = 0.2 }, { id = 'gege-budget', budget = 400 }]";

fn identify(folder: &Path, text: &str, out: &str, more: &[&str]) -> Output {
    let file = folder.join("experiment.toml");
    fs::write(&file, text).unwrap();
    let out = folder.join(out);
    let args = [&["identify", file.to_str().unwrap(), "--out", out.to_str().unwrap()], more].concat();
    Command::new(env!("CARGO_BIN_EXE_moglb")).args(args).output().unwrap()
}

fn files(folder: &Path) -> [Vec<u8>; 5] {
    FILES.map(|name| fs::read(folder.join(name)).unwrap())
}

#[test]
fn every_file_is_written_with_the_same_bytes_on_any_threads() {
    let folder = tempfile::tempdir().unwrap();
    let output = identify(folder.path(), EXPERIMENT, "one", &["--threads", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.lines().count() == 3 && stdout.contains("gege-budget"), "{stdout}");
    let one = folder.path().join("one");
    let mut names: Vec<_> =
        fs::read_dir(&one).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, FILES);
    let json: Value = serde_json::from_slice(&fs::read(one.join("summary.json")).unwrap()).unwrap();
    assert_eq!(
        (json["format"].as_str(), json["experiment"]["trials"].as_u64()),
        (Some("moglb.identify/1"), Some(4))
    );
    assert_eq!(json["runs"][0]["params"]["delta"], 0.05, "defaults are filled in");
    assert_eq!(json["runs"][1]["samples"]["most"].as_u64().map(|most| most <= 400), Some(true));
    let csv = fs::read_to_string(one.join("results.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 4);

    let output = identify(folder.path(), EXPERIMENT, "two", &["--threads", "2", "--json", "--quiet"]);
    assert_eq!(output.stdout, fs::read(one.join("summary.json")).unwrap());
    assert!(output.stderr.is_empty(), "quiet");
    assert!(files(&one) == files(&folder.path().join("two")), "some file differs");
    let config = fs::read_to_string(one.join("config.toml")).unwrap();
    assert!(identify(folder.path(), &config, "three", &["--quiet"]).status.success());
    assert!(files(&one) == files(&folder.path().join("three")), "the written experiment is the same");
}

#[test]
fn what_cannot_be_run_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    for (text, word) in [
        ("trials = 0\nenvironments = []\nidentifiers = []", "trials"),
        ("environments = [{ id = 'paper-fresh', dim = 3 }]\nidentifiers = [{ id = 'auer' }]", "fixed arms"),
        ("environments = [{ id = 'spread', dim = 3 }]\nidentifiers = [{ id = 'auer', delta = 2 }]", "delta"),
        ("horizon = 3\nenvironments = []\nidentifiers = []", "horizon"),
    ] {
        let output = identify(folder.path(), text, "out", &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
        assert!(stderr.contains(word), "{stderr}");
        assert!(!folder.path().join("out").exists(), "nothing is written");
    }
}
