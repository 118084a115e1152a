//! How many cores the engine may use.

use std::sync::atomic::{AtomicBool, Ordering};

static ALONE: AtomicBool = AtomicBool::new(false);

/// From now on everything in this process stays on the core of its caller. For a process that was forked: the threads that
/// others of its kind wait for exist in its parent only.
pub fn stay_on_one_core() {
    ALONE.store(true, Ordering::Relaxed);
}

/// How many cores may share a task.
pub fn workers() -> usize {
    #[cfg(feature = "parallel")]
    if !ALONE.load(Ordering::Relaxed) {
        return rayon::current_num_threads();
    }
    1
}
