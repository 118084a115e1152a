//! The progress bar, and the handling of Ctrl-C.
//!
//! The first Ctrl-C ends a run as soon as possible, and finished cells stay in the log. The second one ends
//! the process at once.

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use moglb_sim::Watcher;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// True after the first Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A watcher of a run that shows its progress and stops it on Ctrl-C.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A progress bar on standard error that counts rounds. It is hidden if `quiet` or if standard error is
    /// not a terminal.
    pub fn new(quiet: bool) -> Self {
        Self::counting("rounds", quiet)
    }

    /// A progress bar, as from [`Progress::new`], that counts another unit, such as `trials`.
    pub fn counting(what: &str, quiet: bool) -> Self {
        // A second Ctrl-C does not wait for the cells to end. If no handler can be set, Ctrl-C ends the
        // process at once, which is acceptable.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(1);
            }
        });
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::no_length() };
        let template = format!(
            "{{bar:40}} {{percent:>3}} %  {{human_pos}} of {{human_len}} {what}, {{speed}} per second, \
             {{eta}} left"
        );
        let speed = |state: &ProgressState, out: &mut dyn Write| {
            // Ignore write errors on the terminal.
            let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
        };
        bar.set_style(
            ProgressStyle::with_template(&template).expect("a valid template").with_key("speed", speed),
        );
        Self { bar }
    }

    /// Removes the bar from the terminal.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A progress bar for a table of `size` bytes, without an end if the size is unknown. It is hidden if `quiet`
/// or if standard error is not a terminal.
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
