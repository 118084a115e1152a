//! Standard output, for results, and standard error, for messages.

use crate::failure::Failure;
use anyhow::Context;
use serde::Serialize;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Prints results to standard output. A reader that closed the pipe early, such as `head`, is not a failure.
///
/// # Errors
///
/// Fails if standard output was closed when the process started, or if writing fails for another reason.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    if start::is_output_closed() {
        return Err(Failure::running("standard output is closed"));
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::running(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a result as JSON; an error names it by `what`.
pub fn print_json(result: &impl Serialize, what: &'static str) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(result).context(what)?;
    print((json + "\n").as_bytes())
}

/// Prints a line to standard error. Write errors are ignored: if standard error is closed or full, the work
/// continues.
pub fn say(line: impl Display) {
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// The state in which the process was started. Before `main` the runtime of Rust opens `/dev/null` in place
/// of a closed standard output, which then looks like a `/dev/null` that the caller chose.
#[cfg(unix)]
mod start {
    use std::sync::atomic::{AtomicBool, Ordering};

    /// True if standard output was closed when the process started.
    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Checks standard output. Runs before the runtime is set up, so it makes one system call and nothing
    /// else.
    #[ctor::ctor]
    fn look() {
        CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
    }

    /// Returns true if standard output was closed when the process started.
    pub fn is_output_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

/// The stand-in for other systems, where the state is not checked and printing to a closed output succeeds.
#[cfg(not(unix))]
mod start {
    pub fn is_output_closed() -> bool {
        false
    }
}
