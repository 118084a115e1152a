//! Blocks of eight numbers in a cache line, of which all vectors and tiles are made.

use std::ops::{Deref, DerefMut};

/// The number of lanes of a sum, and of arms in a tile.
pub const LANES: usize = 8;

/// Eight numbers in a cache line: one value for each arm of a tile, or eight entries of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(align(64))]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    pub const ZERO: Self = Self([0.0; LANES]);
}

impl Deref for Lanes {
    type Target = [f64; LANES];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Lanes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
