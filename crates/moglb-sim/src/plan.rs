//! Plans. A plan is a checked experiment with all its environments and runs; all code that runs an
//! experiment takes its plan.

use crate::cell::{Cell, CellKey, no_such_cell};
use crate::entries::{
    build, check_bounds, entry_error, expand, grid, list, read, read_environments, without_play,
};
use crate::{EnvironmentConfig, Experiment, Namespace, SimError, Streams};
use moglb::{Error, PlayConfig, PolicyConfig};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A checked experiment with its environments and runs. Data is read when the plan is made, and shared by
/// all runs.
///
/// Example: [`Experiment`].
///
/// [`Experiment`]: crate::Experiment
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    experiment: Experiment,
    environments: Vec<EnvironmentConfig>,
    runs: Vec<PlannedRun>,
}

/// A policy on an environment.
///
/// Example: [`Experiment`].
///
/// [`Experiment`]: crate::Experiment
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRun {
    /// The environment.
    pub environment: EnvironmentConfig,
    /// The policy: one configuration, or one for each value of the grid.
    pub candidates: Vec<PolicyConfig>,
    /// The settings of `play`. By default the policy draws its arms itself.
    pub play: Option<PlayConfig>,
    /// The parameter to be tuned and its values, in the order of the candidates.
    pub tuning: Option<(String, Vec<f64>)>,
}

impl PlannedRun {
    /// The cell of one trial of a candidate. Tuning trials are not monitored.
    pub(crate) fn cell(
        &self,
        experiment: &Experiment,
        namespace: Namespace,
        candidate: usize,
        trial: usize,
    ) -> Cell {
        Cell {
            seed: experiment.seed,
            namespace,
            trial,
            horizon: experiment.horizon,
            points: experiment.points,
            monitor: experiment.monitor && namespace != Namespace::Tune,
            environment: self.environment.clone(),
            policy: self.candidates[candidate].clone(),
            play: self.play.clone(),
        }
    }
}

impl Experiment {
    /// Checks the experiment: every environment must make a problem, and every policy must be buildable for
    /// it.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`] or [`SimError::Entry`].
    pub fn plan(self) -> Result<Plan, SimError> {
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
        let runs = runs.into_iter().map(|(_, run)| run).collect();
        Ok(Plan { experiment: self, environments, runs })
    }

    /// Refuses experiments whose results would not fit into memory, before any policy is built.
    fn check_size(&self, environments: usize) -> Result<(), SimError> {
        let mut variants = 0;
        for (index, table) in self.policies.iter().enumerate() {
            variants +=
                expand(table, "each").map_err(|error| entry_error("policies", index, table, error))?.len();
        }
        let runs = (environments * variants) as u64;
        let points = runs.saturating_mul(self.trials as u64).saturating_mul(self.points.min(self.horizon));
        check_bounds(&[
            ("the number of runs", 1, 10_000, runs),
            ("runs × trials × points", 1, 1_000_000_000, points),
        ])
    }
}

impl Plan {
    /// Reads an experiment and plans it.
    ///
    /// # Errors
    ///
    /// As [`Experiment::from_toml`] and [`Experiment::plan`].
    pub fn from_toml(text: &str) -> Result<Self, SimError> {
        Experiment::from_toml(text)?.plan()
    }

    /// The experiment as it was written.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// The environments, in the order of the experiment.
    pub fn environments(&self) -> &[EnvironmentConfig] {
        &self.environments
    }

    /// The runs, environment by environment, and for each environment policy by policy.
    pub fn runs(&self) -> &[PlannedRun] {
        &self.runs
    }

    /// Draws the first reported instance of every environment that has a run, to find errors early.
    ///
    /// # Errors
    ///
    /// [`SimError`] if an instance cannot be drawn, such as [`SimError::FrontTooLarge`].
    pub fn check_instances(&self) -> Result<(), SimError> {
        let mut drawn: Vec<&EnvironmentConfig> = Vec::new();
        for environment in self.runs.iter().map(|run| &run.environment) {
            if !drawn.contains(&environment) {
                let seed = self.experiment.seed;
                environment.instance(Streams::new(seed, Namespace::Report, environment.dim(), 0))?;
                drawn.push(environment);
            }
        }
        Ok(())
    }

    /// Returns the cell of a key, with all that is needed to play it.
    ///
    /// # Errors
    ///
    /// [`SimError::Entry`] for a cell that the plan does not have.
    pub fn cell(&self, key: CellKey) -> Result<Cell, SimError> {
        let (namespace, run, candidate, trial) = key;
        let planned = self.runs.get(run).filter(|run| candidate < run.candidates.len());
        match planned {
            Some(planned) if namespace != Namespace::Confirm => {
                Ok(planned.cell(&self.experiment, namespace, candidate, trial))
            }
            _ => Err(no_such_cell(format!("{key:?}"))),
        }
    }

    /// The text that identifies the experiment in a log of finished cells: the experiment, and checksums of
    /// its data.
    ///
    /// # Errors
    ///
    /// [`SimError::Bounds`], [`SimError::Entry`], or [`SimError::File`] for data that cannot be read.
    pub fn key(&self) -> Result<String, SimError> {
        Ok(self.experiment.to_toml()? + &self.data_key()?)
    }

    /// The checksums of the data, which are the second part of the [key](Plan::key).
    ///
    /// # Errors
    ///
    /// As [`Plan::key`].
    pub fn data_key(&self) -> Result<String, SimError> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for environment in &self.environments {
            if let EnvironmentConfig::Data(source) = environment
                && !folders.contains(&source.config().path)
            {
                folders.push(source.config().path.clone());
            }
        }
        let line = |folder: &PathBuf| Ok(format!("# {} {:08x}\n", folder.display(), checksum(folder)?));
        folders.iter().map(line).collect()
    }
}

/// A checksum of the contents of the files in a folder, in the order of their names.
fn checksum(folder: &Path) -> Result<u32, SimError> {
    let in_file = |path: &Path, source| SimError::File { path: path.into(), source };
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut files: Vec<PathBuf> =
        entries.map_err(|error| in_file(folder, error))?.iter().map(std::fs::DirEntry::path).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files.iter().try_fold(0, |sum, path| append_checksum(sum, path).map_err(|error| in_file(path, error)))
}

/// Continues a checksum over a file, block by block, because the file may not fit into memory.
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

/// The run of a policy's entry on an environment, with one candidate for each value of the grid. The inner
/// error is the property that the environment lacks for the policy.
fn planned(environment: &EnvironmentConfig, table: &Table) -> Result<Result<PlannedRun, Error>, String> {
    let tuned: Vec<(&String, &Vec<Value>)> =
        table.iter().filter_map(|(name, value)| Some((name, list(value, "tune")?))).collect();
    let tuning = match tuned[..] {
        [] => None,
        [(name, values)] => Some((name.clone(), grid(values)?)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entries::tests::PARSES;
    use crate::environment::READS;
    use crate::{CellLog, Unwatched, pending, play_cell, run};

    fn with(policies: &str) -> Result<Plan, SimError> {
        Plan::from_toml(&format!("environments = [{{ id = \"paper\", dim = 3 }}]\npolicies = [{policies}]"))
    }

    #[test]
    fn lists_of_values_become_runs_and_grids() {
        let plan =
            with("{ id = 'moglb-ucb', lambda = { each = [1, 10.0] }, c = { tune = [0.1, 1] } }").unwrap();
        let runs = plan.runs;
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
        let plan = Plan::from_toml(&text("{ id = 'paper', dim = 3 }, ")).unwrap();
        let ids = |plan: Plan| plan.runs.iter().map(|run| run.candidates[0].id()).collect::<Vec<_>>();
        assert_eq!(ids(plan), ["p-ucb", "moglb-ucb", "moglb-ucb"]);
        let error = Plan::from_toml(&text("")).unwrap_err().to_string();
        assert!(error.contains("policies[0] (p-ucb): it applies to no environment"), "{error}");
    }

    #[test]
    fn a_policy_can_be_played_in_several_ways() {
        let plan = with(
            "{ id = 'moglb-ucb', c = { tune = [0.1, 1] }, \
               play = { each = [{ prefer = { kind = 'knee' } }, { floor = { share = 0.1 } }] } }",
        );
        let plan = plan.unwrap();
        let runs = plan.runs();
        let plays: Vec<String> = runs.iter().map(|run| run.play.as_ref().unwrap().to_string()).collect();
        assert_eq!(plays, ["knee", "own; floor 0.1"]);
        assert_eq!(runs[1].candidates.len(), 2);
        assert_eq!(Plan::from_toml(&plan.experiment().to_toml().unwrap()).unwrap(), plan);
    }

    #[test]
    fn an_experiment_reads_back_exactly() {
        let plan = with("{ id = 'moglb-ucb', c = { tune = [0.1, 1] } }, { id = 's-ucb' }").unwrap();
        assert_eq!(Plan::from_toml(&plan.experiment().to_toml().unwrap()).unwrap(), plan);
    }

    /// Counts on this thread only. Reads by other threads are covered by
    /// `a_plan_has_all_that_its_runs_read`.
    #[test]
    fn environments_are_parsed_once_and_data_is_read_once() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sw-config");
        let text = format!(
            "horizon = 20\ntrials = 2\ntuning_trials = 1\n\
             policies = [{{ id = 'moglb-ucb', c = {{ tune = [0.1, 1] }} }}, {{ id = 'random' }}]\n\
             environments = [{{ id = 'data', path = '{}', problem = 'vp9', noise = 0.1 }}]",
            folder.display()
        );
        let counts = || (PARSES.get(), READS.get());
        let before = counts();
        let plan = Plan::from_toml(&text).unwrap();
        plan.check_instances().unwrap();
        let head = plan.key().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let log = CellLog::create(&folder.path().join("cells"), &head).unwrap();
        for key in pending(&plan, &log) {
            play_cell(&plan.cell(key).unwrap(), &Unwatched).unwrap();
        }
        run(&plan, 1, Some(&log), &Unwatched).unwrap().summary();
        assert_eq!(counts(), (before.0 + 1, before.1 + 1));
        // A cell from another machine reads the data of its own environment, and makes no plan.
        let cell = Cell::from_json(&plan.cell((Namespace::Report, 1, 0, 0)).unwrap().to_json()).unwrap();
        play_cell(&cell, &Unwatched).unwrap();
        assert_eq!(counts(), (before.0 + 1, before.1 + 2));
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
            Plan::from_toml("trials = 0\nenvironments = [{id='paper',dim=3}]\npolicies=[{id='p-ucb'}]");
        assert!(matches!(error, Err(SimError::Bounds { name: "trials", .. })));
        let error = Plan::from_toml("environments = [{id='paper',dim=0}]\npolicies=[{id='p-ucb'}]");
        assert!(matches!(error, Err(SimError::Entry { .. })));
        assert!(matches!(Plan::from_toml("seed = "), Err(SimError::Syntax(_))));
        let fresh = "environments = [{ id = \"paper-fresh\", dim = 3 }]\npolicies = [{ id = \"p-ucb\" }]";
        let error = Plan::from_toml(fresh).unwrap_err().to_string();
        assert!(error.contains("the problem must state the number of arms"), "{error}");
    }
}
