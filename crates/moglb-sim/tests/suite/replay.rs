//! Replays of logs, whose truth is known because the logs are made here.

use moglb::draw;
use moglb_sim::{Acceptance, DataConfig, Replay, ReplayConfig, Replayed, SimError, replay};
use std::fmt::Write;
use std::path::Path;

/// The chance of a one in two objectives, of three arms. The last is the best in both.
const MEANS: [[f64; 2]; 3] = [[0.2, 0.3], [0.5, 0.5], [0.8, 0.7]];

/// Writes a log of some rounds. The played arm depends on the context; the rewards depend on the arm only.
fn write_log(folder: &Path, rounds: usize) {
    let mut rng = draw::seeded(7);
    let mut table = String::from("round_id,arm_id,propensity,x_side,y_a,y_b\n");
    for round in 0..rounds {
        let side = draw::unit(&mut rng) < 0.5;
        let chances = if side { [0.5, 0.3, 0.2] } else { [0.2, 0.3, 0.5] };
        let u = draw::unit(&mut rng);
        let arm = usize::from(u >= chances[0]) + usize::from(u >= chances[0] + chances[1]);
        let [a, b] = MEANS[arm].map(|mean| u8::from(draw::unit(&mut rng) < mean));
        writeln!(table, "{round},{arm},{},{},{a},{b}", chances[arm], u8::from(side)).unwrap();
    }
    write(folder, &table);
}

fn write(folder: &Path, table: &str) {
    let meta = r#"{ "format": "mob-data/1", "name": "made", "problems": [ { "id": "only", "kind": "logged",
        "logged": "log.csv", "arm_ids": [0, 1, 2],
        "objectives": [ { "column": "y_a", "link": "logit" }, { "column": "y_b", "link": "logit" } ] } ] }"#;
    std::fs::write(folder.join("meta.json"), meta).unwrap();
    std::fs::write(folder.join("log.csv"), table).unwrap();
}

fn config(folder: &Path, policies: &str, method: Acceptance) -> ReplayConfig {
    let policies =
        toml::from_str::<toml::Table>(&format!("policies = [{policies}]")).unwrap()["policies"].clone();
    let log = DataConfig { problem: None, ..DataConfig::new(folder, "") };
    ReplayConfig { log, policies: policies.try_into().unwrap(), method, trials: 5, seed: 1 }
}

fn found<'a>(replay: &'a Replay, policy: &str) -> &'a Replayed {
    replay.policies.iter().find(|found| found.policy == policy).unwrap()
}

/// The distance of a value from the truth, in half-widths of its interval.
fn off(found: &Replayed, objective: usize, truth: f64) -> f64 {
    let [value, low, high] =
        [&found.value, &found.low, &found.high].map(|all| all.as_ref().unwrap()[objective]);
    (value - truth).abs() / (0.5 * (high - low))
}

/// An interval covers at 95 % or more, so that a value is off by twice the half-width with chance 9e-5.
/// There are 16 intervals.
#[test]
fn values_of_policies_that_do_not_change_agree_with_the_truth_and_learning_pays() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path(), 6000);
    for method in [Acceptance::Rejection, Acceptance::Weighting] {
        let policies = "{ id = 'random' }, { id = 'moglb-eb' }, { id = 's-ucb', weights = [1, 1] }";
        let replay = replay(&config(folder.path(), policies, method), 0).unwrap();
        let random = found(&replay, "random");
        for objective in 0..2 {
            assert!(off(random, objective, 0.5) < 2.0, "{method:?}: {random:?}");
            for (arm, means) in MEANS.iter().enumerate() {
                let always = found(&replay, &format!("always {arm}"));
                assert!(off(always, objective, means[objective]) < 2.0, "{method:?}: {always:?}");
            }
            for learned in ["moglb-eb", "s-ucb,weights=[1, 1]"] {
                let low = found(&replay, learned).low.as_ref().unwrap()[objective];
                assert!(low > random.high.as_ref().unwrap()[objective], "{method:?}: {learned} {low}");
            }
        }
        assert!(found(&replay, "moglb-eb").shares[2] > 0.8);
        for share in &random.shares {
            assert!((share - 1.0 / 3.0).abs() < 0.03, "{method:?}: all arms come through alike, {share}");
        }
        assert_eq!(found(&replay, "logged").accepted, 6000.0);
    }
}

#[test]
fn the_numbers_do_not_depend_on_threads_and_are_written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path(), 300);
    let config =
        config(folder.path(), "{ id = 'moglb-ucb', c = { each = [0.1, 1] } }", Acceptance::Weighting);
    let one = replay(&config, 1).unwrap();
    assert_eq!(one, replay(&config, 3).unwrap());
    assert_eq!(one.policies.len(), 2 + 3 + 1);
    let text = serde_json::to_string(&one).unwrap();
    assert_eq!(serde_json::from_str::<Replay>(&text).unwrap(), one);
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<ReplayConfig>(&text).unwrap(), config);
}

/// The log has one round and three arms, so about two of three trials skip it.
#[test]
fn a_policy_that_was_never_accepted_has_no_value() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "round_id,arm_id,propensity,x_side,y_a,y_b\n0,0,0.5,1,1,0\n");
    let with = |seed| {
        let config = ReplayConfig {
            trials: 1,
            seed,
            ..config(folder.path(), "{ id = 'random' }", Acceptance::Rejection)
        };
        replay(&config, 1).unwrap().policies.remove(0)
    };
    let replays: Vec<Replayed> = (0..20).map(with).collect();
    let (passed, accepted): (Vec<_>, Vec<_>) = replays.into_iter().partition(|found| found.accepted == 0.0);
    assert!(
        passed.iter().all(|found| found.value.is_none() && found.low.is_none() && found.shares == [0.0; 3])
    );
    assert!(accepted.iter().all(|found| found.value == Some(vec![1.0, 0.0])));
    assert!(!passed.is_empty() && !accepted.is_empty());
}

#[test]
fn what_cannot_be_replayed_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path(), 50);
    let good = config(folder.path(), "{ id = 'random' }", Acceptance::Rejection);
    let refused = |config: &ReplayConfig| replay(config, 1).unwrap_err();
    for trials in [0, 10_001] {
        assert!(matches!(refused(&ReplayConfig { trials, ..good.clone() }), SimError::Bounds { .. }));
    }
    assert!(matches!(
        refused(&ReplayConfig { policies: Vec::new(), ..good.clone() }),
        SimError::Bounds { .. }
    ));
    for (policies, expected) in [
        ("{ id = 'none' }", "policies[0] (none): unknown variant `none`"),
        ("{ id = 'moglb-ucb', c = -1 }", "policies[0] (moglb-ucb)"),
        ("{ id = 'moglb-ucb', c = { tune = [0.1, 1] } }", "policies[0] (moglb-ucb)"),
        ("{ id = 'exp4' }", "exp4: the policy is for arms that stay the same"),
    ] {
        let error = refused(&config(folder.path(), policies, Acceptance::Weighting)).to_string();
        assert!(error.contains(expected), "{policies}: {error}");
    }
    write(folder.path(), "round_id,arm_id,x_side,y_a,y_b\n0,0,1,1,0\n");
    let error = refused(&good);
    assert!(matches!(error, SimError::Data(_)) && error.to_string().contains("propensity"), "{error}");
}
