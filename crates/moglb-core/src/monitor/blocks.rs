//! Blocks of rounds, over which slow changes are looked at.

/// The rounds over which shares and medians are taken.
pub const ROUNDS_PER_BLOCK: u64 = 200;

/// So many blocks pass before what is usual at first is called an alarm.
pub const BLOCKS_BEFORE_ALARM: u64 = 5;
