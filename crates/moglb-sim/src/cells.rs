//! The log of finished cells, so that an interrupted run can go on.
//!
//! A cell is one trial of one policy. Each finished cell is appended as a frame of length, checksum and content; a
//! frame torn by a kill or a full disk is noticed and dropped, with all after it. Who has a log open has it alone: the system
//! locks it, and lets go of it when the process ends, however it ends.

use crate::{Namespace, SimError, Trace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The name of a cell: what it is for, the run, the candidate and the trial.
pub type CellKey = (Namespace, usize, usize, usize);

/// The cells that are done, in memory and on disk.
#[derive(Debug)]
pub struct CellLog {
    path: PathBuf,
    done: BTreeMap<CellKey, Trace>,
    file: Mutex<File>,
}

/// Of the program and of the form of a trace: cells of different ones do not mix.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/4");

#[derive(Serialize, Deserialize)]
enum Record {
    /// The experiment the log belongs to, as TOML, and the version that wrote it; always the first record.
    Experiment {
        toml: String,
        version: String,
    },
    Cell(CellKey, Box<Trace>),
}

impl CellLog {
    /// A new log for an experiment; one that stands there is written over.
    ///
    /// # Errors
    ///
    /// [`SimError::Locked`] or [`SimError::File`].
    pub fn create(path: &Path, experiment: &str) -> Result<Self, SimError> {
        Self::begin(path, claim(path)?, experiment)
    }

    /// The log of an interrupted run of the same experiment; a new one where there is none.
    ///
    /// # Errors
    ///
    /// [`SimError::Locked`], [`SimError::OtherExperiment`] or [`SimError::File`].
    pub fn resume(path: &Path, experiment: &str) -> Result<Self, SimError> {
        let mut file = claim(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(file_error(path))?;
        let (records, whole) = read_frames(&bytes);
        match records.first() {
            Some(Record::Experiment { toml, version }) if toml == experiment && version == VERSION => {}
            None if bytes.is_empty() => return Self::begin(path, file, experiment),
            _ => return Err(SimError::OtherExperiment { path: path.into() }),
        }
        let cut = file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(file_error(path))?;
        Ok(Self { path: path.into(), done: cells(records), file: Mutex::new(file) })
    }

    fn begin(path: &Path, mut file: File, experiment: &str) -> Result<Self, SimError> {
        let head = Record::Experiment { toml: experiment.into(), version: VERSION.into() };
        let begun = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&frame(&head)));
        begun.map_err(file_error(path))?;
        Ok(Self { path: path.into(), done: BTreeMap::new(), file: Mutex::new(file) })
    }

    /// Counts what was appended since the log was opened among what was finished before.
    ///
    /// # Errors
    ///
    /// [`SimError::File`].
    pub fn reload(&mut self) -> Result<(), SimError> {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
        read.map_err(file_error(&self.path))?;
        self.done = cells(read_frames(&bytes).0);
        Ok(())
    }

    /// A cell that was finished before.
    pub fn get(&self, key: CellKey) -> Option<&Trace> {
        self.done.get(&key)
    }

    /// The number of cells that were finished before.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// The number of cells of the first so many runs that were finished before.
    pub(crate) fn len_of(&self, runs: usize) -> usize {
        self.done.keys().filter(|(_, run, _, _)| *run < runs).count()
    }

    /// Whether no cell was finished before.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Appends a finished cell.
    ///
    /// # Errors
    ///
    /// [`SimError::File`].
    pub fn append(&self, key: CellKey, trace: &Trace) -> Result<(), SimError> {
        let bytes = frame(&Record::Cell(key, Box::new(trace.clone())));
        let mut file = self.file.lock().expect("no thread panics while it writes");
        file.write_all(&bytes).map_err(file_error(&self.path))
    }
}

impl Trace {
    /// The trace as bytes, for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("a trace is numbers and lists")
    }

    /// A trace from [`Trace::to_bytes`].
    ///
    /// # Errors
    ///
    /// [`SimError::Syntax`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SimError> {
        postcard::from_bytes(bytes).map_err(|error| SimError::Syntax(format!("a trace: {error}")))
    }
}

/// A file that nobody else writes to while it is open.
fn claim(path: &Path) -> Result<File, SimError> {
    loop {
        // Not to append: what is opened so cannot be cut on every system.
        let open = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = open.map_err(file_error(path))?;
        match file.try_lock() {
            // A run that came to its end between the two lines above took its log away.
            Ok(()) if is_removed(&file) => {}
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => return Err(SimError::Locked { path: path.into() }),
            Err(TryLockError::Error(error)) if knows_no_locks(&error) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(file_error(path)(error)),
        }
    }
}

/// Some file systems know no locks; there it is for the user to run one at a time.
fn knows_no_locks(error: &std::io::Error) -> bool {
    // ENOLCK of network file systems has no kind of its own.
    const NO_LOCKS: i32 = if cfg!(target_os = "linux") { 37 } else { 77 };
    error.kind() == ErrorKind::Unsupported || cfg!(unix) && error.raw_os_error() == Some(NO_LOCKS)
}

#[cfg(unix)]
fn is_removed(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
}

#[cfg(not(unix))]
fn is_removed(_: &File) -> bool {
    false
}

fn cells(records: Vec<Record>) -> BTreeMap<CellKey, Trace> {
    let cell = |record| match record {
        Record::Cell(key, trace) => Some((key, *trace)),
        Record::Experiment { .. } => None,
    };
    records.into_iter().filter_map(cell).collect()
}

fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> SimError {
    let path = path.to_path_buf();
    move |source| SimError::File { path, source }
}

fn frame(record: &Record) -> Vec<u8> {
    let content = postcard::to_stdvec(record).expect("a record is numbers, lists and text");
    let mut bytes = (content.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&crc32c::crc32c(&content).to_le_bytes());
    bytes.extend_from_slice(&content);
    bytes
}

/// The records up to the first torn frame, and the length of what was whole.
fn read_frames(bytes: &[u8]) -> (Vec<Record>, usize) {
    let (mut records, mut at) = (Vec::new(), 0);
    while let Some((record, length)) = read_frame(&bytes[at..]) {
        records.push(record);
        at += length;
    }
    (records, at)
}

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
        assert_eq!(CellLog::resume(&path, "mine").unwrap().len(), 1, "who was refused has changed nothing");
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
