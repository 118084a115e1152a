//! Reports of fuzz targets that moglb has broken a promise.

use std::fmt::Display;

/// A result that moglb promises to be a value, not an error.
pub trait Promised<T> {
    /// Returns the value. Panics if there is an error; the message contains the promise and the error.
    fn promised(self, promise: &str) -> T;
}

impl<T, E: Display> Promised<T> for Result<T, E> {
    fn promised(self, promise: &str) -> T {
        self.unwrap_or_else(|error| broken(promise, error))
    }
}

/// Panics with a message that contains a broken promise, and the error or value that came instead.
pub fn broken(promise: &str, came: impl Display) -> ! {
    panic!("broken promise: {promise}: {came}")
}
