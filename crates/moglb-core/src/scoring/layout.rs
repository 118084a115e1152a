//! Arms laid out for vector instructions: tiles of eight arms, feature by feature.

use crate::ArmSet;
use moglb_math::kernel::{LANES, Lanes, Tile, Unit};

/// The largest number of values that the nearer caches hold.
const MOST_CACHED_VALUES: usize = 1 << 14;

/// Runs code for groups of `T` tiles, with `T` constant, starting at the tile `first`. A group has four
/// tiles where possible. No group has a single tile if there are others, since the sums of one tile do not
/// keep a vector unit busy.
macro_rules! for_groups {
    ($n_tiles:expr, |$first:ident, $T:ident| $body:expr) => {{
        let (n_tiles, mut $first) = ($n_tiles, 0);
        while $first < n_tiles {
            match n_tiles - $first {
                1 => for_groups!(@ $first, $T, 1, $body),
                2 => for_groups!(@ $first, $T, 2, $body),
                3 | 5 => for_groups!(@ $first, $T, 3, $body),
                _ => for_groups!(@ $first, $T, 4, $body),
            }
        }
    }};
    (@ $first:ident, $T:ident, $tiles:literal, $body:expr) => {{
        const $T: usize = $tiles;
        $body;
        $first += $T;
    }};
}
pub(super) use for_groups;

/// All arms of a set, or some of them.
#[derive(Clone, Copy)]
pub struct Arms<'a> {
    pub set: &'a ArmSet<'a>,
    /// The ids of the chosen arms; none for all arms.
    chosen: Option<&'a [usize]>,
}

impl<'a> Arms<'a> {
    /// All arms of a set.
    pub fn all(set: &'a ArmSet<'a>) -> Self {
        Self { set, chosen: None }
    }

    /// The arms of a set with these ids.
    pub fn some(set: &'a ArmSet<'a>, chosen: &'a [usize]) -> Self {
        Self { set, chosen: Some(chosen) }
    }

    pub fn dim(self) -> usize {
        self.set.dim()
    }

    pub(crate) fn len(self) -> usize {
        self.chosen.map_or(self.set.n_arms(), <[usize]>::len)
    }

    /// The context of the arm at a position among these arms.
    #[inline(always)]
    fn context(self, index: usize) -> &'a [f64] {
        self.set.context(self.chosen.map_or(index, |chosen| chosen[index]))
    }

    /// Returns the contexts of eight arms. Beyond the last arm it is repeated.
    #[inline(always)]
    pub fn eight(self, first: usize) -> [&'a [f64]; LANES] {
        let last = self.len() - 1;
        let mut contexts = [self.context(last); LANES];
        for (lane, context) in contexts.iter_mut().enumerate() {
            *context = self.context((first + lane).min(last));
        }
        contexts
    }
}

/// Reads contexts row by row into the cache: hardware prefetches only memory that is read in order.
#[inline(always)]
pub(super) fn fetch(contexts: &[&[f64]; LANES]) {
    let mut near = 0;
    for context in contexts {
        for line in context.chunks(LANES) {
            near |= line[0].to_bits();
        }
    }
    std::hint::black_box(near);
}

/// Returns the s-th eight features of eight contexts, transposed: feature by feature.
#[inline(always)]
pub fn square<S: Unit>(simd: S, contexts: &[&[f64]; LANES], s: usize) -> [[f64; LANES]; LANES] {
    let mut rows = [&[0.0; LANES]; LANES];
    for lane in 0..LANES {
        rows[lane] = &contexts[lane].as_chunks().0[s];
    }
    simd.turn(rows)
}

/// Returns one feature of eight contexts.
#[inline(always)]
pub fn feature(contexts: &[&[f64]; LANES], j: usize) -> [f64; LANES] {
    let mut lanes = [0.0; LANES];
    for lane in 0..LANES {
        lanes[lane] = contexts[lane][j];
    }
    lanes
}

/// Lays out T tiles of arms from the arm `first` on. The memory grows if necessary.
#[inline(always)]
pub(super) fn lay_out<'t, S: Unit, const T: usize>(
    simd: S,
    arms: Arms<'_>,
    first: usize,
    tiles: &'t mut Vec<Lanes>,
) -> &'t [[Lanes; T]] {
    let wanted = T * arms.set.dim();
    if tiles.len() < wanted {
        tiles.resize(wanted, Lanes::ZERO);
    }
    let (tiles, _) = tiles[..wanted].as_chunks_mut::<T>();
    load_tiles(simd, arms, first, tiles);
    tiles
}

/// Lays out T tiles of arms, feature by feature. Lanes beyond the last arm repeat it.
#[inline(always)]
pub(crate) fn load_tiles<S: Unit, X: Tile, const T: usize>(
    simd: S,
    arms: Arms<'_>,
    first: usize,
    tiles: &mut [[X; T]],
) {
    let far = arms.set.n_arms() * arms.set.dim() > MOST_CACHED_VALUES;
    for k in 0..T {
        let contexts = arms.eight(first + k * LANES);
        if far {
            fetch(&contexts);
        }
        // Eight features at a time, as 8×8 squares that are transposed in registers.
        let (squares, rest) = tiles.as_chunks_mut::<LANES>();
        for (s, target) in squares.iter_mut().enumerate() {
            let columns = square(simd, &contexts, s);
            for j in 0..LANES {
                target[j][k] = X::of(columns[j]);
            }
        }
        let done = squares.len() * LANES;
        for (j, target) in rest.iter_mut().enumerate() {
            target[k] = X::of(feature(&contexts, done + j));
        }
    }
}
