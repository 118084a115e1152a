//! The one way in which a target reports that moglb has broken a promise.

use std::fmt::Display;

/// A value that moglb promises to return.
pub trait Promised<T> {
    /// Returns the value. Panics, with the promise, if there is none.
    fn promised(self, promise: &str) -> T;
}

impl<T, E: Display> Promised<T> for Result<T, E> {
    fn promised(self, promise: &str) -> T {
        self.unwrap_or_else(|error| broken(promise, error))
    }
}

/// Reports a broken promise and what came instead.
pub fn broken(promise: &str, came: impl Display) -> ! {
    panic!("broken promise: {promise}: {came}")
}
