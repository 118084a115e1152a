//! Standard output, for data, and standard error, for talk.

use crate::failure::Failure;
use anyhow::Context;
use serde::Serialize;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Prints data. A reader that has seen enough and closed the pipe is no failure.
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

/// Prints a line for people. Where standard error is closed or full nobody can read it, and the work goes on.
pub fn say(line: impl Display) {
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// The state in which the process was started. The runtime of Rust opens `/dev/null` in place of a closed
/// standard output before `main`, and that cannot be told from a `/dev/null` that the caller wanted.
#[cfg(unix)]
mod start {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Runs before the runtime, so it makes one call of the system and nothing else.
    #[ctor::ctor]
    fn look() {
        CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
    }

    pub fn is_output_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

/// Other systems are not asked: printing to nowhere is a success there.
#[cfg(not(unix))]
mod start {
    pub fn is_output_closed() -> bool {
        false
    }
}
