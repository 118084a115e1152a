//! JSON lines: an object per line. The keys of the first object are the header.

use super::row::{Row, Rows};
use super::text::Text;
use crate::findings::Fault;
use serde_json::{Map, Value};

/// The rows of a table in JSON lines.
pub(super) fn rows(text: Text) -> Result<(Vec<String>, Rows, bool), Fault> {
    let lines = String::from_utf8(text.bytes).map_err(|_| Fault::NotUtf8)?;
    let full = |(_, line): &(usize, &str)| !line.trim().is_empty();
    let Some((_, first)) = lines.lines().enumerate().find(full) else {
        return Err(Fault::Empty { expected: "a row" });
    };
    let header: Vec<String> = object(first)?.keys().cloned().collect();
    let rows: Vec<Result<Row, (u64, Fault)>> = lines
        .lines()
        .enumerate()
        .filter(full)
        .map(|(k, line)| {
            let row = k as u64 + 1;
            cells(line, &header).map(|cells| Row { row, cells }).map_err(|fault| (row, fault))
        })
        .collect();
    Ok((header, Box::new(rows.into_iter()), text.ended))
}

fn object(line: &str) -> Result<Map<String, Value>, Fault> {
    match serde_json::from_str(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Fault::Unreadable { reason: "expected an object".into() }),
        Err(error) => Err(Fault::Unreadable { reason: error.to_string() }),
    }
}

/// The values of a line in the order of the header. A missing key is an empty cell, as is null.
fn cells(line: &str, header: &[String]) -> Result<csv::StringRecord, Fault> {
    let object = object(line)?;
    if let Some(other) = object.keys().find(|key| !header.contains(key)) {
        return Err(Fault::Unreadable { reason: format!("the first row has no `{other}`") });
    }
    let text = |name: &String| match object.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(yes)) => u8::from(*yes).to_string(),
        Some(other) => other.to_string(),
    };
    Ok(header.iter().map(text).collect())
}
