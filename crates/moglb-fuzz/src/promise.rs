//! The one way in which a target reports that moglb has broken a promise.

use std::fmt::Display;

/// A value that moglb promises to return.
pub trait Promised<T> {
    /// Returns the value. Panics, with the promise, if there is none.
    fn promised(self, promise: &str) -> T;
}

impl<T, E: Display> Promised<T> for Result<T, E> {
    #[track_caller]
    fn promised(self, promise: &str) -> T {
        match self {
            Ok(value) => value,
            Err(error) => broken(promise, error),
        }
    }
}

impl<T> Promised<T> for Option<T> {
    #[track_caller]
    fn promised(self, promise: &str) -> T {
        match self {
            Some(value) => value,
            None => broken(promise, "nothing"),
        }
    }
}

/// Reports a broken promise and what came instead.
#[track_caller]
pub fn broken(promise: &str, came: impl Display) -> ! {
    panic!("broken promise: {promise}: {came}")
}
