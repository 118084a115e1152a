//! Fronts of four objectives and more, of any size: batches of points by decreasing sum, compared with trees.
//!
//! A dominator of a point comes before it. So each batch is compared with a tree of the points kept so far,
//! and the survivors with a tree of the survivors. Batches grow with the front: the trees of all batches
//! together cost little more than the last.

use super::codes::CodeScale;
use super::objectives::for_objectives;
use super::parallel::in_parts;
use super::tree::CodeTree;
use crate::dominates;
use moglb_math::matrix::Rows;
use pulp::{Arch, Simd, WithSimd};

/// The smallest size of a batch, in points.
const BATCH: usize = 2048;

/// The number of leading bits of a key, which hold the position of a point in space. The other bits hold its
/// index.
const KEY: u32 = 30;

/// Replaces the key of a dominated point. No list is long enough for this to be the key of a point.
const DROPPED: u64 = u64::MAX;

/// Batches of at most this many points are searched on one core. Above, it pays to wake the other cores.
const ALONE: usize = 2048;

/// A finder of large fronts that keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Forest {
    /// The code scale of each objective.
    scales: Vec<CodeScale>,
    /// The codes of each point, and one more that decreases with its index.
    codes: Vec<u16>,
    /// The keys of a batch: position in space and index of each point.
    batch: Vec<u64>,
    /// The keys of the front so far.
    kept: Vec<u64>,
    /// The next `kept`, while it is merged.
    merged: Vec<u64>,
    /// The tree of the front so far.
    front: CodeTree,
    /// The tree of the points of a batch that the front does not dominate.
    survivors: CodeTree,
}

impl Forest {
    /// Calls `keep` with the index of each row on the front. The rows of `points` must be different, and
    /// sorted by decreasing sum.
    pub fn find(&mut self, points: Rows<'_>, keep: impl FnMut(usize)) {
        self.encode(points);
        for list in [&mut self.kept, &mut self.merged] {
            list.clear();
            // The two lists are swapped after each batch: without this, a second call could still have to
            // allocate.
            list.reserve(points.n_rows());
        }
        let mut start = 0;
        while start < points.n_rows() {
            let end = points.n_rows().min(start + BATCH.max(2 * self.kept.len()));
            self.add(points, start, end);
            start = end;
        }
        self.kept.iter().map(|&key| place(key)).for_each(keep);
    }

    /// Computes the codes of all points.
    fn encode(&mut self, points: Rows<'_>) {
        let m = points.n_cols();
        self.scales.resize(m.max(self.scales.len()), CodeScale::default());
        for (objective, scale) in self.scales[..m].iter_mut().enumerate() {
            scale.learn(points, objective);
        }
        self.codes.clear();
        for (place, row) in points.rows().enumerate() {
            let values = row.iter().zip(&self.scales);
            self.codes.extend(values.map(|(&value, scale)| scale.code(value)));
            self.codes.push(u16::MAX - (place * usize::from(u16::MAX) / points.n_rows()) as u16);
        }
    }

    /// Adds the points `start..end` to the front, except those that a point dominates.
    fn add(&mut self, points: Rows<'_>, start: usize, end: usize) {
        let m = points.n_cols();
        let codes = |place: usize| &self.codes[place * (m + 1)..(place + 1) * (m + 1)];
        self.front.build(m, self.kept.iter().map(|&key| place(key)), |place| &codes(place)[..m]);
        self.batch.clear();
        let (spread, coded) = (spread(m), m.min(KEY as usize));
        self.batch.extend((start..end).map(|place| key(&spread, &codes(place)[..coded], place)));
        self.batch.sort_unstable();
        drop_dominated(&self.front, &self.codes, points, &mut self.batch);
        self.survivors.build(m + 1, self.batch.iter().map(|&key| place(key)), codes);
        drop_dominated(&self.survivors, &self.codes, points, &mut self.batch);
        merge(&self.kept, &self.batch, &mut self.merged);
        std::mem::swap(&mut self.kept, &mut self.merged);
    }
}

/// Packs the position of a point in space, which interleaves the leading bits of its codes, and its index.
#[inline(always)]
fn key(spread: &[u64; 256], codes: &[u16], place: usize) -> u64 {
    let lies = codes.iter().fold(0, |key, &code| key << 1 | spread[usize::from(code >> 8)]);
    lies << (64 - KEY) | place as u64
}

/// Maps each byte to its leading bits, as many as fit into a key, spaced n apart.
fn spread(n: usize) -> [u64; 256] {
    let n_bits = (KEY as usize / n).clamp(1, 8);
    std::array::from_fn(|byte| {
        (0..n_bits).map(|bit| ((byte >> (7 - bit) & 1) as u64) << ((n_bits - 1 - bit) * n)).sum()
    })
}

/// The index of the point of a key.
fn place(key: u64) -> usize {
    (key & ((1 << (64 - KEY)) - 1)) as usize
}

/// Merges two sorted lists.
fn merge(mut a: &[u64], mut b: &[u64], merged: &mut Vec<u64>) {
    merged.clear();
    while let ([first_a, rest_a @ ..], [first_b, rest_b @ ..]) = (a, b) {
        if first_a < first_b {
            merged.push(*first_a);
            a = rest_a;
        } else {
            merged.push(*first_b);
            b = rest_b;
        }
    }
    merged.extend_from_slice(a);
    merged.extend_from_slice(b);
}

/// Removes the points of a batch that a point of a tree dominates.
fn drop_dominated(tree: &CodeTree, codes: &[u16], points: Rows<'_>, batch: &mut Vec<u64>) {
    in_parts(batch, ALONE, |_, batch| Arch::new().dispatch(BatchSearch { tree, codes, points, batch }));
    batch.retain(|&key| key != DROPPED);
}

/// Marks the points of a batch that a point of a tree dominates.
struct BatchSearch<'a> {
    tree: &'a CodeTree,
    codes: &'a [u16],
    points: Rows<'a>,
    batch: &'a mut [u64],
}

impl WithSimd for BatchSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for_objectives!(self.tree.n_codes(), self.run(simd))
    }
}

impl BatchSearch<'_> {
    #[inline(always)]
    fn run<const R: usize, S: Simd>(self, _: S) {
        let Self { tree, codes, points, batch } = self;
        let stride = points.n_cols() + 1;
        let mut stack = [0; _];
        for key in batch {
            let own = place(*key);
            let row = points.row(own);
            let dominated = tree.any::<R>(
                &codes[own * stride..(own + 1) * stride],
                &mut stack,
                #[inline(always)]
                |other| dominates(points.row(other), row),
            );
            if dominated {
                *key = DROPPED;
            }
        }
    }
}
