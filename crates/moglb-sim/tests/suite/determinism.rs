//! An experiment gives the same numbers on any number of threads, next to any other runs, interrupted or
//! not.

use moglb::{ArmId, draw};
use moglb_sim::{
    Cell, CellLog, EnvironmentConfig, Experiment, Namespace, Noise, PaperConfig, Plan, Results, SimError,
    Stage, Streams, Trace, Unwatched, Watcher, pending, play_cell, run,
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

const POLICIES: &str = "{ id = 'moglb-ucb', c = { tune = [0.01, 1] } }, { id = 'p-ts' }, { id = 'p-ucb' }";

fn experiment(environments: &str, policies: &str) -> Plan {
    let head = "horizon = 300\ntrials = 3\ntuning_trials = 2\nseed = 5";
    let text = format!("{head}\nenvironments = [{environments}]\npolicies = [{policies}]");
    Plan::from_toml(&text).unwrap()
}

/// All traces, without the time that they took.
fn traces(results: &Results) -> Vec<Vec<Trace>> {
    let timeless = |trace: &Trace| Trace { seconds: 0.0, ..trace.clone() };
    results.runs.iter().map(|run| run.traces.iter().map(timeless).collect()).collect()
}

#[test]
fn one_thread_and_many_give_the_same_bits() {
    let experiment = experiment("{ id = 'paper', dim = 4 }, { id = 'paper', dim = 6 }", POLICIES);
    let one = run(&experiment, 1, None, &Unwatched).unwrap();
    let many = run(&experiment, 7, None, &Unwatched).unwrap();
    assert_eq!(traces(&one), traces(&many));
    assert_eq!(one.runs[0].tuning, many.runs[0].tuning);
}

#[test]
fn a_run_does_not_depend_on_what_runs_beside_it() {
    let all =
        run(&experiment("{ id = 'paper', dim = { each = [4, 6] } }", POLICIES), 0, None, &Unwatched).unwrap();
    let alone =
        run(&experiment("{ id = 'paper', dim = 6 }", "{ id = 'p-ts' }"), 0, None, &Unwatched).unwrap();
    assert_eq!(traces(&all)[4], traces(&alone)[0]);
}

#[test]
fn another_seed_gives_another_experiment() {
    let first = experiment("{ id = 'paper', dim = 4 }", "{ id = 'p-ts' }");
    let second = Experiment { seed: 6, ..first.experiment().clone() }.plan().unwrap();
    let play = |experiment: &Plan| traces(&run(experiment, 0, None, &Unwatched).unwrap());
    assert_ne!(play(&first), play(&second));
}

/// A watcher that ends the run after some rounds.
struct Impatient {
    left: AtomicU64,
}

impl Watcher for Impatient {
    fn planned(&self, _: u64, _: u64) {}

    fn played(&self, rounds: u64) -> bool {
        let mut left = self.left.load(Ordering::Relaxed);
        left = left.saturating_sub(rounds);
        self.left.store(left, Ordering::Relaxed);
        left > 0
    }
}

/// A watcher that moves a folder away when the first rounds have been played.
struct Mover {
    from: PathBuf,
    to: PathBuf,
}

impl Watcher for Mover {
    fn planned(&self, _: u64, _: u64) {}

    fn played(&self, rounds: u64) -> bool {
        if rounds > 0 {
            // Only the first call finds the folder; later ones fail.
            let _ = std::fs::rename(&self.from, &self.to);
        }
        true
    }
}

#[test]
fn a_run_ends_when_its_folder_is_moved() {
    let experiment = experiment("{ id = 'paper', dim = 4 }", POLICIES);
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
    std::fs::create_dir(&from).unwrap();
    let log = CellLog::create(&from.join("cells"), &experiment.experiment().to_toml().unwrap()).unwrap();
    let stopped = run(&experiment, 2, Some(&log), &Mover { from, to });
    assert_eq!(stopped.map(|_| ()).map_err(|error| error.code()), Err("file-gone"));
    assert_eq!(log.check().map_err(|error| error.code()), Err("file-gone"));
}

#[test]
fn an_interrupted_run_resumes_to_the_same_bits() {
    let experiment = experiment("{ id = 'paper', dim = 4 }", POLICIES);
    let whole = run(&experiment, 2, None, &Unwatched).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (path, config) = (folder.path().join("cells"), experiment.experiment().to_toml().unwrap());

    let log = CellLog::create(&path, &config).unwrap();
    let stopped = run(&experiment, 2, Some(&log), &Impatient { left: AtomicU64::new(2000) });
    let Err(SimError::Interrupted { done, total }) = stopped else { panic!("not interrupted: {stopped:?}") };
    assert_eq!(total, 2 * 2 + 3 * 3);
    assert!(done > 0 && done < total, "{done} of {total}");
    drop(log);

    let log = CellLog::resume(&path, &config).unwrap();
    assert_eq!(log.len(), done);
    let resumed = run(&experiment, 2, Some(&log), &Unwatched).unwrap();
    assert_eq!(traces(&whole), traces(&resumed));
    assert_eq!(whole.runs[0].tuning, resumed.runs[0].tuning);
}

/// In a trial all policies play the same instance and receive, for the n-th pull of an arm, the same
/// reward.
#[test]
fn trials_are_paired_by_instance_arm_and_pull() {
    let config = EnvironmentConfig::Paper(PaperConfig::new(5));
    let streams = Streams::new(1, Namespace::Report, 5, 3);
    let (first, second) = (config.instance(streams).unwrap(), config.instance(streams).unwrap());
    assert_eq!(first.stage(1).unwrap(), second.stage(1).unwrap());
    let stage = first.stage(1).unwrap();

    let pulls = |order: &[usize]| {
        let mut noise = Noise::new(streams, &*first).unwrap();
        let mut rewards = vec![Vec::new(); 20];
        for (t, &arm) in (1..).zip(order) {
            let mut reward = Vec::new();
            noise.pull(first.problem(), &stage, ArmId(arm), t, &mut reward);
            rewards[arm].push(reward);
        }
        rewards
    };
    let mut rng = draw::seeded(1);
    let order: Vec<usize> = (0..400).map(|_| draw::below(20, &mut rng)).collect();
    let backwards: Vec<usize> = order.iter().rev().copied().collect();
    assert_eq!(pulls(&order), pulls(&backwards));
    assert!(pulls(&order)[0] != pulls(&order)[1], "arms have luck of their own");
}

#[test]
fn fresh_arms_are_paired_by_round_and_arm() {
    let config = EnvironmentConfig::PaperFresh(PaperConfig::new(5));
    let streams = Streams::new(1, Namespace::Report, 5, 3);
    let environment = config.instance(streams).unwrap();
    let reward_after = |before: &[usize]| {
        let mut noise = Noise::new(streams, &*environment).unwrap();
        let mut reward = Vec::new();
        for (t, &arm) in (1..).zip(before) {
            noise.pull(environment.problem(), &environment.stage(t).unwrap(), ArmId(arm), t, &mut reward);
        }
        reward
    };
    assert_eq!(reward_after(&[1, 2, 3, 7]), reward_after(&[4, 5, 6, 7]));
    let results = run(
        &experiment("{ id = 'paper-fresh', dim = 4 }", "{ id = 'moglb-ucb' }, { id = 'random' }"),
        0,
        None,
        &Unwatched,
    );
    let summary = results.unwrap().summary();
    let last = |k: usize| *summary.runs[k].pareto_regret.mean.last().unwrap();
    assert!(last(0) < last(1), "MOGLB-UCB {} against random {}", last(0), last(1));
}

/// With fixed arms the entropy is that of the pulls up to the round, with fresh arms that of the
/// probabilities, averaged over rounds.
#[test]
fn the_curve_of_exposure_entropy_ends_at_its_last_value() {
    for environment in ["paper", "paper-fresh"] {
        let environment = format!("{{ id = '{environment}', dim = 4 }}");
        let results =
            run(&experiment(&environment, "{ id = 'moglb-ucb' }, { id = 'random' }"), 0, None, &Unwatched)
                .unwrap();
        for trace in results.runs.iter().flat_map(|run| &run.traces) {
            assert_eq!(trace.exposure_entropy.len(), results.checkpoints.len());
            assert_eq!(trace.exposure_entropy.last(), Some(&trace.end.exposure_entropy));
            let first = trace.exposure_entropy[0];
            // One pull is as uneven as possible, unless there is a single arm to pull.
            let single = trace.end.true_front_size == 1;
            assert!(environment.contains("fresh") || first == f64::from(u8::from(single)), "{first}");
        }
    }
}

/// Tuning trials use instances that no reported trial uses.
#[test]
fn tuning_seeds_are_disjoint_from_the_reported_ones() {
    let config = EnvironmentConfig::Paper(PaperConfig::new(5));
    let stages = |namespace| -> Vec<Stage> {
        let streams = |trial| Streams::new(1, namespace, 5, trial);
        (0..20).map(|trial| config.instance(streams(trial)).unwrap().stage(1).unwrap().into_owned()).collect()
    };
    let reported = stages(Namespace::Report);
    for tuned in stages(Namespace::Tune) {
        assert!(!reported.contains(&tuned));
    }
}

/// Cells that are played one by one, in any order, and passed through bytes and a log give the results of a
/// run.
#[test]
fn cells_played_elsewhere_make_the_same_results() {
    let experiment = experiment(
        "{ id = 'paper', dim = 4 }",
        "{ id = 'moglb-ucb', c = { tune = [0.01, 0.1] } }, { id = 'random' }",
    );
    let folder = tempfile::tempdir().unwrap();
    let (path, toml) = (folder.path().join("cells.log"), experiment.experiment().to_toml().unwrap());
    let mut phases = Vec::new();
    loop {
        let log = CellLog::resume(&path, &toml).unwrap();
        let mut cells = pending(&experiment, &log);
        if cells.is_empty() {
            break;
        }
        phases.push(cells.len());
        cells.reverse();
        for cell in cells {
            let trace =
                play_cell(&Cell::from_json(&experiment.cell(cell).unwrap().to_json()).unwrap(), &Unwatched)
                    .unwrap();
            log.append(cell, &Trace::from_bytes(&trace.to_bytes()).unwrap()).unwrap();
        }
    }
    assert_eq!(phases.len(), 2, "reported trials of a tuned policy wait for the tuning: {phases:?}");
    let log = CellLog::resume(&path, &toml).unwrap();
    let (put_together, at_once) = (
        run(&experiment, 0, Some(&log), &Unwatched).unwrap(),
        run(&experiment, 0, None, &Unwatched).unwrap(),
    );
    assert_eq!(traces(&put_together), traces(&at_once));
    let nowhere = (Namespace::Report, 99, 0, 0);
    assert!(matches!(experiment.cell(nowhere), Err(SimError::Entry { .. })));
    assert!(Trace::from_bytes(&[1, 2, 3]).is_err());
}
