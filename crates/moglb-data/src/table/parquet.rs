//! Parquet: flat columns of numbers and text.

use super::guard::guarded;
use super::{Row, Rows};
use crate::findings::Fault;
use crate::read::{self, LARGEST_TABLE};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row as Record};
use std::path::Path;

/// The rows of a table in Parquet.
pub(super) fn rows(path: &Path) -> Result<(Vec<String>, Rows, bool), Fault> {
    let unreadable = |reason: String| Fault::Unreadable { reason };
    let file = read::open(path, LARGEST_TABLE).map_err(|error| unreadable(error.to_string()))?;
    let opened = guarded(|| SerializedFileReader::new(file)).map_err(unreadable)?;
    let reader = opened.map_err(|error| unreadable(error.to_string()))?;
    let schema = reader.metadata().file_metadata().schema().clone();
    let header: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let mut reader = Some(reader.into_iter());
    let records = (1..).map_while(move |row| {
        let reason = match guarded(|| Some(reader.as_mut()?.next()?.map(|record| cells(&record)))) {
            Ok(None) => return None,
            Ok(Some(Ok(cells))) => return Some(Ok(Row { row, cells })),
            Ok(Some(Err(error))) => error.to_string(),
            Err(panic) => panic,
        };
        // The reader can return the same error for ever, so the first error ends the table.
        reader = None;
        Some(Err((row, unreadable(reason))))
    });
    Ok((header, Box::new(records), true))
}

fn cells(record: &Record) -> csv::StringRecord {
    let text = |(_, field): (&String, &Field)| match field {
        Field::Null => String::new(),
        Field::Bool(yes) => u8::from(*yes).to_string(),
        Field::Str(text) => text.clone(),
        // Widened first: the text of an f32 would read back as another number.
        Field::Float(value) => f64::from(*value).to_string(),
        Field::Double(value) => value.to_string(),
        other => other.to_string(),
    };
    record.get_column_iter().map(text).collect()
}
