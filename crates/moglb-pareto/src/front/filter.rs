//! The choice of an algorithm for a front, by size and number of objectives.

use super::largest::mark_largest;
use super::marks::Marks;
use super::objectives::for_objectives;
use super::prefilter::Sieve;
use super::ranked::Ranked;
use super::sweep::FrontSweep;
use super::window::RowWindow;
use crate::{ArmId, Front};
use moglb_math::Error;
use moglb_math::matrix::Rows;
use pulp::{Arch, Simd, WithSimd};

/// Up to this many rows, each is compared with all, which beats any preparation.
const MOST_COMPARED_ROWS: usize = 64;

/// A finder of fronts for many calls. It keeps its memory between calls, so that a second call of the same
/// size does not allocate.
///
/// ```
/// use moglb::{ArmId, Front, FrontFilter, Matrix};
/// let (mut filter, mut front) = (FrontFilter::new(), Front::default());
/// filter.filter(&Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.0, 0.5]])?, &mut front)?;
/// assert_eq!(front.arms(), [ArmId(0), ArmId(1)]);
/// filter.filter(&Matrix::from_rows(&[[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])?, &mut front)?;
/// assert_eq!(front.arms(), [ArmId(1)]);
/// # Ok::<(), moglb::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct FrontFilter {
    window: RowWindow,
    sieve: Sieve,
    candidates: Vec<usize>,
    sweep: FrontSweep,
    ranked: Ranked,
    on_front: Marks,
}

impl FrontFilter {
    /// Returns a filter that has not allocated yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets `front` to the rows that no other row dominates (Definition 2). Larger is better, and equal rows
    /// are all kept.
    ///
    /// # Errors
    ///
    /// [`Error::NoPoints`] or [`Error::NotFinite`]; the front is then unchanged.
    pub fn filter<'a>(&mut self, points: impl Into<Rows<'a>>, front: &mut Front) -> Result<(), Error> {
        let points = points.into();
        if points.n_rows() == 0 || points.n_cols() == 0 {
            return Err(Error::NoPoints { what: "a front" });
        }
        if points.n_rows() <= MOST_COMPARED_ROWS {
            points.check_finite("a point")?;
            self.all_with_all(points, front);
        } else if !self.filter_many(points, front) {
            points.check_finite("a point")?;
        }
        Ok(())
    }

    /// [`FrontFilter::filter`] for points that are known to be finite.
    #[doc(hidden)]
    pub fn filter_finite(&mut self, points: Rows<'_>, front: &mut Front) {
        if points.n_rows() <= MOST_COMPARED_ROWS {
            self.all_with_all(points, front);
        } else {
            let found = self.filter_many(points, front);
            debug_assert!(found, "points are finite");
        }
    }

    /// Finds the front of many rows. Returns false, and leaves the front unchanged, if a value is not finite.
    fn filter_many(&mut self, points: Rows<'_>, front: &mut Front) -> bool {
        self.on_front.clear(points.n_rows());
        let all_finite = if points.n_cols() == 1 {
            mark_largest(points.as_slice(), &mut self.on_front)
        } else {
            self.sieve.sift(points, &mut self.candidates)
        };
        if !all_finite {
            return false;
        }
        match points.n_cols() {
            1 => {}
            2 => self.sweep.two(points, &self.candidates, &mut self.on_front),
            3 => self.sweep.three(points, &self.candidates, &mut self.on_front),
            _ => self.ranked.find(points, &self.candidates, &mut self.on_front),
        }
        front.refill(self.on_front.iter().map(ArmId));
        true
    }

    /// Finds the front of at most [`MOST_COMPARED_ROWS`] rows by comparing each with all.
    fn all_with_all(&mut self, points: Rows<'_>, front: &mut Front) {
        self.window.clear(points.n_cols());
        points.rows().for_each(|row| self.window.push(row));
        self.on_front.clear(points.n_rows());
        let kept = Arch::new().dispatch(AllWithAll { window: &self.window, points });
        self.on_front.words_mut().iter_mut().for_each(|word| *word = kept);
        front.refill(self.on_front.iter().map(ArmId));
    }
}

/// Compares each of at most [`MOST_COMPARED_ROWS`] rows with all. Returns a bit for each row that none
/// dominates.
struct AllWithAll<'a> {
    window: &'a RowWindow,
    points: Rows<'a>,
}

impl WithSimd for AllWithAll<'_> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> u64 {
        for_objectives!(self.points.n_cols(), self.run(simd))
    }
}

impl AllWithAll<'_> {
    // A loop, since the closures of an iterator would be compiled without the vector unit.
    #[inline(always)]
    fn run<const M: usize, S: Simd>(self, simd: S) -> u64 {
        let mut kept = 0;
        for (k, row) in self.points.as_slice().chunks_exact(self.points.n_cols()).enumerate() {
            kept |= u64::from(self.window.dominating_block::<M, S>(simd, row).is_none()) << k;
        }
        kept
    }
}
