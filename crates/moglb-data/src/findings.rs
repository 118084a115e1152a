//! Findings: the faults of the files, each with its place.

use moglb::{Echo, EchoLine, EchoMessage, EchoNumber};
use std::fmt::{Display, Formatter};

/// A fault and its place, shown as `file:row:column: fault`.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The file, as `meta.json` names it.
    pub file: String,
    /// The line in the file, of which the header is the first; in Parquet the row, from 1.
    pub row: Option<u64>,
    /// The name of the column.
    pub column: Option<String>,
    /// The fault.
    pub fault: Fault,
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", Echo(&self.file))?;
        if let Some(row) = self.row {
            write!(f, ":{row}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ":{}", Echo(column))?;
        }
        write!(f, ": {}", self.fault)
    }
}

/// The severity of a fault: it decides whether the data is refused.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The data was read, but the file should be checked.
    Warning,
    /// The data is refused.
    Error,
}

/// A fault of a file.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file cannot be opened or read.
    #[error("cannot be read: {}", EchoMessage(reason))]
    Unreadable {
        /// The message of the system or the parser.
        reason: String,
    },
    /// `meta.json` lacks something or contains something invalid.
    #[error("{}", EchoLine(reason))]
    Meta {
        /// The fault in a sentence, with values from the input as [`moglb::Echo`] shows them.
        reason: String,
    },
    /// The ending of the file's name is not that of a table.
    #[error("expected a table in .csv, .jsonl, .ndjson or .parquet, got `.{}`", Echo(got))]
    UnknownFormat {
        /// The ending.
        got: String,
    },
    /// A table in Parquet, in a build that cannot read Parquet.
    #[error("this build reads no Parquet: use the feature `parquet`, or CSV or JSON lines")]
    NoParquet,
    /// There is no row, or no header either.
    #[error("expected {expected}, got none")]
    Empty {
        /// The missing part.
        expected: &'static str,
    },
    /// A column that the kind of table needs is missing.
    #[error("there is no such column")]
    MissingColumn,
    /// No column has a name with the required prefix.
    #[error("there is no column of this name pattern, and at least one is needed")]
    NoFeatures,
    /// Two columns have one name.
    #[error("two columns have this name")]
    DuplicateColumn,
    /// A row is shorter or longer than the header.
    #[error("expected {expected} values, got {got}")]
    Ragged {
        /// The length of the header.
        expected: usize,
        /// The length of the row.
        got: usize,
    },
    /// The last row is incomplete, and the file does not end with the end of a line.
    #[error("the file is cut off: its last row has {got} of {expected} values")]
    Truncated {
        /// The length of the header.
        expected: usize,
        /// The length of the row.
        got: usize,
    },
    /// The file does not end with the end of a line.
    #[error("the last line has no end: the file may be cut off")]
    NoFinalNewline,
    /// The file begins with a byte order mark.
    #[error("the file begins with a byte order mark, which was skipped")]
    ByteOrderMark,
    /// Lines end with CRLF.
    #[error("lines end with CRLF, expected LF; they were read anyway")]
    CarriageReturn,
    /// Bytes that are not UTF-8.
    #[error("expected UTF-8")]
    NotUtf8,
    /// An empty cell.
    #[error("expected a value, got an empty cell")]
    Blank,
    /// A cell that is not a number.
    #[error("expected a number, got `{}`", Echo(got))]
    NotANumber {
        /// The cell.
        got: String,
    },
    /// NaN or an infinity.
    #[error("expected a finite number, got `{}`", Echo(got))]
    NotFinite {
        /// The cell.
        got: String,
    },
    /// A number out of its range.
    #[error(
        "expected a number between {} and {}, got {}",
        EchoNumber(*low),
        EchoNumber(*high),
        EchoNumber(*got)
    )]
    OutOfRange {
        /// The least.
        low: f64,
        /// The largest.
        high: f64,
        /// The number.
        got: f64,
    },
    /// A propensity that is impossible or too small.
    #[error("expected a propensity between 1e-40 and 1, got {}", EchoNumber(*got))]
    Propensity {
        /// The number.
        got: f64,
    },
    /// An arm that is not among the arms of the problem.
    #[error("there is no arm `{}` in this problem", Echo(got))]
    UnknownArm {
        /// The id in the file.
        got: String,
    },
    /// An arm that `meta.json` lists and its table lacks.
    #[error("arm `{}` of meta.json has no row", Echo(arm))]
    MissingArm {
        /// The id.
        arm: String,
    },
    /// Two rows for one arm.
    #[error("arm `{}` has another row already", Echo(arm))]
    DuplicateArm {
        /// The id.
        arm: String,
    },
    /// A round id that occurs twice.
    #[error("round `{}` occurs twice", Echo(round))]
    DuplicateRound {
        /// The id.
        round: String,
    },
    /// Rewards for a round that is not among the rounds.
    #[error("there is no round `{}`", Echo(got))]
    UnknownRound {
        /// The id in the file.
        got: String,
    },
    /// Rewards of a round not in the order of the arms.
    #[error(
        "expected the reward of arm `{}`, got that of `{}`: arms must be in order within a round",
        Echo(expected),
        Echo(got)
    )]
    ArmsOutOfOrder {
        /// The next arm in order.
        expected: String,
        /// The arm in the file.
        got: String,
    },
    /// A round without the reward of an arm.
    #[error("round `{}` has no reward of arm `{}`", Echo(round), Echo(arm))]
    MissingReward {
        /// The round.
        round: String,
        /// The arm.
        arm: String,
    },
    /// A number in `meta.json` differs from the files.
    #[error(
        "meta.json states {what} = {}, the files have {}",
        EchoNumber(*stated),
        EchoNumber(*got)
    )]
    Stated {
        /// The name of the number.
        what: &'static str,
        /// The number in `meta.json`.
        stated: f64,
        /// The number of the files.
        got: f64,
    },
    /// The digest of a file differs from the one in `meta.json`.
    #[error("meta.json states sha256 = {}, the file has {got}: it was changed since", Echo(stated))]
    Digest {
        /// The digest in `meta.json`.
        stated: String,
        /// The digest of the file.
        got: String,
    },
}

impl Fault {
    /// The severity of the fault.
    pub fn severity(&self) -> Severity {
        match self {
            Fault::NoFinalNewline | Fault::ByteOrderMark | Fault::CarriageReturn => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The name of the kind of fault. It stays the same when messages change.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Unreadable { .. } => "unreadable",
            Fault::Meta { .. } => "meta",
            Fault::UnknownFormat { .. } => "unknown-format",
            Fault::NoParquet => "no-parquet",
            Fault::Empty { .. } => "empty",
            Fault::MissingColumn => "missing-column",
            Fault::NoFeatures => "no-features",
            Fault::DuplicateColumn => "duplicate-column",
            Fault::Ragged { .. } => "ragged",
            Fault::Truncated { .. } => "truncated",
            Fault::NoFinalNewline => "no-final-newline",
            Fault::ByteOrderMark => "byte-order-mark",
            Fault::CarriageReturn => "carriage-return",
            Fault::NotUtf8 => "not-utf8",
            Fault::Blank => "blank",
            Fault::NotANumber { .. } => "not-a-number",
            Fault::NotFinite { .. } => "not-finite",
            Fault::OutOfRange { .. } => "out-of-range",
            Fault::Propensity { .. } => "propensity",
            Fault::UnknownArm { .. } => "unknown-arm",
            Fault::MissingArm { .. } => "missing-arm",
            Fault::DuplicateArm { .. } => "duplicate-arm",
            Fault::DuplicateRound { .. } => "duplicate-round",
            Fault::UnknownRound { .. } => "unknown-round",
            Fault::ArmsOutOfOrder { .. } => "arms-out-of-order",
            Fault::MissingReward { .. } => "missing-reward",
            Fault::Stated { .. } => "stated",
            Fault::Digest { .. } => "digest",
        }
    }
}

/// Findings in the order in which they occurred. A limited number is kept; further ones are only counted.
///
/// Example: [`check`].
///
/// [`check`]: crate::check()
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The most findings that are kept.
    most: usize,
    kept: Vec<Finding>,
    errors: u64,
    warnings: u64,
    /// The number of empty cells.
    blanks: u64,
}

impl Findings {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Vec::new(), errors: 0, warnings: 0, blanks: 0 }
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        self.blanks += u64::from(finding.fault == Fault::Blank);
        let count = match finding.fault.severity() {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if self.kept.len() < self.most {
            self.kept.push(finding);
        }
    }

    /// Adds a fault of a file as a whole, or of one of its columns.
    pub(crate) fn add_to_file(&mut self, file: &str, column: Option<&str>, fault: Fault) {
        self.add(Finding { file: file.into(), row: None, column: column.map(Into::into), fault });
    }

    /// The findings that were kept.
    pub fn kept(&self) -> &[Finding] {
        &self.kept
    }

    /// The total number of errors.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// The total number of warnings.
    pub fn warnings(&self) -> u64 {
        self.warnings
    }

    /// The number of empty cells.
    pub fn blanks(&self) -> u64 {
        self.blanks
    }
}
