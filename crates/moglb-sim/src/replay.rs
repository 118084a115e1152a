//! Replays of a log to policies that learn from it, over many orders of its rounds.
//!
//! A trial is one pass of [`LogWorld`] in its own order. All orders share the log, so their spread alone
//! would understate the error: a policy that always plays one arm has no spread at all. With s̄² the mean
//! squared standard error of a trial, S² the variance between R trials and z the normal quantile, an
//! interval is
//!
//! ```text
//! mean ± z·√(s̄² + S²/R)
//! ```
//!
//! The first term is the variance from another log, the second the variance from other orders. The luck of
//! a single trial is in both, so the interval is too wide rather than too narrow.

use crate::entries::{build, entry_error, expand, read, without_play};
use crate::runner::pool;
use crate::{Acceptance, DataConfig, LogReplay, LogWorld, Namespace, SimError, Streams};
use moglb::{PlayConfig, PolicyConfig};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use toml::Table;

/// The name and version of the format of a written [`Replay`].
pub const REPLAY_FORMAT: &str = "moglb.replay/1";

/// The normal quantile of 0.975.
const Z: f64 = 1.959963984540054;

/// The settings of a replay: the log, the policies and the number of orders.
///
/// Example: [`replay`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayConfig {
    /// The log, and the layout of its features.
    pub log: DataConfig,
    /// The policies, as in an [`Experiment`](crate::Experiment), but without `tune`.
    pub policies: Vec<Table>,
    /// The correction for arms that were logged with different probabilities.
    #[serde(default)]
    pub method: Acceptance,
    /// The number of orders R, from 1 to 10 000.
    #[serde(default = "ten")]
    pub trials: usize,
    /// The seed of the orders and of all draws.
    #[serde(default = "one")]
    pub seed: u64,
}

fn ten() -> usize {
    10
}

fn one() -> u64 {
    1
}

/// The values of policies on a log.
///
/// Example: [`replay`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// Always [`REPLAY_FORMAT`].
    pub format: String,
    /// The number of rounds of the log.
    pub rounds: u64,
    /// The names of the arms.
    pub arms: Vec<String>,
    /// The names of the objectives.
    pub objectives: Vec<String>,
    /// The correction for different probabilities.
    pub method: Acceptance,
    /// The number of orders.
    pub trials: usize,
    /// The policies in their order, then one entry for always playing each arm, then one for the policy
    /// that wrote the log.
    pub policies: Vec<Replayed>,
}

/// The value of one policy on a log, over all trials.
///
/// Example: [`replay`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replayed {
    /// The id and parameters of the policy, `always ARM`, or `logged`.
    pub policy: String,
    /// True if the policy learned during the replay. The other entries play without learning.
    pub learns: bool,
    /// The mean number of accepted rounds per trial.
    pub accepted: f64,
    /// The value in each objective; absent if no round was accepted.
    pub value: Option<Vec<f64>>,
    /// The lower ends of the 95 % intervals.
    pub low: Option<Vec<f64>>,
    /// The upper ends of the 95 % intervals.
    pub high: Option<Vec<f64>>,
    /// The standard deviation between orders, in each objective.
    pub spread: Option<Vec<f64>>,
    /// The share of each arm in the weight of the accepted rounds.
    pub shares: Vec<f64>,
}

/// A policy of the settings that can be built for the log, with its name.
struct Wish {
    name: String,
    policy: PolicyConfig,
    play: Option<PlayConfig>,
}

/// Replays a log to each policy, on `threads` threads (0: all cores). Results do not depend on their
/// number.
///
/// ```
/// use moglb_sim::{Acceptance, DataConfig, ReplayConfig, replay};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let meta = r#"{ "format": "mob-data/1", "name": "made", "problems": [{ "id": "only", "kind": "logged",
/// #     "logged": "log.csv", "arm_ids": [0, 1],
/// #     "objectives": [{ "column": "y_a", "link": "logit" }, { "column": "y_b", "link": "logit" }] }] }"#;
/// # std::fs::write(folder.path().join("meta.json"), meta).unwrap();
/// let table = "round_id,arm_id,propensity,x_side,y_a,y_b\n0,0,0.5,1,1,0\n1,1,0.5,0,0,1\n";
/// std::fs::write(folder.path().join("log.csv"), table).unwrap();
/// let config = ReplayConfig {
///     log: DataConfig::new(folder.path(), "only"),
///     policies: vec![toml::Table::from_iter([("id".into(), toml::Value::from("random"))])],
///     method: Acceptance::Weighting,
///     trials: 3,
///     seed: 1,
/// };
/// let replayed = replay(&config, 1)?;
/// let names: Vec<&str> = replayed.policies.iter().map(|found| &found.policy[..]).collect();
/// assert_eq!(names, ["random", "always 0", "always 1", "logged"]);
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
///
/// # Errors
///
/// [`SimError::Data`] for a log that cannot be read or has no propensities; [`SimError::Bounds`]; or
/// [`SimError::Entry`] for data of another kind than a log and for policies that cannot be built for it.
pub fn replay(config: &ReplayConfig, threads: usize) -> Result<Replay, SimError> {
    let pool = pool(threads)?;
    for (name, most, got) in [
        ("trials", 10_000, config.trials as u64),
        ("the number of policies", 1000, config.policies.len() as u64),
    ] {
        if !(1..=most).contains(&got) {
            return Err(SimError::Bounds { name, least: 1, most, got });
        }
    }
    let log = LogWorld::new(&config.log)?;
    let wishes = wishes(&config.policies, &log)?;
    let cells: Vec<(usize, usize)> =
        (0..wishes.len()).flat_map(|wish| (0..config.trials).map(move |trial| (wish, trial))).collect();
    let one = |&(wish, trial): &(usize, usize)| wishes[wish].trial(&log, config, trial);
    let passes: Vec<LogReplay> = pool.install(|| cells.par_iter().map(one).collect::<Result<_, _>>())?;
    let learned = wishes.iter().zip(passes.chunks(config.trials));
    let mut policies: Vec<Replayed> =
        learned.map(|(wish, passes)| Replayed::new(wish.name.clone(), true, passes)).collect();
    for (arm, name) in log.arms().iter().enumerate() {
        policies.push(Replayed::new(format!("always {name}"), false, &[log.always(arm)]));
    }
    policies.push(Replayed::new("logged".into(), false, &[log.logged()]));
    Ok(Replay {
        format: REPLAY_FORMAT.into(),
        rounds: log.n_rounds() as u64,
        arms: log.arms().to_vec(),
        objectives: log.problem().objectives().iter().map(|objective| objective.name.clone()).collect(),
        method: config.method,
        trials: config.trials,
        policies,
    })
}

/// Reads the policies of some tables, and checks that each can be built.
fn wishes(tables: &[Table], log: &LogWorld) -> Result<Vec<Wish>, SimError> {
    let mut wishes = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let entry = |error: String| entry_error("policies", index, table, error);
        for variant in expand(table, "each").map_err(entry)? {
            let name = name(&variant);
            let (variant, play) = without_play(&variant).map_err(entry)?;
            let policy: PolicyConfig = read(variant).map_err(entry)?;
            build(&policy, play.as_ref(), log.problem()).map_err(|error| entry(error.to_string()))?;
            wishes.push(Wish { name, policy, play });
        }
    }
    Ok(wishes)
}

/// The id and the parameters of a table, as on the command line.
fn name(table: &Table) -> String {
    let id = table.get("id").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
    let others = table.iter().filter(|(key, _)| *key != "id");
    others.fold(id, |name, (key, value)| match value.as_str() {
        Some(text) => format!("{name},{key}={text}"),
        None => format!("{name},{key}={value}"),
    })
}

impl Wish {
    /// Replays the log once to a new policy. Its errors are given its name.
    fn trial(&self, log: &LogWorld, config: &ReplayConfig, trial: usize) -> Result<LogReplay, SimError> {
        let streams = Streams::new(config.seed, Namespace::Report, log.problem().dim(), trial);
        let mut policy = build(&self.policy, self.play.as_ref(), log.problem())?;
        log.replay(&mut *policy, config.method, streams).map_err(|error| match error {
            SimError::Core(error) => SimError::Entry { entry: self.name.clone(), reason: error.to_string() },
            other => other,
        })
    }
}

impl Replayed {
    /// Combines the trials of a policy. Trials without an accepted round have no value and are left out of
    /// the means.
    fn new(policy: String, learns: bool, passes: &[LogReplay]) -> Self {
        let accepted = passes.iter().map(|pass| pass.accepted as f64).sum::<f64>() / passes.len() as f64;
        let told: Vec<&LogReplay> = passes.iter().filter(|pass| pass.accepted > 0).collect();
        let n = told.len() as f64;
        let mean = |of: &dyn Fn(&LogReplay) -> f64| told.iter().map(|pass| of(pass)).sum::<f64>() / n;
        let n_arms = passes.first().map_or(0, |pass| pass.shares.len());
        let shares = (0..n_arms)
            .map(|arm| if told.is_empty() { 0.0 } else { mean(&|pass| pass.shares[arm]) })
            .collect();
        let mut found =
            Self { policy, learns, accepted, value: None, low: None, high: None, spread: None, shares };
        let Some(first) = told.first() else { return found };
        let each = 0..first.values.len();
        let value: Vec<f64> = each.clone().map(|i| mean(&|pass| pass.values[i])).collect();
        let between = |i: usize| {
            let squares = told.iter().map(|pass| (pass.values[i] - value[i]) * (pass.values[i] - value[i]));
            squares.sum::<f64>() / (n - 1.0).max(1.0)
        };
        let within = |i: usize| mean(&|pass| pass.std_errors[i] * pass.std_errors[i]);
        let half: Vec<f64> = each.clone().map(|i| Z * (within(i) + between(i) / n).sqrt()).collect();
        found.low = Some(value.iter().zip(&half).map(|(value, half)| value - half).collect());
        found.high = Some(value.iter().zip(&half).map(|(value, half)| value + half).collect());
        found.spread = Some(each.map(|i| between(i).sqrt()).collect());
        found.value = Some(value);
        found
    }
}
