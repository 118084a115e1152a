//! The layout of columns: which of them the arms share, and which every arm has for itself.

use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The places of a row's columns in the context of an arm.
///
/// Example: [`Features`].
///
/// [`Features`]: crate::Features
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Layout {
    /// The columns as they are: one coefficient per column for all arms.
    Shared {},
    /// One block per arm, with zeros in the blocks of the others. Every arm has its own coefficients, and a
    /// context has K times the columns.
    Blocks {
        /// The number of arms K.
        n_arms: usize,
    },
    /// The columns as they are, then one block per arm. All arms contribute to the coefficients that they
    /// share.
    Hybrid {
        /// The number of arms K.
        n_arms: usize,
        /// The columns that are also in the blocks; all columns if not set.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        own: Option<Vec<usize>>,
    },
}

impl Default for Layout {
    fn default() -> Self {
        Self::Shared {}
    }
}

impl Layout {
    /// The number of features of a context whose row has `n_columns` columns.
    pub(super) fn check(&self, n_columns: usize) -> Result<usize, Error> {
        let blocks = |n_arms: usize, size: usize| match n_arms.checked_mul(size) {
            _ if n_arms == 0 => Err(Error::NoArms),
            Some(all) if all <= isize::MAX as usize / 2 => Ok(all),
            _ => Err(Error::TooLarge { rows: n_arms, columns: size }),
        };
        match self {
            Layout::Shared {} => Ok(n_columns),
            Layout::Blocks { n_arms } => blocks(*n_arms, n_columns),
            Layout::Hybrid { n_arms, own } => {
                if let Some(own) = own {
                    check_own(n_columns, own)?;
                }
                let own = own.as_ref().map_or(n_columns, Vec::len);
                Ok(n_columns + blocks(*n_arms, own)?)
            }
        }
    }

    /// The number of arms, or 0 if any number will do.
    pub(super) fn n_arms(&self) -> usize {
        match self {
            Layout::Shared {} => 0,
            Layout::Blocks { n_arms } | Layout::Hybrid { n_arms, .. } => *n_arms,
        }
    }

    /// Moves the entries of a row of `n_columns` columns to their places in the context of an arm.
    pub(super) fn place(
        &self,
        n_columns: usize,
        arm: usize,
        mut entries: Vec<(usize, f64)>,
    ) -> Result<Vec<(usize, f64)>, Error> {
        let n_arms = self.n_arms();
        if !matches!(self, Layout::Shared {}) && arm >= n_arms {
            return Err(Error::UnknownArm { arm, n_arms });
        }
        match self {
            Layout::Shared {} => {}
            Layout::Blocks { .. } => entries.iter_mut().for_each(|entry| entry.0 += arm * n_columns),
            Layout::Hybrid { own: None, .. } => {
                let block = n_columns * (1 + arm);
                entries.extend_from_within(..);
                let half = entries.len() / 2;
                entries[half..].iter_mut().for_each(|entry| entry.0 += block);
            }
            Layout::Hybrid { own: Some(own), .. } => {
                let block = n_columns + arm * own.len();
                for (k, column) in own.iter().enumerate() {
                    if let Ok(at) = entries.binary_search_by_key(column, |entry| entry.0) {
                        entries.push((block + k, entries[at].1));
                    }
                }
            }
        }
        Ok(entries)
    }
}

/// Refuses columns that do not exist or do not ascend: blocks keep the order of the row.
fn check_own(n_columns: usize, own: &[usize]) -> Result<(), Error> {
    if let Some(&column) = own.iter().find(|&&column| column >= n_columns) {
        return Err(Error::Column { row: 0, column, n_columns });
    }
    if own.is_empty() || own.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Error::Parameters { what: "the own columns of a hybrid layout must ascend" });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_block_and_hybrid_place_the_same_columns() {
        let row = vec![(0, 0.1), (2, 0.3)];
        let place = |layout: &Layout, arm: usize| layout.place(3, arm, row.clone()).unwrap();
        assert_eq!(place(&Layout::Shared {}, 7), row);
        let blocks = Layout::Blocks { n_arms: 4 };
        assert_eq!((blocks.check(3), place(&blocks, 2)), (Ok(12), vec![(6, 0.1), (8, 0.3)]));
        let hybrid = Layout::Hybrid { n_arms: 4, own: None };
        assert_eq!(hybrid.check(3), Ok(15));
        assert_eq!(place(&hybrid, 1), [(0, 0.1), (2, 0.3), (6, 0.1), (8, 0.3)]);
        let part = Layout::Hybrid { n_arms: 4, own: Some(vec![1, 2]) };
        assert_eq!((part.check(3), place(&part, 1)), (Ok(11), vec![(0, 0.1), (2, 0.3), (6, 0.3)]));
        assert_eq!(blocks.place(3, 4, row.clone()), Err(Error::UnknownArm { arm: 4, n_arms: 4 }));
    }

    #[test]
    fn impossible_layouts_are_refused() {
        assert_eq!(Layout::Blocks { n_arms: 0 }.check(3), Err(Error::NoArms));
        assert!(matches!(Layout::Blocks { n_arms: usize::MAX }.check(3), Err(Error::TooLarge { .. })));
        let own = |own: &[usize]| Layout::Hybrid { n_arms: 2, own: Some(own.to_vec()) }.check(3);
        assert!(matches!(own(&[3]), Err(Error::Column { column: 3, .. })));
        assert!(matches!(own(&[1, 0]), Err(Error::Parameters { .. })));
        assert!(matches!(own(&[]), Err(Error::Parameters { .. })));
    }
}
