//! Outcomes of runs on data, on a table whose values can be computed by hand.

use moglb::{Arm, ArmId, ArmSet, Decision, Error, PlayConfig, Policy, PolicyConfig, Rng, draw};
use moglb_sim::{
    Baseline, Cell, CellLog, DataConfig, Environment, EnvironmentConfig, Namespace, Plan, Plays, Results,
    SimError, Streams, Summary, SummaryError, Trace, Unwatched, play, play_cell, run,
};
use std::path::Path;
use tempfile::TempDir;

/// The description of the table.
const META: &str = r#"{ "format": "mob-data/1", "name": "toy", "problems": [{ "id": "p", "kind": "full",
    "rounds": "rounds.csv", "rewards": "rewards.csv", "arms": "arms.csv",
    "objectives": [{ "column": "y_a" }, { "column": "y_b" }] }] }"#;
/// The values y_a, y_b and cost of both arms in the three rounds that count.
const SCORED: [[[f64; 3]; 2]; 3] = [
    [[0.2, 1.0, 1.0], [0.8, 0.5, 10.0]],
    [[0.5, 0.9, 2.0], [0.4, 0.3, 20.0]],
    [[0.1, 0.8, 3.0], [0.9, 0.4, 30.0]],
];
/// The number of practice rounds.
const PRACTICE: usize = 40;

/// A folder with a table of the rounds above, and of practice rounds with zero rewards.
fn toy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (mut rounds, mut rewards) =
        (String::from("round_id,split,x_u\n"), String::from("round_id,arm_id,y_a,y_b,raw_cost\n"));
    for k in 0..PRACTICE {
        rounds += &format!("v{k},val,0.5\n");
        rewards += &format!("v{k},0,0,0,100\nv{k},1,0,0,100\n");
    }
    for (k, arms) in SCORED.iter().enumerate() {
        rounds += &format!("t{k},test,0.5\n");
        for (arm, [a, b, cost]) in arms.iter().enumerate() {
            rewards += &format!("t{k},{arm},{a},{b},{cost}\n");
        }
    }
    for (name, text) in [
        ("meta.json", META),
        ("rounds.csv", &rounds),
        ("rewards.csv", &rewards),
        ("arms.csv", "arm_id,name\n0,cheap\n1,good\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn config(folder: &Path) -> DataConfig {
    let names = |name: &str| Some(vec![name.to_string()]);
    DataConfig { splits: names("test"), practice: names("val"), ..DataConfig::new(folder, "p") }
}

fn experiment(folder: &Path, rest: &str) -> Plan {
    let text = format!(
        "horizon = 3\ntrials = 3\n\
         environments = [{{ id = 'data', path = '{}', problem = 'p', splits = ['test'], \
         practice = ['val'] }}]\npolicies = [{rest}]",
        folder.display()
    );
    Plan::from_toml(&text).unwrap()
}

fn close(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{got:?} for {expected:?}");
    for (one, other) in got.iter().zip(expected) {
        assert!((one - other).abs() < 1e-12, "{got:?} for {expected:?}");
    }
}

/// Plays always the arm "good", which is its whole front, and records the rewards that it receives.
#[derive(Default)]
struct AlwaysGood {
    learned: Vec<(usize, Vec<f64>)>,
}

impl Policy for AlwaysGood {
    fn decide_into(&self, _: &ArmSet, _: &mut dyn Rng, decision: &mut Decision) -> Result<(), Error> {
        decision.arm = ArmId(1);
        decision.front = std::iter::once(ArmId(1)).collect();
        decision.probabilities = vec![0.0, 1.0];
        Ok(())
    }

    fn learn(&mut self, arm: Arm<'_>, reward: &[f64]) -> Result<(), Error> {
        self.learned.push((arm.id().0, reward.to_vec()));
        Ok(())
    }
}

fn played(folder: &Path, policy: &mut dyn Policy, checkpoints: &[u64]) -> Trace {
    let environment = EnvironmentConfig::Data(config(folder).into());
    let streams = Streams::new(1, Namespace::Report, environment.dim(), 0);
    play(&*environment.instance(streams).unwrap(), policy, checkpoints, streams, &|_| true).unwrap()
}

#[test]
fn the_scores_of_a_trial_are_those_by_hand() {
    let folder = toy();
    let scores = played(folder.path(), &mut AlwaysGood::default(), &[1, 3]).scores.unwrap();
    // (0.8 + 0.4 + 0.9)/3 and (0.5 + 0.3 + 0.4)/3; the first point depends on the order of the rounds.
    assert_eq!(scores.means.len(), 2);
    close(&scores.means[1], &[0.7, 0.4]);
    close(&scores.measures, &[20.0]);
    assert_eq!((scores.plays.clone(), scores.share(1)), (vec![0, 3], 1.0));
    // At 1:0 the best values are 0.8, 0.5 and 0.9, at 0.5:0.5 they are 0.65, 0.7 and 0.65, at 0:1 1.0, 0.9
    // and 0.8.
    close(&[scores.regret[0], scores.regret[5], scores.regret[10]], &[0.1 / 3.0, 0.35 / 3.0, 0.5]);
    // The fronts of the rounds are both arms, "cheap" alone, and both arms.
    close(&[scores.coverage.unwrap()], &[1.0 / 3.0]);
}

#[test]
fn practice_is_drawn_evenly_learned_from_and_not_scored() {
    let folder = toy();
    let mut policy = AlwaysGood::default();
    let trace = played(folder.path(), &mut policy, &[3]);
    assert_eq!(policy.learned.len(), PRACTICE + 3);
    let (before, after) = policy.learned.split_at(PRACTICE);
    // A fair coin gives fewer than 8 heads of 40, or more than 32, with chance 4e-5.
    let good = before.iter().filter(|(arm, _)| *arm == 1).count();
    assert!((8..=32).contains(&good), "{good} of {PRACTICE}");
    assert!(before.iter().all(|(_, reward)| reward == &[0.0, 0.0]), "the split val comes first");
    assert!(after.iter().all(|(arm, reward)| *arm == 1 && reward[0] >= 0.4));
    assert_eq!(trace.pareto_regret.len(), 1);
    close(&trace.pareto_regret, &[0.1]);
    close(&trace.scores.unwrap().measures, &[20.0]);
}

fn baseline(summary: &Summary, plays: Plays) -> &Baseline {
    summary.comparisons[0].baselines.iter().find(|baseline| baseline.plays == plays).unwrap()
}

#[test]
fn baselines_are_what_the_table_says() {
    let folder = toy();
    let summary =
        run(&experiment(folder.path(), "{ id = 'random' }"), 1, None, &Unwatched).unwrap().summary();
    let comparison = &summary.comparisons[0];
    assert_eq!(
        (&comparison.objectives[..], &comparison.measures[..]),
        (&["y_a".to_string(), "y_b".into()][..], &["raw_cost".to_string()][..])
    );
    assert_eq!(comparison.baselines.len(), 2 + 1 + 11);
    let cheap = baseline(&summary, Plays::Always("cheap".into()));
    close(&cheap.objectives, &[0.8 / 3.0, 0.9]);
    close(&[cheap.measures[0], cheap.gap], &[2.0, 0.0]);
    close(&[cheap.regret[0], cheap.regret[5], cheap.regret[10]], &[1.4 / 3.0, 0.25 / 3.0, 0.0]);
    let good = baseline(&summary, Plays::Always("good".into()));
    close(
        &[good.objectives[0], good.objectives[1], good.measures[0], good.gap],
        &[0.7, 0.4, 20.0, 0.1 / 3.0],
    );
    let random = baseline(&summary, Plays::Random);
    close(&[random.objectives[0], random.objectives[1], random.measures[0]], &[2.9 / 6.0, 0.65, 11.0]);
    let quality = baseline(&summary, Plays::Oracle(vec![1.0, 0.0]));
    close(&[quality.objectives[0], quality.objectives[1], quality.measures[0]], &[2.2 / 3.0, 0.6, 14.0]);
    assert!(quality.regret[0].abs() < 1e-12 && quality.gap == 0.0);
    let between = baseline(&summary, Plays::Oracle(vec![0.4, 0.6]));
    close(&between.objectives, &[1.6 / 3.0, 2.3 / 3.0]);
    // The three points of the oracle: 2.2/3 · 0.6 + 1.6/3 · (2.3/3 − 0.6) + 0.8/3 · (0.9 − 2.3/3).
    let whole = 0.44 + 1.6 / 18.0 + 0.32 / 9.0;
    close(&[comparison.volume, good.hypervolume], &[whole, 0.28 / whole]);
}

#[test]
fn the_outcome_of_a_run_and_of_all_preferences_together_are_those_by_hand() {
    let folder = toy();
    // Without practice and with one kept arm each, two runs are "always cheap" and "always good".
    let only = |arm: usize| format!("{{ id = 'moglb-ucb', play = {{ include = [{arm}] }} }}");
    let experiment = experiment(folder.path(), &[only(0), only(1)].join(", "));
    let summary = run(&experiment, 1, None, &Unwatched).unwrap().summary();
    let [cheap, good] = [0, 1].map(|k| summary.runs[k].outcome.as_ref().unwrap());
    assert_eq!((cheap.objectives[0].name.as_str(), cheap.measures[0].name.as_str()), ("y_a", "raw_cost"));
    close(&cheap.objectives[0].trials, &[0.8 / 3.0; 3]);
    close(&good.measures[0].trials, &[20.0; 3]);
    assert_eq!(good.shares.len(), 1, "arms that were never played are not listed");
    assert_eq!((good.shares[0].name.as_str(), &good.shares[0].trials[..]), ("good", &[1.0; 3][..]));
    let whole = summary.comparisons[0].volume;
    close(&[cheap.hypervolume.mean[2], good.hypervolume.mean[2]], &[0.24 / whole, 0.28 / whole]);
    close(&[good.regret.mean[10], good.regret.ci95[10]], &[0.5, 0.0]);
    let together = &summary.comparisons[0].together[..];
    assert_eq!((together.len(), &together[0].runs[..]), (1, &[0, 1][..]));
    // 0.7 · 0.4 and, above it, 0.8/3 · (0.9 − 0.4).
    close(&[together[0].hypervolume.mean[2]], &[(0.28 + 0.4 / 3.0) / whole]);
    assert_eq!(summary.runs[0].rounds, 3 * (3 + PRACTICE as u64));
}

#[test]
fn outcomes_do_not_depend_on_threads_interruption_or_where_a_cell_is_played() {
    let folder = toy();
    let experiment = experiment(folder.path(), "{ id = 'moglb-ucb' }, { id = 'random' }");
    let one = run(&experiment, 1, None, &Unwatched).unwrap();
    let path = folder.path().join("cells");
    let log = CellLog::create(&path, "mine").unwrap();
    // Half of the cells are played elsewhere and come as bytes.
    for trial in 0..3 {
        let trace =
            play_cell(&experiment.cell((Namespace::Report, 1, 0, trial)).unwrap(), &Unwatched).unwrap();
        log.append((Namespace::Report, 1, 0, trial), &Trace::from_bytes(&trace.to_bytes()).unwrap()).unwrap();
    }
    drop(log);
    let resumed = CellLog::resume(&path, "mine").unwrap();
    let two = run(&experiment, 2, Some(&resumed), &Unwatched).unwrap();
    let timeless = |mut summary: Summary| {
        summary.runs.iter_mut().for_each(|run| run.seconds = 0.0);
        summary
    };
    assert_eq!(timeless(one.summary()), timeless(two.summary()));
}

#[test]
fn a_log_of_finished_cells_belongs_to_the_data_as_it_was() {
    let (folder, logs) = (toy(), tempfile::tempdir().unwrap());
    let experiment = experiment(folder.path(), "{ id = 'random' }");
    let (path, before) = (logs.path().join("cells"), experiment.key().unwrap());
    assert_eq!(experiment.key().unwrap(), before);
    drop(CellLog::create(&path, &before).unwrap());
    assert!(CellLog::resume(&path, &experiment.key().unwrap()).is_ok());
    std::fs::write(folder.path().join("arms.csv"), "arm_id,name\n0,cheap\n1,best\n").unwrap();
    let error = CellLog::resume(&path, &experiment.key().unwrap()).unwrap_err();
    assert!(matches!(error, SimError::OtherExperiment { .. }), "{error}");
}

/// Data is read when the plan is made, so the plan can be used after the files are gone.
#[test]
fn a_plan_has_all_that_its_runs_read() {
    let folder = toy();
    let plan = experiment(folder.path(), "{ id = 'moglb-ucb' }, { id = 'random' }");
    let before = run(&plan, 2, None, &Unwatched).unwrap();
    let log = CellLog::create(&folder.path().with_extension("cells"), &plan.key().unwrap()).unwrap();
    drop(folder);
    assert!(plan.key().is_err(), "the files are gone");
    plan.check_instances().unwrap();
    let after = run(&plan, 2, Some(&log), &Unwatched).unwrap();
    let regret = |results: &Results| {
        let traces = results.runs.iter().flat_map(|run| &run.traces);
        traces.map(|trace| trace.pareto_regret.clone()).collect::<Vec<_>>()
    };
    assert_eq!(regret(&after), regret(&before));
    assert_eq!(after.summary().comparisons, before.summary().comparisons);
    let cell = plan.cell((Namespace::Report, 1, 0, 2)).unwrap();
    let trace = play_cell(&cell, &Unwatched).unwrap();
    assert_eq!(trace.pareto_regret, before.runs[1].traces[2].pareto_regret);
    log.remove().unwrap();
    let elsewhere = play_cell(&Cell::from_json(&cell.to_json()).unwrap(), &Unwatched);
    assert!(matches!(elsewhere, Err(SimError::Data(_))), "{elsewhere:?}");
}

#[test]
fn a_summary_with_numbers_missing_is_refused() {
    let folder = toy();
    let summary =
        run(&experiment(folder.path(), "{ id = 'moglb-ucb' }, { id = 'random' }"), 1, None, &Unwatched);
    let whole = summary.unwrap().summary();
    let read = |summary: &Summary| Summary::from_json(&serde_json::to_string(summary).unwrap());
    assert_eq!(read(&whole).unwrap(), whole);
    let outcomes = "the outcomes on";
    type Damage = (fn(&mut Summary), &'static str);
    let damages: [Damage; 9] = [
        (|summary| summary.comparisons[0].baselines[0].regret.clear(), outcomes),
        (|summary| summary.comparisons[0].baselines[1].measures.push(0.0), outcomes),
        (|summary| summary.comparisons[0].objectives.clear(), outcomes),
        (|summary| summary.runs[1].outcome.as_mut().unwrap().regret.mean.clear(), outcomes),
        (|summary| summary.runs[1].outcome.as_mut().unwrap().hypervolume.ci95.clear(), outcomes),
        (|summary| summary.runs[0].pareto_regret.ci95.clear(), "the curves of moglb-ucb"),
        (|summary| summary.runs[0].recall.as_mut().unwrap().mean.clear(), "the curves of moglb-ucb"),
        (|summary| summary.runs[1].t.clear(), "the curves of random"),
        (
            |summary| summary.format = "moglb.summary/0".into(),
            "expected format moglb.summary/1, got moglb.summary/0",
        ),
    ];
    for (k, (damage, expected)) in damages.into_iter().enumerate() {
        let mut summary = whole.clone();
        damage(&mut summary);
        let error = read(&summary).expect_err(expected).to_string();
        assert!(error.starts_with(expected), "{k}: {error}");
    }
    assert!(matches!(Summary::from_json("{"), Err(SummaryError::Syntax(_))));
}

#[test]
fn other_environments_have_no_outcome_and_their_summaries_are_as_before() {
    let text =
        "horizon = 5\ntrials = 2\nenvironments = [{ id = 'paper', dim = 3 }]\npolicies = [{ id = 'random' }]";
    let summary = run(&Plan::from_toml(text).unwrap(), 1, None, &Unwatched).unwrap().summary();
    let json = serde_json::to_string(&summary).unwrap();
    assert!(!json.contains("outcome") && !json.contains("comparisons"), "{json}");
    assert_eq!(serde_json::from_str::<Summary>(&json).unwrap(), summary);
    let folder = toy();
    let summary =
        run(&experiment(folder.path(), "{ id = 'random' }"), 1, None, &Unwatched).unwrap().summary();
    let json = serde_json::to_string(&summary).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&json).unwrap(), summary);
}

#[test]
fn practice_that_cannot_be_is_refused_with_its_reason() {
    let folder = toy();
    let names = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect::<Vec<String>>());
    let good = || config(folder.path());
    for (config, expected) in [
        (DataConfig { practice: names(&["test"]), ..good() }, "practice: the split `test` counts"),
        (
            DataConfig { practice: names(&["val", "dev"]), ..good() },
            "practice: no round is in the split `dev`",
        ),
        (DataConfig { practice: names(&[]), ..good() }, "practice: the list is empty"),
        (
            DataConfig { practice: names(&["val", "val"]), ..good() },
            "practice: the split `val` is named twice",
        ),
        (DataConfig { splits: None, ..good() }, "practice: name the `splits` that count"),
        (
            DataConfig { rewards: moglb_sim::Rewards::Fitted, ..good() },
            "practice: goes with replayed rewards",
        ),
    ] {
        let error = EnvironmentConfig::Data(config.into()).problem().unwrap_err().to_string();
        assert!(error.contains(expected), "{error} for {expected}");
    }
    let environment = EnvironmentConfig::Data(good().into());
    let instance = environment.instance(Streams::new(1, Namespace::Report, 4, 0)).unwrap();
    let beyond = instance.stage(PRACTICE as u64 + 4);
    assert!(matches!(beyond, Err(SimError::RoundsUsedUp { available: 3, asked: 4 })));
}

/// The experiment on the data of this repository, written as a loop: models are drawn evenly on `val`, and
/// the preference plays `test`.
#[test]
fn an_experiment_with_practice_is_the_loop_by_hand() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/llm-routing");
    let text = format!(
        "horizon = 1793\ntrials = 1\nenvironments = [{{ id = 'data', path = '{}', problem = 'k4', \
         objectives = ['y_quality', 'y_cheap'], splits = ['test'], practice = ['val'] }}]\n\
         policies = [{{ id = 'moglb-ucb', c = 1e-4, \
         play = {{ prefer = {{ kind = 'weights', weights = [1, 0] }} }} }}]",
        path.display()
    );
    let experiment = Plan::from_toml(&text).unwrap();
    let summary = run(&experiment, 1, None, &Unwatched).unwrap().summary();
    let outcome = summary.runs[0].outcome.as_ref().unwrap();
    let both = DataConfig {
        objectives: Some(vec!["y_quality".into(), "y_cheap".into()]),
        splits: Some(vec!["val".into(), "test".into()]),
        ..DataConfig::new(path, "k4")
    };
    let world = EnvironmentConfig::Data(both.into());
    let streams = Streams::new(1, Namespace::Report, world.dim(), 0);
    let [quality, cost] = by_hand(&*world.instance(streams).unwrap(), streams);
    close(&outcome.objectives[0].trials, &[quality]);
    // y_cheap = −log10(cost in dollars)/6 is rounded to six digits in the table.
    let dollars = outcome.measures[0].trials[0];
    assert!((dollars - cost).abs() < 1e-5 * cost, "{dollars} for {cost}");
}

fn by_hand(world: &dyn Environment, streams: Streams) -> [f64; 2] {
    let config: PolicyConfig = serde_json::from_str(r#"{ "id": "moglb-ucb", "c": 1e-4 }"#).unwrap();
    let way = r#"{ "prefer": { "kind": "weights", "weights": [1, 0] } }"#;
    let way: PlayConfig = serde_json::from_str(way).unwrap();
    let (mut policy, way) = (config.build(world.problem()).unwrap(), way.build(world.problem()).unwrap());
    let (mut rng, mut decision, mut sums) = (streams.policy(), Decision::lean(), [0.0; 2]);
    for t in 1..=3559 {
        let stage = world.stage(t).unwrap();
        if t <= 1766 {
            decision.arm = ArmId(draw::below(stage.arms.n_arms(), &mut rng));
        } else {
            way.decide(&*policy, &stage.arms, &[], &mut rng, &mut decision).unwrap();
            let row = stage.means.row(decision.arm.0);
            sums[0] += row[0];
            sums[1] += libm::pow(10.0, -6.0 * row[1]);
        }
        policy.learn(stage.arms.arm(decision.arm), stage.means.row(decision.arm.0)).unwrap();
    }
    sums.map(|sum| sum / 1793.0)
}
