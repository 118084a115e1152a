//! The limit on the memory of one table. A size can come from an input, such as d or K in a damaged snapshot,
//! and a system that promises more memory than it has ends the process when the table is filled.

use crate::Error;
use std::sync::atomic::{AtomicU64, Ordering};

/// 8 GiB, the limit until a program sets the one of its machine.
const DEFAULT: u64 = 1 << 33;

/// The limit of this process, in bytes.
static LIMIT: AtomicU64 = AtomicU64::new(DEFAULT);

/// Sets the largest number of bytes that one table of numbers may take in this process, 8 GiB by default.
/// Larger tables are rejected with [`Error::TooLarge`] before anything is allocated. No result depends on it.
///
/// The core reads neither files nor the environment. A program that knows the memory of the machine sets the
/// limit, as the command and the Python module do when they start.
///
/// ```
/// use moglb::{Error, Link, MoglbUcb, MoglbUcbConfig, Objective, Problem};
///
/// moglb::set_memory_limit(1_000_000);
/// let problem = Problem::new(1000, vec![Objective::new("click", Link::Logit)])?;
/// let refused = MoglbUcb::new(problem, MoglbUcbConfig::default());
/// assert!(matches!(refused, Err(Error::TooLarge { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn set_memory_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The largest number of bytes that one table of numbers may take in this process.
pub fn memory_limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Rejects a table of numbers (`f64`) above the [memory limit](set_memory_limit), or one that the system
/// refuses to allocate: an allocation that fails later would end the process.
///
/// # Errors
///
/// [`Error::TooLarge`].
pub fn check_memory(rows: usize, columns: usize) -> Result<(), Error> {
    let bytes = check_size(rows, columns)?;
    let held = bytes as u64 <= memory_limit()
        && Vec::<f64>::new().try_reserve_exact(bytes / size_of::<f64>()).is_ok();
    if held { Ok(()) } else { Err(Error::TooLarge { rows, columns }) }
}

/// Returns the number of bytes of a table of numbers (`f64`).
///
/// # Errors
///
/// [`Error::TooLarge`] if the bytes cannot be addressed.
pub fn check_size(rows: usize, columns: usize) -> Result<usize, Error> {
    let bytes = rows.checked_mul(columns).and_then(|n| n.checked_mul(size_of::<f64>()));
    bytes.filter(|&bytes| bytes <= isize::MAX as usize).ok_or(Error::TooLarge { rows, columns })
}
