//! Arm sets whose contexts are mostly zeros.

use moglb_math::csr::{Csr, SparseRow};
use std::sync::OnceLock;

/// Contexts as they are stored, and written out with their zeros where that was requested.
#[derive(Debug, Clone)]
pub struct Sparse {
    pub table: Csr,
    /// One for each arm.
    pub dense: Vec<DenseRow>,
}

/// A place for a row with its zeros; empty until first requested.
#[derive(Debug, Clone, Default)]
pub struct DenseRow(OnceLock<Box<[f64]>>);

impl DenseRow {
    /// Returns the row with its zeros, and keeps it.
    pub fn of(&self, row: SparseRow<'_>) -> &[f64] {
        self.0.get_or_init(|| row.to_dense().into())
    }
}

impl Sparse {
    /// Returns the context of an arm with its zeros, and keeps it.
    pub fn dense(&self, index: usize) -> &[f64] {
        self.dense[index].of(self.table.row(index))
    }
}

/// Rows that were written out do not count.
impl PartialEq for Sparse {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms::Contexts;
    use crate::{ArmSet, Norms};
    use moglb_math::Error;
    use moglb_pareto::ArmId;

    fn table(values: [f64; 4]) -> Csr {
        Csr::new(20, vec![0, 3, 3, 4], vec![1, 9, 17, 4], values.to_vec()).unwrap()
    }

    #[test]
    fn norms_are_treated_as_those_of_contexts_with_their_zeros() {
        for values in [[0.1, 0.2, 0.3, 0.4], [3.0, 0.3, -4.0, 0.5], [1e300, 1e300, 1.0, 0.1]] {
            let rows: Vec<Vec<f64>> = table(values).rows().map(SparseRow::to_dense).collect();
            for norms in [Norms::Strict, Norms::Clip, Norms::DivideBy(7.0), Norms::DivideBy(-1.0)] {
                let dense = ArmSet::new(20, rows.concat(), norms);
                let sparse = ArmSet::sparse(table(values), norms);
                match (dense, sparse) {
                    (Ok(dense), Ok(sparse)) => {
                        assert!(dense.iter().eq(sparse.iter()), "{values:?} {norms:?}");
                        assert!((0..3).all(|arm| dense.context(arm) == sparse.context(arm)));
                    }
                    (dense, sparse) => assert_eq!(dense.unwrap_err(), sparse.unwrap_err()),
                }
            }
        }
    }

    #[test]
    fn a_table_that_makes_no_arms_is_refused() {
        let empty = |n_columns, starts| Csr::new(n_columns, starts, vec![], vec![]).unwrap();
        assert_eq!(ArmSet::sparse(empty(0, vec![0, 0]), Norms::Strict), Err(Error::NoFeatures));
        assert_eq!(ArmSet::sparse(empty(3, vec![0]), Norms::Strict), Err(Error::NoArms));
        assert!(ArmSet::sparse(empty(3, vec![0, 0]), Norms::Strict).is_ok(), "an arm of zeros");
    }

    #[test]
    fn zeros_are_written_out_only_for_those_who_ask() {
        let arms = ArmSet::sparse(table([0.1, 0.2, 0.3, 0.4]), Norms::Strict).unwrap();
        let written = |arms: &ArmSet<'_>| match &arms.contexts {
            Contexts::Sparse(sparse) => sparse.dense.iter().filter(|row| row.0.get().is_some()).count(),
            Contexts::Dense(_) => unreachable!(),
        };
        let arm = arms.arm(ArmId(2)).renamed(ArmId(7));
        assert_eq!((arm.id(), arm.dim(), written(&arms)), (ArmId(7), 20, 0));
        assert_eq!((arm.context()[4], written(&arms)), (0.4, 1));
    }
}
