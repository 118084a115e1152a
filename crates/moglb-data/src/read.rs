//! Opening and reading files that people name: regular files only, of bounded size.
//!
//! A path can lead to anything: a pipe that nobody writes to, a device without an end, a file of the kernel,
//! a line of gigabytes. Every crate opens the files that it reads with the functions here, which refuse all
//! of that with one line.

mod file;
mod rows;

pub use file::{LARGEST_DOCUMENT, LARGEST_STATE, LARGEST_TABLE, LONGEST_LINE, ReadError, bytes, open, text};
pub use rows::{CsvRows, Lines, table};
