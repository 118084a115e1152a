//! Tables: rows of cells, independent of the file format.

#[cfg(feature = "parquet")]
mod ending_file;
#[cfg(feature = "parquet")]
mod guard;
mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
mod row;
#[cfg(feature = "parquet")]
mod structure;
mod text;

use crate::findings::{Fault, Finding, Findings};
pub(crate) use row::Row;
use row::Rows;
use std::path::Path;

/// A table that is being read. Faults are added to the findings, and rows with faults are skipped.
pub(crate) struct Table {
    file: String,
    header: Vec<String>,
    rows: Rows,
    /// True if the file ends with a line end.
    ended: bool,
    /// The number of rows so far, including faulty ones.
    n_rows: u64,
}

impl Table {
    /// Opens a table. The ending of its name decides the format.
    pub(crate) fn open(folder: &Path, file: &str, findings: &mut Findings) -> Option<Self> {
        let path = folder.join(file);
        let ending = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
        let opened = match ending.as_str() {
            "csv" => text::read(&path, file, findings).and_then(text::csv),
            "jsonl" | "ndjson" => text::read(&path, file, findings).and_then(jsonl::rows),
            #[cfg(feature = "parquet")]
            "parquet" => parquet::rows(&path),
            #[cfg(not(feature = "parquet"))]
            "parquet" => Err(Fault::NoParquet),
            _ => Err(Fault::UnknownFormat { got: ending }),
        };
        match opened {
            Ok((header, rows, ended)) => {
                let table = Self { file: file.into(), header, rows, ended, n_rows: 0 };
                table.check_header(findings).then_some(table)
            }
            Err(fault) => {
                findings.add_to_file(file, None, fault);
                None
            }
        }
    }

    /// Reports column names that occur twice. Returns true if there are none.
    fn check_header(&self, findings: &mut Findings) -> bool {
        let twice = |(k, name): &(usize, &String)| self.header[..*k].contains(name);
        let twins: Vec<&String> =
            self.header.iter().enumerate().filter(twice).map(|(_, name)| name).collect();
        for name in &twins {
            findings.add_to_file(&self.file, Some(name), Fault::DuplicateColumn);
        }
        twins.is_empty()
    }

    /// The name of the file.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The number of rows so far, including faulty ones.
    pub(crate) fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// The position of an optional column.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    /// The position of a required column. Reports a fault if it is missing.
    pub(crate) fn column(&self, name: &str, findings: &mut Findings) -> Option<usize> {
        let found = self.find(name);
        if found.is_none() {
            findings.add_to_file(&self.file, Some(name), Fault::MissingColumn);
        }
        found
    }

    /// The positions and names of the columns with a prefix.
    pub(crate) fn prefixed(&self, prefix: &str) -> (Vec<usize>, Vec<String>) {
        let all = self.header.iter().enumerate().filter(|(_, name)| name.starts_with(prefix));
        all.map(|(place, name)| (place, name.clone())).unzip()
    }

    /// The next complete row. Reports incomplete ones.
    pub(crate) fn next(&mut self, findings: &mut Findings) -> Option<Row> {
        loop {
            let next = self.rows.next()?;
            self.n_rows += 1;
            match next {
                Ok(row) if row.cells.len() == self.header.len() => return Some(row),
                Ok(row) => {
                    let (expected, got) = (self.header.len(), row.cells.len());
                    let fault = match self.is_cut_off(got) {
                        true => Fault::Truncated { expected, got },
                        false => Fault::Ragged { expected, got },
                    };
                    findings.add(self.finding(row.row, None, fault));
                }
                Err((row, fault)) => findings.add(self.finding(row, None, fault)),
            }
        }
    }

    /// True if a row of this length is the last one of a file that ends in the middle of a line. The next
    /// row, if there is one, is lost, but it would follow a fault in any case.
    fn is_cut_off(&mut self, got: usize) -> bool {
        if self.ended || got >= self.header.len() {
            return false;
        }
        let last = self.rows.next().is_none();
        self.n_rows += u64::from(!last);
        last
    }

    /// The number in a cell, which must be in a range. For a fault, the fault is reported and the result is
    /// NaN; as the data is then refused, NaN is never used.
    pub(crate) fn number(&self, row: &Row, column: usize, range: (f64, f64), findings: &mut Findings) -> f64 {
        match parse(&row.cells[column], range) {
            Ok(value) => value,
            Err(fault) => {
                self.tell(row, column, fault, findings);
                f64::NAN
            }
        }
    }

    /// Reports a fault of a cell.
    pub(crate) fn tell(&self, row: &Row, column: usize, fault: Fault, findings: &mut Findings) {
        findings.add(self.finding(row.row, Some(self.header[column].clone()), fault));
    }

    fn finding(&self, row: u64, column: Option<String>, fault: Fault) -> Finding {
        Finding { file: self.file.clone(), row: Some(row), column, fault }
    }
}

fn parse(cell: &str, (low, high): (f64, f64)) -> Result<f64, Fault> {
    let cell = cell.trim();
    if cell.is_empty() {
        return Err(Fault::Blank);
    }
    let Ok(got) = cell.parse::<f64>() else { return Err(Fault::NotANumber { got: cell.into() }) };
    if !got.is_finite() {
        return Err(Fault::NotFinite { got: cell.into() });
    }
    if got < low || got > high {
        return Err(Fault::OutOfRange { low, high, got });
    }
    Ok(got)
}
