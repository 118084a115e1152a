//! Unusual files, standard outputs and standard errors: links, devices, full disks and closed pipes.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_moglb");
const TABLE: &str = "x,y\n1,2\n2,1\n0,0\n";
const FRONT: &str = "x,y\n1,2\n2,1\n";

/// Runs a shell command line in a folder; `moglb` in it is the program under test.
fn shell(folder: &Path, line: &str) -> Output {
    let line = format!("moglb() {{ '{PROGRAM}' \"$@\"; }}; {line}");
    Command::new("sh").args(["-c", &line]).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// The exit code and the text on standard error.
fn told(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn failed(output: &Output, expected: &str) {
    let (code, told) = told(output);
    assert_eq!((code, told.lines().count()), (Some(1), 1), "{told}");
    assert!(told.contains(expected), "{told}");
}

/// The files of a folder with their contents.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

/// A folder with a table, an experiment with one policy and an experiment with two policies.
fn workshop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.csv"), TABLE).unwrap();
    for (name, policies) in
        [("one", "{ id = 'random' }"), ("two", "{ id = 'random' }, { id = 'moglb-ucb', c = 1 }")]
    {
        let text = format!(
            "horizon = 120\ntrials = 2\nenvironments = [{{ id = 'paper', dim = 3 }}]\npolicies = [{policies}]"
        );
        fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
    }
    folder
}

#[test]
fn a_file_out_keeps_its_mode_and_what_is_no_file_is_written_into() {
    let folder = workshop();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("secret.csv"), "").unwrap();
    fs::set_permissions(path("secret.csv"), Permissions::from_mode(0o600)).unwrap();
    assert!(shell(folder.path(), "moglb front table.csv -q --out secret.csv").status.success());
    assert_eq!(fs::metadata(path("secret.csv")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(path("secret.csv")).unwrap(), FRONT);

    let output =
        shell(folder.path(), "mkfifo fifo; timeout 10 cat fifo & moglb front table.csv -q --out fifo; wait");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), FRONT);
    assert!(fs::metadata(path("fifo")).unwrap().file_type().is_fifo());

    symlink("/dev/stdout", path("out")).unwrap();
    for line in [
        "moglb front table.csv -q --out out",
        "echo head > f; moglb front table.csv -q --out out >> f; cat f",
    ] {
        let output = shell(folder.path(), line);
        assert!(String::from_utf8(output.stdout).unwrap().ends_with(FRONT), "{line}");
    }
    assert!(fs::read_to_string(path("f")).unwrap().starts_with("head\n"));
    assert!(fs::symlink_metadata(path("out")).unwrap().is_symlink());
}

/// In a shared folder, another user can create links before the command runs.
#[test]
fn links_at_the_names_of_other_files_are_not_followed() {
    let folder = workshop();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("victim"), "precious").unwrap();
    symlink(path("victim"), path(".out.csv.tmp")).unwrap();
    assert!(shell(folder.path(), "moglb front table.csv -q --out out.csv").status.success());
    fs::create_dir(path("results")).unwrap();
    for log in ["ln -s", "ln", "mkfifo"] {
        let make = if log == "mkfifo" { log.into() } else { format!("{log} \"$PWD/victim\"") };
        for how in ["", "--resume"] {
            let line = format!("rm -f results/.cells; {make} results/.cells; moglb run one.toml -q {how}");
            failed(&shell(folder.path(), &line), "results/.cells: expected a");
        }
    }
    fs::remove_file(path("results/.cells")).unwrap();
    for name in [".summary.json.tmp", ".report.html.tmp", ".config.toml.tmp"] {
        symlink(path("victim"), path("results").join(name)).unwrap();
    }
    assert!(shell(folder.path(), "moglb run one.toml -q").status.success());
    assert_eq!(fs::read(path("victim")).unwrap(), b"precious");
}

/// A limit on the size of files simulates a full disk: the log of cells fits, the table does not.
#[test]
fn a_failure_while_a_folder_is_written_leaves_the_old_files() {
    let folder = workshop();
    let results = folder.path().join("results");
    assert!(shell(folder.path(), "moglb run one.toml -q").status.success());
    let before = files(&results);
    let output = shell(folder.path(), "trap '' XFSZ; ulimit -f 80; moglb run two.toml -q");
    failed(&output, "File too large");
    let mut after = files(&results);
    assert!(after.remove(&results.join(".cells")).is_some(), "what was played is kept");
    assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
    assert!(after == before, "some file has changed");
    assert!(shell(folder.path(), "moglb run two.toml -q --resume").status.success());
    let finished = files(&results);
    assert!(!finished.contains_key(&results.join(".cells")) && finished != before);
}

#[test]
fn a_write_protected_file_is_refused_before_anything_is_played() {
    let folder = workshop();
    assert!(shell(folder.path(), "moglb run one.toml -q").status.success());
    let before = files(&folder.path().join("results"));
    let output = shell(folder.path(), "chmod a-w results/report.html; moglb run two.toml -q");
    failed(&output, "report.html is write-protected");
    assert!(files(&folder.path().join("results")) == before);
}

/// A process that is killed between two renames leaves a marker, which the test writes itself.
#[test]
fn a_folder_of_two_runs_is_recognized_and_mended() {
    let folder = workshop();
    let marker = folder.path().join("results").join(".moglb-unfinished");
    assert!(shell(folder.path(), "moglb run one.toml -q").status.success());
    fs::write(&marker, "# explanation\nreport.html\n").unwrap();
    assert!(shell(folder.path(), "moglb report results -q").status.success(), "its sources are whole");
    assert!(!marker.exists());
    fs::write(&marker, "# explanation\nreport.html\nsummary.json\n").unwrap();
    let (code, told) = told(&shell(folder.path(), "moglb report results -q"));
    assert_eq!((code, told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("old and new files are mixed") && told.contains("--resume"), "{told}");
    assert!(
        shell(folder.path(), "moglb run one.toml -q --resume && moglb report results -q").status.success()
    );
    assert!(!marker.exists());
}

/// Threads start after the folder was checked and its log was opened.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_vanishes_is_noticed_at_the_next_finished_cell() {
    let folder = workshop();
    let [results, away] = ["results", "away"].map(|name| folder.path().join(name));
    let run = "horizon = 300\ntrials = 20000\nenvironments = [{ id = 'paper', dim = 3 }]\n\
               policies = [{ id = 'random' }]";
    let identify = "trials = 1000000\nenvironments = [{ id = 'spread', dim = 4, gap = 0.2 }]\n\
                    identifiers = [{ id = 'gege-budget', budget = 400 }]";
    for (command, text) in [("run", run), ("identify", identify)] {
        fs::write(folder.path().join("long.toml"), text).unwrap();
        for is_replaced in [false, true] {
            let mut long = Command::new(PROGRAM);
            let long = long.args([command, "long.toml", "-q", "--out", "results"]).current_dir(folder.path());
            let mut child = long.stderr(Stdio::piped()).spawn().unwrap();
            let threads = PathBuf::from(format!("/proc/{}/task", child.id()));
            while fs::read_dir(&threads).map_or(0, Iterator::count) < 2 {
                assert!(child.try_wait().unwrap().is_none(), "{command} ended too early");
                std::thread::yield_now();
            }
            fs::rename(&results, &away).unwrap();
            if is_replaced {
                fs::create_dir(&results).unwrap();
            }
            failed(&child.wait_with_output().unwrap(), "was removed, moved or replaced");
            assert_eq!(results.exists(), is_replaced && fs::read_dir(&results).unwrap().count() == 0);
            fs::remove_dir_all(&away).unwrap();
            let _ = fs::remove_dir_all(&results);
        }
    }
}

#[test]
fn standard_error_changes_no_exit_code() {
    let folder = workshop();
    fs::create_dir(folder.path().join("results")).unwrap();
    for to in ["2>&-", "2>/dev/full"] {
        // The remains of an interrupted run, about which the command prints a message.
        fs::write(folder.path().join("results/.cells"), "torn").unwrap();
        for (line, expected) in [
            ("moglb run one.toml", 0),
            ("moglb report results", 0),
            ("moglb front table.csv", 0),
            ("moglb front nowhere.csv", 2),
            ("moglb fly", 2),
            ("moglb front table.csv --out no/such", 1),
        ] {
            let output = shell(folder.path(), &format!("{line} {to}"));
            assert_eq!(output.status.code(), Some(expected), "{line} {to}");
        }
        assert!(folder.path().join("results/summary.json").exists());
    }
}

#[test]
fn data_that_cannot_be_printed_is_exit_code_1() {
    let folder = workshop();
    // A link, never the device itself: as root a faulty program could replace the device.
    symlink("/dev/stdout", folder.path().join("out")).unwrap();
    for command in ["front table.csv -q", "policies", "--version", "front table.csv -q --out out"] {
        failed(
            &shell(folder.path(), &format!("moglb {command} >/dev/full")),
            "standard output: No space left",
        );
        let (code, told) = told(&shell(folder.path(), &format!("moglb {command} >/dev/null")));
        assert_eq!((code, told.as_str()), (Some(0), ""), "{command}");
    }
}

/// A closed standard output is an error; a standard output that is `/dev/null`, however it was opened, is
/// not.
#[test]
fn a_closed_standard_output_is_told_from_a_null_device() {
    let folder = workshop();
    for command in ["front table.csv -q", "policies", "--version", "run one.toml --json -q"] {
        failed(&shell(folder.path(), &format!("moglb {command} >&-")), "standard output is closed");
        for null in [">/dev/null", "1<>/dev/null"] {
            let output = shell(folder.path(), &format!("moglb {command} {null}"));
            assert_eq!(told(&output), (Some(0), String::new()), "{command} {null}");
        }
    }
    assert_eq!(shell(folder.path(), "moglb policies >&- 2>&-").status.code(), Some(1));
    assert!(shell(folder.path(), "moglb run one.toml -q >&-").status.success(), "nothing was to be printed");
}
