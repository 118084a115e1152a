//! Runs identifiers until they stop: all trials on all cores, with the same results for any number of
//! threads.

use super::{Identification, IdentificationPlan, PlannedIdentification};
use crate::environment::{Environment, Noise};
use crate::runner::pool;
use crate::{SimError, Watcher};
use moglb::{Matrix, jaccard};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// All trials of an experiment.
///
/// Example: [`identify`].
///
/// [`identify`]: crate::identify()
#[derive(Debug, Clone, PartialEq)]
pub struct Identified {
    /// The experiment.
    pub experiment: Identification,
    /// The runs, in the order of the plan.
    pub runs: Vec<IdentifiedRun>,
}

/// All trials of one identifier on one environment.
///
/// Example: [`identify`].
///
/// [`identify`]: crate::identify()
#[derive(Debug, Clone, PartialEq)]
pub struct IdentifiedRun {
    /// The identifier and the environment.
    pub planned: PlannedIdentification,
    /// The trials, in order.
    pub trials: Vec<IdentifiedTrial>,
}

/// The outcome of a trial.
///
/// Example: [`identify`].
///
/// [`identify`]: crate::identify()
#[derive(Debug, Clone, PartialEq)]
pub struct IdentifiedTrial {
    /// The number of samples taken.
    pub samples: u64,
    /// True if the identifier stopped before it was cut off.
    pub stopped: bool,
    /// True if it stopped with an answer that satisfies its goal ([`moglb::Goal`]).
    pub success: bool,
    /// The number of arms on the true front.
    pub front_size: usize,
    /// The number of arms in the answer.
    pub answer_size: usize,
    /// The number of arms of the true front that the answer lacks.
    pub missed: usize,
    /// The number of arms of the answer that are off the true front.
    pub wrong: usize,
    /// The Jaccard index of the answer and the true front.
    pub jaccard: f64,
}

/// The number of samples between two checks whether the watcher ends the run.
const SAMPLES_PER_CHECK: u64 = 1 << 16;

/// Runs an experiment on `threads` threads (0: all cores). The watcher counts trials.
///
/// ```
/// use moglb_sim::{IdentificationPlan, Unwatched, identify};
///
/// let plan = IdentificationPlan::from_toml(r#"
///     trials = 2
///     environments = [{ id = "spread", dim = 4, gap = 0.2 }]
///     identifiers = [{ id = "gege-budget", budget = 2000 }]
/// "#)?;
/// let results = identify(&plan, 0, &Unwatched)?;
/// assert!(results.runs[0].trials.iter().all(|trial| trial.stopped && trial.samples <= 2000));
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
///
/// # Errors
///
/// [`SimError`] if an instance cannot be drawn, or [`SimError::Interrupted`].
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
    // Threads take single trials: trials of different identifiers differ a hundredfold in length.
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

/// Runs one trial. The instance and the rewards are the same for every identifier: the n-th sample of an
/// arm always returns the same reward vector.
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

/// The true means of the arms, scaled to the unit range of each objective.
fn unit_means(environment: &dyn Environment) -> Result<Matrix, SimError> {
    let (stage, objectives) = (environment.stage(1)?, environment.problem().objectives());
    let row = |row: &[f64]| -> Vec<f64> {
        objectives.iter().zip(row).map(|(o, &mean)| o.unit_reward(mean)).collect()
    };
    Ok(Matrix::from_rows(&stage.means.rows().map(row).collect::<Vec<_>>())?)
}
