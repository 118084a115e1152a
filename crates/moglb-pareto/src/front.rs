//! Pareto order, Pareto front and suboptimality gaps (Definitions 1–3 and 5).
//!
//! Comparisons are exact. A tolerance would break transitivity: a front could then be empty, or contain an
//! arm that another of its arms dominates.

mod arm_front;
mod codes;
pub mod dominance;
pub mod effective;
pub mod filter;
mod forest;
pub mod gaps;
pub mod largest;
pub mod marks;
pub mod objectives;
pub mod order;
pub mod parallel;
mod prefilter;
mod ranked;
mod staircase;
pub mod sweep;
pub mod tree;
pub mod window;

pub use arm_front::Front;
pub use dominance::dominates;
pub use effective::Effective;
pub use effective::effective_front;
pub use filter::FrontFilter;
pub use gaps::gaps;

use moglb_math::Error;
use moglb_math::matrix::Rows;

/// Returns the rows that no other row dominates (Definition 2). Larger is better, and equal rows are all
/// kept.
///
/// ```
/// use moglb::{front, ArmId, Matrix};
/// let points = Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.0, 0.5], [0.0, 1.0]])?;
/// assert_eq!(front(&points)?.arms(), [ArmId(0), ArmId(1), ArmId(3)]);
/// # Ok::<(), moglb::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::NoPoints`] or [`Error::NotFinite`].
pub fn front<'a>(points: impl Into<Rows<'a>>) -> Result<Front, Error> {
    let mut front = Front::default();
    FrontFilter::new().filter(points, &mut front)?;
    Ok(front)
}

/// Rejects a table without rows or columns, NaN and infinities. `what` names the function in the message.
pub(crate) fn check_points(what: &'static str, points: Rows<'_>) -> Result<(), Error> {
    if points.n_rows() == 0 || points.n_cols() == 0 {
        return Err(Error::NoPoints { what });
    }
    points.check_finite("a point")
}
