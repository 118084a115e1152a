//! The promises of moglb about any input, as functions of bytes.
//!
//! Each target passes unchecked bytes to one entry point of moglb, and panics if the entry point
//! breaks a promise: no input may cause a panic, accepted input must be usable, and output must
//! read back to the same bits. In `fuzz/` a coverage-guided fuzzer chooses the bytes;
//! `tests/corpus.rs` replays the committed inputs in every test run.

mod data;
mod experiments;
mod front;
mod laws;
mod logs;
mod parameters;
mod pareto;
mod problems;
mod promise;
mod results;
mod snapshots;
mod states;
mod structured;
mod temporary;

pub use structured::steps_played;

/// The name of a target and the function that takes its bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets. Their names are also those of their programs in `fuzz/` and of their folders in
/// `fuzz/corpus`.
pub const TARGETS: &[Target] = &[
    ("data", data::run),
    ("experiments", experiments::run),
    ("front", front::run),
    ("logs", logs::run),
    ("parameters", parameters::run),
    ("pareto", pareto::run),
    ("results", results::run),
    ("snapshots", snapshots::run),
    ("states", states::run),
    ("structured", structured::run),
];

/// Runs the target with this name.
///
/// # Panics
///
/// If a promise is broken, or if no target has this name.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).expect("the name of a target");
    target(bytes);
}
