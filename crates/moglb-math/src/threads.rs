//! The number of cores that the engine may use.

use std::sync::atomic::{AtomicBool, Ordering};

/// True once [`stay_on_one_core`] was called.
static ALONE: AtomicBool = AtomicBool::new(false);

/// From this call on, all work of this process stays on the core of its caller. A forked process needs this:
/// the worker threads exist in its parent only, and it would wait for them forever.
pub fn stay_on_one_core() {
    ALONE.store(true, Ordering::Relaxed);
}

/// The number of cores that may share a task.
pub fn workers() -> usize {
    #[cfg(feature = "parallel")]
    if !ALONE.load(Ordering::Relaxed) {
        return rayon::current_num_threads();
    }
    1
}
