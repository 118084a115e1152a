//! The sections of the benchmark, one file each.

mod figure1;
mod fresh;
mod front;
mod growth;
mod limits;
mod policies;
mod reproduce;
mod state;
mod streaming;
mod windows;

pub use front::{KINDS, OBJECTIVES, POINTS, case_name as front_case};
pub use growth::{AXES, CURVES};
pub use policies::case_name as policies_case;
pub use state::EARLY;
pub use streaming::{VARIANTS, Variant, case_name as streaming_case};
pub use windows::WINDOWS;

use crate::bench::Bench;
use anyhow::Result;

/// A section: its name, its title and introduction in the report, and the function that measures it.
pub struct Section {
    /// The name, as on the command line.
    pub name: &'static str,
    /// The heading in the report.
    pub title: &'static str,
    /// The introduction to its tables.
    pub about: &'static str,
    /// The function that measures all cases and adds their records.
    run: fn(&mut Bench) -> Result<()>,
}

impl Section {
    /// Measures all cases of the section.
    ///
    /// # Errors
    ///
    /// Fails if the library refuses an input or a file cannot be written.
    pub fn run(&self, bench: &mut Bench) -> Result<()> {
        eprintln!("-- {}", self.name);
        (self.run)(bench)
    }
}

/// All sections, in the order of the report.
pub const SECTIONS: [Section; 10] = [
    Section { name: "limits", title: "What the machine allows", about: limits::ABOUT, run: limits::run },
    Section { name: "windows", title: "Whole rounds, fixed arms", about: windows::ABOUT, run: windows::run },
    Section {
        name: "streaming",
        title: "Fixed arms once the front is found",
        about: streaming::ABOUT,
        run: streaming::run,
    },
    Section { name: "fresh", title: "Fresh arms in every round", about: fresh::ABOUT, run: fresh::run },
    Section {
        name: "policies",
        title: "The policies side by side",
        about: policies::ABOUT,
        run: policies::run,
    },
    Section { name: "front", title: "The front filter alone", about: front::ABOUT, run: front::run },
    Section { name: "figure1", title: "Figure 1 at d = 10", about: figure1::ABOUT, run: figure1::run },
    Section {
        name: "reproduce",
        title: "The whole of `moglb reproduce`",
        about: reproduce::ABOUT,
        run: reproduce::run,
    },
    Section { name: "state", title: "The state after many rounds", about: state::ABOUT, run: state::run },
    Section { name: "growth", title: "How cost grows", about: growth::ABOUT, run: growth::run },
];
