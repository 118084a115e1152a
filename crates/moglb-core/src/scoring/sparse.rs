//! Eq. (6) for contexts that are mostly zeros. These are the sums of [`Scorer`](super::scorer::Scorer)
//! without the terms that are zero, in the same order, so the bits are the same.

use super::memory::Scoring;
use super::rows::Tables;
use super::scorer::Optimism;
use moglb_math::csr::Csr;
use moglb_math::kernel::{LANES, Vector, blocks, vectorized};
use moglb_math::{Gram, Matrix};

impl Scoring {
    /// Computes Eq. (6) for every arm of a sparse table. `scores` must have its final shape.
    pub(crate) fn score_table(
        &mut self,
        table: &Csr,
        grams: &[Gram],
        tables: Tables<'_>,
        scores: &mut Matrix,
    ) {
        self.sparse.lay_out(table);
        self.norms.clear();
        vectorized!(
            {
                table: &'a Csr = table,
                grams: &'a [Gram] = grams,
                tables: Tables<'a> = tables,
                scores: &'a mut Matrix = scores,
                scoring: &'a mut Scoring = self,
            },
            (),
            |simd| {
                for gram in grams {
                    scoring.sparse.square(simd, table, gram);
                    let roots = scoring.sparse.squared.iter().map(
                        #[inline(always)]
                        |squared| Vector::load(simd, squared).sqrt().lanes(),
                    );
                    scoring.norms.extend(roots);
                }
                scoring.score_rows(table, tables, scores);
            }
        );
    }

    /// Computes the scores of every arm from the norms of all tiles under each Gram matrix.
    #[inline(always)]
    fn score_rows(&mut self, table: &Csr, tables: Tables<'_>, scores: &mut Matrix) {
        let Self { scorer, norms, .. } = self;
        let Tables { estimates, widths } = tables;
        let n_tiles = blocks(table.n_rows());
        for (arm, x) in table.rows().enumerate() {
            scorer.sparse_estimates(
                x,
                #[inline(always)]
                |i, inner| {
                    let Optimism { gram, root, sign } = scorer.objectives()[i];
                    let width = root * norms[gram * n_tiles + arm / LANES][arm % LANES];
                    scores.row_mut(arm)[i] = inner + width;
                    if widths.n_rows() > 0 {
                        estimates.row_mut(arm)[i] = sign * inner;
                        widths.row_mut(arm)[i] = width;
                    }
                },
            );
        }
    }
}
