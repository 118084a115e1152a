//! Section `state`: the size of the learned state, which does not grow with t.

use crate::bench::{Bench, Case};
use crate::record::{Outcome, Spread, who};
use crate::world::Size;
use anyhow::Result;
use moglb::Restorable;
use serde_json::Value;

/// The name of the state after ten rounds, with which later states are compared.
pub const EARLY: &str = "after 10 rounds";

/// The introduction in the report.
pub(super) const ABOUT: &str = "\
Bytes of all numbers in a snapshot, eight for each, after many rounds and after ten rounds. `snapshot` is \
the length of its binary form, in which whole numbers such as the round have as many bytes as they need.";

/// Measures the state after ten rounds and after the last round of one run.
pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let last = if bench.quick { 1000 } else { 10_000_000 };
    let instance = Size::paper(20, 5).fixed(0)?;
    let mut player = instance.player()?;
    let case = Case::new("state", format!("K=20, d=5, t={last}"), 0);
    for (name, t) in [(EARLY, 10), (who::OURS, last)] {
        player.play_to(t)?;
        let snapshot = player.policy.snapshot();
        let numbers = numbers(&serde_json::from_str(&snapshot.to_json())?);
        let written = snapshot.to_bytes().len() as f64;
        let outcome = Outcome::from(Spread::exact(8.0 * numbers as f64)).with("snapshot", written);
        case.put(bench, name, "state", "B", outcome);
    }
    Ok(())
}

/// The number of numbers in a JSON value.
fn numbers(value: &Value) -> usize {
    match value {
        Value::Number(_) => 1,
        Value::Array(items) => items.iter().map(numbers).sum(),
        Value::Object(fields) => fields.values().map(numbers).sum(),
        _ => 0,
    }
}
