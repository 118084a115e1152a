//! The command as its users see it: files, exit codes, one-line errors, interruption.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SMALL: [&str; 8] = ["--dims", "3,4", "--horizon", "120", "--trials", "3", "--tuning-trials", "2"];

fn moglb(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moglb")).args(args).output().unwrap()
}

fn reproduce(out: &Path, more: &[&str]) -> Output {
    moglb(&[&["reproduce", "--out", out.to_str().unwrap()], &SMALL[..], more].concat())
}

fn summary(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

/// The summary of a folder without the time that the run took.
fn timeless(folder: &Path) -> Value {
    let mut summary = summary(folder);
    for run in summary["runs"].as_array_mut().unwrap() {
        run["seconds"] = Value::Null;
    }
    summary
}

#[test]
fn reproduce_writes_what_the_contract_lists() {
    let folder = tempfile::tempdir().unwrap();
    let output = reproduce(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = [
        "config.toml",
        "figure1.png",
        "figure1.svg",
        "figure2.png",
        "figure2.svg",
        "report.html",
        "results.csv",
        "results.parquet",
        "summary.json",
    ];
    assert_eq!(names, expected);

    let summary = summary(folder.path());
    assert_eq!(summary["format"], "moglb.summary/1");
    let runs = summary["runs"].as_array().unwrap();
    let policies = ["moglb-ucb", "p-ucb", "s-ucb", "p-ts", "random"];
    let order: Vec<_> =
        runs.iter().map(|run| (run["dim"].as_u64().unwrap(), run["policy"].as_str().unwrap())).collect();
    let expected: Vec<_> = [3, 4].iter().flat_map(|&dim| policies.map(|policy| (dim, policy))).collect();
    assert_eq!(order, expected);
    for run in runs {
        let points = run["t"].as_array().unwrap().len();
        assert_eq!(run["arms"].as_u64().unwrap(), 4 * run["dim"].as_u64().unwrap());
        assert_eq!(run["pareto_regret"]["mean"].as_array().unwrap().len(), points);
        assert_eq!(run["pareto_regret"]["ci95"].as_array().unwrap().len(), points);
        assert_eq!(run["final"]["pareto_regret"].as_array().unwrap().len(), 3);
        assert_eq!(run["final"]["exposure_entropy"].as_array().unwrap().len(), 3);
        assert_eq!(run["jaccard"].is_null(), ["s-ucb", "random"].contains(&run["policy"].as_str().unwrap()));
        assert_eq!(run["rounds"], 360);
    }
    assert_eq!(runs[0]["params"]["lambda"], 1.0);
    assert_eq!(runs[0]["tuning"]["grid"].as_array().unwrap().len(), 7);
    assert_eq!(runs[0]["tuning"]["seeds"], "disjoint");
    assert_eq!(runs[0]["params"]["c"], runs[0]["tuning"]["chosen"]);
    let csv = fs::read_to_string(folder.path().join("results.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 5 * 3 * 120);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("Pareto regret"),
        "a table goes to standard output"
    );
}

#[test]
fn the_numbers_do_not_depend_on_threads_and_come_again_from_config_toml() {
    let folder = tempfile::tempdir().unwrap();
    let [one, four, again] = ["one", "four", "again"].map(|name| folder.path().join(name));
    assert!(reproduce(&one, &["--threads", "1", "--quiet"]).status.success());
    assert!(reproduce(&four, &["--threads", "4", "--quiet"]).status.success());
    assert_eq!(timeless(&one), timeless(&four));
    assert_eq!(fs::read(one.join("results.csv")).unwrap(), fs::read(four.join("results.csv")).unwrap());
    assert_eq!(
        fs::read(one.join("results.parquet")).unwrap(),
        fs::read(four.join("results.parquet")).unwrap()
    );
    let config = one.join("config.toml");
    assert!(
        moglb(&["run", config.to_str().unwrap(), "--out", again.to_str().unwrap(), "-q"]).status.success()
    );
    assert_eq!(timeless(&one), timeless(&again));
    assert_eq!(fs::read(one.join("figure1.svg")).unwrap(), fs::read(again.join("figure1.svg")).unwrap());
}

#[test]
fn report_renders_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    assert!(reproduce(folder.path(), &["--quiet"]).status.success());
    let pictures = ["report.html", "figure1.svg", "figure1.png", "figure2.svg", "figure2.png"];
    let before = pictures.map(|name| fs::read(path(name)).unwrap());
    pictures.iter().for_each(|name| fs::remove_file(path(name)).unwrap());
    let output = moglb(&["report", folder.path().to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(before, pictures.map(|name| fs::read(path(name)).unwrap()));
}

#[test]
fn json_goes_to_standard_output_and_quiet_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = reproduce(folder.path(), &["--json", "--quiet"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed, summary(folder.path()));
    let output = reproduce(folder.path(), &["--quiet"]);
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
}

/// Every mistake gives exit code 2 and one line that names it, and nothing is written.
#[test]
fn bad_usage_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let broken = write("broken.toml", "horizon = 5\nseed = = 1");
    let empty = write("empty.toml", "");
    let unknown = write("unknown.toml", "seed = 1\ncolour = 1\nenvironments = []\npolicies = []");
    let fresh =
        write("fresh.toml", "environments = [{ id = 'paper-fresh', dim = 3 }]\npolicies = [{ id = 'p-ts' }]");
    let huge = write(
        "huge.toml",
        "environments = [{ id = 'paper', dim = 3000000000000 }]\npolicies = [{ id = 'random' }]",
    );
    let list = (0..5000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let many = format!(
        "environments = [{{ id = 'paper', dim = 3, max_front = {{ each = [{list}] }} }}]\n\
         policies = [{{ id = 'moglb-ucb', c = {{ each = [{list}] }} }}]"
    );
    let many = write("many.toml", &many);
    let one_arm = write(
        "one.toml",
        "environments = [{ id = 'paper', dim = 3, max_front = 0 }]\npolicies = [{ id = 'random' }]",
    );
    let binary = folder.path().join("binary.toml");
    fs::write(&binary, [0xff, 0xfe, 0]).unwrap();
    let binary = binary.to_str().unwrap();
    for (args, expected) in [
        (vec!["reproduce", "--policies", "nobody"], "there is no policy `nobody`"),
        (vec!["reproduce", "--policies", ""], "there is no policy ``"),
        (vec!["reproduce", "--dims", "0"], "0 is not in 1.."),
        (vec!["reproduce", "--dims", "18446744073709551615"], "number too large"),
        (vec!["reproduce", "--dims", "1000000"], "too many for this machine"),
        (vec!["reproduce", "--policies", "a\nb"], "there is no policy `a\\nb`"),
        (vec!["reproduce", "--dims", "x"], "invalid value 'x'"),
        (vec!["reproduce", "--horizon", "0"], "horizon must lie between 1"),
        (vec!["reproduce", "--horizon", "18446744073709551615"], "horizon must lie between 1"),
        (vec!["reproduce", "--trials", "0"], "trials must lie between 1"),
        (vec!["reproduce", "--seed", "-1"], "unexpected argument '-1'"),
        (vec!["reproduce", "--seed", "18446744073709551615"], "seed must lie between 0"),
        (vec!["reproduce", "--colour"], "unexpected argument '--colour'"),
        (vec!["run", "missing.toml"], "missing.toml: No such file"),
        (vec!["run", &broken], "line 2"),
        (vec!["run", &many], "the number of runs must lie between 1 and 10000, got 25000000"),
        (vec!["run", &one_arm], "no arm set with a front of at most 0"),
        (vec!["run", &empty], "missing field `environments`"),
        (vec!["run", &unknown], "line 2: unknown field `colour`"),
        (vec!["run", &fresh], "policies[0] (p-ts): policy p-ts keeps statistics per arm"),
        (vec!["run", &huge], "too many for this machine"),
        (vec!["run", binary], "valid UTF-8"),
        (vec!["report", "nowhere"], "summary.json: No such file"),
        (vec!["fly"], "unrecognized subcommand 'fly'"),
    ] {
        let runs = matches!(args.first(), Some(&("reproduce" | "run")));
        let out_args = ["--out", out.to_str().unwrap()];
        let output = moglb(&[&args[..], if runs { &out_args } else { &[] }].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(expected), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
        assert!(output.stdout.is_empty() && !out.exists(), "{args:?}");
    }
}

#[test]
fn the_environment_gives_the_memory_limit() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = |limit: &str| {
        let size = ["--dims", "50", "--horizon", "5", "--trials", "1", "--policies", "random"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_moglb"));
        command.env("MOGLB_MEMORY_LIMIT", limit).args([
            "reproduce",
            "--quiet",
            "--out",
            out.to_str().unwrap(),
        ]);
        let output = command.args(size).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    // The 4d arms need 80 000 bytes.
    let (code, stderr) = run("79999");
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("200 rows of 50 values are too many"), "{stderr}");
    let (code, stderr) = run("much");
    assert_eq!(code, Some(2), "{stderr}");
    assert!(
        stderr.contains("MOGLB_MEMORY_LIMIT: must be a positive number of bytes, got `much`"),
        "{stderr}"
    );
    assert_eq!(run("80000"), (Some(0), String::new()));
}

#[test]
fn a_damaged_summary_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(reproduce(folder.path(), &["--quiet"]).status.success());
    let path = folder.path().join("summary.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut shorter: Value = serde_json::from_str(&text).unwrap();
    shorter["runs"][0]["t"].as_array_mut().unwrap().pop();
    for (damaged, expected) in [
        (text[..text.len() / 2].to_string(), "summary.json: "),
        (
            text.replace("moglb.summary/1", "moglb.summary/9"),
            "expected format moglb.summary/1, got moglb.summary/9",
        ),
        (shorter.to_string(), "are not of one length"),
    ] {
        fs::write(&path, damaged).unwrap();
        let output = moglb(&["report", folder.path().to_str().unwrap()]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{stderr}");
    }
}

#[test]
fn too_many_threads_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = reproduce(folder.path(), &["--threads", "30000"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("threads must lie between 0 and 1024, got 30000"), "{stderr}");
}

#[test]
fn a_folder_that_cannot_be_made_is_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let output = reproduce(&file.join("out"), &[]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.lines().count()), (Some(1), 1), "{stderr}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child =
        Command::new(env!("CARGO_BIN_EXE_moglb")).arg("policies").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// A run that is interrupted by Ctrl-C and resumed gives the same numbers as without the interruption.
#[cfg(unix)]
#[test]
fn an_interrupted_run_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole", "broken"].map(|name| folder.path().join(name));
    let args = |out: &Path| -> Vec<String> {
        let line =
            "reproduce --dims 10 --horizon 4000 --trials 8 --tuning-trials 2 --threads 1 --quiet --out";
        line.split(' ').chain([out.to_str().unwrap()]).map(String::from).collect()
    };
    let mut child =
        Command::new(env!("CARGO_BIN_EXE_moglb")).args(args(&broken)).stderr(Stdio::piped()).spawn().unwrap();
    // Wait until a few cells are on disk.
    let log = broken.join(".cells");
    while fs::metadata(&log).map_or(0, |file| file.len()) < 20_000 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be interrupted");
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("interrupted with") && stderr.contains("--resume"), "{stderr}");
    assert!(!broken.join("summary.json").exists());

    let other = Command::new(env!("CARGO_BIN_EXE_moglb"))
        .args(args(&broken))
        .args(["--resume", "--seed", "2"])
        .output()
        .unwrap();
    let stderr = String::from_utf8(other.stderr).unwrap();
    assert_eq!(other.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("belongs to another experiment"), "{stderr}");

    let resume =
        Command::new(env!("CARGO_BIN_EXE_moglb")).args(args(&broken)).arg("--resume").output().unwrap();
    assert!(resume.status.success(), "{}", String::from_utf8_lossy(&resume.stderr));
    assert!(Command::new(env!("CARGO_BIN_EXE_moglb")).args(args(&whole)).status().unwrap().success());
    assert_eq!(timeless(&whole), timeless(&broken));
    assert!(!log.exists());
}

#[test]
fn a_second_run_into_the_same_folder_is_refused_until_the_first_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let command = |horizon: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_moglb"));
        let small = "reproduce --dims 3 --trials 2 --tuning-trials 1 --threads 1 --quiet";
        command.args(small.split(' ')).args(["--horizon", horizon, "--out"]).arg(folder.path());
        command
    };
    let mut first = command("1000000000").spawn().unwrap();
    let log = folder.path().join(".cells");
    while fs::metadata(&log).map_or(0, |file| file.len()) == 0 {
        assert!(first.try_wait().unwrap().is_none(), "the first run is still going on");
        std::thread::yield_now();
    }
    let before = fs::read(&log).unwrap();
    for more in [&[][..], &["--resume"]] {
        let second = command("100").args(more).output().unwrap();
        let stderr = String::from_utf8(second.stderr).unwrap();
        assert_eq!(second.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("another run is writing into"), "{stderr}");
    }
    assert!(fs::read(&log).unwrap() == before, "a refused run changes nothing");
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(command("100").status().unwrap().success(), "who was killed holds nothing");
}

/// Every experiment in `examples/` can be read, planned and run, on a small scale.
#[test]
fn the_example_experiments_run() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for file in fs::read_dir(root.join("examples")).unwrap().map(|file| file.unwrap().path()) {
        let mut table: toml::Table = fs::read_to_string(&file).unwrap().parse().unwrap();
        let command = if table.contains_key("identifiers") { "identify" } else { "run" };
        let small: &[(&str, i64)] = match command {
            "identify" => &[("trials", 2), ("most_samples", 20_000)],
            _ => &[("horizon", 60), ("trials", 2), ("tuning_trials", 1)],
        };
        for (key, value) in small {
            table.insert((*key).into(), toml::Value::Integer(*value));
        }
        let small = folder.path().join("small.toml");
        fs::write(&small, table.to_string()).unwrap();
        let out = folder.path().join("out");
        // Paths of data folders are relative to the root of the repository.
        let mut program = Command::new(env!("CARGO_BIN_EXE_moglb"));
        let output =
            program.current_dir(&root).arg(command).arg(&small).arg("--out").arg(&out).output().unwrap();
        assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
        count += 1;
    }
    assert!(count >= 3, "{count} examples");
}

#[test]
fn a_figure_of_another_run_does_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    assert!(reproduce(folder.path(), &["--quiet"]).status.success());
    assert!(folder.path().join("figure2.svg").exists());
    assert!(reproduce(folder.path(), &["--quiet", "--policies", "random"]).status.success());
    assert!(!folder.path().join("figure2.svg").exists() && !folder.path().join("figure2.png").exists());
}

/// Environments that differ in any parameter have different rows.
#[test]
fn rows_of_the_table_are_told_apart_by_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let text = "horizon = 5\ntrials = 2\npolicies = [{ id = 'random' }]\n\
        [[environments]]\nid = 'paper'\ndim = 3\narms = { each = [12, 20] }\n\
        [[environments]]\nid = 'paper'\ndim = 3\nlinks = ['logit', 'probit']\n";
    fs::write(&file, text).unwrap();
    let out = folder.path().join("out");
    assert!(moglb(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "-q"]).status.success());
    let csv = fs::read_to_string(out.join("results.csv")).unwrap();
    // All columns except for the five measured ones.
    let mut keys: Vec<&str> = csv.lines().skip(1).map(|line| line.rsplitn(6, ',').last().unwrap()).collect();
    assert_eq!(keys.len(), 3 * 2 * 5);
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 3 * 2 * 5);
}

/// `cargo xtask figures` writes the page again.
#[test]
fn the_documented_policies_are_those_of_the_program() {
    let stored =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policies.md")).unwrap();
    assert_eq!(stored, String::from_utf8(moglb(&["policies", "--markdown"]).stdout).unwrap());
}

/// Every policy and identifier is listed in the order of the registry, with all its fields.
#[test]
fn the_list_of_policies_says_all_of_each() {
    let printed = String::from_utf8(moglb(&["policies"]).stdout).unwrap();
    let (policies, identifiers) =
        printed.split_once("\nFinding the front (moglb identify):\n\n").expect("two lists");
    let entry = |id, name, lines: [&str; 4], parameters: &[moglb::Parameter]| {
        let [setting, source, guarantee, cost] = lines;
        let first = [format!("{id} {name}: {setting}"), source.into(), guarantee.into(), cost.into()];
        let parameter = |it: &moglb::Parameter| format!("{} = {} {}", it.name, it.default, it.meaning);
        first.into_iter().chain(parameters.iter().map(parameter)).collect::<Vec<String>>()
    };
    let known: Vec<_> = moglb::POLICIES
        .iter()
        .map(|it| entry(it.id, it.name, [it.setting, it.source, it.guarantee, it.cost], it.parameters))
        .collect();
    assert_eq!(entries(policies), known);
    let known: Vec<_> = moglb::IDENTIFIERS
        .iter()
        .map(|it| entry(it.id, it.name, [it.setting, it.source, it.guarantee, it.cost], it.parameters))
        .collect();
    assert_eq!(entries(identifiers), known);
}

/// The entries of a list and their lines, with repeated spaces replaced by one.
fn entries(list: &str) -> Vec<Vec<String>> {
    let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    list.trim_end().split("\n\n").map(|entry| entry.lines().map(line).collect()).collect()
}

/// The first page, the help of one command and the beginning of the list of policies are stored word for
/// word. The rules for all help texts are in `src/args/tests.rs`. `TRYCMD=overwrite cargo test -p moglb-cli`
/// writes the stored texts again.
#[test]
fn the_first_page_reads_as_stored() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
