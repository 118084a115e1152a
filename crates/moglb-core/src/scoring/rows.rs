//! Eq. (6) for all arms, one row of scores for each. This is the plain path; the other paths agree with it
//! bit for bit.

use super::layout::{Arms, for_groups, lay_out};
use super::memory::Scoring;
use super::scorer::Optimism;
use moglb_math::Matrix;
use moglb_math::kernel::{LANES, Lanes, Unit, Vector, blocks, vectorized};

/// The tables that a decision shows next to its front. They have no rows if `Decision::tables` is false.
pub(crate) struct Tables<'a> {
    pub estimates: &'a mut Matrix,
    pub widths: &'a mut Matrix,
}

impl Tables<'_> {
    /// Resizes the tables if they are wanted, and empties them otherwise.
    pub fn reshape(&mut self, wanted: bool, n_arms: usize, n_objectives: usize) {
        let (rows, columns) = if wanted { (n_arms, n_objectives) } else { (0, 0) };
        self.estimates.reshape(rows, columns);
        self.widths.reshape(rows, columns);
    }
}

impl Scoring {
    pub(crate) fn score_arms(&mut self, arms: Arms<'_>, tables: Tables<'_>, scores: &mut Matrix) {
        vectorized!(
            {
                arms: Arms<'a> = arms,
                tables: Tables<'a> = tables,
                scoring: &'a mut Scoring = self,
                scores: &'a mut Matrix = scores,
            },
            (),
            |simd| {
                let (mut tables, m) = (tables, scoring.n_objectives());
                for_groups!(blocks(arms.len()), |tile, T| {
                    scoring.norms_of_tiles::<S, T>(simd, arms, tile * LANES);
                    scoring.score_tiles::<S, T>(simd, arms.set.dim(), tile * LANES, &mut tables);
                    write_rows(simd, scoring.small.bounds(), m, tile * LANES, scores);
                });
            }
        );
    }

    /// Computes the scores of the present T tiles, from the arm `first` on. Their norms must be known.
    #[inline(always)]
    pub(super) fn score_tiles<S: Unit, const T: usize>(
        &mut self,
        simd: S,
        dim: usize,
        first: usize,
        tables: &mut Tables<'_>,
    ) {
        let Self { scorer, tiles, norms, small, shown, .. } = self;
        let m = scorer.objectives().len();
        let (bounds, wanted) = (small.bounds_mut(T, m), tables.widths.n_rows() > 0);
        if wanted {
            shown.resize(2 * T * m, Lanes::ZERO);
        }
        scorer.estimates(
            simd,
            tiles[..T * dim].as_chunks::<T>().0,
            #[inline(always)]
            |i, inner| {
                let Optimism { gram, root, sign } = scorer.objectives()[i];
                for k in 0..T {
                    let width = Vector::splat(simd, root).mul(Vector::load(simd, &norms[gram * T + k]));
                    inner[k].add(width).store(&mut bounds[k * m + i]); // Eq. (6)
                    if wanted {
                        Vector::splat(simd, sign).mul(inner[k]).store(&mut shown[k * m + i]);
                        width.store(&mut shown[(T + k) * m + i]);
                    }
                }
            },
        );
        if wanted {
            write_rows(simd, &shown[..T * m], m, first, tables.estimates);
            write_rows(simd, &shown[T * m..], m, first, tables.widths);
        }
    }

    /// Lays out T tiles of arms, from the arm `first` on, and computes their ‖x‖_{Z⁻¹}.
    #[inline(always)]
    pub(super) fn norms_of_tiles<S: Unit, const T: usize>(&mut self, simd: S, arms: Arms<'_>, first: usize) {
        let Self { scorer, tiles, norms, .. } = self;
        let tiles = lay_out::<S, T>(simd, arms, first, tiles);
        norms.clear();
        for gram in 0..scorer.n_grams() {
            for squared in scorer.squared_norms(simd, gram, tiles) {
                norms.push(squared.sqrt().lanes());
            }
        }
    }
}

/// Writes values in tiles, m for each arm, as rows: one for each arm from the arm `first` on, up to the
/// last row.
#[inline(always)]
pub(crate) fn write_rows<S: Unit>(simd: S, tiles: &[Lanes], m: usize, first: usize, rows: &mut Matrix) {
    let rows = &mut rows.as_mut_slice()[first * m..];
    match m {
        1 => write_short_rows::<S, 1>(simd, tiles, rows),
        2 => write_short_rows::<S, 2>(simd, tiles, rows),
        3 => write_short_rows::<S, 3>(simd, tiles, rows),
        4 => write_short_rows::<S, 4>(simd, tiles, rows),
        5 => write_short_rows::<S, 5>(simd, tiles, rows),
        6 => write_short_rows::<S, 6>(simd, tiles, rows),
        _ => {
            for (tile, rows) in tiles.chunks_exact(m).zip(rows.chunks_mut(LANES * m)) {
                for (lane, row) in rows.chunks_exact_mut(m).enumerate() {
                    for i in 0..m {
                        row[i] = tile[i][lane];
                    }
                }
            }
        }
    }
}

/// Writes rows that are shorter than a vector. They are transposed in registers.
#[inline(always)]
fn write_short_rows<S: Unit, const M: usize>(simd: S, tiles: &[Lanes], rows: &mut [f64]) {
    let rows = rows.as_chunks_mut::<M>().0;
    for (tile, rows) in tiles.as_chunks::<M>().0.iter().zip(rows.chunks_mut(LANES)) {
        let mut columns = [&Lanes::ZERO.0; LANES];
        for i in 0..M {
            columns[i] = &tile[i].0;
        }
        for (row, turned) in rows.iter_mut().zip(simd.turn(columns)) {
            *row = *turned.first_chunk().expect("at most eight");
        }
    }
}
