//! Tests of two laws: sums have one order, and every unit gives the same bits.

use super::simd::Plain;
use super::*;

/// The unit that every machine has.
const PLAIN: Plain = Plain;

/// A dot product on the widest vector unit of the machine.
fn dispatched_dot(a: &[Lanes], b: &[Lanes]) -> f64 {
    vectorized!({ a: &'a [Lanes] = a, b: &'a [Lanes] = b }, f64, |simd| dot(simd, a, b))
}

#[test]
fn rows_are_turned_into_columns() {
    fn check<S: Unit>(simd: S) {
        let rows: [[f64; LANES]; LANES] =
            std::array::from_fn(|i| std::array::from_fn(|j| (10 * i + j) as f64));
        let columns = simd.turn(rows.each_ref());
        for i in 0..LANES {
            (0..LANES).for_each(|j| assert_eq!(columns[j][i], rows[i][j], "row {i}, place {j}"));
        }
        let pairs = simd.turn_pairs(rows.each_ref().map(|row| row.first_chunk().expect("two")));
        for i in 0..LANES {
            (0..2).for_each(|j| assert_eq!(pairs[j][i], rows[i][j], "row {i}, place {j}"));
        }
    }
    check(PLAIN);
    struct Here;
    impl Job for Here {
        type Output = ();
        fn run<S: Unit>(self, simd: S) {
            check(simd);
        }
    }
    dispatch(Here);
}

#[test]
fn no_lane_reaches_a_limit_or_some_lane_does() {
    fn check<S: Unit>(simd: S) {
        for lane in 0..LANES {
            let mut lanes = Lanes([-1.0; LANES]);
            assert!(Vector::load(simd, &lanes).all_below(0.0));
            lanes[lane] = 0.0;
            assert!(!Vector::load(simd, &lanes).all_below(0.0), "lane {lane}");
            assert_eq!(Vector::load(simd, &lanes).reached(lanes[lane]), 1 << lane);
            assert_eq!(Vector::load(simd, &lanes).reached(-1.0), 0xff);
            assert_eq!(Vector::load(simd, &lanes).largest(), 0.0);
            lanes[lane] = f64::NEG_INFINITY;
            assert!(Vector::load(simd, &lanes).all_below(-0.5));
        }
    }
    check(PLAIN);
    struct Here;
    impl Job for Here {
        type Output = ();
        fn run<S: Unit>(self, simd: S) {
            check(simd);
        }
    }
    dispatch(Here);
}

#[test]
fn a_dot_product_has_one_order_of_summation() {
    // The sum of these values depends on the order; it is pinned so that no rewrite changes the bits.
    let a: Vec<f64> = (0..19).map(|i| 1.0 / f64::from(i * i + 1)).collect();
    let b: Vec<f64> = (0..19).map(|i| f64::from(i) - 7.3).collect();
    let mut lanes = [0.0; 8];
    for i in 0..19 {
        lanes[i % 8] = a[i].mul_add(b[i], lanes[i % 8]);
    }
    let tree =
        ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    assert_eq!(dispatched_dot(&padded(&a), &padded(&b)).to_bits(), tree.to_bits());
    assert_eq!(dot(PLAIN, &padded(&a), &padded(&b)).to_bits(), tree.to_bits());
    assert_eq!(dot(PLAIN, &[], &[]), 0.0);
}

/// The widest vector unit of the machine, several tiles and vectors at once, is compared with one plain sum
/// at a time.
#[test]
fn wider_vectors_give_the_same_bits() {
    let mut rng = crate::draw::seeded(3);
    for (dim, n_tiles, n_vectors) in [(1, 1, 1), (10, 5, 1), (7, 9, 3), (33, 13, 6), (5, 3, 9)] {
        let mut numbers = |n: usize| (0..n).map(|_| crate::draw::normal(&mut rng)).collect::<Vec<f64>>();
        let tiles = padded(&numbers(n_tiles * dim * LANES));
        let factors = numbers(dim * n_vectors);
        let plain = |tile: usize, vector: usize, lane: usize| {
            (0..dim).fold(0.0_f64, |sum, j| {
                factors[j * n_vectors + vector].mul_add(tiles[place(tile, j, n_tiles, dim)][lane], sum)
            })
        };
        let mut panels = Panels::default();
        panels.refill(n_vectors, dim, false, |i, j| factors[j * n_vectors + i]);
        let [wide, narrow] = [true, false].map(|wide| {
            let (mut dots, mut rows) = (Vec::new(), vec![Lanes::ZERO; n_tiles * n_vectors]);
            let work = Products {
                tiles: &tiles,
                dim,
                factors: &factors,
                panels: &panels,
                dots: &mut dots,
                rows: &mut rows,
            };
            if wide {
                dispatch(work)
            } else {
                work.run(PLAIN)
            }
            assert_eq!(dots, rows);
            dots
        });
        assert_eq!(wide, narrow);
        for (at, products) in wide.iter().enumerate() {
            for lane in 0..LANES {
                let plain = plain(at / n_vectors, at % n_vectors, lane);
                assert_eq!(products[lane].to_bits(), plain.to_bits());
            }
        }
        let (a, b) = (padded(&numbers(dim)), padded(&numbers(dim)));
        assert_eq!(dot(PLAIN, &a, &b).to_bits(), dispatched_dot(&a, &b).to_bits());
    }
}

/// A job that computes all products in two ways.
struct Products<'a> {
    tiles: &'a [Lanes],
    dim: usize,
    factors: &'a [f64],
    panels: &'a Panels,
    dots: &'a mut Vec<Lanes>,
    rows: &'a mut [Lanes],
}

impl Job for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Unit>(self, simd: S) {
        let Self { tiles, dim, factors, panels, dots, rows } = self;
        let n_vectors = factors.len() / dim;
        tile_dots(simd, tiles, dim, factors, |_, sums| dots.extend_from_slice(sums));
        let (n_tiles, n) = (tiles.len() / dim, n_vectors);
        let mut groups = tiles.chunks_exact(GROUP * dim);
        for (group, tiles) in groups.by_ref().enumerate() {
            let mut store = |i: usize, sums: [Vector<S>; GROUP]| {
                (0..GROUP).for_each(|k| sums[k].store(&mut rows[(group * GROUP + k) * n + i]));
            };
            panels.multiply(simd, tiles.as_chunks().0, &mut store);
        }
        for (tile, rows) in
            groups.remainder().chunks_exact(dim).zip(rows[n_tiles / GROUP * GROUP * n..].chunks_exact_mut(n))
        {
            panels.multiply(simd, tile.as_chunks().0, |i, [sum]| sum.store(&mut rows[i]));
        }
    }
}

/// Σ aₖ·rowₖ over the rows of a triangular matrix is compared with a sum over all entries.
#[test]
fn combining_skips_only_zeros() {
    for dim in [1, 8, 9, 33, 70] {
        let stride = blocks(dim);
        let mut rows = vec![Lanes::ZERO; dim * stride];
        for i in 0..dim {
            (0..=i).for_each(|j| rows[i * stride + j / LANES][j % LANES] = 1.0 / (i + j + 1) as f64);
        }
        let a: Vec<f64> = (0..dim).map(|k| k as f64 - 3.5).collect();
        let mut out = vec![Lanes::ZERO; stride];
        combine(PLAIN, &rows, &a, |block| block * LANES, &mut out);
        for (j, got) in places(&out).take(dim).enumerate() {
            let plain = (0..dim).fold(0.0_f64, |sum, k| {
                a[k].mul_add(if j <= k { 1.0 / (k + j + 1) as f64 } else { 0.0 }, sum)
            });
            assert_eq!(got, plain, "d = {dim}, place {j}");
        }
    }
}

/// A job for the products of T tiles with N rows in blocks, and with N rows of a triangle that begins after
/// the last whole quad.
struct Quads<'a, const N: usize, const T: usize> {
    tiles: [&'a [Lanes]; T],
    rows: [&'a [Lanes]; N],
}

impl<const N: usize, const T: usize> Job for Quads<'_, N, T> {
    type Output = [[[Lanes; T]; N]; 2];

    #[inline(always)]
    fn run<S: Unit>(self, simd: S) -> Self::Output {
        let before = (self.tiles[0].len() - N) / 4;
        [row_products(simd, self.tiles, self.rows), triangle_products(simd, self.tiles, self.rows, before)]
            .map(|sums| sums.map(|row| row.map(Vector::lanes)))
    }
}

#[test]
fn products_with_rows_in_blocks_are_sums_in_order_on_every_unit() {
    fn check<const N: usize, const T: usize>(dim: usize) {
        let mut next = 0.7_f64;
        let mut number = || {
            next = (next * 97.3 + 0.31).fract();
            next - 0.5
        };
        let tiles: [Vec<Lanes>; T] =
            std::array::from_fn(|_| (0..dim).map(|_| Lanes(std::array::from_fn(|_| number()))).collect());
        let values: [Vec<f64>; N] = std::array::from_fn(|_| (0..dim).map(|_| number()).collect());
        let rows = values.each_ref().map(|row| padded(row));
        let (tiles, rows) = (tiles.each_ref().map(Vec::as_slice), rows.each_ref().map(Vec::as_slice));
        let wide = dispatch(Quads { tiles, rows });
        assert_eq!(wide, Quads { tiles, rows }.run(PLAIN), "d = {dim}, N = {N}, T = {T}");
        let before = (dim - N) / 4 * 4;
        for n in 0..N {
            for k in 0..T {
                for lane in 0..LANES {
                    let sum = |end: usize| {
                        (0..end).fold(0.0, |sum, j| values[n][j].mul_add(tiles[k][j][lane], sum))
                    };
                    assert_eq!(wide[0][n][k][lane].to_bits(), f64::to_bits(sum(dim)));
                    assert_eq!(wide[1][n][k][lane].to_bits(), f64::to_bits(sum(before + n + 1)));
                }
            }
        }
    }
    for dim in [1, 3, 4, 5, 8, 11, 15, 16, 17] {
        check::<1, 1>(dim);
        check::<1, 3>(dim);
        if dim >= 3 {
            check::<2, 2>(dim);
            check::<3, 1>(dim);
        }
        if dim >= 4 {
            check::<4, 3>(dim);
            check::<4, 2>(dim);
        }
    }
}
