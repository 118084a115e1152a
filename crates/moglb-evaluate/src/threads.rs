//! Threads of one's own.

use crate::EvaluateError;

/// Does a piece of work on so many threads, 0 for all cores; results do not depend on their number. The threads are there for this
/// work only, so that a process can fork before and after it.
///
/// # Errors
///
/// [`EvaluateError::Threads`] if they cannot be started.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, EvaluateError> {
    // No machine has more, and a larger number is a mistake that would ask for all its memory.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(1024)).build();
    let pool = pool.map_err(|error| EvaluateError::Threads { reason: error.to_string() })?;
    Ok(pool.install(work))
}
