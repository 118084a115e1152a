//! The few loops everything else is made of.
//!
//! Bits are a promise: sums run over a fixed number of lanes in a fixed order whatever the machine's vector width,
//! and a product is rounded before it is added, so that a compiler may vectorize but not change a result. (Rust
//! never contracts a·b + c into a fused operation by itself.)
//!
//! Written by hand for that reason; `nalgebra` is the independent opinion in the tests.

/// Lanes of a sum, and arms in a tile.
pub(crate) const LANES: usize = 8;

/// One value for each arm of a tile.
pub(crate) type Lanes = [f64; LANES];

/// Runs a computation compiled for the widest vector unit of the machine. Lanes and order are written out in it, so
/// the result has the same bits on all of them.
#[inline]
pub(crate) fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// aᵀb: lane j sums the entries j, j + 8, …; then the lanes are added as a tree.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let mut lanes = [0.0; LANES];
    let (a8, b8) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let (a_rest, b_rest) = (a8.remainder(), b8.remainder());
    for (a, b) in a8.zip(b8) {
        for j in 0..LANES {
            lanes[j] += a[j] * b[j];
        }
    }
    for ((lane, a), b) in lanes.iter_mut().zip(a_rest).zip(b_rest) {
        *lane += a * b;
    }
    let quarter: [f64; 4] = std::array::from_fn(|j| lanes[j] + lanes[j + 4]);
    let half: [f64; 2] = std::array::from_fn(|j| quarter[j] + quarter[j + 2]);
    half[0] + half[1]
}

/// ‖a‖.
#[inline(always)]
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// y ← y + a·x.
#[inline(always)]
pub(crate) fn axpy(y: &mut [f64], a: f64, x: &[f64]) {
    debug_assert_eq!(y.len(), x.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// y ← a·y.
#[inline(always)]
pub(crate) fn scale(y: &mut [f64], a: f64) {
    y.iter_mut().for_each(|y| *y *= a);
}

/// Rotates the pairs (p, q): p ← c·p + s·q, q ← c·q − s·p.
#[inline(always)]
pub(crate) fn rotate(c: f64, s: f64, p: &mut [f64], q: &mut [f64]) {
    debug_assert_eq!(p.len(), q.len());
    for (p, q) in p.iter_mut().zip(q) {
        let (old_p, old_q) = (*p, *q);
        *p = c * old_p + s * old_q;
        *q = c * old_q - s * old_p;
    }
}

/// θᵀx for the arms of a tile; `tile[j]` holds feature j of each arm.
#[inline(always)]
pub(crate) fn tile_dot(tile: &[Lanes], theta: &[f64]) -> Lanes {
    debug_assert_eq!(tile.len(), theta.len());
    let mut sum = [0.0; LANES];
    for (x, theta) in tile.iter().zip(theta) {
        for lane in 0..LANES {
            sum[lane] += theta * x[lane];
        }
    }
    sum
}

/// The products of every tile with some vectors, handed to `each` tile by tile.
///
/// `factors` holds the vectors feature by feature. Several tiles are in flight at once, since one sum alone would wait
/// for its own additions; each product has the bits of [`tile_dot`].
pub(crate) fn tile_dots(tiles: &[Lanes], dim: usize, factors: &[f64], each: impl FnMut(usize, &[Lanes])) {
    vectorized(
        #[inline(always)]
        || match factors.len() / dim {
            1 => blocks_of_tiles::<1, 4>(tiles, dim, factors, each),
            2 => blocks_of_tiles::<2, 4>(tiles, dim, factors, each),
            3 => blocks_of_tiles::<3, 4>(tiles, dim, factors, each),
            4 => blocks_of_tiles::<4, 2>(tiles, dim, factors, each),
            5 => blocks_of_tiles::<5, 2>(tiles, dim, factors, each),
            6 => blocks_of_tiles::<6, 2>(tiles, dim, factors, each),
            n => many_products(n, tiles, dim, factors, each),
        },
    );
}

/// N vectors with T tiles at a time.
#[inline(always)]
fn blocks_of_tiles<const N: usize, const T: usize>(
    tiles: &[Lanes],
    dim: usize,
    factors: &[f64],
    mut each: impl FnMut(usize, &[Lanes]),
) {
    let mut blocks = tiles.chunks_exact(T * dim);
    for (block, tiles) in blocks.by_ref().enumerate() {
        let sums = products::<N, T>(tiles, dim, factors);
        for (k, sums) in sums.iter().enumerate() {
            each(block * T + k, sums);
        }
    }
    let done = tiles.len() / (T * dim) * T;
    for (k, tile) in blocks.remainder().chunks_exact(dim).enumerate() {
        each(done + k, &products::<N, 1>(tile, dim, factors)[0]);
    }
}

#[inline(always)]
fn products<const N: usize, const T: usize>(tiles: &[Lanes], dim: usize, factors: &[f64]) -> [[Lanes; N]; T] {
    let mut sums = [[[0.0; LANES]; N]; T];
    let tiles: [&[Lanes]; T] = std::array::from_fn(|k| &tiles[k * dim..][..dim]);
    let factors = &factors.as_chunks::<N>().0[..dim];
    for j in 0..dim {
        for k in 0..T {
            for n in 0..N {
                for lane in 0..LANES {
                    sums[k][n][lane] += factors[j][n] * tiles[k][j][lane];
                }
            }
        }
    }
    sums
}

/// Any number of vectors, one after the other.
fn many_products(
    n: usize,
    tiles: &[Lanes],
    dim: usize,
    factors: &[f64],
    mut each: impl FnMut(usize, &[Lanes]),
) {
    let mut sums = vec![[0.0; LANES]; n];
    for (k, tile) in tiles.chunks_exact(dim).enumerate() {
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = [0.0; LANES];
            for (x, factor) in tile.iter().zip(factors[i..].iter().step_by(n)) {
                for lane in 0..LANES {
                    sum[lane] += factor * x[lane];
                }
            }
        }
        each(k, &sums);
    }
}

/// ‖L⁻¹x‖² for the arms of a tile, by forward substitution.
///
/// `rows` holds the rows of the lower factor end to end (1, 2, …, d entries), each ending with the *inverse* of its
/// diagonal entry; `solved` is scratch of d tiles.
#[inline(always)]
pub(crate) fn tile_squared_norm(tile: &[Lanes], rows: &[f64], solved: &mut [Lanes]) -> Lanes {
    let mut total = [0.0; LANES];
    let mut start = 0;
    for (i, x) in tile.iter().enumerate() {
        let row = &rows[start..start + i + 1];
        start += i + 1;
        let mut rest = *x;
        for (l, y) in row[..i].iter().zip(&solved[..i]) {
            for lane in 0..LANES {
                rest[lane] -= l * y[lane];
            }
        }
        for lane in 0..LANES {
            rest[lane] *= row[i];
            total[lane] += rest[lane] * rest[lane];
        }
        solved[i] = rest;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_product_has_one_order_of_summation() {
        // Values whose sum depends on the order: pinned so that no rewrite changes the bits.
        let a: Vec<f64> = (0..19).map(|i| 1.0 / f64::from(i * i + 1)).collect();
        let b: Vec<f64> = (0..19).map(|i| f64::from(i) - 7.3).collect();
        let mut lanes = [0.0; 8];
        for i in 0..19 {
            lanes[i % 8] += a[i] * b[i];
        }
        let tree =
            ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        assert_eq!(dot(&a, &b).to_bits(), tree.to_bits());
        assert_eq!(dot(&[], &[]), 0.0);
    }

    #[test]
    fn a_rotation_keeps_lengths() {
        let (mut p, mut q) = ([3.0, 1.0], [4.0, 2.0]);
        rotate(0.6, 0.8, &mut p, &mut q);
        assert!((p[0] - 5.0).abs() < 1e-15 && q[0].abs() < 1e-15);
        assert!((p[1] * p[1] + q[1] * q[1] - 5.0).abs() < 1e-14);
    }

    /// The widest vector unit of the machine against the one every machine has.
    #[test]
    fn wider_vectors_give_the_same_bits() {
        let mut rng = crate::draw::seeded(3);
        for (dim, n_tiles, n_vectors) in [(1, 1, 1), (10, 5, 1), (7, 9, 3), (33, 13, 6), (5, 3, 9)] {
            let mut numbers = |n: usize| (0..n).map(|_| crate::draw::normal(&mut rng)).collect::<Vec<f64>>();
            let tiles: Vec<Lanes> = numbers(n_tiles * dim * LANES).as_chunks::<LANES>().0.to_vec();
            let factors = numbers(dim * n_vectors);
            let mut got = vec![Vec::new(); n_tiles];
            tile_dots(&tiles, dim, &factors, |tile, products| got[tile] = products.to_vec());
            for (tile, products) in tiles.chunks_exact(dim).zip(&got) {
                for (k, product) in products.iter().enumerate() {
                    let vector: Vec<f64> = factors[k..].iter().step_by(n_vectors).copied().collect();
                    assert_eq!(tile_dot(tile, &vector).map(f64::to_bits), product.map(f64::to_bits));
                    assert_eq!(vectorized(|| tile_dot(tile, &vector)), *product);
                }
            }
            let (a, b) = (numbers(dim), numbers(dim));
            assert_eq!(dot(&a, &b).to_bits(), vectorized(|| dot(&a, &b)).to_bits());
        }
    }
}
