//! Regular files of bounded size, and the reasons why a file is not read.

use std::fs::{File, FileType, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The largest descriptive text, in bytes: an experiment, a configuration, a `meta.json`. 64 MiB.
pub const LARGEST_DOCUMENT: u64 = 64 << 20;

/// The largest summary or saved policy, in bytes: 1 GiB. A policy in 1000 dimensions takes about 20 MB.
pub const LARGEST_STATE: u64 = 1 << 30;

/// The largest table or log, in bytes: 4 GiB. Tables are kept in memory, where they take several times their
/// size.
pub const LARGEST_TABLE: u64 = 4 << 30;

/// The longest line of a log and the longest row of a table, in bytes: 16 MiB, which is about a million
/// numbers.
pub const LONGEST_LINE: usize = 16 << 20;

/// The reason why a file is not read.
///
/// Example: [`Lines`].
///
/// [`Lines`]: crate::read::Lines
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The path leads to something other than a regular file.
    #[error("expected a regular file, got {got}")]
    NotRegular {
        /// The kind of thing at the path.
        got: &'static str,
    },
    /// The file is larger than its limit.
    #[error("the file is larger than {} MiB, the most that is read", most >> 20)]
    TooLarge {
        /// The limit in bytes.
        most: u64,
    },
    /// A line or a row is longer than [`LONGEST_LINE`].
    #[error("line {line} is longer than {} MiB, the most that is read", LONGEST_LINE >> 20)]
    LongLine {
        /// The line in the file, from 1.
        line: u64,
    },
    /// The bytes are not UTF-8 text.
    #[error("expected valid UTF-8")]
    NotUtf8,
    /// The system cannot open or read it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl From<ReadError> for std::io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            other => Self::new(ErrorKind::InvalidData, other),
        }
    }
}

/// Opens a regular file of at most `most` bytes; links are followed.
///
/// # Errors
///
/// [`ReadError::NotRegular`], [`ReadError::TooLarge`] or [`ReadError::Io`].
pub fn open(path: &Path, most: u64) -> Result<File, ReadError> {
    // Check before opening, because opening a pipe waits for its writer.
    check(path, &std::fs::metadata(path)?, most)?;
    let file = File::open(path)?;
    // Check again: the path can lead to another file by now.
    check(path, &file.metadata()?, most)?;
    Ok(file)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
///
/// As [`open`].
pub fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let file = open(path, most)?;
    let mut bytes = Vec::with_capacity(usize::try_from(file.metadata()?.len()).unwrap_or(0));
    // The file can grow while it is read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(ReadError::TooLarge { most }) } else { Ok(bytes) }
}

/// Reads a text of at most `most` bytes.
///
/// # Errors
///
/// As [`open`], and [`ReadError::NotUtf8`].
pub fn text(path: &Path, most: u64) -> Result<String, ReadError> {
    String::from_utf8(bytes(path, most)?).map_err(|_| ReadError::NotUtf8)
}

fn check(path: &Path, metadata: &Metadata, most: u64) -> Result<(), ReadError> {
    if !metadata.is_file() {
        return Err(ReadError::NotRegular { got: kind(metadata.file_type()) });
    }
    if is_of_the_kernel(path) {
        return Err(ReadError::NotRegular { got: "a file of the kernel" });
    }
    if metadata.len() > most { Err(ReadError::TooLarge { most }) } else { Ok(()) }
}

/// True if a path leads into the file systems of the kernel, where regular files have size zero and reading
/// can block.
fn is_of_the_kernel(path: &Path) -> bool {
    cfg!(target_os = "linux")
        && path.canonicalize().is_ok_and(|path| path.starts_with("/proc") || path.starts_with("/sys"))
}

#[cfg(unix)]
fn kind(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_char_device() || kind.is_block_device() => "a device",
        _ => "something else",
    }
}

#[cfg(not(unix))]
fn kind(kind: FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "something else" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "four").unwrap();
        assert_eq!(text(&path, 4).unwrap(), "four");
        let told = text(&path, 3).unwrap_err().to_string();
        assert_eq!(told, "the file is larger than 0 MiB, the most that is read");
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(text(&path, 4).unwrap_err().to_string(), "expected valid UTF-8");
        assert_eq!(open(folder.path(), 4).unwrap_err().to_string(), "expected a regular file, got a folder");
        assert!(matches!(open(&folder.path().join("b"), 4), Err(ReadError::Io(_))));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn devices_and_files_of_the_kernel_are_refused() {
        for (path, got) in [
            ("/dev/zero", "a device"),
            ("/dev/null", "a device"),
            ("/proc/self/maps", "a file of the kernel"),
            ("/proc/self/fd", "a folder"),
        ] {
            let told = bytes(Path::new(path), 1 << 20).unwrap_err().to_string();
            assert_eq!(told, format!("expected a regular file, got {got}"), "{path}");
        }
    }
}
