//! The layout of short contexts in tiles.

use super::{LANES, Lanes, Unit, vectorized};

/// The largest number of features of a short context: the code for these is compiled for each number of
/// features.
pub const MOST_SHORT_FEATURES: usize = 16;

/// Transposes short contexts, which lie end to end, into tiles: eight arms next to each other, feature by
/// feature. Lanes beyond the last arm repeat that arm.
pub fn turn(contexts: &[f64], dim: usize, tiles: &mut [Lanes]) {
    vectorized!(
        { contexts: &'a [f64] = contexts, dim: usize = dim, tiles: &'a mut [Lanes] = tiles },
        (),
        |simd| match dim {
            1 => turn_all::<S, 1>(simd, contexts, tiles),
            2 => turn_all::<S, 2>(simd, contexts, tiles),
            3 => turn_all::<S, 3>(simd, contexts, tiles),
            4 => turn_all::<S, 4>(simd, contexts, tiles),
            5 => turn_all::<S, 5>(simd, contexts, tiles),
            6 => turn_all::<S, 6>(simd, contexts, tiles),
            7 => turn_all::<S, 7>(simd, contexts, tiles),
            8 => turn_all::<S, 8>(simd, contexts, tiles),
            9 => turn_all::<S, 9>(simd, contexts, tiles),
            10 => turn_all::<S, 10>(simd, contexts, tiles),
            11 => turn_all::<S, 11>(simd, contexts, tiles),
            12 => turn_all::<S, 12>(simd, contexts, tiles),
            13 => turn_all::<S, 13>(simd, contexts, tiles),
            14 => turn_all::<S, 14>(simd, contexts, tiles),
            15 => turn_all::<S, 15>(simd, contexts, tiles),
            MOST_SHORT_FEATURES => turn_all::<S, MOST_SHORT_FEATURES>(simd, contexts, tiles),
            _ => unreachable!("contexts of {dim} features are not short"),
        }
    );
}

/// [`turn`] for a number of features D that is known at compile time.
#[inline(always)]
fn turn_all<S: Unit, const D: usize>(simd: S, contexts: &[f64], tiles: &mut [Lanes]) {
    let (eights, rest) = contexts.as_chunks::<D>().0.as_chunks::<LANES>();
    let (whole, last) = tiles.as_chunks_mut::<D>().0.split_at_mut(eights.len());
    for (eight, tile) in eights.iter().zip(whole) {
        turn_eight(
            simd,
            #[inline(always)]
            |lane| &eight[lane],
            tile,
        );
    }
    if let ([.., _], [tile]) = (rest, last) {
        turn_eight(
            simd,
            #[inline(always)]
            |lane| &rest[lane.min(rest.len() - 1)],
            tile,
        );
    }
}

/// Transposes eight contexts into one tile, by eights, fours and pairs of features and a last single one.
#[inline(always)]
fn turn_eight<'a, S: Unit, const D: usize>(
    simd: S,
    context: impl Fn(usize) -> &'a [f64; D],
    tile: &mut [Lanes; D],
) {
    let mut j = 0;
    while j + LANES <= D {
        let mut rows = [&[0.0; LANES]; LANES];
        for lane in 0..LANES {
            rows[lane] = context(lane)[j..].first_chunk().expect("eight features");
        }
        let columns = simd.turn(rows);
        for c in 0..LANES {
            tile[j + c] = Lanes(columns[c]);
        }
        j += LANES;
    }
    while j + 2 <= D {
        let mut rows = [&[0.0; 2]; LANES];
        for lane in 0..LANES {
            rows[lane] = context(lane)[j..].first_chunk().expect("two features");
        }
        let columns = simd.turn_pairs(rows);
        for c in 0..2 {
            tile[j + c] = Lanes(columns[c]);
        }
        j += 2;
    }
    if j < D {
        for lane in 0..LANES {
            tile[j][lane] = context(lane)[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::blocks;

    #[test]
    fn every_feature_of_every_arm_is_in_its_lane() {
        for dim in 1..=MOST_SHORT_FEATURES {
            for n_arms in [1, 2, 7, 8, 9, 16, 19] {
                let contexts: Vec<f64> = (0..n_arms * dim).map(|k| k as f64).collect();
                let mut tiles = vec![Lanes::ZERO; blocks(n_arms) * dim];
                turn(&contexts, dim, &mut tiles);
                for arm in 0..blocks(n_arms) * LANES {
                    for j in 0..dim {
                        let of = arm.min(n_arms - 1);
                        let place = tiles[arm / LANES * dim + j][arm % LANES];
                        assert_eq!(place, contexts[of * dim + j], "arm {arm}, feature {j} of {dim}");
                    }
                }
            }
        }
    }
}
