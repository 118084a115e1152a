//! Exact Pareto fronts, suboptimality gaps and quality indicators of any points. The crate needs no bandit.
//!
//! ```
//! let points = moglb_pareto::Matrix::from_rows(&[[1.0, 3.0], [2.0, 2.0], [1.0, 1.0], [3.0, 0.0]])?;
//! let front = moglb_pareto::front(&points)?;
//! assert_eq!(front.arms().iter().map(|arm| arm.0).collect::<Vec<_>>(), [0, 1, 3]);
//! # Ok::<(), moglb_pareto::Error>(())
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
pub use moglb_math::{Error, Matrix, Rows};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
