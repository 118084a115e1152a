//! The two products of the scores of Eq. (6), θ̂ᵢᵀx and ‖x‖_{Z⁻¹}; the paths add them. Scores are on the
//! linear scale: links are increasing, so the Pareto order is that of Eq. (4).
//!
//! With Z⁻¹ = MᵀM both parts are products of the contexts with the rows of a matrix: θ̂ᵢᵀx with those of
//! the estimates, ‖Mx‖ with those of M. So both have the shape of a matrix product: a few tiles of arms
//! stay in the nearest cache while all rows are applied to them.

use crate::ArmSet;
use crate::estimate::Estimate;
use moglb_math::Gram;
use moglb_math::csr::SparseRow;
use moglb_math::kernel::{LANES, Lanes, Panels, Tile, Unit, Vector, blocks};

/// The inputs of the scores of one objective, except its estimate.
#[derive(Debug, Clone, Copy)]
pub struct Optimism {
    /// The index of this objective's Gram matrix.
    pub gram: usize,
    /// √γ.
    pub root: f64,
    /// +1 for a maximized objective, −1 for a minimized one.
    pub sign: f64,
}

/// The inputs of the scores of any arm: the state of a policy, laid out for passes over many arms.
#[derive(Debug, Clone, Default)]
pub struct Scorer {
    /// √γ, Z and the sign of each objective.
    objectives: Vec<Optimism>,
    /// The estimates, in the orientation where larger is better: in blocks, end to end.
    rows: Vec<Lanes>,
    /// The estimates in panels, as of the last call of [`Scorer::lay_out`]. So are the factors.
    thetas: Panels,
    /// M for each Gram matrix.
    factors: Vec<Panels>,
    /// A bound on √λ_max(Z⁻¹) for each Gram matrix.
    spans: Vec<f64>,
    /// Buffer of [`Scorer::refill_spans`].
    columns: Vec<f64>,
}

impl Scorer {
    /// Takes the present state of a policy and lays out the part that these arms need: its Gram matrices,
    /// its estimates by number, and the factors of its objectives.
    pub fn refill<'a>(
        &mut self,
        arms: &ArmSet,
        grams: &[Gram],
        estimate: impl Fn(usize) -> &'a Estimate,
        objectives: impl Iterator<Item = Optimism>,
    ) {
        self.take(estimate, objectives);
        self.lay_out(arms, grams);
    }

    /// Copies the estimates and the factors of the objectives, without laying them out.
    #[inline]
    pub fn take<'a>(
        &mut self,
        estimate: impl Fn(usize) -> &'a Estimate,
        objectives: impl Iterator<Item = Optimism>,
    ) {
        self.objectives.clear();
        self.rows.clear();
        for (i, optimism) in objectives.enumerate() {
            self.objectives.push(optimism);
            self.rows.extend_from_slice(estimate(i).blocks());
        }
    }

    /// Lays out the estimates that were taken, and the Gram matrices if these arms need it. Sparse contexts
    /// read M in place, as they need few of its columns.
    pub(crate) fn lay_out(&mut self, arms: &ArmSet, grams: &[Gram]) {
        let Self { objectives, rows, thetas, .. } = self;
        let (dim, n_blocks) = (arms.dim(), blocks(arms.dim()));
        thetas.refill(objectives.len(), dim, false, |i, j| rows[i * n_blocks + j / LANES][j % LANES]);
        if arms.table().is_none() {
            self.factors.resize_with(grams.len(), Panels::default);
            for (panels, gram) in self.factors.iter_mut().zip(grams) {
                panels.refill(dim, dim, true, |i, j| gram.entry(i, j));
            }
        }
    }

    /// Computes the bounds on √λ_max(Z⁻¹) that [`Scorer::reach`] needs.
    pub(crate) fn refill_spans(&mut self, grams: &[Gram]) {
        let Self { spans, columns, .. } = self;
        spans.clear();
        spans.extend(grams.iter().map(|gram| gram.inverse_span(columns)));
    }

    /// An upper bound of √γ·√λ_max(Z⁻¹): the largest width of an objective for a context of length one.
    #[inline(always)]
    pub fn reach(&self, objective: usize) -> f64 {
        let Optimism { gram, root, .. } = self.objectives[objective];
        root * self.spans[gram]
    }

    /// Returns one entry of the estimate of an objective.
    pub fn estimate(&self, objective: usize, feature: usize) -> f64 {
        self.thetas.entry(objective, feature)
    }

    /// Returns the estimates in blocks, end to end.
    #[inline(always)]
    pub fn rows(&self) -> &[Lanes] {
        &self.rows
    }

    /// Returns √γ, Z and the sign of each objective.
    #[inline(always)]
    pub fn objectives(&self) -> &[Optimism] {
        &self.objectives
    }

    /// Returns the number of Gram matrices.
    #[inline(always)]
    pub(crate) fn n_grams(&self) -> usize {
        self.factors.len()
    }

    /// Computes θ̂ᵢᵀx for the arms of some tiles, objective by objective.
    #[inline(always)]
    pub fn estimates<S: Unit, X: Tile, const T: usize>(
        &self,
        simd: S,
        tiles: &[[X; T]],
        each: impl FnMut(usize, [Vector<S>; T]),
    ) {
        self.thetas.multiply(simd, tiles, each);
    }

    /// Computes θ̂ᵢᵀx for a sparse context, objective by objective.
    #[inline(always)]
    pub(crate) fn sparse_estimates(&self, x: SparseRow<'_>, each: impl FnMut(usize, f64)) {
        self.thetas.multiply_sparse(x.columns(), x.values(), each);
    }

    /// Returns ‖x‖²_{Z⁻¹} = ‖Mx‖² for the arms of some tiles.
    #[inline(always)]
    pub fn squared_norms<S: Unit, X: Tile, const T: usize>(
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
