//! A window of points that others are compared with, eight at a time.

use moglb_math::kernel::{LANES, Lanes};
use pulp::Simd;

/// Points in blocks of [`LANES`], objective by objective, in the order of insertion.
#[derive(Debug, Clone, Default)]
pub(super) struct RowWindow {
    n_objectives: usize,
    /// The number of points.
    len: usize,
    /// Block k has objective i at `k * n_objectives + i`. Lanes without a point hold −∞, which is below
    /// everything.
    blocks: Vec<Lanes>,
}

impl RowWindow {
    /// Removes all points, and makes the window one for points of `n_objectives` objectives.
    pub fn clear(&mut self, n_objectives: usize) {
        self.n_objectives = n_objectives;
        self.len = 0;
        self.blocks.clear();
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends a point.
    #[inline(always)]
    pub fn push(&mut self, point: &[f64]) {
        let lane = self.len % LANES;
        if lane == 0 {
            self.blocks.resize(self.blocks.len() + self.n_objectives, Lanes([f64::NEG_INFINITY; LANES]));
        }
        let last = self.blocks.len() - self.n_objectives;
        for (block, &value) in self.blocks[last..].iter_mut().zip(point) {
            block[lane] = value;
        }
        self.len += 1;
    }

    /// Returns the first block of the window with a point that dominates this one (Definition 1). Most blocks
    /// have no point that is nowhere below, so that is tested first; being somewhere above distinguishes a
    /// dominator from an equal point.
    ///
    /// `M` is the number of objectives if it is known at compile time, else 0.
    #[inline(always)]
    pub(super) fn dominating_block<const M: usize, S: Simd>(&self, simd: S, point: &[f64]) -> Option<usize> {
        let m = if M > 0 { M } else { self.n_objectives };
        let point = &point[..m];
        let none = simd.less_than_f64s(simd.splat_f64s(0.0), simd.splat_f64s(0.0));
        for (k, block) in self.blocks.chunks_exact(m).enumerate() {
            for part in 0..LANES / S::F64_LANES {
                let mut below = none;
                for i in 0..m {
                    let other = S::as_simd_f64s(&block[i].0).0[part];
                    below = simd.or_m64s(below, simd.less_than_f64s(other, simd.splat_f64s(point[i])));
                }
                let nowhere_below = simd.not_m64s(below);
                if !any(simd, nowhere_below) {
                    continue;
                }
                let mut above = none;
                for i in 0..m {
                    let other = S::as_simd_f64s(&block[i].0).0[part];
                    above = simd.or_m64s(above, simd.greater_than_f64s(other, simd.splat_f64s(point[i])));
                }
                if any(simd, simd.and_m64s(nowhere_below, above)) {
                    return Some(k);
                }
            }
        }
        None
    }

    /// Returns the largest lead of a point of the window over this one, at least 0. A lead is the least
    /// difference over the objectives.
    #[inline(always)]
    pub fn lead<const M: usize, S: Simd>(&self, simd: S, point: &[f64]) -> f64 {
        let m = if M > 0 { M } else { self.n_objectives };
        let point = &point[..m];
        let mut most = simd.splat_f64s(0.0);
        for block in self.blocks.chunks_exact(m) {
            for part in 0..LANES / S::F64_LANES {
                let mut least = simd.splat_f64s(f64::INFINITY);
                for i in 0..m {
                    let other = S::as_simd_f64s(&block[i].0).0[part];
                    least = simd.min_f64s(least, simd.sub_f64s(other, simd.splat_f64s(point[i])));
                }
                most = simd.max_f64s(most, least);
            }
        }
        simd.reduce_max_f64s(most)
    }
}

/// Returns true if a lane of the mask is set.
#[inline(always)]
fn any<S: Simd>(simd: S, mask: S::m64s) -> bool {
    simd.first_true_m64s(mask) < S::F64_LANES
}
