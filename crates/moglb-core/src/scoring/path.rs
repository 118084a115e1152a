//! The ways to compute steps 10 to 13 of Algorithm 1, and the one place that chooses among them. Whether arms count as
//! fixed is decided in `moglb_ucb.rs` (`fixed_for`) and `fixed.rs` (`pay`).
//!
//! Every path but [`FrontPath::EveryArm`], which is step 1, finds the front of the scores of Eq. (6), bit for bit; paths
//! differ in how much they compute. The plain path is [`FrontPath::FreshRows`]: it scores all arms and filters them. Each
//! other path has to pay for itself. Rows are tried from the top, those of fixed arms first:
//!
//! | path | chosen for | scores | front | gain, as measured when it was added |
//! |---|---|---|---|---|
//! | [`EveryArm`](FrontPath::EveryArm) | the first round without a prior | none | all arms, O_1 = X (step 1) | it is the algorithm |
//! | [`FreshSparse`](FrontPath::FreshSparse) | sparse contexts | `sparse.rs` | filter | O(d·nnz) in place of O(d²) for a width |
//! | [`FreshUnrolled`](FrontPath::FreshUnrolled) | ≤ 96 arms, ≤ 16 features, ≤ 5 objectives of one width, no tables, AVX-512 | `unrolled.rs` | `small_front.rs` | 40 arms, d = 10: a decision takes 2/3 of the time of `FreshSmall` |
//! | [`FreshSmall`](FrontPath::FreshSmall) | ≤ 96 arms | `small.rs` | `small_front.rs` | 40 arms, d = 10: 829 to 440 ns a decision |
//! | [`FreshRows`](FrontPath::FreshRows) | tables, or < 256 arms | `rows.rs` | filter | the plain path |
//! | [`FreshBounded`](FrontPath::FreshBounded) | ≥ 256 arms | `bounded.rs`: widths only for arms that may be on the front | filter | 10 000 arms, d = 100: little more than half of the time |
//! | [`FixedSmall`](FrontPath::FixedSmall) | ≤ 96 fixed arms, one Z, f64, < 6 projected estimates | `fixed/small.rs` | `small_front.rs` | 40 arms: 888–984 to 759–817 ns a round |
//! | [`FixedTiles`](FrontPath::FixedTiles) | ≤ 96 fixed arms otherwise | `fixed/sweep.rs`, then `write_scores` in `fixed.rs` | `small_front.rs` | O(Kd) in place of O(Kd²) a round |
//! | [`FixedSweep`](FrontPath::FixedSweep) | > 96 fixed arms | `fixed/sweep.rs` | pivots, then `fixed/exact_front.rs` | O(Kd) in place of O(Kd²) a round |
//! | [`FixedFused`](FrontPath::FixedFused) | > 16 376 fixed arms | `fixed/sweep.rs` on the active set (`fixed/active_set.rs`) | pivots within the sweep, then `fixed/exact_front.rs` | a million arms, f64: 23 to 7 ms a round |
//!
//! Filter means [`FrontFilter`](moglb_pareto::FrontFilter). Three things depend on the scores, so that they cannot be chosen here
//! beforehand: `small_front.rs` leaves scores that are too close to tell apart to the filter or to the exact scores; after
//! a sweep [`needs_filter`] tells whether the survivors are too many to compare one by one; and `fixed/active_set.rs`
//! estimates from a sample whether a survey pays.

use crate::arms::MOST_SMALL_ARMS;
use moglb_math::kernel::{LANES, MOST_SHORT_FEATURES, blocks, is_wide};

/// Sets of at most so many tiles are small.
pub(crate) const SMALL_TILES: usize = MOST_SMALL_ARMS / LANES;

/// The most features and objectives that `unrolled.rs` has code for.
pub(crate) const MOST_FEATURES: usize = MOST_SHORT_FEATURES;
pub(crate) const MOST_OBJECTIVES: usize = 5;

/// The fewest dense arms whose upper bounds are computed before their widths.
const LEAST_BOUNDED_ARMS: usize = 256;

/// From this many tiles on the state of fixed arms leaves the nearer caches: the sweep that moves arms compares them with
/// the pivots, whose scores must then be known beforehand.
const LEAST_FUSED_TILES: usize = 2048;

/// The most vectors that `fixed/small.rs` multiplies a small set with at once: Z⁻¹x and the projected estimates.
pub(crate) const MOST_VECTORS: usize = 6;

/// Above this size of the last front, survivors of a sweep receive their exact scores and the filter finds their front:
/// comparing them one by one with all that are kept would take longer.
const MOST_COMPARED_FRONT: usize = 4096;

/// The most survivors of a sweep that `fixed/exact_front.rs` can sort.
pub(crate) const MOST_SURVIVORS: usize = 1 << 24;

/// How the front of a decision was found. The front does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrontPath {
    /// All arms are the front, because nothing is known yet.
    EveryArm,
    /// A small set of short contexts, scored in registers.
    FreshUnrolled,
    /// A small set, scored in tiles.
    FreshSmall,
    /// Sparse contexts.
    FreshSparse,
    /// All arms are scored, one row for each.
    FreshRows,
    /// Only arms that may be on the front are given widths.
    FreshBounded,
    /// A small fixed set, moved and scored in one go.
    FixedSmall,
    /// A small fixed set with several matrices Z, f32 contexts or many projected estimates.
    FixedTiles,
    /// A fixed set: one sweep moves the cached scores, another rejects most arms.
    FixedSweep,
    /// A large fixed set: one sweep over the active arms does both.
    FixedFused,
}

/// What the choice of a path depends on.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub n_arms: usize,
    pub dim: usize,
    pub n_objectives: usize,
    pub(crate) n_grams: usize,
    /// Whether nothing was learned yet and nothing is believed.
    pub(crate) knows_nothing: bool,
    /// Whether all objectives have the same √γ and Z.
    pub(crate) has_one_width: bool,
    /// Whether the decision wants estimates and widths.
    pub(crate) wants_tables: bool,
    pub(crate) is_sparse: bool,
    /// Whether scores of these arms are cached.
    pub(crate) is_fixed: bool,
    /// Whether fixed contexts are kept in f32.
    pub(crate) is_narrow: bool,
    /// The number of estimates that were projected in the last round, so that their products are computed from nothing.
    pub(crate) n_projected: usize,
}

impl FrontPath {
    /// The path for a set of arms. Always inlined, because a decision on 40 arms takes less than 200 ns.
    #[inline(always)]
    #[doc(hidden)]
    pub fn choose(of: &Shape) -> Self {
        let n_tiles = blocks(of.n_arms);
        let is_small = n_tiles <= SMALL_TILES;
        let is_short = of.dim <= MOST_FEATURES && of.n_objectives <= MOST_OBJECTIVES;
        match of {
            _ if of.knows_nothing => FrontPath::EveryArm,
            Shape { is_fixed: true, .. } => match () {
                () if n_tiles >= LEAST_FUSED_TILES => FrontPath::FixedFused,
                () if !is_small => FrontPath::FixedSweep,
                () if of.n_grams == 1 && !of.is_narrow && of.n_projected < MOST_VECTORS => {
                    FrontPath::FixedSmall
                }
                () => FrontPath::FixedTiles,
            },
            Shape { is_sparse: true, .. } => FrontPath::FreshSparse,
            _ if is_small && is_short && of.has_one_width && !of.wants_tables && is_wide() => {
                FrontPath::FreshUnrolled
            }
            _ if is_small => FrontPath::FreshSmall,
            _ if of.wants_tables || of.n_arms < LEAST_BOUNDED_ARMS => FrontPath::FreshRows,
            _ => FrontPath::FreshBounded,
        }
    }

    /// A stable name, for tests and benchmarks.
    pub fn name(self) -> &'static str {
        match self {
            FrontPath::EveryArm => "every-arm",
            FrontPath::FreshUnrolled => "fresh-unrolled",
            FrontPath::FreshSmall => "fresh-small",
            FrontPath::FreshSparse => "fresh-sparse",
            FrontPath::FreshRows => "fresh-rows",
            FrontPath::FreshBounded => "fresh-bounded",
            FrontPath::FixedSmall => "fixed-small",
            FrontPath::FixedTiles => "fixed-tiles",
            FrontPath::FixedSweep => "fixed-sweep",
            FrontPath::FixedFused => "fixed-fused",
        }
    }
}

/// Whether the filter finds the front of the survivors of a sweep: the last front is too large to compare survivors with
/// it one by one, or they are too many to sort.
pub(crate) fn needs_filter(last_front: usize, survivors: usize) -> bool {
    last_front > MOST_COMPARED_FRONT || survivors > MOST_SURVIVORS
}
