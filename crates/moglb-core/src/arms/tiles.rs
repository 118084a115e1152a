//! Tiles of small arm sets, from which decisions read their contexts.

use moglb_math::kernel::{LANES, Lanes, MOST_SHORT_FEATURES, blocks, turn};

/// The largest number of arms of a small set. Measured on fixed arms with an older, slower search for the
/// front of small sets, whole rounds at d = 10, m = 5, as a small set and as others: 0.85 and 1.13 µs for
/// 40 arms, 1.12 and 1.29 for 80, 1.49 and 1.50 for 128, 3.1 and 2.7 for 256.
pub(crate) const MOST_SMALL_ARMS: usize = 12 * LANES;

/// Eight arms in each tile, feature by feature; empty if they were not laid out. Lanes beyond the last arm
/// repeat it.
#[derive(Clone, Default)]
pub(super) struct Tiles(Vec<Lanes>);

impl Tiles {
    /// Lays out a small set of short contexts; other sets get no tiles. A single tile gets none either:
    /// laying it out later takes less time than allocating it.
    pub(super) fn of_few(dim: usize, contexts: &[f64]) -> Self {
        let n_arms = contexts.len() / dim;
        if dim > MOST_SHORT_FEATURES || !(LANES + 1..=MOST_SMALL_ARMS).contains(&n_arms) {
            return Self::default();
        }
        let mut tiles = vec![Lanes::ZERO; blocks(n_arms) * dim];
        turn(contexts, dim, &mut tiles);
        Self(tiles)
    }

    /// Returns the tiles, if there are any.
    #[inline(always)]
    pub fn get(&self) -> Option<&[Lanes]> {
        (!self.0.is_empty()).then_some(&self.0)
    }
}

/// Tiles follow from the contexts, so they do not count.
impl PartialEq for Tiles {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Tiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}
