//! `moglb front`: the non-dominated rows of a table, read in one pass.
//!
//! Rows are read in blocks. After each block, only the rows on the front of all rows so far stay in memory,
//! as text and as numbers. The last front is the answer, because dominance is transitive.

mod rows;

use crate::args::FrontArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress;
use crate::standard;
use moglb::{Echo, EchoList, Front, FrontFilter, Matrix};
use moglb_data::read;
use rows::{Row, Rows, Trouble};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The least number of rows in a block. If the front has more rows, a block has as many rows as the front.
const LEAST_BLOCK_ROWS: usize = 1 << 16;

/// Prints the rows of a table that no other row dominates.
///
/// # Errors
///
/// Fails if the table cannot be read or has a cell that is not a finite number, or if the output cannot be
/// written.
pub fn front(args: &FrontArgs) -> Result<(), Failure> {
    let source = Source::open(args.file.as_deref())?;
    let bar = progress::bytes(args.quiet, source.size);
    let found = read(source, args, |bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    let found = found?;
    let n_front = found.ends.len();
    if args.count {
        standard::print(format!("{n_front}\n").as_bytes())?;
    } else if let Some(path) = &args.out {
        output::write_file(path, &found.text)?;
    } else {
        standard::print(&found.text)?;
    }
    if !args.quiet {
        standard::say(format_args!("{n_front} of {} rows are on the front", found.n_rows));
    }
    Ok(())
}

/// The source of the rows: a name for messages, the table, and its size in bytes if it is known.
struct Source {
    name: String,
    table: Box<dyn Read>,
    size: Option<u64>,
}

impl Source {
    /// Opens a file, or standard input if there is none or it is `-`.
    fn open(file: Option<&Path>) -> Result<Self, Failure> {
        let is_input = |path: &Path| [Path::new("-"), Path::new("/dev/stdin")].contains(&path);
        let Some(path) = file.filter(|path| !is_input(path)) else {
            return Ok(Self {
                name: "standard input".into(),
                table: Box::new(std::io::stdin().lock()),
                size: None,
            });
        };
        let name = Echo(&path.to_string_lossy()).to_string();
        let file = match is_open_already(path) {
            true => File::open(path).map_err(|error| Failure::in_file(path, error))?,
            // Rows are read in one pass, so the file can be of any size.
            false => read::open(path, u64::MAX).map_err(|error| Failure::in_file(path, error))?,
        };
        let metadata = file.metadata().map_err(|error| Failure::in_file(path, error))?;
        // A pipe has no length.
        let size = Some(metadata.len()).filter(|_| metadata.is_file());
        Ok(Self { name, table: Box::new(file), size })
    }
}

/// Returns true if a path is a pipe that the shell has opened, as in `moglb front <(generate)`. Opening it
/// does not wait for a writer.
fn is_open_already(path: &Path) -> bool {
    let of_shell = path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd");
    of_shell && std::fs::metadata(path).is_ok_and(|metadata| is_pipe(&metadata))
}

#[cfg(unix)]
fn is_pipe(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

/// Reads all rows and keeps those on the front. `progress` receives the number of bytes read after each
/// block.
fn read(source: Source, args: &FrontArgs, progress: impl Fn(u64)) -> Result<Running, Failure> {
    let Source { name, table, .. } = source;
    let told = |trouble: Trouble| match trouble {
        Trouble::Reading(error) => Failure::running(format!("{name}: {error}")),
        Trouble::Table { line, what } => Failure::bad_input(format!("{name}, line {line}: {what}")),
    };
    let mut rows = Rows::new(table);
    let Some(header) = rows.next().map_err(told)? else {
        return Err(Failure::bad_input(format!("{name}: expected a header, got an empty table")));
    };
    let objectives =
        Objectives::new(&header, args).map_err(|what| Failure::bad_input(format!("{name}: {what}")))?;
    let text = header.text.to_vec();
    let mut running = Running::new(text, rows.line_end(), objectives.columns.len());
    while let Some(row) = rows.next().map_err(told)? {
        let values = objectives.values(&row, &mut running.values);
        values.map_err(|what| told(Trouble::Table { line: row.line, what }))?;
        running.push(row.text);
        if running.block() >= LEAST_BLOCK_ROWS.max(running.n_front) {
            progress(row.end);
            running.filter();
        }
    }
    running.filter();
    Ok(running)
}

/// The columns that are compared: position, name and sign (−1 for columns to minimize).
struct Objectives {
    columns: Vec<(usize, String, f64)>,
}

impl Objectives {
    /// Finds the columns that the arguments name in the header; all columns if they name none.
    fn new(header: &Row<'_>, args: &FrontArgs) -> Result<Self, String> {
        let names: Vec<String> =
            header.cells.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
        let mut places = match names_of(&args.objectives)? {
            chosen if chosen.is_empty() => (0..names.len()).collect(),
            chosen => chosen.iter().map(|name| place(&names, name)).collect::<Result<Vec<_>, _>>()?,
        };
        places.sort_unstable();
        places.dedup();
        let minimized: Vec<usize> =
            names_of(&args.minimize)?.iter().map(|name| place(&names, name)).collect::<Result<_, _>>()?;
        if let Some(&other) = minimized.iter().find(|place| !places.contains(place)) {
            return Err(format!(
                "`{}` is to be minimized but is not among the objectives",
                Echo(&names[other])
            ));
        }
        let sign = |place: &usize| if minimized.contains(place) { -1.0 } else { 1.0 };
        Ok(Self {
            columns: places.iter().map(|place| (*place, names[*place].clone(), sign(place))).collect(),
        })
    }

    /// Appends the values of a row, negated where smaller is better, so that larger is better for all. If a
    /// cell is not a finite number the caller stops, so a row that was appended in part is never used.
    fn values(&self, row: &Row<'_>, values: &mut Vec<f64>) -> Result<(), String> {
        for (place, name, sign) in &self.columns {
            let cell = row.cells.get(*place).unwrap_or_default();
            let value = std::str::from_utf8(cell).ok().and_then(|cell| cell.trim().parse::<f64>().ok());
            match value {
                Some(value) if value.is_finite() => values.push(sign * value),
                _ => {
                    let cell = String::from_utf8_lossy(cell);
                    let (name, cell) = (Echo(name), Echo(&cell));
                    return Err(format!(
                        "column `{name}`: expected a finite number, got `{cell}` (--objectives names the \
                         columns to compare)"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Splits lists of names at their commas. A name that contains a comma is quoted, as in the table.
fn names_of(lists: &[String]) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for list in lists {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(list.as_bytes());
        for record in reader.records() {
            let record =
                record.map_err(|_| format!("expected names between commas, got `{}`", Echo(list)))?;
            names.extend(record.iter().map(|name| name.trim().to_owned()));
        }
    }
    Ok(names)
}

/// The position of a column that exists exactly once.
fn place(names: &[String], wanted: &str) -> Result<usize, String> {
    let mut found = names.iter().enumerate().filter(|(_, name)| *name == wanted).map(|(place, _)| place);
    match (found.next(), found.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => Err(format!("two columns are called `{}`", Echo(wanted))),
        (None, _) => Err(format!("there is no column `{}`, only {}", Echo(wanted), EchoList(names))),
    }
}

/// The front of all rows so far, followed by the rows of the block that is being read.
struct Running {
    n_objectives: usize,
    /// The line ending of the header, which every printed row gets.
    line_end: &'static [u8],
    /// The header and the rows, each with the end of its line.
    text: Vec<u8>,
    /// The length of the header in `text`.
    n_header: usize,
    /// The end of each row in `text`.
    ends: Vec<usize>,
    /// The values of the rows, row by row.
    values: Vec<f64>,
    /// The number of rows on the front of the blocks so far; the rows of the current block follow them.
    n_front: usize,
    /// The number of rows read.
    n_rows: u64,
    filter: FrontFilter,
    front: Front,
}

impl Running {
    fn new(mut text: Vec<u8>, line_end: &'static [u8], n_objectives: usize) -> Self {
        text.extend_from_slice(line_end);
        let (n_header, filter, front) = (text.len(), FrontFilter::new(), Front::default());
        let (ends, values) = (Vec::new(), Vec::new());
        Self { n_objectives, line_end, text, n_header, ends, values, n_front: 0, n_rows: 0, filter, front }
    }

    /// Adds the text of a row to the block. Its values were appended before.
    fn push(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.text.extend_from_slice(self.line_end);
        self.ends.push(self.text.len());
        self.n_rows += 1;
    }

    /// The number of rows in the block.
    fn block(&self) -> usize {
        self.ends.len() - self.n_front
    }

    /// Keeps the rows that are on the front of all rows so far, and begins a new block.
    fn filter(&mut self) {
        if self.block() == 0 {
            return;
        }
        let points = Matrix::new(self.n_objectives, std::mem::take(&mut self.values)).expect("whole rows");
        self.filter.filter(&points, &mut self.front).expect("finite values, and some");
        let mut end = self.n_header;
        for (n, arm) in self.front.iter().enumerate() {
            self.values.extend_from_slice(points.row(arm.0));
            let start = if arm.0 == 0 { self.n_header } else { self.ends[arm.0 - 1] };
            let row = start..self.ends[arm.0];
            let length = row.len();
            self.text.copy_within(row, end);
            end += length;
            // Rows move only towards the beginning, so the entry that is overwritten was already read.
            self.ends[n] = end;
        }
        self.text.truncate(end);
        self.ends.truncate(self.front.len());
        self.n_front = self.front.len();
    }
}
