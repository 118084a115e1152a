//! Pareto order, Pareto front and suboptimality gaps (Definitions 1–3 and 5).
//!
//! Comparisons are exact. A tolerance would break transitivity, and then a front could be empty or contain an
//! arm that another of its arms dominates.

/// Calls a method that is compiled for each of the usual numbers of objectives, or for any number.
macro_rules! for_objectives {
    ($m:expr, $self:ident.$method:ident($simd:ident)) => {
        match $m {
            1 => $self.$method::<1, _>($simd),
            2 => $self.$method::<2, _>($simd),
            3 => $self.$method::<3, _>($simd),
            4 => $self.$method::<4, _>($simd),
            5 => $self.$method::<5, _>($simd),
            6 => $self.$method::<6, _>($simd),
            7 => $self.$method::<7, _>($simd),
            8 => $self.$method::<8, _>($simd),
            9 => $self.$method::<9, _>($simd),
            _ => $self.$method::<0, _>($simd),
        }
    };
}

mod codes;
mod effective;
mod filter;
mod forest;
mod largest;
mod marks;
mod order;
mod parallel;
mod ranked;
mod sieve;
mod staircase;
mod sweep;
mod tree;
mod window;

pub(crate) use effective::Effective;
pub use effective::effective_front;
pub use filter::FrontFilter;

use crate::matrix::Rows;
use crate::{ArmId, Error};

/// Whether u dominates v, v ≺ u (Definition 1): nowhere smaller and somewhere larger. Vectors of different
/// lengths are incomparable.
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
pub fn front<'a>(points: impl Into<Rows<'a>>) -> Result<Front, Error> {
    let mut front = Front::default();
    FrontFilter::new().filter(points, &mut front)?;
    Ok(front)
}

/// The Pareto suboptimality gap of each row (Definition 3), in closed form:
///
/// ```text
/// Δx = max(0, max over x' of minᵢ (μ_x'ⁱ − μ_xⁱ))
/// ```
///
/// It is enough that x' runs over the front: a dominated x' is beaten by its dominator in every coordinate. A
/// row that is dominated but equal to its dominator in some coordinate has gap 0 although it is off the front.
///
/// # Errors
///
/// [`Error::NoPoints`] or [`Error::NotFinite`].
pub fn gaps<'a>(means: impl Into<Rows<'a>>) -> Result<Vec<f64>, Error> {
    let means = means.into();
    let front = front(means)?;
    let mut window = window::Window::default();
    window.clear(means.n_cols());
    front.iter().for_each(|arm| window.push(means.row(arm.0)));
    Ok(pulp::Arch::new().dispatch(Gaps { means, front: &front, window: &window }))
}

struct Gaps<'a> {
    means: Rows<'a>,
    front: &'a Front,
    /// The rows on the front.
    window: &'a window::Window,
}

impl pulp::WithSimd for Gaps<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> Vec<f64> {
        for_objectives!(self.means.n_cols(), self.run(simd))
    }
}

impl Gaps<'_> {
    #[inline(always)]
    fn run<const M: usize, S: pulp::Simd>(self, simd: S) -> Vec<f64> {
        let mut gaps = vec![0.0; self.means.n_rows()];
        let mut on_front = self.front.iter().peekable();
        for (index, row) in self.means.rows().enumerate() {
            // None leads a row of the front in all objectives.
            if on_front.next_if_eq(&ArmId(index)).is_none() {
                gaps[index] = self.window.lead::<M, S>(simd, row);
            }
        }
        gaps
    }
}

pub(crate) fn check_points(what: &'static str, points: Rows<'_>) -> Result<(), Error> {
    if points.n_rows() == 0 || points.n_cols() == 0 {
        return Err(Error::NoPoints { what });
    }
    points.check_finite("a point")
}

/// A weighted sum of a row, larger for no row that this one dominates: rounding cannot turn sums around, since
/// products and sums are monotone, but can make them equal. From left to right it is finite or infinite, never
/// NaN.
///
/// The weights lie between a half and one and have little to do with each other. With equal ones, rows of few
/// different values would have many equal sums.
#[inline(always)]
fn sum(row: &[f64]) -> f64 {
    let mut weight = 0.5;
    let mut sum = 0.0;
    for value in row {
        sum += weight * value;
        // The fraction of multiples of the golden ratio, halved.
        weight += 0.309_016_994_374_947_45;
        weight -= if weight >= 1.0 { 0.5 } else { 0.0 };
    }
    sum
}

/// The order of two rows by their entries, larger first: a dominator before what it dominates.
fn by_entries(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    b.partial_cmp(a).expect("points are finite")
}
