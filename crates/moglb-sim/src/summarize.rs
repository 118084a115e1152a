//! Summaries: from the traces of all trials to the summary and the tidy table.
//!
//! `outcome` combines the scores of trials on data; `baselines` computes the values from the table that
//! they are compared with.

mod baselines;
mod outcome;

use crate::play::at_horizon;
use crate::stats::{Curve, mean_curve};
use crate::summary::{ExperimentInfo, Last, Run, SUMMARY_FORMAT, Summary};
use crate::{
    EnvironmentConfig, FinishedRun, ForeignRun, FrontCurves, PAPER_NAME, PaperConfig, Results, SimError,
    Trace, Tuning, claims, json,
};
use std::collections::BTreeMap;

/// One line of the tidy table: one trial of one run at one round. [`Results::rows`] gives all lines.
///
/// Example: [`run`].
///
/// [`run`]: crate::run
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The experiment's name.
    pub experiment: &'a str,
    /// The environment's name.
    pub environment: &'a str,
    /// The environment's parameters as JSON.
    pub environment_params: &'a str,
    /// The dimension d.
    pub dim: usize,
    /// The number of arms K.
    pub arms: usize,
    /// The number of objectives m.
    pub objectives: usize,
    /// The policy's id.
    pub policy: &'a str,
    /// The policy's parameters as JSON.
    pub params: &'a str,
    /// The trial, from 0.
    pub trial: usize,
    /// The round.
    pub t: u64,
    /// Cumulative Pareto regret.
    pub pareto_regret: f64,
    /// Jaccard index, precision, recall and size of O_t, for policies with a front.
    pub front: Option<[f64; 4]>,
}

impl Results {
    /// Summarizes all runs. The claims of the paper are checked on the runs on its benchmark.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary {
            format: SUMMARY_FORMAT.into(),
            moglb_version: env!("CARGO_PKG_VERSION").into(),
            experiment: ExperimentInfo {
                name: self.experiment.name.clone(),
                seed: self.experiment.seed,
                horizon: self.experiment.horizon,
                trials: self.experiment.trials,
            },
            runs: self.runs.iter().map(|run| self.summarize(&RunView::of(run))).collect(),
            claims: Vec::new(),
            comparisons: Vec::new(),
        };
        self.add_outcomes(&mut summary).expect("the data was played on");
        let paper = |run: &FinishedRun| {
            let environment = &run.planned.environment;
            *environment == EnvironmentConfig::Paper(PaperConfig::new(environment.dim()))
        };
        if self.experiment.name == PAPER_NAME && self.runs.iter().all(paper) {
            summary.claims = claims::claims(&summary);
        } else {
            let own = self.runs.iter().zip(&summary.runs).filter(|(run, _)| paper(run));
            let benchmark = Summary { runs: own.map(|(_, run)| run.clone()).collect(), ..summary.clone() };
            summary.claims = claims::claims_about_rivals(&benchmark);
        }
        // Added after the claims, which are about policies of the library: a policy from outside may have
        // the same id.
        summary.runs.extend(self.foreign.iter().map(|run| self.summarize(&RunView::of_foreign(run))));
        summary
    }

    /// Adds the outcomes of the runs on data, in the units of the data.
    fn add_outcomes(&self, summary: &mut Summary) -> Result<(), SimError> {
        summary.comparisons = outcome::comparisons(&self.runs)?;
        for (run, written) in self.runs.iter().zip(&mut summary.runs) {
            written.outcome = outcome::outcome(run, written, &summary.comparisons)?;
        }
        Ok(())
    }

    /// Calls `each` with every line of the tidy table, in order.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn rows<E>(&self, mut each: impl FnMut(Row<'_>) -> Result<(), E>) -> Result<(), E> {
        for run in self.runs.iter().map(RunView::of).chain(self.foreign.iter().map(RunView::of_foreign)) {
            let (params, environment_params) =
                (json::text(&run.params), json::text(&run.environment.params()));
            let (objectives, environment) = (n_objectives(run.environment), run.environment.name());
            for (trial, trace) in run.traces.iter().enumerate() {
                for (k, &t) in self.checkpoints.iter().enumerate() {
                    let front = trace.fronts.as_ref();
                    each(Row {
                        experiment: &self.experiment.name,
                        environment: &environment,
                        environment_params: &environment_params,
                        dim: run.environment.dim(),
                        arms: run.environment.n_arms(),
                        objectives,
                        policy: run.policy,
                        params: &params,
                        trial,
                        t,
                        pareto_regret: trace.pareto_regret[k],
                        front: front.map(|f| [f.jaccard[k], f.precision[k], f.recall[k], f.front_size[k]]),
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Summarizes the trials of one run.
    fn summarize(&self, run: &RunView<'_>) -> Run {
        let regrets: Vec<&[f64]> = run.traces.iter().map(|trace| &trace.pareto_regret[..]).collect();
        let curve = |pick: fn(&FrontCurves) -> &Vec<f64>| front_curve(run.traces, pick);
        let environment = run.environment;
        Run {
            environment: environment.name().into(),
            environment_params: environment.params(),
            dim: environment.dim(),
            arms: environment.n_arms(),
            objectives: n_objectives(environment),
            policy: run.policy.into(),
            params: run.params.clone(),
            t: self.checkpoints.clone(),
            pareto_regret: mean_curve(&regrets),
            jaccard: curve(|front| &front.jaccard),
            precision: curve(|front| &front.precision),
            recall: curve(|front| &front.recall),
            front_size: curve(|front| &front.front_size),
            last: last(run.traces),
            outcome: None,
            health: run.traces.iter().map(|trace| trace.health.clone()).collect(),
            tuning: run.tuning.cloned(),
            rounds: (self.experiment.horizon + environment.practice()) * self.experiment.trials as u64,
            seconds: run.traces.iter().map(|trace| trace.seconds).sum(),
        }
    }
}

/// A view of a run, whether its policy is from the library or from outside.
struct RunView<'a> {
    environment: &'a EnvironmentConfig,
    policy: &'a str,
    params: BTreeMap<String, serde_json::Value>,
    tuning: Option<&'a Tuning>,
    traces: &'a [Trace],
}

impl<'a> RunView<'a> {
    fn of(run: &'a FinishedRun) -> Self {
        Self {
            environment: &run.planned.environment,
            policy: run.policy.id(),
            params: run.params(),
            tuning: run.tuning.as_ref(),
            traces: &run.traces,
        }
    }

    fn of_foreign(run: &'a ForeignRun) -> Self {
        Self {
            environment: &run.environment,
            policy: &run.policy,
            params: run.params.clone(),
            tuning: None,
            traces: &run.traces,
        }
    }
}

/// The number of objectives m of an environment; 0 if its problem cannot be made.
pub(crate) fn n_objectives(environment: &EnvironmentConfig) -> usize {
    environment.problem().map_or(0, |problem| problem.n_objectives())
}

/// The mean curve of a measure of the front; `None` if a trial has no front.
pub(crate) fn front_curve(traces: &[Trace], pick: fn(&FrontCurves) -> &Vec<f64>) -> Option<Curve> {
    let curves: Option<Vec<&[f64]>> =
        traces.iter().map(|t| t.fronts.as_ref().map(|f| &pick(f)[..])).collect();
    curves.map(|curves| mean_curve(&curves))
}

/// The values after the last round, one for each trial.
fn last(traces: &[Trace]) -> Last {
    let fronts: Option<Vec<&FrontCurves>> = traces.iter().map(|trace| trace.fronts.as_ref()).collect();
    let has_front = fronts.is_some();
    Last {
        pareto_regret: traces.iter().map(|trace| *at_horizon(&trace.pareto_regret)).collect(),
        jaccard: fronts.map(|fronts| fronts.iter().map(|front| *at_horizon(&front.jaccard)).collect()),
        jaccard_mean: has_front.then(|| traces.iter().map(|trace| trace.end.jaccard_mean).collect()),
        exposure_entropy: traces.iter().map(|trace| trace.end.exposure_entropy).collect(),
        exposure_least: traces.iter().map(|trace| trace.end.exposure_least).collect(),
        exposure_gini: traces.iter().map(|trace| trace.end.exposure_gini).collect(),
        envy: traces.iter().map(|trace| trace.end.envy).collect(),
        share_on_front: traces.iter().map(|trace| trace.end.share_on_front).collect(),
        true_front_size: traces.iter().map(|trace| trace.end.true_front_size).collect(),
        hypervolume_mix: traces.iter().map(|trace| trace.end.hypervolume_mix).collect(),
        hypervolume_front: traces.iter().map(|trace| trace.end.hypervolume_front).collect(),
        projection_hits: traces.iter().map(|trace| trace.end.projection_hits).collect(),
    }
}
