//! Opens and reads files whose paths come from users: regular files only, of bounded size.
//!
//! A path can lead to anything: a pipe without a writer, a device without an end, a file of the kernel, a
//! line of gigabytes. Every crate opens its input files with the functions of this module, which refuse all
//! such files with a message of one line.

mod file;
mod rows;

pub use file::{LARGEST_DOCUMENT, LARGEST_STATE, LARGEST_TABLE, LONGEST_LINE, ReadError, bytes, open, text};
pub use rows::{CsvRows, Lines, table};
