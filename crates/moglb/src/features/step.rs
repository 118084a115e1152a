//! What appends columns to a raw row.

use super::hash::{self, Named};
use super::interactions;
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// Appends columns to those that are there. By its kind: `{ kind = "hash", bits = 10 }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// One column that is the same number in every row.
    ///
    /// It takes its share of the norm: next to numbers of norm r, a value v is v/√(r² + v²) of a context at full length. A
    /// value about as large as the typical norm leaves half of the square to each.
    Intercept {
        /// The number, not zero.
        value: f64,
    },
    /// 2^`bits` columns for features by name, each with a sign: see [`Named`] for the hash.
    Hash {
        /// From 1 to 24.
        bits: u32,
        /// Another number gives other columns and signs, as if by another hash.
        #[serde(default)]
        salt: u64,
    },
    /// The products of two columns each, one of `left` and one of `right`; those of `left` among each other, i before j and
    /// without squares, if there is no `right`. The product of `left[i]` and `right[j]` comes i·|right| + j columns after the
    /// first.
    Interactions {
        /// Columns, each once.
        left: Vec<usize>,
        /// Columns, each once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        right: Option<Vec<usize>>,
    },
}

impl Step {
    /// The number of columns it appends to so many, if it can.
    pub(super) fn check(&self, n_columns: usize) -> Result<usize, Error> {
        match self {
            Step::Intercept { value } => {
                if !value.is_finite() || *value == 0.0 {
                    return Err(Error::Parameters { what: "an intercept must be a number other than zero" });
                }
                Ok(1)
            }
            Step::Hash { bits, .. } => hash::check(*bits),
            Step::Interactions { left, right } => interactions::check(n_columns, left, right.as_deref()),
        }
    }

    /// Appends the columns from `first` on, and returns how many there are.
    pub(super) fn append(
        &self,
        first: usize,
        named: &[Named<'_>],
        entries: &mut Vec<(usize, f64)>,
    ) -> Result<usize, Error> {
        match self {
            Step::Intercept { value } => {
                entries.push((first, *value));
                Ok(1)
            }
            Step::Hash { bits, salt } => {
                hash::append(*bits, *salt, first, named, entries)?;
                Ok(1 << bits)
            }
            Step::Interactions { left, right } => {
                interactions::append(first, left, right.as_deref(), entries)
            }
        }
    }
}
