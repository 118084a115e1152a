//! `moglb identify`: finds the front, with results as table, CSV and JSON.

mod files;
mod trials;

use crate::args::IdentifyArgs;
use crate::failure::Failure;
use crate::figure::series::parameter;
use crate::progress::Progress;
use crate::{output, standard, text_table};
use moglb_data::read::{self, LARGEST_DOCUMENT};
use moglb_files::FolderIdentity;
use moglb_sim::{IdentificationPlan, IdentificationRun, IdentificationSummary, SimError, Success, Watcher};
use std::time::Instant;

/// Runs the experiment of a TOML file, and writes and prints its results.
///
/// # Errors
///
/// Fails if the experiment is invalid, the run is interrupted, the folder for the results disappears, or a
/// file cannot be written.
pub fn identify(args: &IdentifyArgs) -> Result<(), Failure> {
    let start = Instant::now();
    let text =
        read::text(&args.file, LARGEST_DOCUMENT).map_err(|error| Failure::in_file(&args.file, error))?;
    let plan = IdentificationPlan::from_toml(&text).map_err(|error| Failure::in_file(&args.file, error))?;
    output::prepare(&args.out, &files::NAMES)?;
    let there = FolderIdentity::new(&args.out)?;
    let progress = Progress::counting("trials", args.quiet);
    let watcher = WhileThere { progress: &progress, folder: &there };
    let identified = moglb_sim::identify(&plan, args.threads, &watcher);
    progress.finish();
    there.check()?;
    let identified = identified.map_err(|error| match error {
        SimError::Interrupted { done, total } => {
            Failure::running(format!("interrupted with {done} of {total} trials done; nothing was written"))
        }
        other => other.into(),
    })?;
    let summary = identified.summary();
    files::write(&args.out, &identified, &summary)?;
    if args.json {
        standard::print_json(&summary, "the summary")?;
    } else if !args.quiet {
        standard::print(table(&summary).as_bytes())?;
    }
    if !args.quiet {
        let samples: u64 =
            identified.runs.iter().flat_map(|run| &run.trials).map(|trial| trial.samples).sum();
        let seconds = start.elapsed().as_secs_f64();
        let speed = samples as f64 / seconds;
        let place = args.out.join("identify.png");
        standard::say(format_args!(
            "{samples} samples in {seconds:.1} s ({speed:.0} per second); see {}",
            place.display()
        ));
    }
    Ok(())
}

/// A watcher that stops the trials when the folder for their results is gone.
struct WhileThere<'a> {
    progress: &'a Progress,
    folder: &'a FolderIdentity,
}

impl Watcher for WhileThere<'_> {
    fn planned(&self, trials: u64, found: u64) {
        self.progress.planned(trials, found);
    }

    fn played(&self, trials: u64) -> bool {
        self.progress.played(trials) && self.folder.check().is_ok()
    }
}

/// A table of the results, with a line for each run.
fn table(summary: &IdentificationSummary) -> String {
    let head = [
        "environment",
        "K",
        "m",
        "identifier",
        "success",
        "95 % interval",
        "stopped",
        "samples",
        "10 % to 90 %",
        "missed",
        "wrong",
        "parameters",
    ];
    let row = |run: &IdentificationRun| {
        let Success { rate, low, high } = run.success;
        [
            run.environment.clone(),
            run.arms.to_string(),
            run.objectives.to_string(),
            run.identifier.clone(),
            format!("{rate:.3}"),
            format!("{low:.3} to {high:.3}"),
            format!("{:.2}", run.stopped),
            run.samples.median.to_string(),
            format!("{} to {}", run.samples.q10, run.samples.q90),
            format!("{:.2}", run.missed),
            format!("{:.2}", run.wrong),
            parameters(run),
        ]
    };
    text_table::aligned(&head, summary.runs.iter().map(row))
}

/// The parameters of an identifier as text, without quotes.
fn parameters(run: &IdentificationRun) -> String {
    let told = run.params.iter().map(|(name, value)| format!("{name} = {}", parameter(value)));
    told.collect::<Vec<_>>().join(", ").replace('"', "")
}
