//! Columns of M for contexts that are mostly zeros.
//!
//! A width ‖Mx‖ needs the columns of M where x is not zero, O(d·nnz). M is stored by rows. So eight rows at
//! a time are transposed at the columns where some arm has an entry, and applied to all arms while they are
//! in the cache. This reads M once for all arms.

use moglb_math::Gram;
use moglb_math::csr::Csr;
use moglb_math::kernel::{LANES, Lanes, Unit, Vector, blocks};

/// Eight rows of a matrix, feature by feature, for the features where some arm of a table has an entry.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// The blocks of eight columns with an entry of some arm, ascending.
    used: Vec<usize>,
    /// The position of each block of columns in `used`. Blocks that are not used have no meaning here.
    places: Vec<usize>,
    /// The position in `panel` of the column of each entry of the table.
    slots: Vec<usize>,
    /// The columns of the used blocks, with eight rows in the lanes.
    panel: Vec<Lanes>,
    /// For each arm, the end of its entries in the columns that the present rows have.
    ends: Vec<usize>,
    /// ‖Mx‖² for each tile of arms.
    pub squared: Vec<Lanes>,
}

impl Columns {
    /// Finds the columns that a table uses.
    pub(super) fn lay_out(&mut self, table: &Csr) {
        let Self { used, places, slots, panel, .. } = self;
        used.clear();
        used.extend(table.columns().iter().map(|column| column / LANES));
        used.sort_unstable();
        used.dedup();
        places.resize(blocks(table.n_columns()), 0);
        used.iter().enumerate().for_each(|(place, &block)| places[block] = place);
        slots.clear();
        slots.extend(table.columns().iter().map(|column| places[column / LANES] * LANES + column % LANES));
        panel.resize(used.len() * LANES, Lanes::ZERO);
    }

    /// Computes ‖Mx‖² of every arm.
    #[inline(always)]
    pub fn square<S: Unit>(&mut self, simd: S, table: &Csr, gram: &Gram) {
        self.squared.clear();
        self.squared.resize(blocks(table.n_rows()), Lanes::ZERO);
        self.ends.clear();
        self.ends.extend_from_slice(&table.starts()[..table.n_rows()]);
        for group in 0..blocks(gram.dim()) {
            self.turn_rows(simd, gram, group);
            self.add_group(simd, table, group);
        }
    }

    /// Transposes eight rows of M, up to their diagonals.
    #[inline(always)]
    fn turn_rows<S: Unit>(&mut self, simd: S, gram: &Gram, group: usize) {
        let first = group * LANES;
        let n = LANES.min(gram.dim() - first);
        let known = self.used.iter().take_while(|&&block| block <= group);
        for (&block, columns) in known.zip(self.panel.as_chunks_mut::<LANES>().0) {
            let mut rows = [&[0.0; LANES]; LANES];
            for k in 0..n {
                rows[k] = &gram.row(first + k)[block].0;
            }
            let turned = simd.turn(rows);
            for j in 0..LANES {
                columns[j] = Lanes(turned[j]);
            }
        }
    }

    /// Adds the squares of eight entries of Mx, one after the other, for the arms of every tile.
    #[inline(always)]
    fn add_group<S: Unit>(&mut self, simd: S, table: &Csr, group: usize) {
        let Self { slots, panel, ends, squared, .. } = self;
        let (starts, beyond) = (table.starts(), (group + 1) * LANES);
        for (tile, total) in squared.iter_mut().enumerate() {
            let first = tile * LANES;
            let mut images = [Lanes::ZERO; LANES];
            for (lane, image) in images.iter_mut().enumerate().take(table.n_rows() - first) {
                let (start, limit) = (starts[first + lane], starts[first + lane + 1]);
                let end = &mut ends[first + lane];
                while *end < limit && table.columns()[*end] < beyond {
                    *end += 1;
                }
                let mut sum = Vector::splat(simd, 0.0);
                for (&slot, &x) in slots[start..*end].iter().zip(&table.values()[start..*end]) {
                    sum = Vector::load(simd, &panel[slot]).mul_add(Vector::splat(simd, x), sum);
                }
                sum.store(image);
            }
            let turned = simd.turn(std::array::from_fn(
                #[inline(always)]
                |lane| &images[lane].0,
            ));
            let mut sum = Vector::load(simd, total);
            for place in turned {
                let place = Vector::load(simd, &Lanes(place));
                sum = place.mul_add(place, sum);
            }
            sum.store(total);
        }
    }
}
