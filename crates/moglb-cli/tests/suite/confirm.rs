//! `moglb confirm` on a small scale: files, warnings, and the same bytes on any number of threads and after
//! an interruption.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const FILES: [&str; 5] = ["confirm.csv", "confirm.json", "confirm.md", "confirm.png", "confirm.svg"];

fn moglb(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moglb")).args(args).output().unwrap()
}

fn confirm(out: &Path, more: &[&str]) -> Output {
    let small = ["confirm", "--cases", "paper-5,fresh", "--trials", "3", "--horizon", "120", "--out"];
    moglb(&[&small[..], &[out.to_str().unwrap()], more].concat())
}

fn files(folder: &Path) -> [Vec<u8>; 5] {
    FILES.map(|name| fs::read(folder.join(name)).unwrap())
}

#[test]
fn a_quick_look_writes_every_file_and_says_that_it_is_no_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let output = confirm(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, FILES);

    let stdout = String::from_utf8(output.stdout).unwrap();
    let markdown = fs::read_to_string(folder.path().join("confirm.md")).unwrap();
    for text in [&stdout, &markdown] {
        assert!(text.contains("NOT A CONFIRMATION") && text.contains(" of 8 lines met, "), "{text}");
    }
    let json: Value = serde_json::from_slice(&fs::read(folder.path().join("confirm.json")).unwrap()).unwrap();
    assert_eq!(json["format"], "moglb.confirm/1");
    assert_eq!(json["quick_look"], true);
    let cases = json["cases"].as_array().unwrap();
    assert_eq!(
        cases.iter().map(|case| case["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["paper-5", "fresh"]
    );
    for case in cases {
        let roles: Vec<_> = case["contenders"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
        assert_eq!(roles, ["challenger", "rival", "control"]);
        assert_eq!(case["contenders"][1]["tuning"]["grid"].as_array().unwrap().len(), 7);
    }
    assert_eq!(cases[0]["lines"][1]["t"], 20, "500 of 3000 rounds are 20 of 120");
    let csv = fs::read_to_string(folder.path().join("confirm.csv")).unwrap();
    assert_eq!(
        csv.lines().next().unwrap().split(',').take(5).collect::<Vec<_>>(),
        ["case", "role", "policy", "trial", "t"]
    );
    // Two cases, three contenders, three trials, 61 rounds.
    assert_eq!(csv.lines().count(), 1 + 2 * 3 * 3 * 61);
}

#[test]
fn the_bytes_do_not_depend_on_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    assert!(confirm(&one, &["--threads", "1", "--quiet"]).status.success());
    let output = confirm(&two, &["--threads", "2", "--json", "--quiet"]);
    assert!(files(&one) == files(&two), "some file differs");
    assert_eq!(output.stdout, fs::read(one.join("confirm.json")).unwrap());
    assert!(output.stderr.is_empty(), "quiet");
}

/// A confirmation that is interrupted by Ctrl-C and resumed gives the same bytes as without the interruption.
#[cfg(unix)]
#[test]
fn an_interrupted_confirmation_is_resumed_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
    let with_horizon = |horizon: u64, out: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_moglb"));
        let small = "confirm --cases paper-5,misspecified --trials 12 --threads 1 --quiet";
        command.args(small.split(' ')).args(["--horizon", &horizon.to_string(), "--out"]).arg(out);
        command
    };
    let command = |out: &Path| with_horizon(4000, out);
    let mut child = command(&broken).stderr(Stdio::piped()).spawn().unwrap();
    // Wait until a few cells of the second case are on disk.
    let log = broken.join(".cells-misspecified");
    while fs::metadata(&log).map_or(0, |file| file.len()) < 10_000 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be interrupted");
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    // Two cases with 7 × 12 tuning cells and 3 × 12 other cells each.
    assert!(stderr.contains("of 240 cells done") && stderr.contains("--resume"), "{stderr}");
    assert!(!broken.join("confirm.md").exists());

    let other = with_horizon(4001, &broken).arg("--resume").output().unwrap();
    let stderr = String::from_utf8(other.stderr).unwrap();
    assert_eq!(other.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("belongs to another experiment"), "{stderr}");
    assert!(command(&broken).arg("--resume").status().unwrap().success());
    assert!(command(&whole).status().unwrap().success());
    assert!(files(&whole) == files(&broken), "some file differs");
    assert!(!log.exists());
}

#[test]
fn mistakes_are_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    for (args, expected) in [
        (["--cases", "paper-6"], "case `paper-6`: there is no such case, only paper-5, paper-10"),
        (["--trials", "0"], "trials must lie between 1"),
        (["--horizon", "0"], "horizon must lie between 1"),
        (["--seed", "2"], "unexpected argument '--seed'"),
    ] {
        let output = moglb(&[&["confirm", "--out", out.to_str().unwrap()], &args[..]].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{args:?}: {stderr}");
        assert!(stderr.contains(expected) && !out.exists(), "{args:?}: {stderr}");
    }
}
