//! Fronts of four objectives and more, however large: points by decreasing sum, in batches, against trees.
//!
//! What dominates a point comes before it. So each batch is held against a tree of what was kept so far, and
//! what survives against a tree of the survivors. Batches grow with the front: the trees of all batches
//! together cost little more than the last.

use super::codes::CodeScale;
use super::objectives::for_objectives;
use super::parallel::in_parts;
use super::tree::CodeTree;
use crate::dominates;
use moglb_math::matrix::Rows;
use pulp::{Arch, Simd, WithSimd};

/// The smallest batch.
const BATCH: usize = 2048;

/// Bits of a key that say where a point lies; the others say which point it is.
const KEY: u32 = 30;

/// In the place of a key whose point is dominated. No list is so long that it is the key of a point.
const DROPPED: u64 = u64::MAX;

/// Points that are searched for on one core; above, the others are worth waking.
const ALONE: usize = 2048;

/// Finds large fronts; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Forest {
    scales: Vec<CodeScale>,
    /// For each point its codes, and one for its place among the points.
    codes: Vec<u16>,
    /// Where the points of a batch lie, and which they are.
    batch: Vec<u64>,
    /// The same for the front so far.
    kept: Vec<u64>,
    merged: Vec<u64>,
    front: CodeTree,
    survivors: CodeTree,
}

impl Forest {
    /// Calls `keep` for the rows that are on the front. They come by decreasing sum, all different.
    pub fn find(&mut self, points: Rows<'_>, keep: impl FnMut(usize)) {
        self.encode(points);
        for list in [&mut self.kept, &mut self.merged] {
            list.clear();
            // The two take turns: without this, a second call could still have to allocate.
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

/// Where a point lies, the leading bits of all codes in turn, and which it is.
#[inline(always)]
fn key(spread: &[u64; 256], codes: &[u16], place: usize) -> u64 {
    let lies = codes.iter().fold(0, |key, &code| key << 1 | spread[usize::from(code >> 8)]);
    lies << (64 - KEY) | place as u64
}

/// For each byte its leading bits, as many as fit into a key, n apart.
fn spread(n: usize) -> [u64; 256] {
    let n_bits = (KEY as usize / n).clamp(1, 8);
    std::array::from_fn(|byte| {
        (0..n_bits).map(|bit| ((byte >> (7 - bit) & 1) as u64) << ((n_bits - 1 - bit) * n)).sum()
    })
}

fn place(key: u64) -> usize {
    (key & ((1 << (64 - KEY)) - 1)) as usize
}

/// Two lists in order, as one.
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

/// Keeps the points of a batch that no point of a tree dominates.
fn drop_dominated(tree: &CodeTree, codes: &[u16], points: Rows<'_>, batch: &mut Vec<u64>) {
    in_parts(batch, ALONE, |_, batch| Arch::new().dispatch(BatchSearch { tree, codes, points, batch }));
    batch.retain(|&key| key != DROPPED);
}

/// Marks the points of a batch that a point of the tree dominates.
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
