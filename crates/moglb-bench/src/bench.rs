//! A run of the benchmark: its contestants, and the records so far.

use crate::peers::Peers;
use crate::record::{Outcome, Record, who};
use crate::reference::Reference;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The state of a run: the contestants, the settings, and the records that sections have put.
pub struct Bench {
    /// True for a run with tiny sizes, which tests that everything runs, not how fast it is.
    pub quick: bool,
    /// The C reference.
    pub reference: Reference,
    /// The Python peers.
    pub peers: Peers,
    /// The path of the `moglb` command.
    pub command: PathBuf,
    /// The folder for files that contestants share; it is removed at the end.
    folder: TempDir,
    /// The records so far.
    records: Vec<Record>,
}

impl Bench {
    /// Creates a run without records.
    ///
    /// # Errors
    ///
    /// Fails if the folder for temporary files cannot be created.
    pub fn new(
        quick: bool,
        reference: Reference,
        peers: Peers,
        command: PathBuf,
    ) -> Result<Self, std::io::Error> {
        Ok(Self { quick, reference, peers, command, folder: TempDir::new()?, records: Vec::new() })
    }

    /// The number of times that contestants take turns.
    pub fn repeats(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    /// The time for one measurement, in seconds.
    pub fn budget(&self) -> f64 {
        if self.quick { 0.001 } else { 0.3 }
    }

    /// The folder of temporary files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// All records.
    pub fn into_records(self) -> Vec<Record> {
        self.records
    }

    /// Adds a record, and prints it: as JSON to standard output, and as text to standard error.
    pub fn put(&mut self, record: Record) {
        println!("{}", serde_json::to_string(&record).expect("a record can be written"));
        eprintln!("{}", crate::format::line(&record));
        self.records.push(record);
    }
}

/// A case in one repeat, to which records are added.
#[derive(Clone)]
pub struct Case {
    section: &'static str,
    case: String,
    repeat: usize,
}

impl Case {
    /// Creates a case of a section.
    pub fn new(section: &'static str, case: impl Into<String>, repeat: usize) -> Self {
        Self { section, case: case.into(), repeat }
    }

    /// Adds a time of this project.
    pub fn ours(&self, bench: &mut Bench, what: &str, outcome: impl Into<Outcome>) {
        self.time(bench, who::OURS, what, outcome);
    }

    /// Adds a time of a contestant.
    pub fn time(&self, bench: &mut Bench, who: &str, what: &str, outcome: impl Into<Outcome>) {
        self.put(bench, who, what, "s", outcome);
    }

    /// Adds a measurement of a contestant in any unit.
    pub fn put(&self, bench: &mut Bench, who: &str, what: &str, unit: &str, outcome: impl Into<Outcome>) {
        bench.put(Record {
            section: self.section.into(),
            case: self.case.clone(),
            who: who.into(),
            what: what.into(),
            unit: unit.into(),
            repeat: self.repeat,
            outcome: outcome.into(),
        });
    }

    /// Measures the C reference on the case and adds its times.
    pub fn reference(&self, bench: &mut Bench, what: &[&str], arguments: &[String]) {
        for (what, outcome) in bench.reference.measure(what, arguments) {
            self.time(bench, who::C, &what, outcome);
        }
    }

    /// Measures a peer on the case and adds its time.
    pub fn peer(&self, bench: &mut Bench, who: &str, what: &str, question: &serde_json::Value) {
        let outcome = bench.peers.measure(question);
        self.time(bench, who, what, outcome);
    }
}
