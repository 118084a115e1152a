//! The C reference of `bench/reference`. It is built if there is a compiler, and run once for each case.

use crate::record::Outcome;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

// All files are named from the root of the repository, where `cargo xtask bench` runs.
const SOURCE: &str = "bench/reference/reference.c";
const FLAGS: &str = "-O3 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math \
                     -fassociative-math -fno-signed-zeros";
/// The longest time for a case. A case that takes longer is stopped.
const LIMIT: Duration = Duration::from_secs(60);

/// The program, or the reason why there is none.
pub enum Reference {
    /// The path of the program.
    Built(PathBuf),
    /// The reason why it is not run.
    Missing(String),
}

/// One line of the program's answer.
#[derive(Deserialize)]
struct Line {
    what: String,
    #[serde(flatten)]
    outcome: Outcome,
}

impl Reference {
    /// Builds the program in a folder with `cc`.
    pub fn build(folder: &Path) -> Self {
        let program = folder.join("reference");
        let built = Command::new("cc")
            .args(FLAGS.split_whitespace())
            .arg(SOURCE)
            .arg("-o")
            .arg(&program)
            .arg("-lm")
            .stderr(Stdio::null())
            .status();
        match built {
            Ok(status) if status.success() => Self::Built(program),
            Ok(_) => Self::Missing("not run: the C reference does not compile here, it needs AVX-512".into()),
            Err(_) => Self::Missing("not run: no C compiler".into()),
        }
    }

    /// Runs the program on a case and returns an outcome for each measured quantity. If the program does not
    /// run, each of the `expected` quantities has the reason instead.
    pub fn measure(&self, expected: &[&str], arguments: &[String]) -> Vec<(String, Outcome)> {
        let answer = match self {
            Self::Missing(reason) => Err(Outcome::not_run(reason)),
            Self::Built(program) => answer(program, arguments),
        };
        match answer {
            Ok(lines) => lines,
            Err(instead) => expected.iter().map(|what| (what.to_string(), instead.clone())).collect(),
        }
    }
}

/// Runs the program, waits for its end or the time limit, and parses its output.
fn answer(program: &Path, arguments: &[String]) -> Result<Vec<(String, Outcome)>, Outcome> {
    let failed =
        |what: &dyn std::fmt::Display| Outcome::not_run(format!("not run: the C reference failed, {what}"));
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error))?;
    let begin = Instant::now();
    // Its answer is shorter than what a pipe holds, so it can be waited for before it is read.
    let status = loop {
        match child.try_wait().map_err(|error| failed(&error))? {
            Some(status) => break status,
            None if begin.elapsed() > LIMIT => {
                let _ = child.kill().and_then(|()| child.wait());
                return Err(Outcome::stopped(format!("after {} s", LIMIT.as_secs())));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    if !status.success() {
        return Err(failed(&status));
    }
    let text = std::io::read_to_string(child.stdout.take().expect("a pipe")).map_err(|e| failed(&e))?;
    let line = |text: &str| serde_json::from_str::<Line>(text).map(|line| (line.what, line.outcome));
    text.lines().map(line).collect::<Result<_, _>>().map_err(|error| failed(&error))
}
