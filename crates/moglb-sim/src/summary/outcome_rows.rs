//! The outcomes as a tidy table: one line for each quantity of each run and each baseline.

use super::{Baseline, Column, Comparison, DataOutcome, Plays, Run, Summary};
use crate::{Curve, Estimate, json, weight_words};

/// One line of the table of outcomes. [`Summary::outcome_rows`] gives all lines.
///
/// Example: [`DataConfig`].
///
/// [`DataConfig`]: crate::DataConfig
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeRow {
    /// The environment's name.
    pub environment: String,
    /// The environment's parameters as JSON.
    pub environment_params: String,
    /// `run`, or `baseline` for what was computed from the table.
    pub kind: &'static str,
    /// The policy's id; `always`, `random` or `oracle` for a baseline.
    pub policy: String,
    /// The policy's parameters as JSON; the name of the arm that is always played, or the oracle's weights.
    pub params: String,
    /// `objective`, `measure`, `share`, `hypervolume`, `coverage`, `regret` or, per round, `pareto_regret`.
    pub quantity: &'static str,
    /// The column, the arm or the weights that the quantity is about; empty if it is about the whole run.
    pub of: String,
    /// The mean over trials, or the exact value for a baseline.
    pub mean: f64,
    /// Half the width of its 95 % interval; `None` for a baseline, which is exact.
    pub ci95: Option<f64>,
}

impl Summary {
    /// Returns the table of outcomes; empty if no environment is data.
    pub fn outcome_rows(&self) -> Vec<OutcomeRow> {
        let mut rows = Vec::new();
        for comparison in &self.comparisons {
            for run in self.runs.iter().filter(|run| comparison.is_about(run)) {
                rows.extend(run.outcome.iter().flat_map(|outcome| of_run(comparison, run, outcome)));
            }
            rows.extend(comparison.baselines.iter().flat_map(|baseline| of_baseline(comparison, baseline)));
        }
        rows
    }
}

/// A quantity: its kind, its subject, its mean and the half-width of its interval.
type Quantity = (&'static str, String, f64, Option<f64>);

/// The lines of a run.
fn of_run(comparison: &Comparison, run: &Run, outcome: &DataOutcome) -> Vec<OutcomeRow> {
    let whole = |quantity, values: &[f64]| {
        let Estimate { mean, ci95 } = Estimate::of(values);
        (quantity, String::new(), mean, Some(ci95))
    };
    let mut all: Vec<Quantity> = Vec::new();
    all.extend(columns("objective", &outcome.objectives));
    all.extend(columns("measure", &outcome.measures));
    all.extend(columns("share", &outcome.shares));
    let Curve { mean, ci95 } = &outcome.hypervolume;
    let last = mean.last().zip(ci95.last());
    all.extend(last.map(|(&mean, &ci95)| ("hypervolume", String::new(), mean, Some(ci95))));
    all.extend(outcome.coverage.as_ref().map(|values| whole("coverage", values)));
    let regrets = outcome.regret.mean.iter().zip(&outcome.regret.ci95).zip(&comparison.weights);
    all.extend(regrets.map(|((&mean, &ci95), weights)| ("regret", weight_words(weights), mean, Some(ci95))));
    let rounds = run.t.last().map_or(1.0, |&t| t as f64);
    let per_round: Vec<f64> = run.last.pareto_regret.iter().map(|regret| regret / rounds).collect();
    all.push(whole("pareto_regret", &per_round));
    lines(comparison, ("run", &run.policy, &json::text(&run.params)), all)
}

fn columns<'a>(quantity: &'static str, columns: &'a [Column]) -> impl Iterator<Item = Quantity> + use<'a> {
    columns.iter().map(move |column| {
        let Estimate { mean, ci95 } = Estimate::of(&column.trials);
        (quantity, column.name.clone(), mean, Some(ci95))
    })
}

/// The lines of a baseline.
fn of_baseline(comparison: &Comparison, baseline: &Baseline) -> Vec<OutcomeRow> {
    let (policy, params) = match &baseline.plays {
        Plays::Always(arm) => ("always", arm.clone()),
        Plays::Random => ("random", String::new()),
        Plays::Oracle(weights) => ("oracle", weight_words(weights)),
    };
    let named = |quantity: &'static str, names: &[String], values: &[f64]| -> Vec<Quantity> {
        names.iter().zip(values).map(|(name, &value)| (quantity, name.clone(), value, None)).collect()
    };
    let weights: Vec<String> = comparison.weights.iter().map(|weights| weight_words(weights)).collect();
    let mut all = named("objective", &comparison.objectives, &baseline.objectives);
    all.extend(named("measure", &comparison.measures, &baseline.measures));
    all.push(("hypervolume", String::new(), baseline.hypervolume, None));
    all.extend(named("regret", &weights, &baseline.regret));
    all.push(("pareto_regret", String::new(), baseline.gap, None));
    lines(comparison, ("baseline", policy, &params), all)
}

fn lines(
    comparison: &Comparison,
    (kind, policy, params): (&'static str, &str, &str),
    all: Vec<Quantity>,
) -> Vec<OutcomeRow> {
    let environment_params = json::text(&comparison.environment_params);
    let line = |(quantity, of, mean, ci95): Quantity| OutcomeRow {
        environment: comparison.environment.clone(),
        environment_params: environment_params.clone(),
        kind,
        policy: policy.into(),
        params: params.into(),
        quantity,
        of,
        mean,
        ci95,
    };
    all.into_iter().map(line).collect()
}
