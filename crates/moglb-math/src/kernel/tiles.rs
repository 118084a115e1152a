//! Tiles of eight arms: products of many tiles with a few vectors.

use super::{LANES, Lanes, Unit, Vector};

/// One feature of the eight arms of a tile, as it is stored.
pub trait Tile: Copy + Default + Send + Sync {
    /// Loads the eight values into registers.
    fn vector<S: Unit>(&self, simd: S) -> Vector<S>;
    /// Stores eight values, one for each arm.
    fn of(values: [f64; LANES]) -> Self;
}

impl Tile for Lanes {
    #[inline(always)]
    fn vector<S: Unit>(&self, simd: S) -> Vector<S> {
        Vector::load(simd, self)
    }

    #[inline(always)]
    fn of(values: [f64; LANES]) -> Self {
        Self(values)
    }
}

/// [`Lanes`] in half the memory, in single precision.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub struct Narrow([f32; LANES]);

impl Tile for Narrow {
    #[inline(always)]
    fn vector<S: Unit>(&self, simd: S) -> Vector<S> {
        let mut lanes = Lanes::ZERO;
        for lane in 0..LANES {
            lanes[lane] = f64::from(self.0[lane]);
        }
        Vector::load(simd, &lanes)
    }

    #[inline(always)]
    fn of(values: [f64; LANES]) -> Self {
        Self(values.map(|value| value as f32))
    }
}

/// The number of tiles in a group. Their features are interleaved, so that a group is read as one stream and
/// enough sums are in flight at once.
pub const GROUP: usize = 4;

/// The distance in bytes from the value that is read to the cache line that is prefetched. In a bare loop
/// over as many bytes as a million arms have, a quarter of it gained less, and four times as much gained no
/// more.
pub const AHEAD: usize = 4096;

/// Prefetches the cache line of a value that will be read soon. It is a hint: no result depends on it.
#[inline(always)]
pub fn fetch_ahead<X>(value: &X) {
    #[cfg(target_arch = "x86_64")]
    if let Some(unit) = pulp::core_arch::x86::Sse::try_new() {
        unit._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// The products of T tiles with N vectors; `tiles[j]` holds feature j of each arm of each tile, `factors[j]`
/// that of each vector. Every product is one sum over the features in their order, whatever else is computed
/// at the same time. `ahead` is prefetched during the loop, line by line.
#[inline(always)]
pub fn products<S: Unit, X: Tile, const N: usize, const T: usize>(
    simd: S,
    tiles: &[[X; T]],
    ahead: &[[X; T]],
    factors: &[[f64; N]],
) -> [[Vector<S>; N]; T] {
    let mut sums = [[Vector::splat(simd, 0.0); N]; T];
    let mut ahead = ahead.iter();
    for (tiles, factors) in tiles.iter().zip(factors) {
        if let Some(ahead) = ahead.next() {
            for k in (0..T).step_by((size_of::<Lanes>() / size_of::<X>()).max(1)) {
                fetch_ahead(&ahead[k]);
            }
        }
        let mut x = [Vector::splat(simd, 0.0); T];
        for k in 0..T {
            x[k] = tiles[k].vector(simd);
        }
        for n in 0..N {
            let factor = Vector::splat(simd, factors[n]);
            for k in 0..T {
                sums[k][n] = factor.mul_add(x[k], sums[k][n]);
            }
        }
    }
    sums
}

/// Passes the products of every tile with some vectors to `each`, tile by tile. Whole groups of tiles come
/// first, then single tiles; `factors` holds the vectors feature by feature.
#[inline(always)]
pub fn tile_dots<S: Unit, X: Tile>(
    simd: S,
    tiles: &[X],
    dim: usize,
    factors: &[f64],
    mut each: impl FnMut(usize, &[Lanes]),
) {
    let n = factors.len() / dim;
    if n > MOST_SUMMED_VECTORS {
        return many_dots(simd, n, tiles, dim, factors, each);
    }
    let (mut next, mut rest, mut lanes) = (0, tiles, [Lanes::ZERO; MOST_SUMMED_VECTORS * GROUP]);
    while !rest.is_empty() {
        let count = if rest.len() >= GROUP * dim { GROUP } else { 1 };
        let (group, after) = rest.split_at(count * dim);
        let ahead = rest.get(AHEAD / size_of::<X>()..).unwrap_or_default();
        match n {
            1 => group_dots::<S, X, 1>(simd, group, ahead, count, factors, &mut lanes),
            2 => group_dots::<S, X, 2>(simd, group, ahead, count, factors, &mut lanes),
            3 => group_dots::<S, X, 3>(simd, group, ahead, count, factors, &mut lanes),
            4 => group_dots::<S, X, 4>(simd, group, ahead, count, factors, &mut lanes),
            5 => group_dots::<S, X, 5>(simd, group, ahead, count, factors, &mut lanes),
            _ => group_dots::<S, X, MOST_SUMMED_VECTORS>(simd, group, ahead, count, factors, &mut lanes),
        }
        // `each` is called in one place: its code is large, and a copy for every number of vectors would be
        // very large.
        for products in lanes.chunks_exact(n).take(count) {
            each(next, products);
            next += 1;
        }
        rest = after;
    }
}

/// The largest number of vectors whose products with a group of tiles are summed in registers.
const MOST_SUMMED_VECTORS: usize = 6;

/// Writes the products of a group of tiles, or of a single tile, with N vectors, tile by tile.
#[inline(always)]
fn group_dots<S: Unit, X: Tile, const N: usize>(
    simd: S,
    group: &[X],
    ahead: &[X],
    count: usize,
    factors: &[f64],
    lanes: &mut [Lanes],
) {
    let (factors, lanes) = (factors.as_chunks::<N>().0, lanes.as_chunks_mut::<N>().0);
    if count == GROUP {
        let sums = products::<S, X, N, GROUP>(simd, group.as_chunks().0, ahead.as_chunks().0, factors);
        for k in 0..GROUP {
            for n in 0..N {
                sums[k][n].store(&mut lanes[k][n]);
            }
        }
    } else {
        let [sums] = products::<S, X, N, 1>(simd, group.as_chunks().0, &[], factors);
        for n in 0..N {
            sums[n].store(&mut lanes[0][n]);
        }
    }
}

/// [`tile_dots`] for any number of vectors: sums in memory, one tile after the other.
#[inline(always)]
fn many_dots<S: Unit, X: Tile>(
    simd: S,
    n: usize,
    tiles: &[X],
    dim: usize,
    factors: &[f64],
    mut each: impl FnMut(usize, &[Lanes]),
) {
    // More than 64 vectors need an allocation in every call.
    let (mut few, mut many) = ([Lanes::ZERO; 64], Vec::new());
    let sums = if n <= few.len() {
        &mut few[..n]
    } else {
        many.resize(n, Lanes::ZERO);
        &mut many[..]
    };
    let n_tiles = tiles.len() / dim;
    for tile in 0..n_tiles {
        sums.fill(Lanes::ZERO);
        for (j, factors) in factors.chunks_exact(n).enumerate() {
            let x = tiles[place(tile, j, n_tiles, dim)].vector(simd);
            for (sum, factor) in sums.iter_mut().zip(factors) {
                Vector::splat(simd, *factor).mul_add(x, Vector::load(simd, sum)).store(sum);
            }
        }
        each(tile, sums);
    }
}

/// The index of feature j of a tile, among tiles that are stored in groups.
#[inline(always)]
pub fn place(tile: usize, j: usize, n_tiles: usize, dim: usize) -> usize {
    let grouped = n_tiles / GROUP * GROUP;
    if tile < grouped { (tile / GROUP * dim + j) * GROUP + tile % GROUP } else { tile * dim + j }
}

/// Rows that tiles are multiplied with, stored four at a time and feature by feature, so that four sums share
/// each load.
#[derive(Debug, Clone, Default)]
pub struct Panels {
    /// The number of rows.
    n_rows: usize,
    /// The number of features of a row.
    dim: usize,
    /// True if row i has entries up to feature i only.
    triangular: bool,
    /// The panels end to end. In a panel, the entries of its rows for one feature are next to each other.
    data: Vec<f64>,
}

/// The number of rows in a panel.
const PANEL: usize = 4;

impl Panels {
    /// Takes the rows of a matrix. `entry(i, j)` is only called for entries that the matrix has.
    pub fn refill(
        &mut self,
        n_rows: usize,
        dim: usize,
        triangular: bool,
        entry: impl Fn(usize, usize) -> f64,
    ) {
        if (self.n_rows, self.dim, self.triangular) != (n_rows, dim, triangular) {
            (self.n_rows, self.dim, self.triangular) = (n_rows, dim, triangular);
            let panels = (0..n_rows).step_by(PANEL).map(|first| (first, PANEL.min(n_rows - first)));
            // The zeros beyond the end of a row are written only here.
            self.data.clear();
            self.data.resize(panels.map(|(first, n)| n * self.length(first, n)).sum(), 0.0);
        }
        let mut panels = &mut self.data[..];
        for first in (0..n_rows).step_by(PANEL) {
            let n = PANEL.min(n_rows - first);
            let (panel, rest) = panels.split_at_mut(n * if triangular { first + n } else { dim });
            panels = rest;
            for k in 0..n {
                let length = if triangular { first + k + 1 } else { dim };
                for (j, features) in panel.chunks_exact_mut(n).take(length).enumerate() {
                    features[k] = entry(first + k, j);
                }
            }
        }
    }

    /// One entry of a matrix that is not triangular.
    pub fn entry(&self, row: usize, feature: usize) -> f64 {
        debug_assert!(!self.triangular);
        let first = row / PANEL * PANEL;
        let n = PANEL.min(self.n_rows - first);
        self.data[first * self.dim + feature * n + row - first]
    }

    /// The number of features of a panel that begins with row `first` and has n rows.
    #[inline(always)]
    fn length(&self, first: usize, n: usize) -> usize {
        if self.triangular { first + n } else { self.dim }
    }

    /// Passes the products of a sparse vector with every row to `each`, in order: those of
    /// [`Panels::multiply`] without the zeros.
    #[inline(always)]
    pub fn multiply_sparse(&self, columns: &[usize], values: &[f64], mut each: impl FnMut(usize, f64)) {
        debug_assert!(!self.triangular);
        for (panel, rows) in self.data.chunks(PANEL * self.dim).enumerate() {
            let n = rows.len() / self.dim;
            let mut sums = [0.0; PANEL];
            for (column, x) in columns.iter().zip(values) {
                for (sum, factor) in sums.iter_mut().zip(&rows[column * n..][..n]) {
                    *sum = f64::mul_add(*factor, *x, *sum);
                }
            }
            for (k, sum) in sums[..n].iter().enumerate() {
                each(panel * PANEL + k, *sum);
            }
        }
    }

    /// Passes the products of T tiles with every row to `each`, in order.
    #[inline(always)]
    pub fn multiply<S: Unit, X: Tile, const T: usize>(
        &self,
        simd: S,
        tiles: &[[X; T]],
        mut each: impl FnMut(usize, [Vector<S>; T]),
    ) {
        let (mut first, mut data) = (0, &self.data[..]);
        while first < self.n_rows {
            let n = PANEL.min(self.n_rows - first);
            let (panel, rest) = data.split_at(n * self.length(first, n));
            match n {
                1 => panel_products::<S, X, 1, T>(simd, tiles, panel, first, &mut each),
                2 => panel_products::<S, X, 2, T>(simd, tiles, panel, first, &mut each),
                3 => panel_products::<S, X, 3, T>(simd, tiles, panel, first, &mut each),
                _ => panel_products::<S, X, PANEL, T>(simd, tiles, panel, first, &mut each),
            }
            (first, data) = (first + n, rest);
        }
    }
}

/// The products of T tiles with the N rows of one panel.
#[inline(always)]
fn panel_products<S: Unit, X: Tile, const N: usize, const T: usize>(
    simd: S,
    tiles: &[[X; T]],
    panel: &[f64],
    first: usize,
    each: &mut impl FnMut(usize, [Vector<S>; T]),
) {
    let sums = products::<S, X, N, T>(simd, tiles, &[], panel.as_chunks::<N>().0);
    for n in 0..N {
        each(
            first + n,
            std::array::from_fn(
                #[inline(always)]
                |k| sums[k][n],
            ),
        );
    }
}
