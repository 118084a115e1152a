//! Pareto order, Pareto front and suboptimality gaps (Definitions 1–3 and 5).
//!
//! Comparisons are exact. A tolerance would break transitivity, and then a front could be empty or contain an arm
//! that another of its arms dominates.

use crate::{ArmId, Error, Matrix};

/// Whether u dominates v, v ≺ u (Definition 1): nowhere smaller and somewhere larger. Vectors of different lengths are
/// incomparable.
///
/// ```
/// use moglb::dominates;
/// assert!(dominates(&[1.0, 2.0], &[1.0, 1.0]));
/// assert!(!dominates(&[1.0, 2.0], &[1.0, 2.0]), "equal vectors do not dominate each other");
/// assert!(!dominates(&[1.0, 2.0], &[2.0, 1.0]), "these are incomparable");
/// ```
pub fn dominates(u: &[f64], v: &[f64]) -> bool {
    if u.len() != v.len() {
        return false;
    }
    let mut larger = false;
    for (u, v) in u.iter().zip(v) {
        if u < v {
            return false;
        }
        larger |= u > v;
    }
    larger
}

/// A set of arms, in increasing order of their ids: O* or O_t.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Front {
    arms: Vec<ArmId>,
}

impl Front {
    /// The set of all arms of a set of n, O_1.
    pub fn all(n_arms: usize) -> Self {
        Self::from_iter((0..n_arms).map(ArmId))
    }

    /// The number of arms.
    pub fn len(&self) -> usize {
        self.arms.len()
    }

    /// Whether there is no arm; so it is for a policy that has no front.
    pub fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// Whether an arm is on the front.
    pub fn contains(&self, arm: ArmId) -> bool {
        self.arms.binary_search(&arm).is_ok()
    }

    /// The arms in increasing order.
    pub fn arms(&self) -> &[ArmId] {
        &self.arms
    }

    /// The arms in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = ArmId> + Clone + '_ {
        self.arms.iter().copied()
    }

    /// How many arms two fronts share.
    pub fn shared(&self, other: &Front) -> usize {
        let (mut i, mut j, mut count) = (0, 0, 0);
        while i < self.len() && j < other.len() {
            let (a, b) = (self.arms[i], other.arms[j]);
            count += usize::from(a == b);
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        count
    }

    pub(crate) fn clear(&mut self) {
        self.arms.clear();
    }

    /// Gives every arm another id; the order stays increasing.
    pub(crate) fn rename(&mut self, name: impl Fn(ArmId) -> ArmId) {
        self.arms.iter_mut().for_each(|arm| *arm = name(*arm));
        debug_assert!(self.arms.is_sorted());
    }

    /// Takes the place of the present arms; `arms` come in increasing order.
    pub(crate) fn refill(&mut self, arms: impl Iterator<Item = ArmId>) {
        self.arms.clear();
        self.arms.extend(arms);
        debug_assert!(self.arms.is_sorted());
    }
}

impl FromIterator<ArmId> for Front {
    fn from_iter<I: IntoIterator<Item = ArmId>>(arms: I) -> Self {
        let mut arms: Vec<ArmId> = arms.into_iter().collect();
        arms.sort_unstable();
        arms.dedup();
        Self { arms }
    }
}

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
pub fn front(points: &Matrix) -> Result<Front, Error> {
    check_points("a front", points)?;
    let mut front = Front::default();
    FrontFilter::default().filter(points, &mut front);
    Ok(front)
}

/// The Pareto suboptimality gap of each row (Definition 3), in closed form:
///
/// ```text
/// Δx = max(0, max over x' of minᵢ (μ_x'ⁱ − μ_xⁱ))
/// ```
///
/// It is enough that x' runs over the front: a dominated x' is beaten by its dominator in every coordinate. A row
/// that is dominated but equal to its dominator in some coordinate has gap 0 although it is off the front.
///
/// # Errors
///
/// [`Error::NoPoints`] or [`Error::NotFinite`].
pub fn gaps(means: &Matrix) -> Result<Vec<f64>, Error> {
    let front = front(means)?;
    let lead =
        |above: &[f64], row: &[f64]| above.iter().zip(row).fold(f64::INFINITY, |m, (a, b)| m.min(a - b));
    let gap = |row: &[f64]| front.iter().fold(0.0_f64, |gap, arm| gap.max(lead(means.row(arm.0), row)));
    Ok(means.rows().map(gap).collect())
}

pub(crate) fn check_points(what: &'static str, points: &Matrix) -> Result<(), Error> {
    if points.n_rows() == 0 || points.n_cols() == 0 {
        return Err(Error::NoPoints { what });
    }
    points.check_finite("a point")
}

/// Finds fronts; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrontFilter {
    order: Vec<(f64, usize)>,
    kept: Vec<usize>,
}

impl FrontFilter {
    /// The front of finite points. Rows are visited by decreasing sum, where a dominator comes before what it
    /// dominates, so each row is compared with the rows kept so far and no other.
    ///
    /// Rounding cannot turn that order around (addition is monotone) but can make two sums equal: then the rows
    /// are ordered by their entries, which puts a dominator first as well.
    pub(crate) fn filter(&mut self, points: &Matrix, front: &mut Front) {
        self.order.clear();
        self.order.extend(points.rows().enumerate().map(|(index, row)| (row.iter().sum::<f64>(), index)));
        self.order.sort_unstable_by(|a, b| {
            b.0.total_cmp(&a.0).then_with(|| by_entries(points.row(b.1), points.row(a.1)))
        });
        self.kept.clear();
        for &(_, index) in &self.order {
            let row = points.row(index);
            if !self.kept.iter().any(|&kept| dominates(points.row(kept), row)) {
                self.kept.push(index);
            }
        }
        self.kept.sort_unstable();
        front.refill(self.kept.iter().map(|&index| ArmId(index)));
    }
}

fn by_entries(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    a.partial_cmp(b).expect("points are finite")
}
