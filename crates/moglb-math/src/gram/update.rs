//! Memory of one update of Z, and where its context is known to be zero.

use crate::csr::Numbers;
use crate::kernel::LANES;

/// Memory of one update.
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// p = Mx, filled up to whole blocks as are the two below.
    pub image: Vec<f64>,
    /// √(αₖ₋₁/αₖ).
    pub keep: Vec<f64>,
    /// −h pₖ/√(αₖ₋₁αₖ).
    pub take: Vec<f64>,
    /// Where x and p are not zero, if x is known to be sparse.
    pub(crate) support: Support,
}

/// Where a context and its image are not zero.
#[derive(Debug, Clone, Default)]
pub struct Support {
    /// Whether the context is known to be sparse; the rest has no meaning otherwise.
    pub(super) is_known: bool,
    /// The blocks of x that are not zero, ascending.
    pub blocks: Vec<usize>,
    /// The places of p that are not zero, ascending.
    pub rows: Vec<usize>,
}

impl Update {
    /// Says of which context the next image will be.
    #[inline(always)]
    pub fn follow(&mut self, x: Numbers<'_>) {
        let Support { is_known, blocks, .. } = &mut self.support;
        *is_known = false;
        if let Numbers::Sparse(row) = x {
            *is_known = true;
            blocks.clear();
            blocks.extend(row.columns().iter().map(|column| column / LANES));
            blocks.dedup();
        }
    }
}
