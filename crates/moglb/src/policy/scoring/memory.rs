//! Memory for decisions on fresh arms, one for all paths.

use super::columns::Columns;
use super::pruning::Pruning;
use super::scorer::Scorer;
use super::small_front::SmallFront;
use crate::kernel::Lanes;

/// Memory for decisions on fresh arms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scoring {
    /// Filled by the policy before every decision, but for one by `FrontPath::FreshUnrolled`.
    pub(super) scorer: Scorer,
    /// Arms side by side, feature by feature.
    pub(super) tiles: Vec<Lanes>,
    /// ‖x‖_{Z⁻¹} for each Gram matrix and tile.
    pub(super) norms: Vec<Lanes>,
    /// Scores in tiles: of a whole small set, or of the tiles at hand on any path.
    pub(super) small: SmallFront,
    /// Empty unless tables are wanted: the estimates of a small set, then its widths tile by tile; or both of the tiles at
    /// hand.
    pub(super) shown: Vec<Lanes>,
    pub(super) pruning: Pruning,
    pub(super) sparse: Columns,
}

impl Scoring {
    pub(super) fn n_objectives(&self) -> usize {
        self.scorer.objectives().len()
    }
}
