//! Blocks of rounds, over which slow changes are measured.

/// The number of rounds over which shares and medians are computed.
pub const ROUNDS_PER_BLOCK: u64 = 200;

/// The number of blocks before the first alarm: in the first rounds of a run the same values are
/// usual.
pub const BLOCKS_BEFORE_ALARM: u64 = 5;
