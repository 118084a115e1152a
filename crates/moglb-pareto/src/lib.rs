//! Exact Pareto fronts, suboptimality gaps and quality indicators of any points, of use without bandits.
//!
//! ```
//! let points = moglb_math::Matrix::from_rows(&[[1.0, 3.0], [2.0, 2.0], [1.0, 1.0], [3.0, 0.0]])?;
//! let front = moglb_pareto::front(&points)?;
//! assert_eq!(front.arms().iter().map(|arm| arm.0).collect::<Vec<_>>(), [0, 1, 3]);
//! # Ok::<(), moglb_math::Error>(())
//! ```

#[doc(hidden)]
pub mod arm_id;
#[doc(hidden)]
pub mod front;
#[doc(hidden)]
pub mod indicator;

pub use arm_id::ArmId;
pub use front::{Front, FrontFilter, dominates, effective_front, front, gaps};
pub use indicator::{epsilon_indicator, front_points, hypervolume, jaccard, precision, recall};
