//! The entries of an experiment: tables in which `{ each = [..] }` and `{ tune = [..] }` list values. This
//! module expands the lists and reads the parameters.

use crate::{EnvironmentConfig, SimError};
use moglb::{Echo, EchoMessage, Error, PlayConfig, Policy, PolicyConfig, Preferring, Problem};
use serde::Deserialize;
use toml::{Table, Value};

/// Reads the environments from their tables. Their parameters are checked by making the problem of each.
pub(crate) fn read_environments(tables: &[Table]) -> Result<Vec<EnvironmentConfig>, SimError> {
    let mut all = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let entry = |error: String| entry_error("environments", index, table, error);
        for variant in expand(table, "each").map_err(entry)? {
            #[cfg(test)]
            tests::PARSES.set(tests::PARSES.get() + 1);
            let config: EnvironmentConfig = read(variant).map_err(entry)?;
            config.problem().map_err(|error| entry(error.to_string()))?;
            all.push(config);
        }
    }
    Ok(all)
}

/// Splits an entry into the policy's parameters and the settings of its `play`.
pub(crate) fn without_play(table: &Table) -> Result<(Table, Option<PlayConfig>), String> {
    let mut table = table.clone();
    let play = table.remove("play").map(read_play).transpose()?;
    Ok((table, play))
}

/// Builds a policy. With the settings of a `play`, the policy is wrapped so that it follows them.
pub(crate) fn build(
    policy: &PolicyConfig,
    play: Option<&PlayConfig>,
    problem: &Problem,
) -> Result<Box<dyn Policy>, Error> {
    let built = policy.build(problem)?;
    match play {
        None => Ok(built),
        Some(_) if !policy.info().has_front => Err(Error::NoFront),
        Some(play) => Ok(Box::new(Preferring::new(built, play.build(problem)?))),
    }
}

/// Reads the settings of a `play`, which must be a table.
fn read_play(value: Value) -> Result<PlayConfig, String> {
    match value {
        Value::Table(table) => read(table).map_err(|error| format!("play: {error}")),
        other => Err(format!("play: expected a table, got {}", Echo(&other.to_string()))),
    }
}

/// The values of a grid as numbers.
pub(crate) fn grid(values: &[Value]) -> Result<Vec<f64>, String> {
    let number = |v: &Value| v.as_float().or_else(|| v.as_integer().map(|n| n as f64));
    let wrong = |v: &Value| format!("{} is not a number", Echo(&v.to_string()));
    values.iter().map(|v| number(v).ok_or_else(|| wrong(v))).collect()
}

/// The list in `{ each = [..] }` or `{ tune = [..] }`; `None` for any other value.
pub(crate) fn list<'a>(value: &'a Value, word: &str) -> Option<&'a Vec<Value>> {
    value.as_table().filter(|table| table.len() == 1)?.get(word)?.as_array()
}

/// One table for each combination of the listed values, with those of inner tables. Of several lists, the
/// one whose key comes first in the alphabet varies slowest.
pub(crate) fn expand(table: &Table, word: &str) -> Result<Vec<Table>, String> {
    let mut all = vec![Table::new()];
    for (key, value) in table {
        let values = match (list(value, word), value) {
            (Some(values), _) => values.clone(),
            (None, Value::Table(inner)) => expand(inner, word)?.into_iter().map(Value::Table).collect(),
            (None, value) => vec![value.clone()],
        };
        if values.is_empty() {
            return Err(format!("{}: the list is empty", Echo(key)));
        }
        let with = |table: &Table, value: &Value| {
            let mut table = table.clone();
            table.insert(key.clone(), value.clone());
            table
        };
        all = all
            .iter()
            .flat_map(|table| values.iter().map(|value| with(table, value)).collect::<Vec<_>>())
            .collect();
        if all.len() > 10_000 {
            return Err("more than 10000 combinations".into());
        }
    }
    Ok(all)
}

/// Reads parameters from a table.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(table: Table) -> Result<T, String> {
    if let Some(told) = date_in(&table) {
        return Err(told);
    }
    let told = |error: toml::de::Error| EchoMessage(error.message().trim()).to_string();
    Value::Table(table).try_into().map_err(told)
}

/// Returns an error message if a value of a table is a date. TOML has dates, and a parser of parameters
/// would take them for tables.
fn date_in(table: &Table) -> Option<String> {
    let (name, date) = table.iter().find_map(|(name, value)| Some((name, date(value)?)))?;
    let name = Echo(name);
    Some(format!("`{name}` is the date {date}: dates are no values here, write a number or text in quotes"))
}

/// The first date in a value, as text.
fn date(value: &Value) -> Option<String> {
    match value {
        Value::Datetime(date) => Some(date.to_string()),
        Value::Array(values) => values.iter().find_map(date),
        Value::Table(table) => table.values().find_map(date),
        _ => None,
    }
}

/// An error with the first line of a parser's message and the number of the line of text that it is about.
pub(crate) fn syntax_error(text: &str, error: &toml::de::Error) -> SimError {
    let date = toml::from_str::<Table>(text).ok().and_then(|table| date_in(&table));
    let message = error.message().lines().next().unwrap_or_default();
    let message = date.as_deref().unwrap_or(message);
    SimError::Syntax(match error.span() {
        Some(span) => {
            let before = text.get(..span.start).unwrap_or_default();
            format!("line {}: {message}", before.matches('\n').count() + 1)
        }
        None => message.into(),
    })
}

/// Refuses numbers out of their bounds. Each has its name, its least and largest value, and the value read.
pub(crate) fn check_bounds(numbers: &[(&'static str, u64, u64, u64)]) -> Result<(), SimError> {
    match numbers.iter().find(|(_, least, most, got)| got < least || got > most) {
        Some(&(name, least, most, got)) => Err(SimError::Bounds { name, least, most, got }),
        None => Ok(()),
    }
}

/// The error of an entry, with its kind, its position in the list and its id.
pub(crate) fn entry_error(kind: &str, index: usize, table: &Table, reason: String) -> SimError {
    let id = table.get("id").and_then(Value::as_str).unwrap_or("no id");
    SimError::Entry { entry: format!("{kind}[{index}] ({})", Echo(id)), reason }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// The number of environments that this thread has read from tables.
        pub(crate) static PARSES: Cell<usize> = const { Cell::new(0) };
    }
}
