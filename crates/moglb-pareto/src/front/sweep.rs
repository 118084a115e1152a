//! Fronts of two and three objectives: sort, then sweep.

use super::marks::Marks;
use super::order::DecreasingOrder;
use super::staircase::Staircase;
use moglb_math::matrix::Rows;

/// The number of rows that are copied at a time.
const AHEAD: usize = 64;

/// The sweeps for two and three objectives, which keep their memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct FrontSweep {
    order: DecreasingOrder,
    staircase: Staircase,
}

impl FrontSweep {
    /// Marks the front of two objectives. By decreasing first objective, a row is on the front if its second
    /// one is larger than all before. Rows that are equal in the first come by decreasing second, so only the
    /// first of them, and rows equal to it, can be on the front.
    pub(crate) fn two(&mut self, points: Rows<'_>, candidates: &[usize], on_front: &mut Marks) {
        let rows = points.as_slice().as_chunks::<2>().0;
        let mut last = [f64::INFINITY, f64::NEG_INFINITY];
        self.sweep(rows, candidates, |point, row| {
            if point[1] > last[1] || *point == last {
                last = *point;
                on_front.mark(row);
            }
        });
    }

    /// Marks the front of three objectives. By decreasing first objective, a row is on the front if no row
    /// before it is at least as large in both others. Equal rows are adjacent and are kept or rejected
    /// together.
    pub(crate) fn three(&mut self, points: Rows<'_>, candidates: &[usize], on_front: &mut Marks) {
        let rows = points.as_slice().as_chunks::<3>().0;
        let mut staircase = std::mem::take(&mut self.staircase);
        staircase.clear();
        let (mut last, mut kept) = ([f64::NAN; 3], false);
        self.sweep(rows, candidates, |point, row| {
            if *point != last {
                kept = staircase.climb(point[1], point[2]);
                last = *point;
            }
            if kept {
                on_front.mark(row);
            }
        });
        self.staircase = staircase;
    }

    /// Visits the candidates by decreasing first objective, then by the others.
    fn sweep<const M: usize>(
        &mut self,
        rows: &[[f64; M]],
        candidates: &[usize],
        mut visit: impl FnMut(&[f64; M], usize),
    ) {
        self.order.sort(candidates.len(), |row| row[0], |place| &rows[candidates[place]]);
        // The rows are scattered in memory. Copied some at a time, their loads do not wait for each other.
        let mut ahead = [([0.0; M], 0); AHEAD];
        let mut order = self.order.iter();
        while order.len() > 0 {
            let mut n_ahead = 0;
            for (slot, place) in ahead.iter_mut().zip(order.by_ref().take(AHEAD)) {
                let row = candidates[place];
                *slot = (rows[row], row);
                n_ahead += 1;
            }
            ahead[..n_ahead].iter().for_each(|(point, row)| visit(point, *row));
        }
    }
}
