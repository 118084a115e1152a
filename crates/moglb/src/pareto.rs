//! Pareto order, Pareto front and suboptimality gaps (Definitions 1–3 and 5).
//!
//! Comparisons are exact. A tolerance would break transitivity, and then a front could be empty or contain an
//! arm that another of its arms dominates.

mod arm_front;
mod codes;
mod dominance;
mod effective;
mod filter;
mod forest;
mod gaps;
mod largest;
mod marks;
mod objectives;
mod order;
mod parallel;
mod prefilter;
mod ranked;
mod staircase;
mod sweep;
mod tree;
mod window;

pub use arm_front::Front;
pub use dominance::dominates;
pub(crate) use effective::Effective;
pub use effective::effective_front;
pub use filter::FrontFilter;
pub use gaps::gaps;

use crate::Error;
use crate::matrix::Rows;

/// The rows that no other row dominates (Definition 2), larger is better; equal rows are all kept.
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

pub(crate) fn check_points(what: &'static str, points: Rows<'_>) -> Result<(), Error> {
    if points.n_rows() == 0 || points.n_cols() == 0 {
        return Err(Error::NoPoints { what });
    }
    points.check_finite("a point")
}
