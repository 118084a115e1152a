//! `moglb confirm`: a policy held against MOGLB-UCB, as table, Markdown, CSV and JSON.

mod markdown;
mod words;

pub use markdown::markdown;
pub use words::label;

use crate::args::ConfirmArgs;
use crate::cell::safe;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::simulate::open_logs;
use crate::{columns, folder, standard};
use anyhow::{Context, Result};
use moglb_sim::{Case, CellLog, Confirmation, Confirmed, Confirming, QuickLook, Role, Trace};
use std::path::PathBuf;
use std::time::Instant;

/// Plays the cases and writes what they show.
pub fn confirm(args: &ConfirmArgs) -> Result<(), Failure> {
    let (start, how) = (Instant::now(), &args.how);
    let plan = Confirming::new(&args.cases, QuickLook { horizon: args.horizon, trials: args.trials })?;
    folder::prepare(&how.out, &folder::CONFIRMATION)?;
    let place = |(case, head): (&Case, String)| (how.out.join(format!(".cells-{}", case.id)), head);
    let places: Vec<(PathBuf, String)> = plan.cases()?.into_iter().map(place).collect();
    let logs = open_logs(&places, how)?;
    let progress = Progress::new(how.quiet);
    let confirmed = plan.run(how.threads, &logs, &progress);
    progress.finish();
    let confirmed = confirmed?;
    logs.iter().try_for_each(CellLog::check)?;
    folder::write_confirmation(&how.out, &confirmed)?;
    // Removed while they are still claimed, as by `moglb run`.
    logs.iter().try_for_each(CellLog::remove)?;
    drop(logs);
    if how.json {
        let json = serde_json::to_string_pretty(&confirmed.confirmation).context("the confirmation")?;
        standard::print((json + "\n").as_bytes())?;
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

/// Every required line with what showed, and how many were met.
fn table(confirmation: &Confirmation) -> String {
    let head = ["case", "must show", "challenger", "rival", "control", "compared", "verdict"];
    let rows = confirmation.lines().map(|(case, line)| {
        [
            case.id.clone(),
            words::required(line),
            words::estimate(line.metric, line.challenger),
            words::estimate(line.metric, line.rival),
            line.control.map_or(words::NONE.into(), |control| words::estimate(line.metric, control)),
            words::compared(line),
            words::verdict(line).into(),
        ]
    });
    let warning = if confirmation.quick_look { format!("{}\n", words::QUICK_LOOK) } else { String::new() };
    format!("{warning}{}{}\n", columns::aligned(&head, rows), words::count(confirmation))
}

/// The tidy table of all trials; a policy without a front leaves its four columns empty.
pub fn csv(confirmed: &Confirmed) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "case",
        "role",
        "policy",
        "trial",
        "t",
        "pareto_regret",
        "exposure_entropy",
        "jaccard",
        "precision",
        "recall",
        "front_size",
    ])?;
    for (case, results) in confirmed.confirmation.cases.iter().zip(&confirmed.results) {
        for (role, run) in Role::ALL.into_iter().zip(&results.runs) {
            for (trial, trace) in run.traces.iter().enumerate() {
                for (k, t) in results.checkpoints.iter().enumerate() {
                    let names =
                        [case.id.as_str(), role.name(), run.policy.id()].map(|cell| safe(cell).into_owned());
                    let numbers = [trial.to_string(), t.to_string()];
                    writer.write_record(names.into_iter().chain(numbers).chain(values(trace, k)))?;
                }
            }
        }
    }
    Ok(writer.into_inner()?)
}

fn values(trace: &Trace, k: usize) -> [String; 6] {
    let front = trace.fronts.as_ref().map(|f| [&f.jaccard, &f.precision, &f.recall, &f.front_size]);
    let [jaccard, precision, recall, size] = match front {
        Some(curves) => curves.map(|curve| curve[k].to_string()),
        None => std::array::from_fn(|_| String::new()),
    };
    let (regret, entropy) = (trace.pareto_regret[k].to_string(), trace.exposure_entropy[k].to_string());
    [regret, entropy, jaccard, precision, recall, size]
}
