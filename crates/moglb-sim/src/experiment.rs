//! Experiments: policies × environments × parameters, as they are written in TOML.
//!
//! Any parameter may be a value, `{ each = [..] }` for one run per value, or, for policies, `{ tune = [..] }` for a
//! search on seeds that the reported trials never see. A policy's `play` says how it is played: see [`PlayConfig`].

use crate::{EnvironmentConfig, SimError};
use moglb::{Echo, EchoMessage, Error, PlayConfig, Policy, PolicyConfig, Preferring, Problem};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// An experiment as it is written down.
///
/// ```
/// let text = r#"
/// name = "mine"
/// horizon = 100
/// trials = 2
/// environments = [{ id = "paper", dim = { each = [3, 5] } }]
/// policies = [{ id = "moglb-ucb", c = { tune = [0.01, 0.1] } }, { id = "p-ucb" }]
/// "#;
/// let experiment = moglb_sim::Experiment::from_toml(text)?;
/// assert_eq!(experiment.plan()?.runs.len(), 4);
/// # Ok::<(), moglb_sim::SimError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// A short name.
    #[serde(default = "unnamed")]
    pub name: String,
    /// The seed all random streams derive from.
    #[serde(default = "one")]
    pub seed: u64,
    /// The number of rounds T.
    #[serde(default = "paper_horizon")]
    pub horizon: u64,
    /// The number of reported trials.
    #[serde(default = "paper_trials")]
    pub trials: usize,
    /// The number of trials on which parameters are tuned.
    #[serde(default = "paper_trials")]
    pub tuning_trials: usize,
    /// At how many rounds the curves are given.
    #[serde(default = "curve_points")]
    pub points: u64,
    /// Whether a policy is left out of environments that lack what it needs, such as a fixed number of arms, instead of being
    /// an error there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applicable_only: bool,
    /// Whether the assumptions behind the policies are monitored: see [`Health`](moglb::Health). A round then costs a
    /// decision on fresh arms more, which is many times what one on fixed arms costs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub monitor: bool,
    /// The environments.
    pub environments: Vec<Table>,
    /// The policies.
    pub policies: Vec<Table>,
}

fn unnamed() -> String {
    "experiment".into()
}

fn one() -> u64 {
    1
}

fn paper_horizon() -> u64 {
    3000
}

fn paper_trials() -> usize {
    10
}

fn curve_points() -> u64 {
    300
}

/// The runs an experiment stands for, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// In order: environment by environment, policy by policy.
    pub runs: Vec<PlannedRun>,
}

/// A policy on an environment.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRun {
    /// The environment.
    pub environment: EnvironmentConfig,
    /// The policy: one, or one per value of the grid.
    pub candidates: Vec<PolicyConfig>,
    /// How it is played; as the policy itself draws, unless given.
    pub play: Option<PlayConfig>,
    /// The parameter to be tuned and its values, in the order of the candidates.
    pub tuning: Option<(String, Vec<f64>)>,
}

impl PlannedRun {
    /// A candidate, ready to be played.
    ///
    /// # Errors
    ///
    /// When a parameter is out of its bounds or the problem lacks what the policy needs; [`Error::NoFront`] for a preference of a
    /// policy that has no front.
    pub fn build(&self, candidate: usize, problem: &Problem) -> Result<Box<dyn Policy>, Error> {
        build(&self.candidates[candidate], self.play.as_ref(), problem)
    }

    /// What a policy refuses while it is played, with its name: some see only then that contexts change.
    pub(crate) fn refusal(&self, candidate: usize, error: SimError) -> SimError {
        let SimError::Core(error) = error else { return error };
        let (policy, environment) = (self.candidates[candidate].id(), self.environment.name());
        SimError::Entry { entry: format!("{policy} on {environment}"), reason: error.to_string() }
    }
}

pub(crate) fn build(
    policy: &PolicyConfig,
    play: Option<&PlayConfig>,
    problem: &Problem,
) -> Result<Box<dyn Policy>, Error> {
    let built = policy.build(problem)?;
    match play {
        None => Ok(built),
        Some(_) if !policy.info().has_front => Err(Error::NoFront),
        Some(play) => Ok(Box::new(Preferring::new(built, play.build(problem)?))),
    }
}

impl Experiment {
    /// Reads an experiment and checks all of it.
    ///
    /// # Errors
    ///
    /// [`SimError::Syntax`] with the place in the text, or as [`Experiment::plan`].
    pub fn from_toml(text: &str) -> Result<Self, SimError> {
        let experiment: Self = toml::from_str(text).map_err(|error| syntax_error(text, &error))?;
        experiment.plan()?;
        Ok(experiment)
    }

    /// The experiment as TOML, to be read back exactly.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`] for numbers that TOML cannot hold.
    pub fn to_toml(&self) -> Result<String, SimError> {
        self.check_numbers()?;
        toml::to_string(self).map_err(|error| SimError::Syntax(error.to_string()))
    }

    /// What a log of finished cells belongs to: the experiment, and checksums of the data that it plays on.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`], [`SimError::Entry`], or [`SimError::File`] for data that cannot be read.
    pub fn key(&self) -> Result<String, SimError> {
        Ok(self.to_toml()? + &self.data_key()?)
    }

    /// The second part of it.
    ///
    /// # Errors
    ///
    /// As [`Experiment::key`].
    pub fn data_key(&self) -> Result<String, SimError> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for environment in read_environments(&self.environments)? {
            if let EnvironmentConfig::Data(source) = environment
                && !folders.contains(&source.config().path)
            {
                folders.push(source.config().path.clone());
            }
        }
        let line = |folder: &PathBuf| Ok(format!("# {} {:08x}\n", folder.display(), checksum(folder)?));
        folders.iter().map(line).collect()
    }

    /// The runs, each with a policy that can be built for its environment.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`] or [`SimError::Entry`].
    pub fn plan(&self) -> Result<Plan, SimError> {
        self.check_numbers()?;
        let environments = read_environments(&self.environments)?;
        self.check_size(environments.len())?;
        let mut runs = Vec::new();
        for environment in &environments {
            for (index, table) in self.policies.iter().enumerate() {
                let entry = |error: String| entry_error("policies", index, table, error);
                for variant in expand(table, "each").map_err(entry)? {
                    match planned(environment, &variant).map_err(entry)? {
                        Ok(run) => runs.push((index, run)),
                        Err(_) if self.applicable_only => {}
                        Err(needed) => return Err(entry(needed.to_string())),
                    }
                }
            }
        }
        for (index, table) in self.policies.iter().enumerate() {
            if !runs.iter().any(|(policy, _)| *policy == index) {
                return Err(entry_error("policies", index, table, "it applies to no environment".into()));
            }
        }
        Ok(Plan { runs: runs.into_iter().map(|(_, run)| run).collect() })
    }

    /// Refuses experiments whose results could not be held, before any policy is built.
    fn check_size(&self, environments: usize) -> Result<(), SimError> {
        let mut variants = 0;
        for (index, table) in self.policies.iter().enumerate() {
            variants +=
                expand(table, "each").map_err(|error| entry_error("policies", index, table, error))?.len();
        }
        let runs = (environments * variants) as u64;
        let points = runs.saturating_mul(self.trials as u64).saturating_mul(self.points.min(self.horizon));
        for (name, most, got) in
            [("the number of runs", 10_000, runs), ("runs × trials × points", 1_000_000_000, points)]
        {
            if got > most {
                return Err(SimError::Bounds { name, least: 1, most, got });
            }
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), SimError> {
        let most = i64::MAX as u64;
        for (name, least, most, got) in [
            ("seed", 0, most, self.seed),
            ("horizon", 1, most, self.horizon),
            ("trials", 1, 1_000_000, self.trials as u64),
            ("tuning_trials", 1, 1_000_000, self.tuning_trials as u64),
            ("points", 1, 100_000, self.points),
            ("the number of environments", 1, 1000, self.environments.len() as u64),
            ("the number of policies", 1, 1000, self.policies.len() as u64),
        ] {
            if got < least || got > most {
                return Err(SimError::Bounds { name, least, most, got });
            }
        }
        Ok(())
    }
}

/// A checksum of the files in a folder.
fn checksum(folder: &Path) -> Result<u32, SimError> {
    let in_file = |path: &Path, source| SimError::File { path: path.into(), source };
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut files: Vec<PathBuf> =
        entries.map_err(|error| in_file(folder, error))?.iter().map(std::fs::DirEntry::path).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files.iter().try_fold(0, |sum, path| append_checksum(sum, path).map_err(|error| in_file(path, error)))
}

/// Goes on with a checksum over a file, which need not fit into memory.
fn append_checksum(mut sum: u32, path: &Path) -> std::io::Result<u32> {
    let mut file = BufReader::new(moglb_data::read::open(path, u64::MAX)?);
    loop {
        let block = file.fill_buf()?;
        if block.is_empty() {
            return Ok(sum);
        }
        sum = crc32c::crc32c_append(sum, block);
        let n = block.len();
        file.consume(n);
    }
}

/// The environments of some tables, each with parameters that make a problem.
pub(crate) fn read_environments(tables: &[Table]) -> Result<Vec<EnvironmentConfig>, SimError> {
    let mut all = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let entry = |error: String| entry_error("environments", index, table, error);
        for variant in expand(table, "each").map_err(entry)? {
            let config: EnvironmentConfig = read(variant).map_err(entry)?;
            config.problem().map_err(|error| entry(error.to_string()))?;
            all.push(config);
        }
    }
    Ok(all)
}

/// A policy's entry on an environment, its grid laid out; or what the environment lacks for it.
fn planned(environment: &EnvironmentConfig, table: &Table) -> Result<Result<PlannedRun, Error>, String> {
    let tuned: Vec<&String> =
        table.iter().filter(|(_, v)| list(v, "tune").is_some()).map(|(k, _)| k).collect();
    let tuning = match tuned[..] {
        [] => None,
        [name] => Some((name.clone(), grid(&table[name])?)),
        _ => return Err("only one parameter can be tuned".into()),
    };
    let problem = environment.problem().map_err(|error| error.to_string())?;
    let (table, play) = without_play(table)?;
    let mut candidates = Vec::new();
    for variant in expand(&table, "tune")? {
        let config: PolicyConfig = read(variant)?;
        match build(&config, play.as_ref(), &problem) {
            Ok(_) => candidates.push(config),
            Err(needed @ Error::ArmCountNeeded { .. }) => return Ok(Err(needed)),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(Ok(PlannedRun { environment: environment.clone(), candidates, play, tuning }))
}

/// A policy's parameters, and how it is played.
pub(crate) fn without_play(table: &Table) -> Result<(Table, Option<PlayConfig>), String> {
    let mut table = table.clone();
    let play = table.remove("play").map(read_play).transpose()?;
    Ok((table, play))
}

fn read_play(value: Value) -> Result<PlayConfig, String> {
    match value {
        Value::Table(table) => read(table).map_err(|error| format!("play: {error}")),
        other => Err(format!("play: expected a table, got {}", Echo(&other.to_string()))),
    }
}

fn grid(value: &Value) -> Result<Vec<f64>, String> {
    let number = |v: &Value| v.as_float().or_else(|| v.as_integer().map(|n| n as f64));
    let values = list(value, "tune").expect("a grid was found");
    let wrong = |v: &Value| format!("{} is not a number", Echo(&v.to_string()));
    values.iter().map(|v| number(v).ok_or_else(|| wrong(v))).collect()
}

/// The list behind `{ each = [..] }` or `{ tune = [..] }`.
fn list<'a>(value: &'a Value, word: &str) -> Option<&'a Vec<Value>> {
    value.as_table().filter(|table| table.len() == 1)?.get(word)?.as_array()
}

/// One table per combination of the listed values, those in tables within included; of several lists the first by name turns
/// slowest.
pub(crate) fn expand(table: &Table, word: &str) -> Result<Vec<Table>, String> {
    let mut all = vec![Table::new()];
    for (key, value) in table {
        let values = match (list(value, word), value) {
            (Some(values), _) => values.clone(),
            (None, Value::Table(inner)) => expand(inner, word)?.into_iter().map(Value::Table).collect(),
            (None, value) => vec![value.clone()],
        };
        if values.is_empty() {
            return Err(format!("{}: the list is empty", Echo(key)));
        }
        let with = |table: &Table, value: &Value| {
            let mut table = table.clone();
            table.insert(key.clone(), value.clone());
            table
        };
        all = all
            .iter()
            .flat_map(|table| values.iter().map(|value| with(table, value)).collect::<Vec<_>>())
            .collect();
        if all.len() > 10_000 {
            return Err("more than 10000 combinations".into());
        }
    }
    Ok(all)
}

/// Reads parameters out of a table.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(table: Table) -> Result<T, String> {
    if let Some(told) = date_in(&table) {
        return Err(told);
    }
    let told = |error: toml::de::Error| EchoMessage(error.message().trim()).to_string();
    Value::Table(table).try_into().map_err(told)
}

/// Says that a value of a table is a date, if one is. TOML has dates, and a parser of parameters takes them
/// for tables.
fn date_in(table: &Table) -> Option<String> {
    let (name, date) = table.iter().find_map(|(name, value)| Some((name, date(value)?)))?;
    let name = Echo(name);
    Some(format!("`{name}` is the date {date}: dates are no values here, write a number or text in quotes"))
}

fn date(value: &Value) -> Option<String> {
    match value {
        Value::Datetime(date) => Some(date.to_string()),
        Value::Array(values) => values.iter().find_map(date),
        Value::Table(table) => table.values().find_map(date),
        _ => None,
    }
}

/// The first line of a parser's message, with the line of the text it speaks of.
pub(crate) fn syntax_error(text: &str, error: &toml::de::Error) -> SimError {
    let date = toml::from_str::<Table>(text).ok().and_then(|table| date_in(&table));
    let message = error.message().lines().next().unwrap_or_default();
    let message = date.as_deref().unwrap_or(message);
    SimError::Syntax(match error.span() {
        Some(span) => {
            let before = text.get(..span.start).unwrap_or_default();
            format!("line {}: {message}", before.matches('\n').count() + 1)
        }
        None => message.into(),
    })
}

pub(crate) fn entry_error(kind: &str, index: usize, table: &Table, reason: String) -> SimError {
    let id = table.get("id").and_then(Value::as_str).unwrap_or("no id");
    SimError::Entry { entry: format!("{kind}[{index}] ({})", Echo(id)), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(policies: &str) -> Result<Experiment, SimError> {
        Experiment::from_toml(&format!(
            "environments = [{{ id = \"paper\", dim = 3 }}]\npolicies = [{policies}]"
        ))
    }

    #[test]
    fn lists_of_values_become_runs_and_grids() {
        let experiment =
            with("{ id = 'moglb-ucb', lambda = { each = [1, 10.0] }, c = { tune = [0.1, 1] } }").unwrap();
        let runs = experiment.plan().unwrap().runs;
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0].tuning, Some(("c".into(), vec![0.1, 1.0])));
        assert_eq!(runs[1].candidates.len(), 2);
        assert_ne!(runs[0].candidates, runs[1].candidates);
    }

    #[test]
    fn policies_can_be_left_out_where_they_do_not_apply() {
        let text = |first: &str| {
            format!(
                "applicable_only = true\nenvironments = [{first}{{ id = 'paper-fresh', dim = 3 }}]\n\
                 policies = [{{ id = 'p-ucb' }}, {{ id = 'moglb-ucb' }}]"
            )
        };
        let experiment = Experiment::from_toml(&text("{ id = 'paper', dim = 3 }, ")).unwrap();
        let ids = |plan: Plan| plan.runs.iter().map(|run| run.candidates[0].id()).collect::<Vec<_>>();
        assert_eq!(ids(experiment.plan().unwrap()), ["p-ucb", "moglb-ucb", "moglb-ucb"]);
        let error = Experiment::from_toml(&text("")).unwrap_err().to_string();
        assert!(error.contains("policies[0] (p-ucb): it applies to no environment"), "{error}");
    }

    #[test]
    fn a_policy_can_be_played_in_several_ways() {
        let experiment = with(
            "{ id = 'moglb-ucb', c = { tune = [0.1, 1] }, \
               play = { each = [{ prefer = { kind = 'knee' } }, { floor = { share = 0.1 } }] } }",
        );
        let experiment = experiment.unwrap();
        let runs = experiment.plan().unwrap().runs;
        let plays: Vec<String> = runs.iter().map(|run| run.play.as_ref().unwrap().to_string()).collect();
        assert_eq!(plays, ["knee", "own; floor 0.1"]);
        assert_eq!(runs[1].candidates.len(), 2);
        assert_eq!(Experiment::from_toml(&experiment.to_toml().unwrap()).unwrap(), experiment);
    }

    #[test]
    fn an_experiment_reads_back_exactly() {
        let experiment = with("{ id = 'moglb-ucb', c = { tune = [0.1, 1] } }, { id = 's-ucb' }").unwrap();
        assert_eq!(Experiment::from_toml(&experiment.to_toml().unwrap()).unwrap(), experiment);
    }

    #[test]
    fn mistakes_are_named() {
        for (policies, expected) in [
            ("", "the number of policies must lie between 1"),
            ("{ id = 'nobody' }", "policies[0] (nobody): unknown variant `nobody`"),
            ("{ id = 'p-ucb', c = 1 }", "policies[0] (p-ucb): "),
            ("{ c = 1 }", "policies[0] (no id): missing field `id`"),
            ("{ id = 'moglb-ucb', lambda = 0.5 }", "lambda must lie between 1 and 1e100, got 0.5"),
            ("{ id = 'moglb-ucb', c = { each = [] } }", "c: the list is empty"),
            ("{ id = 'moglb-ucb', c = { tune = ['x'] } }", "is not a number"),
            ("{ id = 'moglb-ucb', c = { tune = [1] }, lambda = { tune = [1] } }", "only one parameter"),
            ("{ id = 'moglb-ucb', c = 1, delta = 0.1 }", "delta goes with width = proved or tightened"),
            ("{ id = 's-ucb', weights = [1] }", "weights must be 5 nonnegative numbers"),
            ("{ id = 's-ucb', play = { prefer = { kind = 'knee' } } }", "this policy has none"),
            ("{ id = 'p-ucb', play = { prefer = { kind = 'nose' } } }", "play: unknown variant `nose`"),
            ("{ id = 'p-ucb', play = { prefer = { kind = 'knee', c = 1 } } }", "play: unknown field `c`"),
            ("{ id = 'p-ucb', play = { flor = { share = 0.1 } } }", "play: unknown field `flor`"),
            ("{ id = 'p-ucb', play = { exclude = [40] } }", "arm 40 does not exist, there are 12 arms"),
            ("{ id = 'p-ucb', play = 'knee' }", "play: expected a table"),
        ] {
            let error = with(policies).expect_err(policies).to_string();
            assert!(error.contains(expected), "{policies}: {error}");
        }
        let error =
            Experiment::from_toml("trials = 0\nenvironments = [{id='paper',dim=3}]\npolicies=[{id='p-ucb'}]");
        assert!(matches!(error, Err(SimError::Bounds { name: "trials", .. })));
        let error = Experiment::from_toml("environments = [{id='paper',dim=0}]\npolicies=[{id='p-ucb'}]");
        assert!(matches!(error, Err(SimError::Entry { .. })));
        assert!(matches!(Experiment::from_toml("seed = "), Err(SimError::Syntax(_))));
        let fresh = "environments = [{ id = \"paper-fresh\", dim = 3 }]\npolicies = [{ id = \"p-ucb\" }]";
        let error = Experiment::from_toml(fresh).unwrap_err().to_string();
        assert!(error.contains("the problem must state the number of arms"), "{error}");
    }
}
