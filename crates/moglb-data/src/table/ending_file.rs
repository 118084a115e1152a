//! A file for the reader of Parquet, in which reading beyond the end is an error, and so is a structure
//! that `structure.rs` finds damaged.
//!
//! A damaged page can state a list of 2³¹ entries. The crate `parquet` skips them one by one, even after the
//! file has ended and each skip reads nothing. An undamaged file is never read beyond its end, because its
//! metadata comes after its pages.

use super::structure::{FOOTER, PAGE_HEADER, Type, is_sound};
use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};

/// An open file.
pub(super) struct EndingFile(File);

/// The bytes of a file from some position on.
pub(super) struct Ending<R>(R);

/// The last bytes of a file: the length of the footer and a mark.
const TAIL: u64 = 8;

impl EndingFile {
    /// The file, if its footer is sound.
    pub(super) fn new(file: File) -> Result<Self> {
        let (file, mut tail) = (Self(file), [0; TAIL as usize]);
        if let Some(start) = file.len().checked_sub(TAIL) {
            file.0.get_read(start)?.read_exact(&mut tail)?;
            let length = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
            if let Some(start) = start.checked_sub(length.into()) {
                file.check(FOOTER, start)?;
            }
        }
        Ok(file)
    }

    /// Refuses a damaged structure at a place.
    fn check(&self, expected: Type, start: u64) -> Result<()> {
        if is_sound(expected, Ending(self.0.get_read(start)?)) {
            return Ok(());
        }
        let what = "a field has a type that is not its own, or is a list of booleans";
        Err(ParquetError::General(format!("the structure at byte {start} is damaged: {what}")))
    }
}

impl Length for EndingFile {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for EndingFile {
    type T = Ending<BufReader<File>>;

    /// The crate reads page headers through this, and the tail.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        if start.checked_add(TAIL) != Some(self.len()) {
            self.check(PAGE_HEADER, start)?;
        }
        self.0.get_read(start).map(Ending)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(ErrorKind::UnexpectedEof.into()),
            n => Ok(n),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_beyond_the_end_is_an_error() {
        let mut reader = Ending(&[1, 2, 3][..]);
        let mut buffer = [0; 2];
        assert_eq!(reader.read(&mut []).unwrap(), 0);
        assert_eq!([reader.read(&mut buffer).unwrap(), reader.read(&mut buffer).unwrap()], [2, 1]);
        assert_eq!(reader.read(&mut []).unwrap(), 0, "an empty buffer needs no bytes");
        assert_eq!(reader.read(&mut buffer).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
