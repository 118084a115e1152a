//! The steps that append columns to a raw row.

use super::hash::{self, Named};
use super::interactions;
use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// A step that appends columns to those before it. As JSON it is named by its kind: `{ kind = "hash", bits =
/// 10 }`.
///
/// Example: [`Features`].
///
/// [`Features`]: crate::Features
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// One column that has the same number in every row.
    ///
    /// It takes a share of the norm: next to numbers of norm r, a value v is v/√(r² + v²) of a context at
    /// full length. A value close to the typical norm leaves half of the square to each.
    Intercept {
        /// The number; not zero.
        value: f64,
    },
    /// 2^`bits` columns for features by name, each feature with a sign. [`Named`] describes the hash.
    Hash {
        /// The logarithm to base 2 of the number of columns, from 1 to 24.
        bits: u32,
        /// The salt of the hash. Another salt gives other columns and signs, like another hash function.
        #[serde(default)]
        salt: u64,
    },
    /// The products of pairs of columns, one of `left` and one of `right`. Without `right` the pairs are
    /// those of two columns of `left`, i before j and without squares. The product of `left[i]` and
    /// `right[j]` comes i·|right| + j columns after the first.
    Interactions {
        /// The columns of the first group, each named once.
        left: Vec<usize>,
        /// The columns of the second group, each named once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        right: Option<Vec<usize>>,
    },
}

impl Step {
    /// The number of columns that this step appends to `n_columns` columns, if it can.
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

    /// Appends entries with columns counted from `first`, and returns the number of new columns.
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
