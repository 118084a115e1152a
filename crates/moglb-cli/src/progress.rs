//! The progress bar, and Ctrl-C.

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use moglb_sim::Watcher;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Shows how far a run is, and ends it on Ctrl-C.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A progress bar on standard error that counts rounds; none if quiet or if nobody looks.
    pub fn new(quiet: bool) -> Self {
        Self::counting("rounds", quiet)
    }

    /// The same for other things that are counted.
    pub fn counting(what: &str, quiet: bool) -> Self {
        // A second Ctrl-C does not wait for the cells to end. Without a handler Ctrl-C just kills: no loss.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(1);
            }
        });
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::no_length() };
        let template = format!(
            "{{bar:40}} {{percent:>3}} %  {{human_pos}} of {{human_len}} {what}, {{speed}} per second, {{eta}} left"
        );
        let speed = |state: &ProgressState, out: &mut dyn Write| {
            // A failed write to the terminal is not worth a word.
            let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
        };
        bar.set_style(
            ProgressStyle::with_template(&template).expect("a valid template").with_key("speed", speed),
        );
        Self { bar }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A progress bar for a table of so many bytes, if that is known; none if quiet or if nobody looks.
pub fn bytes(quiet: bool, size: Option<u64>) -> ProgressBar {
    let (bar, template) = match size {
        _ if quiet => return ProgressBar::hidden(),
        Some(size) => (
            ProgressBar::new(size),
            "{bar:40} {percent:>3} %  {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        ),
        None => (ProgressBar::no_length(), "{bytes}, {bytes_per_sec}"),
    };
    bar.with_style(ProgressStyle::with_template(template).expect("a valid template"))
}

impl Watcher for Progress {
    fn planned(&self, rounds: u64, found: u64) {
        self.bar.set_length(rounds);
        self.bar.set_position(found);
        self.bar.reset_eta();
    }

    fn played(&self, rounds: u64) -> bool {
        self.bar.inc(rounds);
        !INTERRUPTED.load(Ordering::Relaxed)
    }
}
