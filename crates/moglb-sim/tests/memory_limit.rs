//! Vectors with an entry for each arm are refused above the memory limit, however short the data. A test
//! program of its own, with one test: the limit is that of the process, and other tests would see it.

use moglb::{Error, set_memory_limit};
use moglb_sim::{DataConfig, EnvironmentConfig, LogWorld, Namespace, Rewards, SimError, Streams};
use std::path::Path;

const META: &str = r#"{ "format": "mob-data/1", "name": "mine", "problems": [
    { "id": "full", "kind": "full", "rounds": "rounds.csv", "rewards": "rewards.csv", "arms": "arms.csv",
      "objectives": [{ "column": "y_a", "link": "identity" }] },
    { "id": "log", "kind": "logged", "logged": "log.csv", "arms": "arms.csv",
      "objectives": [{ "column": "y_a", "link": "identity" }] }] }"#;

const ROUNDS: usize = 5;
const ARMS: usize = 20;

fn write_data(folder: &Path) {
    let lines = |n: usize, line: &dyn Fn(usize) -> String| (0..n).map(line).collect::<String>();
    let rounds = lines(ROUNDS, &|round| format!("{round},0.{round}\n"));
    let arms = lines(ARMS, &|arm| format!("{arm},0.5\n"));
    let rewards = lines(ROUNDS * ARMS, &|k| format!("{},{},0.{}\n", k / ARMS, k % ARMS, k % 7));
    for (name, text) in [
        ("meta.json", META.into()),
        ("rounds.csv", format!("round_id,x_u\n{rounds}")),
        ("arms.csv", format!("arm_id,a_u\n{arms}")),
        ("rewards.csv", format!("round_id,arm_id,y_a\n{rewards}")),
        ("log.csv", "round_id,arm_id,propensity,y_a,x_u\n0,0,0.5,1,0.5\n".into()),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

#[test]
fn a_layout_with_an_entry_for_each_arm_is_held_against_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    write_data(folder.path());
    let config = |problem: &str, rewards| DataConfig { rewards, ..DataConfig::new(folder.path(), problem) };
    let environment = |rewards| {
        let streams = Streams::new(1, Namespace::Report, 1, 0);
        EnvironmentConfig::Data(config("full", rewards).into()).instance(streams).map(drop)
    };
    type Make<'a> = &'a dyn Fn() -> Result<(), SimError>;
    let all: [(&str, usize, Make<'_>); 3] = [
        ("a round", ARMS, &|| environment(Rewards::Replay)),
        ("a model", ROUNDS * ARMS, &|| environment(Rewards::Fitted)),
        ("a round of a log", ARMS, &|| LogWorld::new(&config("log", Rewards::Replay)).map(drop)),
    ];
    // The layout is a block for each arm, of a constant and a feature of the context.
    let columns = ARMS * 2;
    for (what, rows, make) in all {
        set_memory_limit((rows * columns * 8) as u64);
        assert!(make().is_ok(), "{what}: the limit is allowed");
        set_memory_limit((rows * columns * 8 - 1) as u64);
        let error = make().expect_err(what);
        assert!(matches!(error, SimError::Core(got) if got == Error::TooLarge { rows, columns }), "{what}");
    }
}
