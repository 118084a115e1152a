//! A run: what is at hand, and the records so far.

use crate::peers::Peers;
use crate::record::{Outcome, Record, who};
use crate::reference::Reference;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What sections measure with, and where their records go.
pub struct Bench {
    /// Tiny sizes: to see that everything runs, not how fast.
    pub quick: bool,
    /// The C reference.
    pub reference: Reference,
    /// The Python peers.
    pub peers: Peers,
    /// The `moglb` command.
    pub command: PathBuf,
    folder: TempDir,
    records: Vec<Record>,
}

impl Bench {
    /// A run without records.
    ///
    /// # Errors
    ///
    /// When there is no room for temporary files.
    pub fn new(
        quick: bool,
        reference: Reference,
        peers: Peers,
        command: PathBuf,
    ) -> Result<Self, std::io::Error> {
        Ok(Self { quick, reference, peers, command, folder: TempDir::new()?, records: Vec::new() })
    }

    /// How often contestants take turns.
    pub fn repeats(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    /// Seconds for one repeated measurement.
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

    /// Prints a record as a line of JSON, and for people, and keeps it.
    pub fn put(&mut self, record: Record) {
        println!("{}", serde_json::to_string(&record).expect("a record can be written"));
        eprintln!("{}", crate::format::line(&record));
        self.records.push(record);
    }
}

/// Where the records of one case and repeat go.
#[derive(Clone)]
pub struct Case {
    section: &'static str,
    case: String,
    repeat: usize,
}

impl Case {
    /// A case of a section.
    pub fn new(section: &'static str, case: impl Into<String>, repeat: usize) -> Self {
        Self { section, case: case.into(), repeat }
    }

    /// A time of this project.
    pub fn ours(&self, bench: &mut Bench, what: &str, outcome: impl Into<Outcome>) {
        self.time(bench, who::OURS, what, outcome);
    }

    /// A time of anybody.
    pub fn time(&self, bench: &mut Bench, who: &str, what: &str, outcome: impl Into<Outcome>) {
        self.put(bench, who, what, "s", outcome);
    }

    /// Anything measured.
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

    /// What the C reference says about it.
    pub fn reference(&self, bench: &mut Bench, what: &[&str], arguments: &[String]) {
        for (what, outcome) in bench.reference.measure(what, arguments) {
            self.time(bench, who::C, &what, outcome);
        }
    }

    /// What a peer says about it.
    pub fn peer(&self, bench: &mut Bench, who: &str, what: &str, question: &serde_json::Value) {
        let outcome = bench.peers.measure(question);
        self.time(bench, who, what, outcome);
    }
}
