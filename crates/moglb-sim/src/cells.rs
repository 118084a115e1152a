//! The log of finished cells, with which an interrupted run can be resumed.
//!
//! A cell is one trial of one policy. Each finished cell is appended as a frame of length, checksum and
//! content. A frame that was cut off, by a killed process or a full disk, is detected and removed, with all
//! frames after it. The file is locked: only one process can have a log open. Before each frame is written,
//! the log is checked to be still in its folder.

use crate::cell::CellKey;
use crate::{SimError, Trace};
use moglb_files::Claim;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The cells that are finished, in memory and on disk.
///
/// Example: [`pending`].
///
/// [`pending`]: crate::pending
#[derive(Debug)]
pub struct CellLog {
    path: PathBuf,
    done: BTreeMap<CellKey, Trace>,
    claim: Mutex<Claim>,
}

/// The version of the program and of the layout of a trace. A log of another version is refused, so cells
/// of different versions do not mix.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/4");

/// A frame of the log.
#[derive(Serialize, Deserialize)]
enum Record {
    /// The experiment the log belongs to, as TOML, and the version that wrote it; always the first record.
    Experiment { toml: String, version: String },
    /// A finished cell and its trace.
    Cell(CellKey, Box<Trace>),
}

impl CellLog {
    /// Creates a log for an experiment. An existing log is overwritten.
    ///
    /// # Errors
    ///
    /// [`SimError::Locked`], [`SimError::File`], or [`SimError::Files`] if the path is not a regular file.
    pub fn create(path: &Path, experiment: &str) -> Result<Self, SimError> {
        Self::begin(path, Claim::now(path)?, experiment)
    }

    /// Opens the log of an interrupted run of the same experiment, or creates a new log if there is none.
    ///
    /// # Errors
    ///
    /// As [`CellLog::create`], and [`SimError::OtherExperiment`].
    pub fn resume(path: &Path, experiment: &str) -> Result<Self, SimError> {
        let mut claim = Claim::now(path)?;
        let file = claim.file();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(file_error(path))?;
        let (records, whole) = read_frames(&bytes);
        match records.first() {
            Some(Record::Experiment { toml, version }) if toml == experiment && version == VERSION => {}
            None if bytes.is_empty() => return Self::begin(path, claim, experiment),
            _ => return Err(SimError::OtherExperiment { path: path.into() }),
        }
        let cut = file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(file_error(path))?;
        Ok(Self { path: path.into(), done: cells(records), claim: Mutex::new(claim) })
    }

    /// Empties the file and writes the first record.
    fn begin(path: &Path, mut claim: Claim, experiment: &str) -> Result<Self, SimError> {
        let file = claim.file();
        let head = Record::Experiment { toml: experiment.into(), version: VERSION.into() };
        let begun = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&frame(&head)));
        begun.map_err(file_error(path))?;
        Ok(Self { path: path.into(), done: BTreeMap::new(), claim: Mutex::new(claim) })
    }

    /// Reads the log again, so that cells appended since it was opened count as finished too.
    ///
    /// # Errors
    ///
    /// [`SimError::File`].
    pub fn reload(&mut self) -> Result<(), SimError> {
        let file = self.claim.get_mut().unwrap_or_else(PoisonError::into_inner).file();
        let mut bytes = Vec::new();
        let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
        read.map_err(file_error(&self.path))?;
        self.done = cells(read_frames(&bytes).0);
        Ok(())
    }

    /// The trace of a finished cell, if it is in the log.
    pub fn get(&self, key: CellKey) -> Option<&Trace> {
        self.done.get(&key)
    }

    /// The number of finished cells in the log.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// The number of finished cells that belong to the first `runs` runs.
    pub(crate) fn len_of(&self, runs: usize) -> usize {
        self.done.keys().filter(|(_, run, _, _)| *run < runs).count()
    }

    /// Returns true if the log has no finished cell.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Appends a finished cell.
    ///
    /// # Errors
    ///
    /// [`SimError::File`], or [`SimError::Files`] if the log or its folder was removed, moved or replaced.
    pub fn append(&self, key: CellKey, trace: &Trace) -> Result<(), SimError> {
        let bytes = frame(&Record::Cell(key, Box::new(trace.clone())));
        let mut claim = self.claim();
        claim.check()?;
        claim.file().write_all(&bytes).map_err(file_error(&self.path))
    }

    /// Checks that the log is still in its folder.
    ///
    /// # Errors
    ///
    /// [`SimError::Files`] if the log or its folder was removed, moved or replaced.
    pub fn check(&self) -> Result<(), SimError> {
        Ok(self.claim().check()?)
    }

    /// Removes the file of a complete run while it is still locked, so that no other run can have opened
    /// it.
    ///
    /// # Errors
    ///
    /// As [`CellLog::check`], and [`SimError::File`].
    pub fn remove(&self) -> Result<(), SimError> {
        Ok(self.claim().remove()?)
    }

    /// The lock on the file, for one thread at a time.
    fn claim(&self) -> MutexGuard<'_, Claim> {
        self.claim.lock().expect("no thread panics while it writes")
    }
}

impl Trace {
    /// Returns the trace as bytes, for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        encoded(self)
    }

    /// Reads a trace that [`Trace::to_bytes`] has written.
    ///
    /// # Errors
    ///
    /// [`SimError::Syntax`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SimError> {
        postcard::from_bytes(bytes).map_err(|error| SimError::Syntax(format!("a trace: {error}")))
    }
}

/// The finished cells among some records, by key.
fn cells(records: Vec<Record>) -> BTreeMap<CellKey, Trace> {
    let cell = |record| match record {
        Record::Cell(key, trace) => Some((key, *trace)),
        Record::Experiment { .. } => None,
    };
    records.into_iter().filter_map(cell).collect()
}

/// Returns a function that adds the path to an error of the file system.
fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> SimError {
    let path = path.to_path_buf();
    move |source| SimError::File { path, source }
}

/// Serializes a trace or a record. They are numbers, lists and text, so that writing them cannot fail.
fn encoded(of: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(of).expect("numbers, lists and text")
}

/// A record as a frame: the length of the content (4 bytes), its CRC-32C (4 bytes), the content. Numbers
/// are little endian.
fn frame(record: &Record) -> Vec<u8> {
    let content = encoded(record);
    let mut bytes = (content.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&crc32c::crc32c(&content).to_le_bytes());
    bytes.extend_from_slice(&content);
    bytes
}

/// The records before the first broken frame, and the number of bytes that they take.
fn read_frames(bytes: &[u8]) -> (Vec<Record>, usize) {
    let (mut records, mut at) = (Vec::new(), 0);
    while let Some((record, length)) = read_frame(&bytes[at..]) {
        records.push(record);
        at += length;
    }
    (records, at)
}

/// The first frame and its length in bytes; `None` if it is cut off or its checksum is wrong.
fn read_frame(bytes: &[u8]) -> Option<(Record, usize)> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let content = rest.get(..length)?;
    if crc32c::crc32c(content) != u32::from_le_bytes(*sum) {
        return None;
    }
    Some((postcard::from_bytes(content).ok()?, 8 + length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Namespace;

    #[test]
    fn a_torn_log_keeps_what_was_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells");
        let log = CellLog::create(&path, "mine").unwrap();
        let trace = |x: f64| Trace { pareto_regret: vec![x, 0.1 + 0.2], ..Trace::default() };
        for trial in 0..3 {
            log.append((Namespace::Report, 0, 0, trial), &trace(trial as f64)).unwrap();
        }
        drop(log);
        let bytes = std::fs::read(&path).unwrap();
        let head = 8 + u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let mut sizes = Vec::new();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let log = CellLog::resume(&path, "mine");
            if (1..head).contains(&cut) {
                assert!(
                    matches!(log, Err(SimError::OtherExperiment { .. })),
                    "a log without its head is no log"
                );
                continue;
            }
            let log = log.unwrap();
            assert!((0..log.len()).all(|k| log.get((Namespace::Report, 0, 0, k)) == Some(&trace(k as f64))));
            sizes.push(log.len());
        }
        assert!(sizes.is_sorted() && sizes.last() == Some(&3), "{sizes:?}");
        let mut flipped = bytes.clone();
        *flipped.last_mut().unwrap() ^= 1;
        std::fs::write(&path, flipped).unwrap();
        assert_eq!(CellLog::resume(&path, "mine").unwrap().len(), 2);
    }

    #[test]
    fn a_log_of_another_experiment_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells");
        CellLog::create(&path, "mine").unwrap();
        assert!(matches!(CellLog::resume(&path, "yours"), Err(SimError::OtherExperiment { .. })));
    }

    #[test]
    fn a_log_that_is_open_is_refused_to_others_until_it_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells");
        let log = CellLog::create(&path, "mine").unwrap();
        log.append((Namespace::Report, 0, 0, 0), &Trace::default()).unwrap();
        for open in [CellLog::create, CellLog::resume] {
            assert!(matches!(open(&path, "mine"), Err(SimError::Locked { .. })));
        }
        drop(log);
        assert_eq!(CellLog::resume(&path, "mine").unwrap().len(), 1, "a refused log is unchanged");
    }

    #[test]
    fn what_was_appended_counts_after_reloading() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = CellLog::create(&folder.path().join("cells"), "mine").unwrap();
        for trial in 0..3 {
            log.append((Namespace::Report, trial, 0, 0), &Trace::default()).unwrap();
            log.reload().unwrap();
            assert_eq!(log.len(), trial + 1);
        }
        assert_eq!(log.len_of(2), 2);
    }
}
