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

/// aᵀb: lane j sums the entries j, j + 8, …; then the lanes are added as a tree.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let mut lanes = [0.0; LANES];
    let (mut a8, mut b8) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (a, b) in a8.by_ref().zip(b8.by_ref()) {
        for j in 0..LANES {
            lanes[j] += a[j] * b[j];
        }
    }
    for ((lane, a), b) in lanes.iter_mut().zip(a8.remainder()).zip(b8.remainder()) {
        *lane += a * b;
    }
    let [l0, l1, l2, l3, l4, l5, l6, l7] = lanes;
    ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))
}

/// ‖a‖.
#[inline]
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// y ← y + a·x.
#[inline]
pub(crate) fn axpy(y: &mut [f64], a: f64, x: &[f64]) {
    debug_assert_eq!(y.len(), x.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// y ← a·y.
#[inline]
pub(crate) fn scale(y: &mut [f64], a: f64) {
    y.iter_mut().for_each(|y| *y *= a);
}

/// Rotates the pairs (p, q): p ← c·p + s·q, q ← c·q − s·p.
#[inline]
pub(crate) fn rotate(c: f64, s: f64, p: &mut [f64], q: &mut [f64]) {
    debug_assert_eq!(p.len(), q.len());
    for (p, q) in p.iter_mut().zip(q) {
        let (old_p, old_q) = (*p, *q);
        *p = c * old_p + s * old_q;
        *q = c * old_q - s * old_p;
    }
}

/// θᵀx for the arms of a tile; `tile[j]` holds feature j of each arm.
#[inline]
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

/// ‖L⁻¹x‖² for the arms of a tile, by forward substitution.
///
/// `rows` holds the rows of the lower factor end to end (1, 2, …, d entries), each ending with the *inverse* of its
/// diagonal entry; `solved` is scratch of d tiles.
#[inline]
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
}
