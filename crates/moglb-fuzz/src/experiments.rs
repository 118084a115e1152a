//! Experiments as TOML: those of policies, and those of identifiers.

use crate::promise::{Promised, broken};
use moglb_sim::{IdentificationPlan, Plan, SimError};

/// Reads an experiment. The first byte chooses the kind, the other bytes are the text. No round is
/// played; a plan builds every policy of the experiment.
pub fn run(bytes: &[u8]) {
    let Some((kind, text)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    // A path in an experiment would refer to files of this machine.
    if text.contains("path") {
        return;
    }
    if kind % 2 == 0 {
        reads_back(Plan::from_toml(text), |plan| plan.experiment().to_toml(), Plan::from_toml);
    } else {
        reads_back(
            IdentificationPlan::from_toml(text),
            |plan| plan.experiment().to_toml(),
            IdentificationPlan::from_toml,
        );
    }
}

/// An experiment that was read can be written, and reading that text gives the same experiment.
fn reads_back<T>(
    read: Result<T, SimError>,
    write: impl Fn(&T) -> Result<String, SimError>,
    again: impl Fn(&str) -> Result<T, SimError>,
) {
    let Ok(experiment) = read else { return };
    let written = write(&experiment).promised("an experiment that was read can be written");
    let read = again(&written).unwrap_or_else(|error| {
        broken("an experiment is read as it was written", format!("{error}\n{written}"))
    });
    assert_eq!(write(&read).promised("it was written before"), written);
}
