//! The few loops that everything else is made of.
//!
//! Bits are a promise: sums run over a fixed number of lanes in a fixed order whatever the machine's vector
//! width, and a product that is added to a sum is rounded once on every machine (fused in hardware since
//! 2013, in software before that). So the vector unit may be chosen when the program runs, and the results
//! stay the same.
//!
//! The loops are written by hand for that reason; the tests compare them with `nalgebra`. The vectors are
//! explicit, since a compiler does not always find them; `pulp` detects the machine.

pub mod lanes;
pub mod simd;
mod small_products;
pub mod tiles;
pub mod transpose;

#[cfg(test)]
mod tests;

pub use lanes::{LANES, Lanes};
pub use simd::{Job, Unit, Vector, dispatch, is_wide, vectorized, widened};
pub use small_products::{for_few, row_products, some_tiles, triangle_products};
pub use tiles::{AHEAD, GROUP, Narrow, Panels, Tile, fetch_ahead, place, tile_dots};
pub use transpose::{MOST_SHORT_FEATURES, turn};

/// The number of blocks that hold `dim` entries.
pub const fn blocks(dim: usize) -> usize {
    dim.div_ceil(LANES)
}

/// Returns a vector in blocks, filled up with zeros.
pub fn padded(values: &[f64]) -> Vec<Lanes> {
    let mut vector = vec![Lanes::ZERO; blocks(values.len())];
    fill(&mut vector, values);
    vector
}

/// Writes the first entries of a vector in blocks; the padding is not written.
#[inline(always)]
pub fn fill(vector: &mut [Lanes], values: &[f64]) {
    for (block, values) in vector.iter_mut().zip(values.chunks(LANES)) {
        block[..values.len()].copy_from_slice(values);
    }
}

/// The entries of a vector in blocks, in order, padding included.
pub fn places(vector: &[Lanes]) -> impl Iterator<Item = f64> + Clone + '_ {
    (0..vector.len() * LANES).map(|j| vector[j / LANES][j % LANES])
}

/// The norm ‖a‖ of a slice of any length. Lane j sums the entries j, j + 8, …, without fused operations, so
/// that it may be called outside of [`dispatch`].
pub fn norm(a: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for a in a.chunks(LANES) {
        for (lane, a) in lanes.iter_mut().zip(a) {
            *lane += a * a;
        }
    }
    root_of_sum(lanes)
}

/// The norm of a sparse vector, with the bits of [`norm`].
pub fn sparse_norm(columns: &[usize], values: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (column, a) in columns.iter().zip(values) {
        lanes[column % LANES] += a * a;
    }
    root_of_sum(lanes)
}

/// The square root of the sum of all lanes, added as a tree.
fn root_of_sum(lanes: [f64; LANES]) -> f64 {
    let quarter: [f64; 4] = std::array::from_fn(|j| lanes[j] + lanes[j + 4]);
    let half: [f64; 2] = std::array::from_fn(|j| quarter[j] + quarter[j + 2]);
    (half[0] + half[1]).sqrt()
}

/// The dot product aᵀb. Lane j sums the entries j, j + 8, …; then the lanes are added as a tree.
#[inline(always)]
pub fn dot<S: Unit>(simd: S, a: &[Lanes], b: &[Lanes]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let mut sum = Vector::splat(simd, 0.0);
    for (a, b) in a.iter().zip(b) {
        sum = Vector::load(simd, a).mul_add(Vector::load(simd, b), sum);
    }
    sum.sum()
}

/// The dot products rᵀx of N rows at once, each with the bits of [`dot`].
#[inline(always)]
pub(crate) fn dots<S: Unit, const N: usize>(simd: S, rows: [&[Lanes]; N], x: &[Lanes]) -> [f64; N] {
    let mut sums = [Vector::splat(simd, 0.0); N];
    for j in 0..x.len() {
        let x = Vector::load(simd, &x[j]);
        for n in 0..N {
            sums[n] = Vector::load(simd, &rows[n][j]).mul_add(x, sums[n]);
        }
    }
    let mut totals = [0.0; N];
    for n in 0..N {
        totals[n] = sums[n].sum();
    }
    totals
}

/// y ← y + a·x.
#[inline(always)]
pub fn axpy<S: Unit>(simd: S, y: &mut [Lanes], a: f64, x: &[Lanes]) {
    debug_assert_eq!(y.len(), x.len());
    let a = Vector::splat(simd, a);
    for (y, x) in y.iter_mut().zip(x) {
        a.mul_add(Vector::load(simd, x), Vector::load(simd, y)).store(y);
    }
}

/// y ← a·y.
#[inline(always)]
pub fn scale<S: Unit>(simd: S, y: &mut [Lanes], a: f64) {
    let a = Vector::splat(simd, a);
    for y in y {
        a.mul(Vector::load(simd, y)).store(y);
    }
}

/// Writes Σ aₖ·rowₖ into `out`, for rows of `out.len()` blocks each. `first` maps a block to the first row
/// where it is not zero. The sums of a few blocks stay in registers during the pass over the rows.
#[inline(always)]
pub fn combine<S: Unit>(
    simd: S,
    rows: &[Lanes],
    a: &[f64],
    first: impl Fn(usize) -> usize,
    out: &mut [Lanes],
) {
    let mut start = 0;
    while start < out.len() {
        let row = first(start);
        start += match out.len() - start {
            1 => combine_blocks::<S, 1>(simd, rows, a, row, start, out),
            2 => combine_blocks::<S, 2>(simd, rows, a, row, start, out),
            3 => combine_blocks::<S, 3>(simd, rows, a, row, start, out),
            _ => combine_blocks::<S, 4>(simd, rows, a, row, start, out),
        };
    }
}

/// [`combine`] for the N blocks from `start` on. Returns N.
#[inline(always)]
fn combine_blocks<S: Unit, const N: usize>(
    simd: S,
    rows: &[Lanes],
    a: &[f64],
    first: usize,
    start: usize,
    out: &mut [Lanes],
) -> usize {
    let mut sums = [Vector::splat(simd, 0.0); N];
    for (row, a) in rows.chunks_exact(out.len()).zip(a).skip(first) {
        let row: &[Lanes; N] = row[start..start + N].try_into().expect("N blocks");
        let a = Vector::splat(simd, *a);
        for n in 0..N {
            sums[n] = a.mul_add(Vector::load(simd, &row[n]), sums[n]);
        }
    }
    for n in 0..N {
        sums[n].store(&mut out[start + n]);
    }
    N
}
