//! Runs the programs of the chores.

use anyhow::{Context, Result, bail};
use std::process::Command;

/// Prints `line`, runs a program and waits for its end.
///
/// # Errors
///
/// Fails if the program cannot be started or fails.
pub fn run(command: &mut Command, line: &str) -> Result<()> {
    eprintln!("$ {line}");
    let status = command.status().with_context(|| line.to_string())?;
    if !status.success() {
        bail!("{line} failed");
    }
    Ok(())
}
