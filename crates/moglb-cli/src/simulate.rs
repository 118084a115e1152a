//! `moglb reproduce`, `moglb run` and `moglb report`.

use crate::args::{HowArgs, ReportArgs, ReproduceArgs, RunArgs};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::report::rang;
use crate::{columns, folder, standard};
use anyhow::Context;
use moglb::{Echo, EchoMessage, POLICIES};
use moglb_data::read::{self, LARGEST_DOCUMENT, LARGEST_STATE};
use moglb_sim::{
    Baseline, CellLog, Comparison, Curve, EnvironmentConfig, Experiment, Namespace, Run, SUMMARY_FORMAT,
    Streams, Summary, mean_ci95, paper_experiment,
};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The log of finished cells in the folder of results; gone when a run is complete.
const LOG: &str = ".cells";

/// Runs the paper's experiments.
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
    execute(&experiment, &args.how)
}

/// Runs the experiment of a file.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let text =
        read::text(&args.file, LARGEST_DOCUMENT).map_err(|error| Failure::in_file(&args.file, error))?;
    let experiment = Experiment::from_toml(&text).map_err(|error| Failure::in_file(&args.file, error))?;
    execute(&experiment, &args.how)
}

/// Renders the report of a finished run again.
pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    folder::check_whole(&args.folder)?;
    let read = |name: &str, most: u64| {
        let path = args.folder.join(name);
        read::text(&path, most).map_err(|error| Failure::in_file(&path, error))
    };
    let damaged = |what: String| Failure::in_file(&args.folder.join("summary.json"), EchoMessage(&what));
    let summary: Summary =
        serde_json::from_str(&read("summary.json", LARGEST_STATE)?).map_err(|e| damaged(e.to_string()))?;
    if summary.format != SUMMARY_FORMAT {
        return Err(damaged(format!("expected format {SUMMARY_FORMAT}, got {}", summary.format)));
    }
    if let Some(run) = summary.runs.iter().find(|run| !is_whole(run)) {
        return Err(damaged(format!(
            "the curves of {} at d = {} are not of one length",
            run.policy, run.dim
        )));
    }
    if let Some(comparison) = summary.comparisons.iter().find(|comparison| !fits(comparison, &summary.runs)) {
        return Err(damaged(format!("the outcomes on {} do not fit together", comparison.environment)));
    }
    folder::write_pictures(&args.folder, &summary, &read("config.toml", LARGEST_DOCUMENT)?)?;
    if !args.quiet {
        standard::say(format_args!("wrote {}", args.folder.join("report.html").display()));
    }
    Ok(())
}

fn is_whole(run: &Run) -> bool {
    let optional = [&run.jaccard, &run.precision, &run.recall, &run.front_size];
    let mut curves = optional.into_iter().flatten().chain([&run.pareto_regret]);
    !run.t.is_empty()
        && curves.all(|curve| curve.mean.len() == run.t.len() && curve.ci95.len() == run.t.len())
}

/// Whether a comparison and the outcomes of its runs have as many numbers as they speak of.
fn fits(comparison: &Comparison, runs: &[Run]) -> bool {
    let Comparison { objectives, measures, weights, .. } = comparison;
    let (m, n) = (objectives.len(), weights.len());
    let of_length = |curve: &Curve, length: usize| curve.mean.len() == length && curve.ci95.len() == length;
    let baseline = |one: &Baseline| {
        (one.objectives.len(), one.measures.len(), one.regret.len()) == (m, measures.len(), n)
    };
    let outcome = |run: &Run| {
        run.outcome.as_ref().is_none_or(|one| {
            let counts = (one.objectives.len(), one.measures.len());
            counts == (m, measures.len())
                && of_length(&one.regret, n)
                && of_length(&one.hypervolume, run.t.len())
        })
    };
    m > 0
        && weights.iter().all(|weights| weights.len() == m)
        && comparison.baselines.iter().all(baseline)
        && runs.iter().filter(|run| comparison.is_about(run)).all(outcome)
        && comparison
            .together
            .iter()
            .flat_map(|together| &together.runs)
            .all(|&run| runs.get(run).is_some_and(|run| comparison.is_about(run)))
}

fn without_repeats<T: Clone + PartialEq>(items: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    items.iter().for_each(|item| {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    });
    kept
}

fn execute(experiment: &Experiment, how: &HowArgs) -> Result<(), Failure> {
    let start = Instant::now();
    check(experiment)?;
    folder::prepare(&how.out, &folder::run_files())?;
    let log = open_logs(&[(how.out.join(LOG), experiment.key()?)], how)?;
    let progress = Progress::new(how.quiet);
    let results = moglb_sim::run(experiment, how.threads, log.first(), &progress);
    progress.finish();
    let results = results?;
    let simulated = start.elapsed().as_secs_f64();
    let summary = results.summary();
    log.iter().try_for_each(CellLog::check)?;
    folder::write_all(&how.out, &results, &summary)?;
    // Removed while it is still claimed: a run that begins now begins with a log of its own.
    log.iter().try_for_each(CellLog::remove)?;
    drop(log);
    if how.json {
        let json = serde_json::to_string_pretty(&summary).context("the summary")?;
        standard::print((json + "\n").as_bytes())?;
    } else if !how.quiet {
        standard::print(table(&summary).as_bytes())?;
    }
    if !how.quiet {
        talk(&summary, &how.out, simulated, start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Refuses what cannot be run before anything is written.
fn check(experiment: &Experiment) -> Result<(), Failure> {
    let mut drawn: Vec<&EnvironmentConfig> = Vec::new();
    let plan = experiment.plan()?;
    for environment in plan.runs.iter().map(|run| &run.environment) {
        if !drawn.contains(&environment) {
            environment.instance(Streams::new(experiment.seed, Namespace::Report, environment.dim(), 0))?;
            drawn.push(environment);
        }
    }
    Ok(())
}

/// The logs of finished cells: where they are, and the heads of what they belong to.
pub fn open_logs(logs: &[(PathBuf, String)], how: &HowArgs) -> Result<Vec<CellLog>, Failure> {
    let stood = logs.iter().any(|(path, _)| path.symlink_metadata().is_ok());
    let open = if how.resume { CellLog::resume } else { CellLog::create };
    let opened = logs.iter().map(|(path, head)| open(path, head)).collect::<Result<_, _>>()?;
    if stood && !how.resume && !how.quiet {
        standard::say(format_args!(
            "starting over; --resume would have gone on with the interrupted run in {}",
            how.out.display()
        ));
    }
    Ok(opened)
}

/// The last line of every run: regret, Jaccard index, entropy and share, as mean ± half of the 95 % interval.
fn table(summary: &Summary) -> String {
    let head =
        ["environment", "d", "policy", "Pareto regret", "Jaccard", "entropy", "on front", "parameters"];
    columns::aligned(
        &head,
        summary.rankings().iter().flat_map(|ranking| &ranking.places).map(|place| row(place.run)),
    )
}

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

/// The alarms of a run that was monitored.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tests::{ONE_ARM_EACH, on_data};

    #[test]
    fn outcomes_with_numbers_missing_are_damaged() {
        let whole = on_data(["cheap", "good"], ONE_ARM_EACH);
        assert!(fits(&whole.comparisons[0], &whole.runs));
        let damages: [fn(&mut Summary); 5] = [
            |summary| summary.comparisons[0].baselines[0].regret.clear(),
            |summary| summary.comparisons[0].baselines[1].measures.clear(),
            |summary| summary.comparisons[0].objectives.clear(),
            |summary| summary.runs[1].outcome.as_mut().unwrap().regret.mean.clear(),
            |summary| summary.runs[1].outcome.as_mut().unwrap().hypervolume.ci95.clear(),
        ];
        for damage in damages {
            let mut summary = whole.clone();
            damage(&mut summary);
            assert!(!fits(&summary.comparisons[0], &summary.runs));
        }
    }
}
