//! A file for the reader of Parquet, in which reading beyond the end is an error.
//!
//! A damaged page can state a list of 2³¹ entries. The crate `parquet` skips them one by one, even after the
//! file has ended and each skip reads nothing. An undamaged file is never read beyond its end, because its
//! metadata comes after its pages.

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};

/// An open file.
pub(super) struct EndingFile(pub(super) File);

/// The bytes of a file from some position on.
pub(super) struct Ending<R>(R);

impl Length for EndingFile {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for EndingFile {
    type T = Ending<BufReader<File>>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
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
