//! Products of a few tiles with rows that are stored in blocks, four entries at a time. The rows need no
//! layout of their own, and no entry of a triangle beyond its diagonal is read. Both matter for a few arms.

use super::{Lanes, Unit, Vector};

/// The number of entries of a row that are read at once.
const QUAD: usize = 4;

/// Runs code for groups of `T` tiles, where `T` is a constant in the code: two or three at a time, since the
/// sums of one tile do not keep a vector unit busy.
#[doc(hidden)]
#[macro_export]
macro_rules! for_few {
    ($n_tiles:expr, |$first:ident, $T:ident| $body:expr) => {{
        let (n_tiles, mut $first) = ($n_tiles, 0);
        while $first < n_tiles {
            match n_tiles - $first {
                1 => $crate::kernel::for_few!(@ $first, $T, 1, $body),
                2 | 4 => $crate::kernel::for_few!(@ $first, $T, 2, $body),
                _ => $crate::kernel::for_few!(@ $first, $T, 3, $body),
            }
        }
    }};
    (@ $first:ident, $T:ident, $tiles:literal, $body:expr) => {{
        const $T: usize = $tiles;
        $body;
        $first += $T;
    }};
}
pub use for_few;

/// Returns T of the tiles that lie end to end, from `first` on.
#[inline(always)]
pub fn some_tiles<const T: usize>(tiles: &[Lanes], dim: usize, first: usize) -> [&[Lanes]; T] {
    let mut some = [tiles; T];
    for k in 0..T {
        some[k] = &tiles[(first + k) * dim..][..dim];
    }
    some
}

/// The products of T tiles with N rows; `tiles[k][j]` holds feature j of each arm of a tile. Every product is
/// one sum over the features in their order, with the bits of [`products`](super::tiles::products).
#[inline(always)]
pub fn row_products<S: Unit, const N: usize, const T: usize>(
    simd: S,
    tiles: [&[Lanes]; T],
    rows: [&[Lanes]; N],
) -> [[Vector<S>; T]; N] {
    let mut sums = [[Vector::splat(simd, 0.0); T]; N];
    let whole = tiles[0].len() / QUAD;
    for q in 0..whole {
        add_quad(simd, tiles, rows, q, &mut sums);
    }
    let rest = tiles[0].len() % QUAD;
    if rest > 0 {
        let factors = quad(rows, whole);
        for c in 0..rest {
            add_column(simd, column(tiles, QUAD * whole + c), &factors, c, 0, &mut sums);
        }
    }
    sums
}

/// The products of T tiles with N rows of a lower triangle, at most four. The first row has 4·`before` + 1
/// entries, and each later one has one entry more.
#[inline(always)]
pub fn triangle_products<S: Unit, const N: usize, const T: usize>(
    simd: S,
    tiles: [&[Lanes]; T],
    rows: [&[Lanes]; N],
    before: usize,
) -> [[Vector<S>; T]; N] {
    let mut sums = [[Vector::splat(simd, 0.0); T]; N];
    for q in 0..before {
        add_quad(simd, tiles, rows, q, &mut sums);
    }
    let factors = quad(rows, before);
    for c in 0..N {
        add_column(simd, column(tiles, QUAD * before + c), &factors, c, c, &mut sums);
    }
    sums
}

/// The q-th quad of entries of each row.
#[inline(always)]
fn quad<const N: usize>(rows: [&[Lanes]; N], q: usize) -> [&[f64; QUAD]; N] {
    let mut places = [&[0.0; QUAD]; N];
    for n in 0..N {
        places[n] = &rows[n][q / 2].as_chunks().0[q % 2];
    }
    places
}

/// One feature of T tiles.
#[inline(always)]
fn column<const T: usize>(tiles: [&[Lanes]; T], j: usize) -> [&Lanes; T] {
    let mut column = [&Lanes::ZERO; T];
    for k in 0..T {
        column[k] = &tiles[k][j];
    }
    column
}

/// Adds the contributions of the q-th four features to all sums.
#[inline(always)]
fn add_quad<S: Unit, const N: usize, const T: usize>(
    simd: S,
    tiles: [&[Lanes]; T],
    rows: [&[Lanes]; N],
    q: usize,
    sums: &mut [[Vector<S>; T]; N],
) {
    let mut four = [&[Lanes::ZERO; QUAD]; T];
    for k in 0..T {
        four[k] = &tiles[k].as_chunks().0[q];
    }
    let factors = quad(rows, q);
    for c in 0..QUAD {
        let mut column = [&Lanes::ZERO; T];
        for k in 0..T {
            column[k] = &four[k][c];
        }
        add_column(simd, column, &factors, c, 0, sums);
    }
}

/// Adds the contribution of feature c of four to the sums from `first` on.
#[inline(always)]
fn add_column<S: Unit, const N: usize, const T: usize>(
    simd: S,
    column: [&Lanes; T],
    factors: &[&[f64; QUAD]; N],
    c: usize,
    first: usize,
    sums: &mut [[Vector<S>; T]; N],
) {
    let mut x = [Vector::splat(simd, 0.0); T];
    for k in 0..T {
        x[k] = Vector::load(simd, column[k]);
    }
    for n in first..N {
        let factor = Vector::splat(simd, factors[n][c]);
        for k in 0..T {
            sums[n][k] = factor.mul_add(x[k], sums[n][k]);
        }
    }
}
