//! Folders of real data, `mob-data/1`: the description and its tables.

use crate::temporary::with_files;
use moglb_data::check;

/// Returns the description of one problem whose tables have this file extension.
fn meta(ending: &str) -> String {
    format!(
        r#"{{"format": "mob-data/1", "name": "fuzz", "problems": [{{"id": "p", "kind": "full",
        "rounds": "rounds.{ending}", "rewards": "rewards.{ending}", "arms": "arms.{ending}",
        "objectives": [{{"column": "y_a", "link": "logit"}}, {{"column": "y_b", "link": "identity"}}]}}]}}"#
    )
}

const ROUNDS: &[u8] = b"round_id,x_0,x_1\n0,0.5,0.1\n1,-0.3,0.2\n";
const REWARDS: &[u8] = b"round_id,arm_id,y_a,y_b\n0,0,1,0.5\n0,1,0,-0.5\n1,0,0,0.25\n1,1,1,1\n";
const ARMS: &[u8] = b"arm_id,a_f\n0,0.5\n1,-1\n";

/// Checks a folder of data. The first byte chooses the files that the other bytes replace; all
/// other files of the folder are valid.
pub fn run(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let meta_csv = meta("csv");
    match kind % 6 {
        0 => look(&[
            ("meta.json", bytes),
            ("rounds.csv", ROUNDS),
            ("rewards.csv", REWARDS),
            ("arms.csv", ARMS),
        ]),
        1 => look(&[
            ("meta.json", meta_csv.as_bytes()),
            ("rounds.csv", bytes),
            ("rewards.csv", REWARDS),
            ("arms.csv", ARMS),
        ]),
        2 => look(&[
            ("meta.json", meta_csv.as_bytes()),
            ("rounds.csv", ROUNDS),
            ("rewards.csv", bytes),
            ("arms.csv", ARMS),
        ]),
        3 => look(&[
            ("meta.json", meta_csv.as_bytes()),
            ("rounds.csv", ROUNDS),
            ("rewards.csv", REWARDS),
            ("arms.csv", bytes),
        ]),
        4 => look(&[
            ("meta.json", meta("jsonl").as_bytes()),
            ("rounds.jsonl", bytes),
            ("rewards.jsonl", bytes),
            ("arms.jsonl", bytes),
        ]),
        _ => look(&[
            ("meta.json", meta("parquet").as_bytes()),
            ("rounds.parquet", bytes),
            ("rewards.parquet", bytes),
            ("arms.parquet", bytes),
        ]),
    }
}

/// A folder gives a data set exactly if it has no errors.
fn look(files: &[(&str, &[u8])]) {
    with_files(files, |folder| {
        let checked = check(folder, 5);
        assert_eq!(checked.dataset.is_some(), checked.findings.errors() == 0);
    });
}
