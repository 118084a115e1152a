//! What moglb promises about any input, as functions of bytes.
//!
//! Each target passes unchecked bytes to one entry point of moglb and panics if that entry point breaks a
//! promise: no input may lead to a panic, what is accepted must be usable, and what is written must read back
//! to the same bits. In `fuzz/` a coverage-guided fuzzer chooses the bytes; `tests/corpus.rs` replays the
//! committed inputs in every test run.

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

/// A name and the function that takes its bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets, by the name of their program in `fuzz/` and of their folder in `fuzz/corpus`.
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

/// Runs the target of a name.
///
/// # Panics
///
/// Where a promise is broken, and for a name that no target has.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).expect("the name of a target");
    target(bytes);
}
