//! `moglb replay`: replays a log to policies that learn from it.

use crate::args::ReplayArgs;
use crate::evaluate::named;
use crate::failure::Failure;
use crate::{standard, text_table};
use moglb::Echo;
use moglb_sim::{DataConfig, Replay, ReplayConfig, Replayed};
use toml::{Table, Value};

/// Replays the log, and prints tables or JSON.
///
/// # Errors
///
/// Fails if a policy or the log cannot be read, or if the log has no propensities.
pub fn replay(args: &ReplayArgs) -> Result<(), Failure> {
    let config = config(args)?;
    let found = moglb_sim::replay(&config, args.threads)?;
    match args.json {
        true => standard::print_json(&found, "the replay")?,
        false => standard::print(as_text(&found).as_bytes())?,
    }
    if !args.quiet {
        talk(args, &found);
    }
    Ok(())
}

/// The configuration of the replay, with names and policies parsed.
fn config(args: &ReplayArgs) -> Result<ReplayConfig, Failure> {
    let mut log = DataConfig::new(&args.log, "");
    log.problem.clone_from(&args.problem);
    log.objectives = Some(args.objectives.clone()).filter(|names| !names.is_empty());
    log.features = args.features.as_deref().map(|text| named("features", text)).transpose()?;
    log.radius = args.radius;
    Ok(ReplayConfig {
        log,
        policies: args.policies.iter().map(|text| policy(text)).collect::<Result<_, _>>()?,
        method: named("method", &args.method)?,
        trials: args.trials,
        seed: args.seed,
    })
}

/// Parses `ID[,NAME=VALUE..]` into the TOML table of a policy, as in an experiment.
fn policy(text: &str) -> Result<Table, Failure> {
    let mut parts = split(text).into_iter();
    let mut table = Table::new();
    table.insert("id".into(), Value::String(parts.next().unwrap_or_default().trim().into()));
    for part in parts {
        let Some((name, value)) = part.split_once('=') else {
            let (text, got) = (Echo(text), Echo(part.trim()));
            return Err(Failure::bad_input(format!(
                "`{text}`: expected NAME=VALUE after a comma, got `{got}`"
            )));
        };
        if table.insert(name.trim().into(), parameter(value.trim())).is_some() {
            let (text, name) = (Echo(text), Echo(name.trim()));
            return Err(Failure::bad_input(format!("`{text}`: `{name}` is given twice")));
        }
    }
    Ok(table)
}

/// Parses a value as TOML; a text that is not TOML becomes a string.
fn parameter(text: &str) -> Value {
    let read = toml::from_str::<Table>(&format!("value = {text}"));
    let value = read.ok().filter(|table| table.len() == 1).and_then(|mut table| table.remove("value"));
    value.unwrap_or_else(|| Value::String(text.into()))
}

/// Splits a text at its commas, except for those inside brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0);
    for (place, letter) in text.char_indices() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[begin..place]);
                begin = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// The replay as text: a line for each policy and objective, then a line for each policy with the shares of
/// its arms.
fn as_text(found: &Replay) -> String {
    let number = |all: &Option<Vec<f64>>, i: usize| {
        all.as_ref().map_or_else(|| "-".into(), |all| format!("{:.5}", all[i]))
    };
    let values = found.policies.iter().flat_map(|policy| {
        found.objectives.iter().enumerate().map(move |(i, objective)| {
            let [value, low, high, spread] =
                [&policy.value, &policy.low, &policy.high, &policy.spread].map(|all| number(all, i));
            let spread = if policy.learns { spread } else { "-".into() };
            [policy.policy.clone(), objective.clone(), value, low, high, spread]
        })
    });
    let head = ["policy", "objective", "value", "low", "high", "between orders"];
    let arms = format!("shares of {}", found.arms.join(", "));
    let shares = found
        .policies
        .iter()
        .map(|policy| [policy.policy.clone(), format!("{:.1}", policy.accepted), shares(policy)]);
    text_table::aligned(&head, values) + "\n" + &text_table::aligned(&["policy", "accepted", &arms], shares)
}

/// The shares of the arms, in the order of the arms.
fn shares(policy: &Replayed) -> String {
    policy.shares.iter().map(|share| format!("{share:.3}")).collect::<Vec<_>>().join("  ")
}

/// Prints the messages of a replay: its size and method, and the policies without a value.
fn talk(args: &ReplayArgs, found: &Replay) {
    let Replay { rounds, arms, trials, .. } = found;
    let n_arms = arms.len();
    standard::say(format_args!(
        "{}: {rounds} rounds, {n_arms} arms; {}, {trials} orders, 95 % intervals",
        args.log.display(),
        args.method
    ));
    for policy in found.policies.iter().filter(|policy| policy.value.is_none()) {
        standard::say(format_args!("{}: no round was accepted, so its value is unknown", policy.policy));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_as_toml_or_as_words() {
        let table = policy("s-ucb, weights=[3, 1],scalarization=chebyshev,spread=2").unwrap();
        let expected = "id = 's-ucb'\nweights = [3, 1]\nscalarization = 'chebyshev'\nspread = 2";
        assert_eq!(table, toml::from_str::<Table>(expected).unwrap());
        assert_eq!(policy("random").unwrap().len(), 1);
        assert!(policy("moglb-ucb,c").is_err() && policy("moglb-ucb,c=1,c=2").is_err());
        let table = policy("moglb-eb,play={ prefer = { kind = 'weights', weights = [1, 2] } }").unwrap();
        assert!(table["play"]["prefer"]["weights"].is_array());
    }
}
