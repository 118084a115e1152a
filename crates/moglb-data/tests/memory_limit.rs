//! A table that the memory limit refuses is an error of its file. A test program of its own, with one test:
//! the limit is that of the process, and other tests would see it.

use moglb::set_memory_limit;
use moglb_data::{DataError, Fault, check, load};

const META: &str = r#"{ "format": "mob-data/1", "name": "mine", "problems": [
    { "id": "p", "kind": "full", "rounds": "rounds.csv", "rewards": "rewards.csv", "arms": "arms.csv",
      "objectives": [{ "column": "y_a" }, { "column": "y_b" }] }] }"#;

/// Thirty rounds and twenty arms: 600 rows of two rewards, a raw value and a mark that the row was seen.
#[test]
fn two_short_files_cannot_ask_for_a_table_above_the_limit() {
    let rounds: String = (0..30).map(|round| format!("{round},0.5\n")).collect();
    let arms: String = (0..20).map(|arm| format!("{arm},0.5\n")).collect();
    let row = |k: usize| format!("{},{},1,0.5,7\n", k / 20, k % 20);
    let rewards: String = (0..600).map(row).collect();
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("meta.json", META.into()),
        ("rounds.csv", format!("round_id,x_u\n{rounds}")),
        ("arms.csv", format!("arm_id,a_u\n{arms}")),
        ("rewards.csv", format!("round_id,arm_id,y_a,y_b,raw_s\n{rewards}")),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let needed = 600 * 4 * 8;
    set_memory_limit(needed);
    assert_eq!(load(folder.path()).unwrap().problems[0].content.n_rounds(), Some(30));

    set_memory_limit(needed - 1);
    let checked = check(folder.path(), 5);
    let [finding] = checked.findings.kept() else { panic!("{:?}", checked.findings) };
    let refused = matches!(&finding.fault, Fault::Unreadable { reason }
        if reason == "600 rows of 4 values are too many for this machine or its memory limit");
    assert!(refused && finding.file == "rewards.csv" && checked.dataset.is_none(), "{finding:?}");
    let error = load(folder.path()).unwrap_err();
    assert_eq!(error, DataError::Findings { first: Box::new(finding.clone()), more: 0 });
}
