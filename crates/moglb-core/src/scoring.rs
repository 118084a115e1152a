//! Scores and fronts of arms that are not fixed: steps 10 to 13 of Algorithm 1 from scratch. [`path`] lists
//! the paths for these arms and for fixed ones. A policy chooses the path, `Decision::score_by` does steps
//! 10 and 11, and `Decision::find_scored_front` does step 13. `Decision::find_front` is the filter.
//!
//! Eq. (6) is θ̂ᵢᵀx + √γᵢ·‖x‖_{Z⁻¹}. Widths cost d² per arm, where estimates cost d·m. So most of the work
//! on a large set goes into avoiding widths (`pruning.rs`). The front is that of the exact scores of all
//! arms, bit for bit.

pub mod bounded;
pub mod columns;
pub mod layout;
pub mod memory;
pub mod path;
pub(crate) mod pivots;
mod pruning;
pub mod rows;
pub mod scorer;
pub mod small;
pub(crate) mod small_front;
pub mod sparse;
mod unrolled;

pub use layout::Arms;
pub(crate) use layout::load_tiles;
pub use scorer::Optimism;
pub(crate) use scorer::Scorer;
pub(crate) use unrolled::Shared;
