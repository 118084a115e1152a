//! Runs work on a private thread pool.

use crate::EvaluateError;

/// Runs `work` on a private pool of this many threads, 0 for all cores. Results do not depend on the number.
/// The threads exist only during this call, so that a process can fork before and after it.
///
/// # Errors
///
/// [`EvaluateError::Threads`] if they cannot be started.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, EvaluateError> {
    // No machine has more threads. A larger number is a mistake that would use up all memory.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(1024)).build();
    let pool = pool.map_err(|error| EvaluateError::Threads { reason: error.to_string() })?;
    Ok(pool.install(work))
}
