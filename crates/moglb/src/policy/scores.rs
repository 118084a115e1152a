//! Scores of arms from nothing, Eq. (6): θ̂ᵢᵀx + √γᵢ·‖x‖_{Z⁻¹}, on the linear scale. Links are increasing, so the Pareto
//! order is that of Eq. (4).
//!
//! With Z⁻¹ = MᵀM both parts are products of the contexts with the rows of a matrix, θ̂ᵢᵀx with those of the estimates
//! and ‖Mx‖ with those of M, which have the shape of a matrix product: a few tiles of arms stay in the nearest cache while
//! all rows go by.

use crate::csr::SparseRow;
use crate::estimate::Estimate;
use crate::kernel::{Lanes, Panels, Tile, Unit, Vector, row_products};
use crate::{ArmSet, Gram};

/// What the scores of one objective are computed from, besides its estimate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Optimism {
    /// Which Gram matrix is this objective's.
    pub(crate) gram: usize,
    /// √γ.
    pub(crate) root: f64,
    /// +1 for a maximized objective, −1 for a minimized one.
    pub(crate) sign: f64,
}

/// What the scores of any arm are computed from: the state of a policy, laid out for going over many arms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scorer {
    objectives: Vec<Optimism>,
    /// The estimates, larger is better.
    thetas: Panels,
    /// M for each Gram matrix.
    factors: Vec<Panels>,
    /// A bound on √λ_max(Z⁻¹) for each Gram matrix.
    spans: Vec<f64>,
    columns: Vec<f64>,
}

impl Scorer {
    /// Takes the present state of a policy, as far as these arms need it: its Gram matrices, its estimates by number, and the
    /// rest. Sparse contexts read M where it is, as they need few of its columns.
    pub(crate) fn refill<'a>(
        &mut self,
        arms: &ArmSet,
        grams: &[Gram],
        estimate: impl Fn(usize) -> &'a Estimate,
        objectives: impl Iterator<Item = Optimism>,
    ) {
        self.refill_estimates(grams[0].dim(), estimate, objectives);
        if arms.table().is_none() {
            self.refill_factors(grams);
        }
    }

    /// The estimates alone.
    pub(crate) fn refill_estimates<'a>(
        &mut self,
        dim: usize,
        estimate: impl Fn(usize) -> &'a Estimate,
        objectives: impl Iterator<Item = Optimism>,
    ) {
        self.objectives.clear();
        self.objectives.extend(objectives);
        self.thetas.refill(self.objectives.len(), dim, false, |i, j| estimate(i).entry(j));
    }

    /// The Gram matrices alone.
    pub(super) fn refill_factors(&mut self, grams: &[Gram]) {
        let dim = grams[0].dim();
        self.factors.resize_with(grams.len(), Panels::default);
        for (panels, gram) in self.factors.iter_mut().zip(grams) {
            panels.refill(dim, dim, true, |i, j| gram.entry(i, j));
        }
    }

    /// What [`Scorer::reach`] needs besides.
    pub(super) fn refill_spans(&mut self, grams: &[Gram]) {
        let Self { spans, columns, .. } = self;
        spans.clear();
        spans.extend(grams.iter().map(|gram| gram.inverse_span(columns)));
    }

    /// √γ·√λ_max(Z⁻¹) of an objective or more: what its width is at most for a context of length one.
    #[inline(always)]
    pub(super) fn reach(&self, objective: usize) -> f64 {
        let Optimism { gram, root, .. } = self.objectives[objective];
        root * self.spans[gram]
    }

    /// One place of the estimate of an objective.
    pub(super) fn estimate(&self, objective: usize, feature: usize) -> f64 {
        self.thetas.entry(objective, feature)
    }

    /// What is known of each objective.
    #[inline(always)]
    pub(super) fn objectives(&self) -> &[Optimism] {
        &self.objectives
    }

    /// The number of Gram matrices.
    #[inline(always)]
    pub(super) fn n_grams(&self) -> usize {
        self.factors.len()
    }

    /// θ̂ᵢᵀx for the arms of some tiles, objective by objective.
    #[inline(always)]
    pub(super) fn estimates<S: Unit, X: Tile, const T: usize>(
        &self,
        simd: S,
        tiles: &[[X; T]],
        each: impl FnMut(usize, [Vector<S>; T]),
    ) {
        self.thetas.multiply(simd, tiles, each);
    }

    /// θ̂ᵢᵀx for a sparse context, objective by objective.
    #[inline(always)]
    pub(super) fn sparse_estimates(&self, x: SparseRow<'_>, each: impl FnMut(usize, f64)) {
        self.thetas.multiply_sparse(x, each);
    }

    /// ‖x‖²_{Z⁻¹} = ‖Mx‖² for the arms of some tiles.
    #[inline(always)]
    pub(super) fn squared_norms<S: Unit, X: Tile, const T: usize>(
        &self,
        simd: S,
        gram: usize,
        tiles: &[[X; T]],
    ) -> [Vector<S>; T] {
        let mut total = [Vector::splat(simd, 0.0); T];
        self.factors[gram].multiply(
            simd,
            tiles,
            #[inline(always)]
            |_, images| {
                for k in 0..T {
                    total[k] = images[k].mul_add(images[k], total[k]);
                }
            },
        );
        total
    }
}

/// ‖x‖²_{Z⁻¹} for the arms of some tiles, the bits of [`Scorer::squared_norms`], with M where it is: for a few arms laying it out
/// would take longer than all the rest.
#[inline(always)]
pub(super) fn squared_norms_in_place<S: Unit, const T: usize>(
    simd: S,
    gram: &Gram,
    tiles: &[[Lanes; T]],
) -> [Vector<S>; T] {
    let mut total = [Vector::splat(simd, 0.0); T];
    let mut first = 0;
    while first < tiles.len() {
        first += match tiles.len() - first {
            1 => add_squares::<S, 1, T>(simd, gram, tiles, first, &mut total),
            2 => add_squares::<S, 2, T>(simd, gram, tiles, first, &mut total),
            3 => add_squares::<S, 3, T>(simd, gram, tiles, first, &mut total),
            _ => add_squares::<S, 4, T>(simd, gram, tiles, first, &mut total),
        };
    }
    total
}

/// The squares of the products with N rows of M, which end where the last of these does.
#[inline(always)]
fn add_squares<S: Unit, const N: usize, const T: usize>(
    simd: S,
    gram: &Gram,
    tiles: &[[Lanes; T]],
    first: usize,
    total: &mut [Vector<S>; T],
) -> usize {
    let mut rows = [gram.row(first); N];
    for n in 1..N {
        rows[n] = gram.row(first + n);
    }
    let images = row_products(simd, &tiles[..first + N], rows);
    for n in 0..N {
        for k in 0..T {
            total[k] = images[k][n].mul_add(images[k][n], total[k]);
        }
    }
    N
}
