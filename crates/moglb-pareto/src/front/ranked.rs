//! Fronts of four objectives and more: rows by decreasing sum, in which a dominator comes before the rows
//! that it dominates.
//!
//! Each row is compared with those kept so far. When these become many, the remaining rows are compared with
//! them once, and the [`Forest`] finds the front of the survivors.

use super::dominance::sum;
use super::forest::Forest;
use super::marks::Marks;
use super::objectives::for_objectives;
use super::order::DecreasingOrder;
use super::window::RowWindow;
use moglb_math::Matrix;
use moglb_math::matrix::Rows;
use pulp::{Arch, Simd, WithSimd};

/// The size of a window beyond which a tree of codes is faster.
const WINDOW: usize = 128;

/// The number of rows that are copied at a time.
const AHEAD: usize = 64;

/// A finder of fronts by decreasing sum that keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranked {
    order: DecreasingOrder,
    /// The candidates by decreasing sum, with equal rows adjacent.
    rows: Vec<usize>,
    /// The first rows of the front.
    window: RowWindow,
    /// Copies of the next [`AHEAD`] rows.
    ahead: Vec<f64>,
    /// The rows that are left for the forest, without repetitions.
    distinct: Matrix,
    /// The index in `rows` of each of them; its equal rows follow.
    groups: Vec<usize>,
    forest: Forest,
}

impl Ranked {
    /// Marks the candidates that are on the front.
    pub fn find(&mut self, points: Rows<'_>, candidates: &[usize], on_front: &mut Marks) {
        self.order.sort(candidates.len(), sum, |place| points.row(candidates[place]));
        self.rows.clear();
        self.rows.extend(self.order.iter().map(|place| candidates[place]));
        self.window.clear(points.n_cols());
        let Self { rows, window, ahead, .. } = self;
        Arch::new().dispatch(FillWindow { points, rows, window, ahead, on_front });
        if !self.rows.is_empty() {
            self.separate_twins(points);
            let Self { distinct, groups, rows, .. } = self;
            self.forest.find((&*distinct).into(), |place| {
                rows[groups[place]..groups[place + 1]].iter().for_each(|&row| on_front.mark(row));
            });
        }
    }

    /// Copies the remaining rows without repetitions, and notes where each group of equal rows begins.
    fn separate_twins(&mut self, points: Rows<'_>) {
        self.groups.clear();
        self.distinct.reshape(self.rows.len(), points.n_cols());
        for (place, &row) in self.rows.iter().enumerate() {
            let n_distinct = self.groups.len();
            let row = points.row(row);
            if n_distinct == 0 || self.distinct.row(n_distinct - 1) != row {
                self.distinct.row_mut(n_distinct).copy_from_slice(row);
                self.groups.push(place);
            }
        }
        self.distinct.reshape(self.groups.len(), points.n_cols());
        self.groups.push(self.rows.len());
    }
}

/// Keeps and marks rows until the window is full. Leaves in `rows` the later rows that the window does not
/// dominate.
struct FillWindow<'a> {
    points: Rows<'a>,
    rows: &'a mut Vec<usize>,
    window: &'a mut RowWindow,
    ahead: &'a mut Vec<f64>,
    on_front: &'a mut Marks,
}

impl WithSimd for FillWindow<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for_objectives!(self.points.n_cols(), self.run(simd))
    }
}

impl FillWindow<'_> {
    #[inline(always)]
    fn run<const M: usize, S: Simd>(self, simd: S) {
        let Self { points, rows, window, ahead, on_front } = self;
        let m = points.n_cols();
        // The previous row, and true if it was kept: equal rows are kept or rejected together, and the window
        // holds one of them.
        let (mut last, mut kept) = (usize::MAX, false);
        let mut n_left = 0;
        for start in (0..rows.len()).step_by(AHEAD) {
            let end = rows.len().min(start + AHEAD);
            // The rows are scattered in memory. Copied some at a time, their loads do not wait for each
            // other.
            ahead.clear();
            rows[start..end].iter().for_each(|&row| ahead.extend_from_slice(points.row(row)));
            for k in start..end {
                let (index, row) = (rows[k], &ahead[(k - start) * m..(k - start + 1) * m]);
                let is_twin = last != usize::MAX && row == points.row(last);
                kept = if is_twin { kept } else { window.dominating_block::<M, S>(simd, row).is_none() };
                let has_room = window.len() < WINDOW || is_twin && n_left == 0;
                if kept && has_room {
                    if !is_twin {
                        window.push(row);
                    }
                    on_front.mark(index);
                } else if kept {
                    rows[n_left] = index;
                    n_left += 1;
                }
                last = index;
            }
        }
        rows.truncate(n_left);
    }
}
