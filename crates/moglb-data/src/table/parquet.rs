//! Parquet: flat columns of numbers and text.

use super::{Row, Rows};
use crate::findings::Fault;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row as Record};
use std::fs::File;
use std::path::Path;

/// The rows of a table in Parquet.
pub(super) fn rows(path: &Path) -> Result<(Vec<String>, Rows, bool), Fault> {
    let unreadable = |reason: String| Fault::Unreadable { reason };
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    let reader = SerializedFileReader::new(file).map_err(|error| unreadable(error.to_string()))?;
    let schema = reader.metadata().file_metadata().schema().clone();
    let header: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let records = reader.into_iter().enumerate().map(move |(k, record)| {
        let row = k as u64 + 1;
        let record = record.map_err(|error| (row, unreadable(error.to_string())))?;
        Ok(Row { row, cells: cells(&record) })
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
