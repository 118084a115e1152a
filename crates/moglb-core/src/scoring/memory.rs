//! Memory for decisions on fresh arms, one for all paths.

use super::columns::Columns;
use super::pruning::Pruning;
use super::scorer::Scorer;
use super::small_front::SmallFront;
use moglb_math::kernel::Lanes;

/// Memory for decisions on fresh arms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scoring {
    /// Filled by the policy before every decision, but for one by `FrontPath::FreshUnrolled`.
    pub scorer: Scorer,
    /// Arms side by side, feature by feature.
    pub(super) tiles: Vec<Lanes>,
    /// ‖x‖_{Z⁻¹} for each Gram matrix and tile.
    pub norms: Vec<Lanes>,
    /// Scores in tiles: of a whole small set, or of the tiles at hand on any path.
    pub small: SmallFront,
    /// Empty unless tables are wanted: the estimates of a small set, then its widths tile by tile; or both of the tiles at
    /// hand.
    pub shown: Vec<Lanes>,
    pub(super) pruning: Pruning,
    pub sparse: Columns,
}

impl Scoring {
    pub fn n_objectives(&self) -> usize {
        self.scorer.objectives().len()
    }
}
