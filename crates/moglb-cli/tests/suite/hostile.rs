//! Hostile input: devices and pipes instead of files, sizes without bounds, names of megabytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The longest message, in characters. Lists of all policies may be longer and have their own bound.
const LONGEST: usize = 1000;
const LONGEST_LIST: usize = 4000;

/// Runs the command. A command that hangs ends with exit code 124.
fn moglb(args: &[&str]) -> Output {
    Command::new("timeout").arg("60").arg(env!("CARGO_BIN_EXE_moglb")).args(args).output().unwrap()
}

/// The message of a command that refuses its input: one line of visible characters.
fn refused(args: &[&str], longest: usize) -> String {
    let output = moglb(args);
    let told = String::from_utf8(output.stderr).unwrap();
    let shown: String = told.chars().take(2000).collect();
    let name = args.iter().map(|arg| arg.chars().take(80).collect()).collect::<Vec<String>>().join(" ");
    assert_eq!(output.status.code(), Some(2), "{name}: {shown}");
    let line = told.strip_suffix('\n').unwrap();
    let is_hidden = |c: char| {
        c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}')
    };
    assert!(!line.contains(is_hidden), "{name}: {shown:?}");
    assert!(line.chars().count() < longest, "{name}: {} characters: {shown}", line.chars().count());
    told
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().into()
    }

    /// Writes a file and returns its path.
    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        self.text(name)
    }

    /// Creates a folder of data with these files and returns its path.
    fn data(&self, name: &str, files: &[(&str, &str)]) -> String {
        fs::create_dir(self.path(name)).unwrap();
        files.iter().for_each(|(file, content)| fs::write(self.path(name).join(file), content).unwrap());
        self.text(name)
    }
}

/// A `meta.json` with this id, table and column.
fn meta(id: &str, table: &str, column: &str) -> String {
    serde_json::json!({ "format": "mob-data/1", "name": "n", "problems": [
        { "id": id, "kind": "arms", "arms": table, "objectives": [{ "column": column }] } ] })
    .to_string()
}

/// Opening a pipe waits for its writer, and a device has no end: both are refused before they are opened.
#[test]
#[cfg(unix)]
fn pipes_and_devices_are_no_files() {
    let folder = Folder::new();
    let pipe = |name: &str| {
        assert!(Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
        folder.text(name)
    };
    let (plain, csv, jsonl) = (pipe("pipe"), pipe("pipe.csv"), pipe("pipe.jsonl"));
    let meta_pipe = folder.data("meta-pipe", &[]);
    pipe("meta-pipe/meta.json");
    let table_pipe = folder.data("table-pipe", &[("meta.json", &meta("p", "t.csv", "y_a"))]);
    pipe("table-pipe/t.csv");
    let summary_pipe = folder.data("summary-pipe", &[]);
    pipe("summary-pipe/summary.json");
    let log = folder.write("log.jsonl", "{\"arm\": 0, \"probability\": 1, \"rewards\": [1]}\n");
    let (table, snapshot) = (format!("table:{csv}"), format!("snapshot:{plain}"));
    for args in [
        &["run", &plain][..],
        &["identify", &plain],
        &["front", &plain],
        &["evaluate", &csv, "--policy", "uniform"],
        &["evaluate", &jsonl, "--policy", "uniform"],
        &["evaluate", &log, "--policy", &table],
        &["evaluate", &log, "--policy", &snapshot, "--estimator", "ips"],
        &["evaluate", &meta_pipe, "--policy", "uniform"],
        &["evaluate", &table_pipe, "--policy", "uniform"],
        &["replay", &table_pipe, "--policy", "random"],
        &["report", &summary_pipe],
    ] {
        let told = refused(args, LONGEST);
        assert!(told.contains("expected a regular file, got a pipe"), "{args:?}: {told}");
    }
    let output = moglb(&["data", "check", &table_pipe]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stdout).unwrap().contains("expected a regular file, got a pipe"));
    for args in [
        &["run", "/dev/zero"][..],
        &["identify", "/dev/zero"],
        &["front", "/dev/zero"],
        &["run", "/dev/stdin"],
    ] {
        let told = refused(args, LONGEST);
        assert!(told.contains("expected a regular file, got a "), "{args:?}: {told}");
    }
}

/// Standard input and pipes that the shell has opened are read by `front`, as its help says.
#[test]
#[cfg(unix)]
fn front_reads_pipes_that_are_open() {
    let folder = Folder::new();
    let table = folder.write("t.csv", "a,b\n1,2\n0,0\n");
    let moglb = env!("CARGO_BIN_EXE_moglb");
    for line in [
        format!("cat {table} | {moglb} front -q"),
        format!("cat {table} | {moglb} front -q -"),
        format!("cat {table} | {moglb} front -q /dev/stdin"),
        format!("{moglb} front -q < {table}"),
        format!("mkfifo {table}.p; cat {table} > {table}.p & {moglb} front -q < {table}.p"),
        format!("cat {table} | {moglb} front -q /dev/fd/3 3<&0"),
    ] {
        let output = Command::new("timeout").args(["60", "sh", "-c", &line]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (String::from_utf8(output.stdout).unwrap().as_str(), told.as_str()),
            ("a,b\n1,2\n", ""),
            "{line}"
        );
    }
}

/// Sparse files of gigabytes. Files that are too large are not read at all, and files whose first line never
/// ends are read only in part.
#[test]
fn sizes_and_lines_have_bounds() {
    let folder = Folder::new();
    let sparse = |name: &str, size: u64| {
        fs::File::create(folder.path(name)).unwrap().set_len(size).unwrap();
        folder.text(name)
    };
    let document = sparse("big.toml", (64 << 20) + 1);
    for command in ["run", "identify"] {
        assert!(refused(&[command, &document], LONGEST).contains("the file is larger than 64 MiB"));
    }
    let (log, line) = (sparse("big.jsonl", (4 << 30) + 1), sparse("line.jsonl", 1 << 30));
    assert!(refused(&["evaluate", &log, "--policy", "uniform"], LONGEST).contains("larger than 4096 MiB"));
    let told = refused(&["evaluate", &line, "--policy", "uniform"], LONGEST);
    assert!(told.contains("line 1 is longer than 16 MiB"), "{told}");
    let obd = sparse("line.csv", 1 << 30);
    let told = refused(&["evaluate", &obd, "--policy", "uniform"], LONGEST);
    assert!(told.contains("line 1 is longer than 16 MiB"), "{told}");
    let told = refused(&["front", &obd], LONGEST);
    assert!(told.contains("line 1: the row is longer than 16 MiB"), "{told}");
    let data = folder.data("data", &[("meta.json", &meta("p", "t.csv", "y_a"))]);
    sparse("data/t.csv", 1 << 30);
    let told = refused(&["evaluate", &data, "--policy", "uniform"], LONGEST);
    assert!(told.contains("line 1 is longer than 16 MiB"), "{told}");
}

/// A name of 5 MB with characters that break lines, color the terminal and reverse the direction of text.
fn long_name() -> String {
    format!("\u{1b}[31m\u{202e}\u{2028}\\n\u{7}{}", "x`, expected y\"".repeat(400_000))
}

#[test]
fn experiments_with_long_names_are_refused_in_a_short_line() {
    let folder = Folder::new();
    let name = toml::Value::String(long_name()).to_string();
    let paper = "environments = [{ id = 'paper', dim = 3 }]";
    for (k, (text, longest)) in [
        (format!("{name} = 1\n{paper}\npolicies = []"), LONGEST),
        (format!("seed = {name}\n{paper}\npolicies = []"), LONGEST),
        (format!("{paper}\npolicies = [{{ id = {name} }}]"), LONGEST_LIST),
        (format!("{paper}\npolicies = [{{ id = 'moglb-ucb', c = {name} }}]"), LONGEST),
        (format!("{paper}\npolicies = [{{ id = 'moglb-ucb', {name} = 1 }}]"), LONGEST),
        (format!("{paper}\npolicies = [{{ id = 'moglb-ucb', c = {{ tune = [{name}] }} }}]"), LONGEST),
        (
            format!(
                "{paper}\npolicies = [{{ id = 'moglb-ucb', c = {{ each = [] }}, {name} = {{ each = [] }} }}]"
            ),
            LONGEST,
        ),
        (format!("{paper}\npolicies = [{{ id = 'moglb-ucb', play = {name} }}]"), LONGEST),
        (
            format!(
                "{paper}\npolicies = [{{ id = 'moglb-ucb', play = {{ prefer = {{ kind = {name} }} }} }}]"
            ),
            LONGEST,
        ),
        (format!("environments = [{{ id = {name} }}]\npolicies = [{{ id = 'random' }}]"), LONGEST),
        (
            format!(
                "environments = [{{ id = 'paper', dim = 3, links = [{name}] }}]\n\
                 policies = [{{ id = 'random' }}]"
            ),
            LONGEST,
        ),
        (
            format!("environments = [{{ id = 'data', path = {name} }}]\npolicies = [{{ id = 'random' }}]"),
            LONGEST,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.write(&format!("{k}.toml"), text);
        refused(&["run", &file], longest);
    }
}

#[test]
fn data_and_logs_with_long_names_are_refused_in_a_short_line() {
    let folder = Folder::new();
    let name = long_name();
    let json = serde_json::to_string(&name).unwrap();
    let cell = format!("\"{}\"", name.replace('"', "\"\""));
    let (ids, tables) = (meta(&name, "t.csv", "y_a"), meta("p", &name, "y_a"));
    let (columns, plain) = (meta("p", "t.csv", &name), meta("p", "t.csv", "y_a"));
    let table = "arm_id,a_x,y_a\n0,1,1\n";
    for (k, (meta, table)) in [
        (format!("{{ \"format\": {json}, \"problems\": [] }}"), table.into()),
        (format!("{{ \"format\": \"mob-data/1\", \"problems\": {json} }}"), table.into()),
        (ids, "a\n1\n".into()),
        (tables, table.into()),
        (columns, table.into()),
        (plain.clone(), format!("arm_id,a_x,y_a\n0,1,{cell}\n")),
        (plain.clone(), format!("arm_id,{cell},{cell},y_a\n0,1,1\n")),
        (plain, format!("arm_id,a_x,y_a\n{cell},1,1\n{cell},1,1\n")),
    ]
    .into_iter()
    .enumerate()
    {
        let data = folder.data(&k.to_string(), &[("meta.json", &meta), ("t.csv", &table)]);
        refused(&["evaluate", &data, "--policy", "uniform"], LONGEST);
    }
    for (k, line) in [
        format!("{{ \"arm\": {json} }}"),
        format!("{{ \"arm\": 0, \"rewards\": {json} }}"),
        format!("{{ \"arm\": 0, \"probabilities\": {json}, \"rewards\": [1] }}"),
        format!("{{ \"format\": {json} }}"),
        format!("{{ \"arm\": 0, \"rewards\": {{ {json}: {json} }} }}"),
        json.clone(),
    ]
    .into_iter()
    .enumerate()
    {
        let log = folder.write(&format!("{k}.jsonl"), line + "\n");
        refused(&["evaluate", &log, "--policy", "uniform"], LONGEST);
    }
    let obd = folder.write("log.csv", format!("item_id,click\n{cell},1\n"));
    refused(&["evaluate", &obd, "--policy", "uniform"], LONGEST);
    let snapshot = folder.write("policy.json", format!("{{ \"format\": {json}, {json}: 1 }}"));
    let log =
        folder.write("log.jsonl", "{\"arm\": 0, \"probability\": 1, \"rewards\": [1], \"context\": [1]}\n");
    refused(&["evaluate", &log, "--policy", &format!("snapshot:{snapshot}")], LONGEST);
    let front = folder.write("front.csv", format!("{cell},b\n{cell},1\n"));
    refused(&["front", &front], LONGEST);
    refused(&["front", &front, "--objectives", "z"], LONGEST);
    let results = folder
        .data("results", &[("summary.json", &format!("{{ \"format\": {json} }}")), ("config.toml", "")]);
    refused(&["report", &results], LONGEST);
}

#[test]
fn long_arguments_are_refused_in_a_short_line() {
    // An argument can have at most 128 KiB on Linux.
    let name = &long_name()[..120_000];
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/ist-stroke");
    for args in [
        &[name][..],
        &["run", name],
        &["front", "--frobnicate", name],
        &["front", name],
        &["front", Path::new("x").join(name).to_str().unwrap()],
        &["reproduce", "--dims", name],
        &["reproduce", &format!("--{name}")],
        &["confirm", "--cases", name],
        &["evaluate", log, "--policy", name],
        &["evaluate", log, "--policy", &format!("arm:{name}")],
        &["evaluate", log, "--policy", "uniform", "--objectives", name],
        &["evaluate", log, "--policy", "uniform", "--estimator", name],
        &["evaluate", log, "--policy", "uniform", "--link", name],
        &["replay", log, "--policy", &format!("random,{name}")],
    ] {
        refused(args, LONGEST);
    }
    refused(&["reproduce", "--policies", name], LONGEST_LIST);
    refused(&["replay", log, "--policy", name], LONGEST_LIST);
}

#[test]
fn dates_and_overflows_are_told_in_words() {
    let folder = Folder::new();
    for (text, expected) in [
        (
            "seed = 1979-05-27\nenvironments = [{ id = 'paper', dim = 3 }]\npolicies = [{ id = 'random' }]",
            "`seed` is the date 1979-05-27: dates are no values here",
        ),
        (
            "environments = [{ id = 'paper', dim = 1979-05-27 }]\npolicies = [{ id = 'random' }]",
            "`dim` is the date 1979-05-27",
        ),
        (
            "environments = [{ id = 'paper', dim = 3 }]\n\
             policies = [{ id = 'moglb-ucb', c = { each = [07:32:00] } }]",
            "`c` is the date 07:32:00",
        ),
        (
            "environments = [{ id = 'paper', dim = 9223372036854775807 }]\npolicies = [{ id = 'random' }]",
            "more rows than can be counted",
        ),
    ] {
        let told = refused(&["run", &folder.write("x.toml", text)], LONGEST);
        assert!(told.contains(expected) && !told.contains("18446744073709551615"), "{told}");
    }
}

/// Without arguments the command prints its help to standard error, with exit code 2.
#[test]
fn the_command_alone_prints_its_help() {
    for args in [&[][..], &["data"]] {
        let output = moglb(args);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        assert!(
            told.contains("Usage: moglb") && told.contains("Commands:") && !told.starts_with("moglb:"),
            "{told}"
        );
    }
}
