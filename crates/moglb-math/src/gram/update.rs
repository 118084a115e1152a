//! Scratch for one update of Z, and the places where its context is not zero.

use crate::csr::Numbers;
use crate::kernel::LANES;

/// Scratch for one update of Z. Equations: [`gram`](super).
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// p = Mx, padded with zeros to whole blocks, as are `keep` and `take`.
    pub image: Vec<f64>,
    /// The factor √(αₖ₋₁/αₖ) by which row k of M is multiplied.
    pub keep: Vec<f64>,
    /// The factor −h pₖ/√(αₖ₋₁αₖ) by which sₖ₋₁ is added to row k of M.
    pub take: Vec<f64>,
    /// The places where x and p are not zero, if x is known to be sparse.
    pub(crate) support: Support,
}

/// The places where a context and its image are not zero.
#[derive(Debug, Clone, Default)]
pub struct Support {
    /// True if the context is known to be sparse. If false, the other fields have no meaning.
    pub(super) is_known: bool,
    /// The blocks of x that are not zero, ascending.
    pub blocks: Vec<usize>,
    /// The entries of p that are not zero, ascending.
    pub rows: Vec<usize>,
}

impl Update {
    /// Sets the context of the next image: records its nonzero blocks if it is sparse.
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
