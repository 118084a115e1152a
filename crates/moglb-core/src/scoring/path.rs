//! The paths through steps 10 to 13 of Algorithm 1, and the one place that chooses among them.
//! `moglb_ucb.rs` (`fixed_for`) and `fixed.rs` (`pay`) decide if arms count as fixed.
//!
//! Every path except [`FrontPath::EveryArm`], which is step 1, finds the front of the scores of Eq. (6),
//! bit for bit. Paths differ in the amount of computation. The plain path is [`FrontPath::FreshRows`]: it
//! scores all arms and filters them. Each other path must save time.
//!
//! The list gives the paths in the order in which they are tried, but those of fixed arms are tried right
//! after `EveryArm`. Each entry gives the arms, the place of the scores, the search for the front, and the
//! gain as measured when the path was added. Filter means [`FrontFilter`](moglb_pareto::FrontFilter).
//!
//! - [`EveryArm`](FrontPath::EveryArm): the first round without a prior. No scores; the front is all arms,
//!   O_1 = X (step 1). This is the algorithm, not a gain.
//! - [`FreshSparse`](FrontPath::FreshSparse): sparse contexts. Scores in `sparse.rs`, then the filter. A
//!   width costs O(d·nnz) instead of O(d²).
//! - [`FreshUnrolled`](FrontPath::FreshUnrolled): ≤ 96 arms, ≤ 16 features, ≤ 5 objectives of one width, no
//!   tables, AVX-512. Scores in `unrolled.rs`, front in `small_front.rs`. 40 arms, d = 10: a decision takes
//!   2/3 of the time of `FreshSmall`.
//! - [`FreshSmall`](FrontPath::FreshSmall): ≤ 96 arms. Scores in `small.rs`, front in `small_front.rs`. 40
//!   arms, d = 10: 829 to 440 ns a decision.
//! - [`FreshRows`](FrontPath::FreshRows): tables, or < 256 arms. Scores in `rows.rs`, then the filter. The
//!   plain path.
//! - [`FreshBounded`](FrontPath::FreshBounded): ≥ 256 arms. Scores in `bounded.rs`, with widths only for
//!   arms that may be on the front, then the filter. 10 000 arms, d = 100: little more than half of the
//!   time.
//! - [`FixedSmall`](FrontPath::FixedSmall): ≤ 96 fixed arms, one Z, f64, < 6 projected estimates. Scores in
//!   `fixed/small.rs`, front in `small_front.rs`. 40 arms: 888–984 to 759–817 ns a round.
//! - [`FixedTiles`](FrontPath::FixedTiles): other sets of ≤ 96 fixed arms. Scores in `fixed/sweep.rs`, then
//!   `write_scores` in `fixed.rs`, front in `small_front.rs`. O(Kd) instead of O(Kd²) a round.
//! - [`FixedSweep`](FrontPath::FixedSweep): > 96 fixed arms. Scores in `fixed/sweep.rs`; pivots, then
//!   `fixed/exact_front.rs`. O(Kd) instead of O(Kd²) a round.
//! - [`FixedFused`](FrontPath::FixedFused): > 16 376 fixed arms. Scores in `fixed/sweep.rs` on the active
//!   set (`fixed/active_set.rs`); pivots within the sweep, then `fixed/exact_front.rs`. A million arms,
//!   f64: 23 to 7 ms a round.
//!
//! Three choices depend on the scores, so they cannot be made here beforehand. `small_front.rs` leaves
//! scores that are too close to tell apart to the filter or to the exact scores. After a sweep,
//! [`needs_filter`] decides if the survivors are too many to compare one by one. `fixed/active_set.rs`
//! estimates from a sample if a survey pays.

use crate::arms::MOST_SMALL_ARMS;
use moglb_math::kernel::{LANES, MOST_SHORT_FEATURES, blocks, is_wide};

/// Largest number of tiles of a small set.
pub(crate) const SMALL_TILES: usize = MOST_SMALL_ARMS / LANES;

/// The most features and objectives that `unrolled.rs` has code for.
pub(crate) const MOST_FEATURES: usize = MOST_SHORT_FEATURES;
pub(crate) const MOST_OBJECTIVES: usize = 5;

/// The fewest dense arms whose upper bounds are computed before their widths.
const LEAST_BOUNDED_ARMS: usize = 256;

/// From this many tiles on, the cached terms of fixed arms leave the nearer caches. Then the sweep that
/// updates the arms also compares them with the pivots, whose scores must be known beforehand.
const LEAST_FUSED_TILES: usize = 2048;

/// The most vectors by which `fixed/small.rs` multiplies a small set at once: Z⁻¹x and the projected
/// estimates.
pub(crate) const MOST_VECTORS: usize = 6;

/// If the last front was larger than this, the survivors of a sweep get their exact scores and the filter
/// finds their front. Comparing them one by one with all kept arms would take longer.
const MOST_COMPARED_FRONT: usize = 4096;

/// The most survivors of a sweep that `fixed/exact_front.rs` can sort.
pub(crate) const MOST_SURVIVORS: usize = 1 << 24;

/// The path by which the front of a decision was found. The front does not depend on it.
///
/// Example: [`Decision`].
///
/// [`Decision`]: crate::Decision
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
    /// Only arms that may be on the front get their widths.
    FreshBounded,
    /// A small fixed set: one pass updates the cached terms and computes the scores.
    FixedSmall,
    /// A small fixed set with several matrices Z, f32 contexts or many projected estimates.
    FixedTiles,
    /// A fixed set: one sweep updates the cached terms, another rejects most arms.
    FixedSweep,
    /// A large fixed set: one sweep over the active arms does both.
    FixedFused,
}

/// The inputs of the choice of a path.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub n_arms: usize,
    pub dim: usize,
    pub n_objectives: usize,
    pub(crate) n_grams: usize,
    /// True if nothing was learned yet and there is no prior.
    pub(crate) knows_nothing: bool,
    /// True if all objectives have the same √γ and Z.
    pub(crate) has_one_width: bool,
    /// True if the decision needs estimates and widths.
    pub(crate) wants_tables: bool,
    pub(crate) is_sparse: bool,
    /// True if the scores of these arms are cached.
    pub(crate) is_fixed: bool,
    /// True if fixed contexts are stored in f32.
    pub(crate) is_narrow: bool,
    /// The number of estimates that were projected in the last round. Their products are computed from
    /// scratch.
    pub(crate) n_projected: usize,
}

impl FrontPath {
    /// Returns the path for a set of arms. Always inlined, because a decision on 40 arms takes less than
    /// 200 ns.
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

    /// Returns a stable name, for tests and benchmarks.
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

/// True if the filter finds the front of the survivors of a sweep: the last front is too large for
/// one-by-one comparisons, or the survivors are too many to sort.
pub(crate) fn needs_filter(last_front: usize, survivors: usize) -> bool {
    last_front > MOST_COMPARED_FRONT || survivors > MOST_SURVIVORS
}
