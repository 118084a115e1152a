//! `moglb reproduce`, `moglb run` and `moglb report`.

mod files;

use crate::args::{HowArgs, ReportArgs, ReproduceArgs, RunArgs};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::report::rang;
use crate::{output, standard, text_table};
use moglb::{Echo, EchoMessage, POLICIES};
use moglb_data::read::{self, LARGEST_DOCUMENT, LARGEST_STATE};
use moglb_sim::{CellLog, Plan, Run, Summary, mean_ci95, paper_experiment};
use std::path::Path;
use std::time::Instant;

/// The name of the log of finished cells in the folder of results. The log is removed when a run is complete.
const LOG: &str = ".cells";

/// Runs the paper's experiments: `moglb reproduce`.
///
/// # Errors
///
/// Fails if a policy is unknown, a plan is invalid, the run is interrupted, or a file cannot be written.
pub fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    if let Some(id) = args.policies.iter().find(|id| !POLICIES.iter().any(|info| info.id == *id)) {
        let known: Vec<&str> = POLICIES.iter().map(|info| info.id).collect();
        let message = format!("there is no policy `{}`, only {}", Echo(id), known.join(", "));
        return Err(Failure::bad_input(message));
    }
    let dims: Vec<usize> = without_repeats(&args.dims).into_iter().map(|dim| dim as usize).collect();
    let mut experiment = paper_experiment(&dims, &without_repeats(&args.policies));
    experiment.horizon = args.horizon;
    experiment.trials = args.trials;
    experiment.tuning_trials = args.tuning_trials;
    experiment.seed = args.seed;
    execute(&experiment.plan()?, &args.how)
}

/// Runs the experiment of a TOML file: `moglb run`.
///
/// # Errors
///
/// Fails if the file cannot be read or is not a valid experiment, and as [`reproduce`] does.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let text =
        read::text(&args.file, LARGEST_DOCUMENT).map_err(|error| Failure::in_file(&args.file, error))?;
    let plan = Plan::from_toml(&text).map_err(|error| Failure::in_file(&args.file, error))?;
    execute(&plan, &args.how)
}

/// Renders the figures and the report of a finished run again: `moglb report`.
///
/// # Errors
///
/// Fails if the folder has no complete run, or if a file cannot be read or written.
pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    files::check_whole(&args.folder)?;
    let read = |name: &str, most: u64| {
        let path = args.folder.join(name);
        read::text(&path, most).map_err(|error| Failure::in_file(&path, error))
    };
    let summary = Summary::from_json(&read("summary.json", LARGEST_STATE)?).map_err(|error| {
        Failure::in_file(&args.folder.join("summary.json"), EchoMessage(&error.to_string()))
    })?;
    files::write_pictures(&args.folder, &summary, &read("config.toml", LARGEST_DOCUMENT)?)?;
    if !args.quiet {
        standard::say(format_args!("wrote {}", args.folder.join("report.html").display()));
    }
    Ok(())
}

/// The distinct items, in the order of their first occurrence.
fn without_repeats<T: Clone + PartialEq>(items: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    items.iter().for_each(|item| {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    });
    kept
}

/// Plays a plan, writes its files, and prints the table or the summary. Cells that a log has are not played
/// again.
fn execute(plan: &Plan, how: &HowArgs) -> Result<(), Failure> {
    let start = Instant::now();
    // A plan that cannot be run is refused before anything is written.
    plan.check_instances()?;
    output::prepare(&how.out, &files::names())?;
    let log = output::open_logs(&[(how.out.join(LOG), plan.key()?)], how)?;
    let progress = Progress::new(how.quiet);
    let results = moglb_sim::run(plan, how.threads, log.first(), &progress);
    progress.finish();
    let results = results?;
    let simulated = start.elapsed().as_secs_f64();
    let summary = results.summary();
    log.iter().try_for_each(CellLog::check)?;
    files::write(&how.out, &results, &summary)?;
    // Remove the log before its lock is released, so that a run that begins now starts a new one.
    log.iter().try_for_each(CellLog::remove)?;
    drop(log);
    if how.json {
        standard::print_json(&summary, "the summary")?;
    } else if !how.quiet {
        standard::print(table(&summary).as_bytes())?;
    }
    if !how.quiet {
        talk(&summary, &how.out, simulated, start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// A table of the metrics of every run after its last round: regret, Jaccard index, exposure entropy and
/// share on the front, each as mean ± half of the 95 % interval.
fn table(summary: &Summary) -> String {
    let head =
        ["environment", "d", "policy", "Pareto regret", "Jaccard", "entropy", "on front", "parameters"];
    text_table::aligned(
        &head,
        summary.rankings().iter().flat_map(|ranking| &ranking.places).map(|place| row(place.run)),
    )
}

/// The row of a run.
fn row(run: &Run) -> [String; 8] {
    let plus_minus = |values: &[f64], digits: usize| {
        let (mean, ci) = mean_ci95(values);
        format!("{mean:.digits$} ± {ci:.digits$}")
    };
    let params: Vec<String> = run.params.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    [
        run.environment.clone(),
        run.dim.to_string(),
        run.policy.clone(),
        plus_minus(&run.last.pareto_regret, 1),
        run.last.jaccard.as_ref().map_or("–".into(), |values| plus_minus(values, 2)),
        plus_minus(&run.last.exposure_entropy, 2),
        plus_minus(&run.last.share_on_front, 2),
        params.join(", ").replace('"', ""),
    ]
}

/// Prints the alarms of a monitored run: a line for each kind of alarm, with the number of trials that had
/// it.
fn ring(run: &Run) {
    let trials = run.health.as_deref().unwrap_or_default();
    for (code, count) in rang(trials) {
        let (environment, policy, all) = (&run.environment, &run.policy, trials.len());
        standard::say(format_args!(
            "alarm {} in {count} of {all} trials of {policy} on {environment}, see {}",
            code.name(),
            code.page()
        ));
    }
}

/// Prints the messages of a run: claims of the paper that did not hold, alarms, and the speed. Rounds that
/// were played for tuning count.
fn talk(summary: &Summary, out: &Path, simulated: f64, total: f64) {
    for claim in summary.claims.iter().filter(|claim| claim.holds == Some(false)) {
        standard::say(format_args!("did not hold ({}): {}: {}", claim.place, claim.paper, claim.measured));
    }
    summary.runs.iter().for_each(ring);
    let tuned: u64 = summary
        .runs
        .iter()
        .filter_map(|run| run.tuning.as_ref())
        .map(|t| (t.grid.len() * t.trials) as u64)
        .sum();
    let rounds = summary.runs.iter().map(|run| run.rounds).sum::<u64>() + tuned * summary.experiment.horizon;
    standard::say(format_args!(
        "{rounds} rounds in {simulated:.2} s ({:.0} rounds per second), {total:.2} s in all; see {}",
        rounds as f64 / simulated,
        out.join("report.html").display()
    ));
}
