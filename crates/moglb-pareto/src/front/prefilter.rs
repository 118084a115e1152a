//! The sieve: one pass that rejects most dominated points before anything is sorted.
//!
//! A few rows, spread over the whole table, are a sample of all. The rows of the sample that dominate the
//! most others become pivots, and every row is compared with the pivots. A rejected row is dominated; a row
//! that remains may still be dominated.

use super::dominance::sum;
use super::marks::Marks;
use super::objectives::for_objectives;
use super::order::DecreasingOrder;
use super::parallel::in_parts;
use super::window::RowWindow;
use crate::dominates;
use moglb_math::kernel::LANES;
use moglb_math::matrix::Rows;
use moglb_math::matrix::all_finite;
use pulp::{Arch, Simd, WithSimd};
use std::sync::atomic::{AtomicBool, Ordering};

/// The largest number of rows in the sample. Below it, the sample has twice the square root of the number of
/// rows: then both the sample and the number of rows that it leaves grow with that root.
const SAMPLE: usize = 1024;

/// The largest number of pivots: two blocks of the window.
const PIVOTS: usize = 16;

/// The number of rows that are compared with the first pivot at once, one for each bit of a word.
const ROWS: usize = 64;
/// The largest number of objectives for which rows are compared with the first pivot separately: the results
/// of a row are read as one word of this many bytes.
const WORD: usize = 8;

/// Tables of at most this many values are sifted on one core. Above, it pays to wake the other cores.
const ALONE: usize = 1 << 18;

/// A finder of rows that may be on the front. It keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Sieve {
    /// The rows of the sample, by decreasing sum.
    order: DecreasingOrder,
    sample: Vec<usize>,
    /// The front of the sample, then the pivots.
    window: RowWindow,
    /// For each row of the window: the number of rows that it was the first to dominate, and its index in the
    /// table.
    kills: Vec<(usize, usize)>,
    /// The first pivot, repeated for each of [`ROWS`] rows.
    first: Vec<f64>,
    /// The rows that no pivot dominates.
    marks: Marks,
}

impl Sieve {
    /// Finds candidates, in increasing order, that include the whole front. Returns false if a value is not
    /// finite. This is tested here, while the values are in the cache: reading a large table again takes as
    /// long as everything else.
    pub(super) fn sift(&mut self, points: Rows<'_>, candidates: &mut Vec<usize>) -> bool {
        candidates.clear();
        let size = (2 * points.n_rows().isqrt()).clamp(1, SAMPLE).min(points.n_rows());
        let stride = points.n_rows() / size;
        if !(0..size).all(|place| all_finite(points.row(place * stride))) {
            return false;
        }
        if self.choose_pivots(points, size, stride) {
            let mut marks = std::mem::take(&mut self.marks);
            let all_finite = self.mark(points, &mut marks);
            candidates.extend(marks.iter());
            self.marks = marks;
            all_finite
        } else {
            candidates.extend(0..points.n_rows());
            points.check_finite("a point").is_ok()
        }
    }

    /// Marks the rows that no pivot dominates. Returns false if a value is not finite.
    fn mark(&self, points: Rows<'_>, marks: &mut Marks) -> bool {
        let all_finite = AtomicBool::new(true);
        marks.clear(points.n_rows());
        in_parts(marks.words_mut(), ALONE / ROWS / points.n_cols(), |start, words| {
            if !Arch::new().dispatch(Sift { sieve: self, points, start, words }) {
                all_finite.store(false, Ordering::Relaxed);
            }
        });
        all_finite.into_inner()
    }

    /// Fills the window with pivots, the most useful first. Returns false if no row of the sample dominates
    /// another.
    fn choose_pivots(&mut self, points: Rows<'_>, size: usize, stride: usize) -> bool {
        let row = |place: usize| place * stride;
        self.order.sort(size, sum, |place| points.row(row(place)));
        self.sample.clear();
        self.sample.extend(self.order.iter().map(row));
        self.kills.clear();
        self.window.clear(points.n_cols());
        Arch::new().dispatch(Duel { sieve: self, points });
        self.kills.retain(|&(kills, _)| kills > 0);
        self.kills.sort_unstable_by(|a, b| b.cmp(a));
        self.kills.truncate(PIVOTS);
        self.window.clear(points.n_cols());
        self.kills.iter().for_each(|&(_, row)| self.window.push(points.row(row)));
        self.first.clear();
        if let Some(&(_, best)) = self.kills.first() {
            self.first.extend(points.row(best).iter().cycle().take(ROWS * points.n_cols()));
        }
        self.window.len() > 0
    }
}

/// Fills the window with the front of the sample, and counts for each of its rows how many it was the first
/// to dominate.
struct Duel<'a> {
    sieve: &'a mut Sieve,
    points: Rows<'a>,
}

impl WithSimd for Duel<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for_objectives!(self.points.n_cols(), self.run(simd))
    }
}

impl Duel<'_> {
    #[inline(always)]
    fn run<const M: usize, S: Simd>(self, simd: S) {
        let Sieve { sample, window, kills, .. } = self.sieve;
        for &row in sample.iter() {
            let point = self.points.row(row);
            match window.dominating_block::<M, S>(simd, point) {
                Some(block) => {
                    let mut block = kills[block * LANES..].iter_mut().take(LANES);
                    let first = block.find(|(_, row)| dominates(self.points.row(*row), point));
                    first.expect("a block with a dominator").0 += 1;
                }
                None => {
                    window.push(point);
                    kills.push((0, row));
                }
            }
        }
    }
}

/// Compares rows with the pivots, a word of marks at a time. Returns false if a value is not finite; the
/// marks then have no meaning.
struct Sift<'a> {
    sieve: &'a Sieve,
    points: Rows<'a>,
    /// The index of the first word.
    start: usize,
    words: &'a mut [u64],
}

impl WithSimd for Sift<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        for_objectives!(self.points.n_cols(), self.run(simd))
    }
}

impl Sift<'_> {
    #[inline(always)]
    fn run<const M: usize, S: Simd>(self, simd: S) -> bool {
        let Self { sieve, points, start, words } = self;
        let m = points.n_cols();
        let mut answers = [0; (ROWS + 1) * WORD];
        let blocks = points.as_slice()[start * ROWS * m..].chunks(ROWS * m);
        for (values, word) in blocks.zip(words) {
            if !all_finite(values) {
                return false;
            }
            // The rows that the first pivot leaves are collected without a branch for each, which would be
            // unpredictable.
            let (mut left, mut n_left) = ([0; ROWS], 0);
            if m <= WORD {
                compare(values, &sieve.first, &mut answers);
            }
            for k in 0..values.len() / m {
                left[n_left] = k;
                n_left += usize::from(m > WORD || !is_dominated(&answers[k * m..], m));
            }
            for &k in &left[..n_left] {
                let point = &values[k * m..][..m];
                let kept = sieve.window.dominating_block::<M, S>(simd, point).is_none();
                *word |= u64::from(kept) << k;
            }
        }
        true
    }
}

/// Writes 0 for a value that is larger than the pivot's, 1 for an equal one, and 3 for a smaller one.
#[inline(always)]
fn compare(values: &[f64], pivot: &[f64], answers: &mut [u8]) {
    for ((answer, value), pivot) in answers.iter_mut().zip(values).zip(pivot) {
        *answer = u8::from(value <= pivot) | u8::from(value < pivot) << 1;
    }
}

/// Returns true if the entries of a row, by its results, are nowhere larger and somewhere smaller.
#[inline(always)]
fn is_dominated(answers: &[u8], n_objectives: usize) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(*answers.first_chunk().expect("room for a word after the last row"));
    let ones = ONES >> (8 * (WORD - n_objectives));
    (word & ones == ones) & (word & (ones << 1) != 0)
}
