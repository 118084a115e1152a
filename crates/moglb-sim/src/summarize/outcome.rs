//! Outcomes and comparisons, from the scores of trials on data.

use super::baselines::{baselines, volume};
use crate::environment::{DataTable, EnvironmentConfig};
use crate::play::at_horizon;
use crate::ranking::grouped;
use crate::scores::share;
use crate::stats::mean_curve;
use crate::{
    Column, Comparison, DataOutcome, DataSource, FinishedRun, Run, Scores, SimError, Together, json,
    weight_grid,
};

/// The number of arms whose shares are reported: those that were played most.
const MOST_SHARES: usize = 10;

/// The parameters that express a preference, under the names that different policies use.
const PREFERRED: [&str; 4] = ["play", "target", "objective", "weights"];

/// The comparisons, one for each environment on data, in the order of the experiment.
pub(crate) fn comparisons(runs: &[FinishedRun]) -> Result<Vec<Comparison>, SimError> {
    let mut environments: Vec<(&EnvironmentConfig, &DataSource)> = Vec::new();
    for run in runs {
        let own = &run.planned.environment;
        if let EnvironmentConfig::Data(source) = own
            && environments.iter().all(|(other, _)| *other != own)
        {
            environments.push((own, source));
        }
    }
    environments.into_iter().map(|(environment, source)| comparison(environment, source, runs)).collect()
}

/// The comparison of an environment: its baselines, and its runs grouped by policy.
fn comparison(
    environment: &EnvironmentConfig,
    source: &DataSource,
    runs: &[FinishedRun],
) -> Result<Comparison, SimError> {
    let table = DataTable::of(source)?;
    let (whole, baselines) = baselines(&table)?;
    Ok(Comparison {
        environment: environment.name().into(),
        environment_params: environment.params(),
        objectives: table.objectives().to_vec(),
        measures: table.measures().to_vec(),
        weights: weight_grid(table.objectives().len()),
        volume: whole,
        baselines,
        together: together(environment, runs, whole)?,
    })
}

/// The runs on an environment, grouped by policy and by all parameters except the preference.
fn together(
    environment: &EnvironmentConfig,
    runs: &[FinishedRun],
    whole: f64,
) -> Result<Vec<Together>, SimError> {
    let on_it = |index: &usize| runs[*index].planned.environment == *environment;
    let here: Vec<usize> = (0..runs.len()).filter(on_it).collect();
    let key = |&index: &usize| {
        let mut own = runs[index].params();
        own.retain(|name, _| !PREFERRED.contains(&name.as_str()));
        (runs[index].policy.id(), json::text(&own))
    };
    let groups = grouped(here.iter().map(key));
    let group = |group: Vec<usize>| {
        let group: Vec<usize> = group.into_iter().map(|place| here[place]).collect();
        let policy = runs[group[0]].policy.id();
        let all: Vec<Vec<&Scores>> = group.iter().map(|&index| scores(&runs[index])).collect();
        let trials = all.iter().map(Vec::len).min().unwrap_or(0);
        let curve = |trial: usize| {
            let runs: Vec<&Scores> = all.iter().map(|trials| trials[trial]).collect();
            volumes(&runs, whole)
        };
        let curves = (0..trials).map(curve).collect::<Result<Vec<_>, _>>()?;
        Ok(Together { policy: policy.into(), runs: group, hypervolume: mean_curve(&borrowed(&curves)) })
    };
    groups.into_iter().map(group).collect()
}

/// The volume that some runs of a trial dominate together at each checkpoint, as a share of the whole.
fn volumes(runs: &[&Scores], whole: f64) -> Result<Vec<f64>, SimError> {
    let points = runs.first().map_or(0, |scores| scores.means.len());
    let at = |k: usize| {
        let rows: Vec<&[f64]> = runs.iter().map(|scores| &scores.means[k][..]).collect();
        Ok(share(volume(&rows)?, whole))
    };
    (0..points).map(at).collect()
}

/// The scores of all trials of a run.
fn scores(run: &FinishedRun) -> Vec<&Scores> {
    run.traces.iter().filter_map(|trace| trace.scores.as_ref()).collect()
}

/// The curves as slices.
fn borrowed(curves: &[Vec<f64>]) -> Vec<&[f64]> {
    curves.iter().map(Vec::as_slice).collect()
}

/// The outcome of a run; `None` if it was not on data.
pub(crate) fn outcome(
    run: &FinishedRun,
    written: &Run,
    comparisons: &[Comparison],
) -> Result<Option<DataOutcome>, SimError> {
    let is_own = |comparison: &&Comparison| comparison.is_about(written);
    let (EnvironmentConfig::Data(source), Some(comparison)) =
        (&run.planned.environment, comparisons.iter().find(is_own))
    else {
        return Ok(None);
    };
    let trials = scores(run);
    let column = |name: &String, value: &dyn Fn(&Scores) -> f64| Column {
        name: name.clone(),
        trials: trials.iter().map(|scores| value(scores)).collect(),
    };
    let objectives = comparison.objectives.iter().enumerate();
    let measures = comparison.measures.iter().enumerate();
    let volumes = trials.iter().map(|scores| volumes(&[scores], comparison.volume));
    let regrets: Vec<&[f64]> = trials.iter().map(|scores| &scores.regret[..]).collect();
    let table = DataTable::of(source)?;
    let played = most_played(&trials).into_iter().map(|arm| (&table.arms()[arm], arm));
    Ok(Some(DataOutcome {
        objectives: objectives
            .map(|(i, name)| column(name, &|scores| at_horizon(&scores.means)[i]))
            .collect(),
        measures: measures.map(|(i, name)| column(name, &|scores| scores.measures[i])).collect(),
        shares: played.map(|(name, arm)| column(name, &|scores| scores.share(arm))).collect(),
        hypervolume: mean_curve(&borrowed(&volumes.collect::<Result<Vec<_>, _>>()?)),
        coverage: trials.iter().map(|scores| scores.coverage).collect(),
        regret: mean_curve(&regrets),
    }))
}

/// The arms that were played most over all trials, at most [`MOST_SHARES`] of them, in their own order.
fn most_played(trials: &[&Scores]) -> Vec<usize> {
    let n_arms = trials.iter().map(|scores| scores.plays.len()).max().unwrap_or(0);
    let count = |arm: usize| trials.iter().map(|scores| scores.plays.get(arm).unwrap_or(&0)).sum::<u64>();
    let mut arms: Vec<(u64, usize)> = (0..n_arms).map(|arm| (count(arm), arm)).collect();
    arms.retain(|(count, _)| *count > 0);
    // Of arms that were played equally often, the first.
    arms.sort_by_key(|&(count, arm)| (std::cmp::Reverse(count), arm));
    let mut arms: Vec<usize> = arms.into_iter().take(MOST_SHARES).map(|(_, arm)| arm).collect();
    arms.sort_unstable();
    arms
}
