//! `moglb confirm`: compares a policy with MOGLB-UCB, with results as table, Markdown, CSV and JSON.

mod files;
mod labels;
mod markdown;
mod trials;

use crate::args::ConfirmArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{output, standard, text_table};
use moglb_sim::{Case, CellLog, Confirmation, Confirming, QuickLook};
use std::path::PathBuf;
use std::time::Instant;

/// Plays the cases, and writes and prints the results.
///
/// # Errors
///
/// Fails if a case is unknown, the run is interrupted, or a file cannot be written.
pub fn confirm(args: &ConfirmArgs) -> Result<(), Failure> {
    let (start, how) = (Instant::now(), &args.how);
    let plan = Confirming::new(&args.cases, QuickLook { horizon: args.horizon, trials: args.trials })?;
    output::prepare(&how.out, &files::NAMES)?;
    let place = |(case, head): (&Case, String)| (how.out.join(format!(".cells-{}", case.id)), head);
    let places: Vec<(PathBuf, String)> = plan.cases()?.into_iter().map(place).collect();
    let logs = output::open_logs(&places, how)?;
    let progress = Progress::new(how.quiet);
    let confirmed = plan.run(how.threads, &logs, &progress);
    progress.finish();
    let confirmed = confirmed?;
    logs.iter().try_for_each(CellLog::check)?;
    files::write(&how.out, &confirmed)?;
    // Remove the logs before their locks are released, as `moglb run` does.
    logs.iter().try_for_each(CellLog::remove)?;
    drop(logs);
    if how.json {
        standard::print_json(&confirmed.confirmation, "the confirmation")?;
    } else if !how.quiet {
        standard::print(table(&confirmed.confirmation).as_bytes())?;
    }
    if !how.quiet {
        standard::say(format_args!(
            "{:.1} s; see {}",
            start.elapsed().as_secs_f64(),
            how.out.join("confirm.md").display()
        ));
    }
    Ok(())
}

/// A table of every required line with its measurements, and the number of lines that were met.
fn table(confirmation: &Confirmation) -> String {
    let head = ["case", "must show", "challenger", "rival", "control", "compared", "verdict"];
    let rows = confirmation.lines().map(|(case, line)| {
        [
            case.id.clone(),
            labels::required(line),
            labels::estimate(line.metric, line.challenger),
            labels::estimate(line.metric, line.rival),
            line.control.map_or(labels::NONE.into(), |control| labels::estimate(line.metric, control)),
            labels::compared(line),
            labels::verdict(line).into(),
        ]
    });
    let warning = if confirmation.quick_look { format!("{}\n", labels::QUICK_LOOK) } else { String::new() };
    format!("{warning}{}{}\n", text_table::aligned(&head, rows), labels::count(confirmation))
}
