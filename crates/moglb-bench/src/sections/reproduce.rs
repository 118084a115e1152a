//! Section `reproduce`: the command that reproduces the paper, from its start to its last file.

use crate::bench::{Bench, Case};
use crate::record::{Outcome, Spread, who};
use anyhow::Result;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
Wall clock of the built command with its defaults, including figures, report and tuning, on all cores. Other \
programs on the machine affect it.";

/// Runs the command several times. A quick run has tiny settings.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let size: &[&str] =
        if bench.quick { &["--horizon", "50", "--trials", "1", "--tuning-trials", "1"] } else { &[] };
    let case = Case::new("reproduce", "defaults", 0);
    let mut samples = Vec::new();
    for _ in 0..if bench.quick { 1 } else { 5 } {
        let mut command = Command::new(&bench.command);
        command.args(["reproduce", "--quiet", "--out"]).arg(bench.folder().join("results")).args(size);
        let begin = Instant::now();
        match command.stdout(Stdio::null()).status() {
            Ok(status) if status.success() => samples.push(begin.elapsed().as_secs_f64()),
            Ok(status) => {
                case.time(bench, who::OURS, "wall clock", Outcome::not_run(format!("failed: {status}")));
                return Ok(());
            }
            Err(_) => {
                case.time(bench, who::OURS, "wall clock", Outcome::not_run("not run: `moglb` is not built"));
                return Ok(());
            }
        }
    }
    case.ours(bench, "wall clock", Spread::of(samples));
    Ok(())
}
