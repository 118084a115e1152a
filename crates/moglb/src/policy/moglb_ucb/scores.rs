//! Scores of arms from nothing, Eq. (6): θ̂ᵢᵀx + √γᵢ·‖x‖_{Z⁻¹}, on the linear scale. Links are increasing, so the Pareto
//! order is that of Eq. (4).
//!
//! With Z⁻¹ = MᵀM both parts are products of the contexts with the rows of a matrix, θ̂ᵢᵀx with those of the estimates
//! and ‖Mx‖ with those of M, which have the shape of a matrix product: a few tiles of arms stay in the nearest cache while
//! all rows go by.

use super::MoglbUcb;
use crate::kernel::{Panels, Tile, Unit, Vector};

/// What the scores of any arm are computed from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scorer {
    /// The estimates, larger is better.
    thetas: Panels,
    /// M for each Gram matrix.
    factors: Vec<Panels>,
    /// √γ of each objective.
    roots: Vec<f64>,
    /// A bound on √λ_max(Z⁻¹) for each Gram matrix.
    spans: Vec<f64>,
    columns: Vec<f64>,
}

impl Scorer {
    /// Takes the present state of a policy.
    pub(super) fn refill(&mut self, policy: &MoglbUcb) {
        let (m, dim) = (policy.models.len(), policy.problem.dim());
        self.thetas.refill(m, dim, false, |i, j| policy.models[i].estimate.entry(j));
        self.factors.resize_with(policy.grams.len(), Panels::default);
        for (panels, gram) in self.factors.iter_mut().zip(&policy.grams) {
            panels.refill(dim, dim, true, |i, j| gram.entry(i, j));
        }
        policy.roots_into(&mut self.roots);
    }

    /// What [`Scorer::reach`] needs besides.
    pub(super) fn refill_spans(&mut self, policy: &MoglbUcb) {
        let Self { spans, columns, .. } = self;
        spans.clear();
        spans.extend(policy.grams.iter().map(|gram| gram.inverse_span(columns)));
    }

    /// √γ·√λ_max(Z⁻¹) of an objective or more: what its width is at most for a context of length one.
    pub(super) fn reach(&self, gram: usize, objective: usize) -> f64 {
        self.roots[objective] * self.spans[gram]
    }

    /// √γ of each objective.
    pub(super) fn roots(&self) -> &[f64] {
        &self.roots
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
