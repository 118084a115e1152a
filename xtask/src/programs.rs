//! Programs that the chores run.

use anyhow::{Context, Result, bail};
use std::process::Command;

/// Runs a program and fails if it does; `line` is printed first.
pub fn run(command: &mut Command, line: &str) -> Result<()> {
    eprintln!("$ {line}");
    let status = command.status().with_context(|| line.to_string())?;
    if !status.success() {
        bail!("{line} failed");
    }
    Ok(())
}
