//! Plays identifiers to their stop: all trials over all cores, the same results for any number of threads.

use super::{Identification, IdentificationPlan, PlannedIdentification};
use crate::environment::{Environment, Noise};
use crate::runner::pool;
use crate::{SimError, Watcher};
use moglb::{Matrix, jaccard};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// All trials of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Identified {
    /// The experiment.
    pub experiment: Identification,
    /// The runs, in the order of the plan.
    pub runs: Vec<IdentifiedRun>,
}

/// All trials of one identifier on one environment.
#[derive(Debug, Clone, PartialEq)]
pub struct IdentifiedRun {
    /// What was planned.
    pub planned: PlannedIdentification,
    /// One for each trial, in order.
    pub trials: Vec<IdentifiedTrial>,
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq)]
pub struct IdentifiedTrial {
    /// How many samples were taken.
    pub samples: u64,
    /// Whether the identifier stopped by itself.
    pub stopped: bool,
    /// Whether it stopped with an answer that keeps its promise ([`moglb::Goal`]).
    pub success: bool,
    /// The number of arms on the true front.
    pub front_size: usize,
    /// The number of arms in the answer.
    pub answer_size: usize,
    /// Arms of the true front that the answer lacks.
    pub missed: usize,
    /// Arms of the answer that are off the true front.
    pub wrong: usize,
    /// The Jaccard index of answer and true front.
    pub jaccard: f64,
}

/// How many samples are taken before the watcher is asked again.
const SAMPLES_PER_CHECK: u64 = 1 << 16;

/// Runs an experiment on some threads (0: all cores). The watcher counts trials.
///
/// # Errors
///
/// When an instance cannot be drawn, or [`SimError::Interrupted`].
pub fn identify(
    plan: &IdentificationPlan,
    threads: usize,
    watcher: &dyn Watcher,
) -> Result<Identified, SimError> {
    let (pool, experiment, runs) = (pool(threads)?, plan.experiment(), plan.runs());
    let total = runs.len() * experiment.trials;
    watcher.planned(total as u64, 0);
    let done = AtomicUsize::new(0);
    let cell = |k: usize| {
        let (run, trial) = (k / experiment.trials, k % experiment.trials);
        let played = play(experiment, &runs[run], trial, watcher)?;
        done.fetch_add(1, Ordering::Relaxed);
        watcher.played(1);
        Ok(played)
    };
    // One by one from the line: trials of different identifiers differ a hundredfold in length.
    let played: Result<Vec<IdentifiedTrial>, SimError> =
        pool.install(|| (0..total).into_par_iter().with_max_len(1).map(cell).collect());
    let mut trials = played
        .map_err(|error| match error {
            SimError::Interrupted { .. } => {
                SimError::Interrupted { done: done.load(Ordering::Relaxed), total }
            }
            other => other,
        })?
        .into_iter();
    let run = |planned: &PlannedIdentification| IdentifiedRun {
        planned: planned.clone(),
        trials: trials.by_ref().take(experiment.trials).collect(),
    };
    Ok(Identified { experiment: experiment.clone(), runs: runs.iter().map(run).collect() })
}

/// One trial. Instance and luck are the same for every identifier: the n-th sample of an arm always returns the same rewards.
fn play(
    experiment: &Identification,
    planned: &PlannedIdentification,
    trial: usize,
    watcher: &dyn Watcher,
) -> Result<IdentifiedTrial, SimError> {
    let streams = experiment.streams(&planned.environment, trial);
    let environment = planned.environment.instance(streams)?;
    let (problem, stage) = (environment.problem(), environment.stage(1)?);
    let mut noise = Noise::new(streams, &*environment)?;
    let mut identifier = planned.identifier.build(problem, &stage.arms)?;
    let (mut samples, mut reward) = (0, Vec::new());
    while let Some(arm) = identifier.next_arm().filter(|_| samples < experiment.most_samples) {
        noise.pull(problem, &stage, arm, 1, &mut reward);
        identifier.learn(stage.arms.arm(arm), &reward)?;
        samples += 1;
        if samples.is_multiple_of(SAMPLES_PER_CHECK) && !watcher.played(0) {
            return Err(SimError::Interrupted { done: 0, total: 1 });
        }
    }
    if !watcher.played(0) {
        return Err(SimError::Interrupted { done: 0, total: 1 });
    }
    let (answer, stopped) = (identifier.answer(), identifier.next_arm().is_none());
    let shared = answer.shared(&stage.front);
    Ok(IdentifiedTrial {
        samples,
        stopped,
        success: stopped && identifier.goal().is_met(&answer, &unit_means(&*environment)?)?,
        front_size: stage.front.len(),
        answer_size: answer.len(),
        missed: stage.front.len() - shared,
        wrong: answer.len() - shared,
        jaccard: jaccard(&answer, &stage.front),
    })
}

/// The true means on the unit scale of the objectives.
fn unit_means(environment: &dyn Environment) -> Result<Matrix, SimError> {
    let (stage, objectives) = (environment.stage(1)?, environment.problem().objectives());
    let row = |row: &[f64]| -> Vec<f64> {
        objectives.iter().zip(row).map(|(o, &mean)| o.unit_reward(mean)).collect()
    };
    Ok(Matrix::from_rows(&stage.means.rows().map(row).collect::<Vec<_>>())?)
}
