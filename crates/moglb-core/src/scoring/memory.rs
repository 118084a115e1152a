//! Buffers of decisions on fresh arms, shared by all paths.

use super::columns::Columns;
use super::pruning::Pruning;
use super::scorer::Scorer;
use super::small_front::SmallFront;
use moglb_math::kernel::Lanes;

/// Buffers of decisions on fresh arms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scoring {
    /// Filled by the policy before every decision, except on `FrontPath::FreshUnrolled`.
    pub scorer: Scorer,
    /// Contexts in tiles, feature by feature.
    pub(super) tiles: Vec<Lanes>,
    /// ‖x‖_{Z⁻¹} for each Gram matrix and tile.
    pub norms: Vec<Lanes>,
    /// Scores in tiles: of a whole small set, or of the present tiles on the other paths.
    pub small: SmallFront,
    /// The tables, empty if they are not wanted. For a small set: the estimates, which the widths overwrite
    /// tile by tile. On the other paths: both, for the present tiles.
    pub shown: Vec<Lanes>,
    /// Upper bounds and survivors of large sets.
    pub(super) pruning: Pruning,
    /// Columns of M for sparse contexts.
    pub sparse: Columns,
}

impl Scoring {
    pub fn n_objectives(&self) -> usize {
        self.scorer.objectives().len()
    }

    /// The arms that `bounded.rs` has scored, in the order of their scores.
    pub fn survivors(&self) -> &[usize] {
        &self.pruning.survivors
    }
}
