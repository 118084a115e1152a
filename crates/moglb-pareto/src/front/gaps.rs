//! Suboptimality gaps (Definition 3).

use super::arm_front::Front;
use super::front;
use super::objectives::for_objectives;
use super::window::RowWindow;
use crate::ArmId;
use moglb_math::Error;
use moglb_math::matrix::Rows;

/// Returns the Pareto suboptimality gap of each row (Definition 3), in closed form:
///
/// ```text
/// Δx = max(0, max over x' of minᵢ (μ_x'ⁱ − μ_xⁱ))
/// ```
///
/// It is enough that x' runs over the front: the dominator of a dominated x' is at least as large in every
/// coordinate. A row that is dominated but equal to its dominator in some coordinate has gap 0 although it is
/// off the front.
///
/// # Errors
///
/// [`Error::NoPoints`] or [`Error::NotFinite`].
pub fn gaps<'a>(means: impl Into<Rows<'a>>) -> Result<Vec<f64>, Error> {
    let means = means.into();
    let front = front(means)?;
    let mut window = RowWindow::default();
    window.clear(means.n_cols());
    front.iter().for_each(|arm| window.push(means.row(arm.0)));
    Ok(pulp::Arch::new().dispatch(GapsOfRows { means, front: &front, window: &window }))
}

/// Computes the gaps of all rows on a vector unit.
struct GapsOfRows<'a> {
    means: Rows<'a>,
    front: &'a Front,
    /// The rows on the front.
    window: &'a RowWindow,
}

impl pulp::WithSimd for GapsOfRows<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> Vec<f64> {
        for_objectives!(self.means.n_cols(), self.run(simd))
    }
}

impl GapsOfRows<'_> {
    #[inline(always)]
    fn run<const M: usize, S: pulp::Simd>(self, simd: S) -> Vec<f64> {
        let mut gaps = vec![0.0; self.means.n_rows()];
        let mut on_front = self.front.iter().peekable();
        for (index, row) in self.means.rows().enumerate() {
            // No row leads a row of the front in all objectives, so its gap is 0.
            if on_front.next_if_eq(&ArmId(index)).is_none() {
                gaps[index] = self.window.lead::<M, S>(simd, row);
            }
        }
        gaps
    }
}
