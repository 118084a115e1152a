//! Parquet: flat columns of numbers and text.

use super::ending_file::EndingFile;
use super::guard::guarded;
use super::row::{Row, Rows};
use crate::findings::Fault;
use crate::read::{self, LARGEST_TABLE};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row as Record};
use std::path::Path;

/// The largest number of cells: 2 GiB of numbers. Equal cells take almost no space in a file, so the size of
/// the file is no bound.
const MOST_CELLS: u64 = 1 << 28;

/// The rows of a table in Parquet.
pub(super) fn rows(path: &Path) -> Result<(Vec<String>, Rows, bool), Fault> {
    up_to(MOST_CELLS, path)
}

fn up_to(most_cells: u64, path: &Path) -> Result<(Vec<String>, Rows, bool), Fault> {
    let unreadable = |reason: String| Fault::Unreadable { reason };
    let file = read::open(path, LARGEST_TABLE).map_err(|error| unreadable(error.to_string()))?;
    let opened = guarded(|| SerializedFileReader::new(EndingFile::new(file)?)).map_err(unreadable)?;
    let reader = opened.map_err(|error| unreadable(error.to_string()))?;
    let schema = reader.metadata().file_metadata().schema().clone();
    let header: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let most_rows = most_cells / header.len().max(1) as u64;
    let mut reader = Some(RowIter::from_file_into(Box::new(reader)));
    let records = (1..).map_while(move |row| {
        let reason = match guarded(|| Some(reader.as_mut()?.next()?.map(|record| cells(&record)))) {
            Ok(None) => return None,
            Ok(Some(Ok(_))) if row > most_rows => {
                format!("the table has more than {most_cells} cells, the most that are read")
            }
            Ok(Some(Ok(cells))) => return Some(Ok(Row { row, cells })),
            Ok(Some(Err(error))) => error.to_string(),
            Err(panic) => panic,
        };
        // The reader can return the same error forever, so the first error ends the table.
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
        // Widen to f64 first: the text of an f32 would read back as another number.
        Field::Float(value) => f64::from(*value).to_string(),
        Field::Double(value) => value.to_string(),
        other => other.to_string(),
    };
    record.get_column_iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::data_type::Int32Type;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    /// Writes a table of ten rows of two equal cells.
    fn write(path: &Path) {
        let schema = parse_message_type("message t { REQUIRED INT32 a; REQUIRED INT32 b; }").unwrap();
        let file = std::fs::File::create(path).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema.into(), Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            column.typed::<Int32Type>().write_batch(&[7; 10], None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
    }

    /// An unknown field with a list of 2³¹ − 1 booleans, which the crate would skip one by one. Without the
    /// check the errors are different, and come after seconds.
    #[test]
    fn endless_lists_of_booleans_are_refused() {
        const ENDLESS: [u8; 7] = [0xf9, 0xf1, 0xff, 0xff, 0xff, 0xff, 7];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        write(&path);
        let sound = std::fs::read(&path).unwrap();
        let tail = sound.len() - 8;
        let footer = tail - u32::from_le_bytes(sound[tail..tail + 4].try_into().unwrap()) as usize;
        // The first page is behind the mark of four bytes.
        for place in [4, footer] {
            let mut damaged = sound.clone();
            damaged[place..place + ENDLESS.len()].copy_from_slice(&ENDLESS);
            std::fs::write(&path, damaged).unwrap();
            let fault = rows(&path).map(|(_, rows, _)| rows.last().unwrap().map(drop).unwrap_err().1);
            let fault = fault.unwrap_or_else(|fault| fault).to_string();
            assert!(fault.contains(&format!("the structure at byte {place} is damaged")), "{fault}");
        }
    }

    #[test]
    fn equal_cells_without_end_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        write(&path);
        let read = |most_cells| up_to(most_cells, &path).unwrap().1.collect::<Vec<_>>();
        let (whole, cut) = (read(20), read(19));
        assert!(whole.len() == 10 && whole.iter().all(Result::is_ok));
        assert!(cut.len() == 10 && cut[..9].iter().all(Result::is_ok));
        let (row, fault) = cut[9].as_ref().unwrap_err();
        let told = "cannot be read: the table has more than 19 cells, the most that are read";
        assert_eq!((*row, fault.to_string().as_str()), (10, told));
    }
}
