//! The Python peers of `bench/peers`. One process in a private environment measures all cases, so that
//! contestants can take turns without starting Python each time.
//!
//! A request is a line of JSON on its standard input, and its [`Outcome`] is a line of JSON on its standard
//! output.

use crate::record::Outcome;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

const SCRIPT: &str = "bench/peers/peers.py";
const REQUIREMENTS: &str = "bench/peers/requirements.txt";
/// The longest time for a request. Cases that are expected to take half as long are not started at all.
const LIMIT: Duration = Duration::from_secs(300);

/// The peers, or the reason why there are none.
pub struct Peers {
    /// The Python of the environment; `None` if the peers are not measured.
    python: Option<PathBuf>,
    /// The reason why they are not measured.
    why_not: String,
    /// The running process, if there is one.
    worker: Option<Worker>,
}

/// The process of the peers, with its input and the lines of its output.
struct Worker {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<String>,
}

impl Peers {
    /// Peers that are not measured in this run.
    pub fn absent() -> Self {
        Self { python: None, why_not: "not measured in this run".into(), worker: None }
    }

    /// Installs the peers in a virtual environment in a folder, unless they are installed already.
    pub fn install(folder: &Path) -> Self {
        match install(folder) {
            Ok(python) => Self { python: Some(python), why_not: String::new(), worker: None },
            Err(error) => Self {
                python: None,
                why_not: format!("not run: the peers could not be installed, {error:#}"),
                worker: None,
            },
        }
    }

    /// Measures a peer on a case. The process is started for the first request, and again if it failed.
    pub fn measure(&mut self, question: &Value) -> Outcome {
        let Some(python) = &self.python else { return Outcome::not_run(&self.why_not) };
        if self.worker.is_none() {
            match Worker::start(python) {
                Ok(worker) => self.worker = Some(worker),
                Err(error) => return Outcome::not_run(format!("not run: {error:#}")),
            }
        }
        let worker = self.worker.as_mut().expect("just started");
        match worker.ask(question) {
            Ok(outcome) => outcome,
            Err(instead) => {
                // A process that is late or failed is not used again; the next request starts another.
                self.worker = None;
                instead
            }
        }
    }

    /// The versions of Python and the packages; `None` if the peers are not installed.
    pub fn versions(&mut self) -> Option<String> {
        self.measure(&serde_json::json!({ "do": "versions" })).note.filter(|_| self.python.is_some())
    }
}

impl Worker {
    fn start(python: &Path) -> Result<Self> {
        let mut child = Command::new(python)
            .arg("-B") // no byte code next to the script
            .arg(SCRIPT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context(SCRIPT)?;
        let questions = child.stdin.take().context("a pipe to the peers")?;
        let output = child.stdout.take().context("a pipe from the peers")?;
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, questions, answers })
    }

    /// Sends a request and returns its outcome, or the outcome that replaces it if the process is late or
    /// failed.
    fn ask(&mut self, question: &Value) -> Result<Outcome, Outcome> {
        let broken = |error: &dyn std::fmt::Display| Outcome::not_run(format!("not run: {error}"));
        writeln!(self.questions, "{question}").map_err(|error| broken(&error))?;
        match self.answers.recv_timeout(LIMIT) {
            Ok(line) => serde_json::from_str(&line).map_err(|error| broken(&error)),
            Err(RecvTimeoutError::Timeout) => Err(Outcome::stopped(format!("after {} s", LIMIT.as_secs()))),
            Err(RecvTimeoutError::Disconnected) => Err(broken(&"the peer ended without an answer")),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may be busy with the last request.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Creates the environment if necessary, installs the packages, and returns the path of its Python.
fn install(folder: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    if !python.exists() {
        call(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    }
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", REQUIREMENTS];
    call(Command::new(&python).args(pip))?;
    Ok(python)
}

/// Runs a command to its end.
fn call(command: &mut Command) -> Result<()> {
    // Standard output is for records.
    let status = command.stdout(Stdio::null()).status().with_context(|| format!("{command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
