//! The effective Pareto front: the rows that no mixture of rows dominates (Park, Ann, Oh 2025).
//!
//! A mixture dominates a row x if there are β ≥ 0 with Σβₖ(yₖ − x) ≥ 0, not zero in all entries. The β need
//! not add up to one, since x itself can take the remaining weight. So the question is a linear program whose
//! right-hand sides are zero,
//!
//! ```text
//! maximize Σₖ βₖ Σᵢ(yₖ − x)ᵢ   subject to   Σₖ βₖ(yₖ − x)ᵢ ≥ 0 for all i,   β ≥ 0
//! ```
//!
//! whose optimum is 0 (x is effective; the dual solution is a weight vector w > 0 for which x is the best) or
//! unbounded. A dense simplex on m rows decides. Every step is degenerate, and the lexicographic rule
//! guarantees that the steps end.

use crate::{ArmId, Front, front};
use moglb_math::Error;
use moglb_math::kernel::widened;
use moglb_math::matrix::Rows;
use std::cmp::Ordering;

/// Numbers up to this size count as zero, in units of the spread of the rows: entries are differences of
/// numbers in [0, 1] that a few pivots have rounded.
const TOLERANCE: f64 = 1e-11;

/// The number of weight vectors that are tried first. The best row for each of them is effective without a
/// linear program.
const TRIED: usize = 24;

/// Returns the rows that no row and no mixture of rows dominates. Larger is better, and equal rows are all
/// kept. These are the rows that are the best for some weights, all of them positive.
///
/// ```
/// use moglb::{effective_front, front, ArmId, Matrix};
/// let points = Matrix::from_rows(&[[1.0, 0.0], [0.4, 0.4], [0.0, 1.0]])?;
/// assert_eq!(front(&points)?.len(), 3);
/// // Half of the first and half of the third row is better than the second.
/// assert_eq!(effective_front(&points)?.arms(), [ArmId(0), ArmId(2)]);
/// # Ok::<(), moglb::Error>(())
/// ```
///
/// For most rows on the front it solves a linear program of m rows and as many columns as there are rows on
/// the front. Differences count from about 1e-11 of the spread of the rows; a row that is closer to the hull
/// of the others is kept.
///
/// # Errors
///
/// [`Error::NoPoints`] or [`Error::NotFinite`].
pub fn effective_front<'a>(points: impl Into<Rows<'a>>) -> Result<Front, Error> {
    let points = points.into();
    let mut effective = front(points)?;
    Effective::default().keep_effective(points, &mut effective);
    Ok(effective)
}

/// A finder of effective fronts that reuses its memory.
#[derive(Debug, Clone, Default)]
pub struct Effective {
    /// The arms of the front, sorted by the entries of their rows.
    order: Vec<ArmId>,
    /// The distinct rows, with each entry scaled to [0, 1].
    rows: Vec<f64>,
    /// The index among the distinct rows of each arm of `order`.
    places: Vec<usize>,
    /// The result so far for each distinct row.
    known: Vec<KnownRow>,
    /// The weights that are tried.
    weights: Vec<f64>,
    tableau: Tableau,
}

/// The result so far for one row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum KnownRow {
    Nothing,
    Effective,
    Dominated,
}

impl Effective {
    /// Removes the arms of a front whose rows a mixture dominates. Rows that are not on the front are not
    /// needed.
    pub fn keep_effective(&mut self, points: Rows<'_>, front: &mut Front) {
        // With one objective only the largest rows are on the front, and no mixture of two rows is better
        // than both.
        if points.n_cols() == 1 || front.len() <= 2 {
            return;
        }
        self.lay_out(points, front);
        let m = points.n_cols();
        widened(
            #[inline(always)]
            || {
                self.try_weights(m);
                for row in 0..self.known.len() {
                    if self.known[row] == KnownRow::Nothing {
                        self.tableau.refill(&self.rows, m, row, &self.known);
                        let dominated = self.tableau.is_unbounded();
                        self.known[row] = if dominated { KnownRow::Dominated } else { KnownRow::Effective };
                    }
                }
            },
        );
        let kept = self.order.iter().zip(&self.places);
        let kept = kept.filter(|&(_, &place)| self.known[place] == KnownRow::Effective).map(|(&arm, _)| arm);
        *front = kept.collect();
    }

    /// Sorts the rows, so that equal ones become one and the result does not depend on their order, and
    /// scales them.
    fn lay_out(&mut self, points: Rows<'_>, front: &Front) {
        let Self { order, rows, places, known, .. } = self;
        let compare = |a: &[f64], b: &[f64]| a.partial_cmp(b).expect("points are finite");
        order.clear();
        order.extend(front.iter());
        order.sort_by(|a, b| compare(points.row(a.0), points.row(b.0)));
        rows.clear();
        places.clear();
        for (k, arm) in order.iter().enumerate() {
            let again = k > 0 && compare(points.row(order[k - 1].0), points.row(arm.0)) == Ordering::Equal;
            if !again {
                rows.extend_from_slice(points.row(arm.0));
            }
            places.push(rows.len() / points.n_cols() - 1);
        }
        known.clear();
        known.resize(rows.len() / points.n_cols(), KnownRow::Nothing);
        for i in 0..points.n_cols() {
            let column = || rows.iter().skip(i).step_by(points.n_cols());
            let low = column().fold(f64::INFINITY, |a, &b| a.min(b));
            let high = column().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            // Halves are subtracted, since a difference of large numbers may overflow.
            let spread = 0.5 * high - 0.5 * low;
            let scaled = |value: f64| if spread > 0.0 { (0.5 * value - 0.5 * low) / spread } else { 0.0 };
            rows.iter_mut().skip(i).step_by(points.n_cols()).for_each(|value| *value = scaled(*value));
        }
    }

    /// Marks the best row for each of some weight vectors, which are spread over the simplex and include its
    /// corners.
    #[inline(always)]
    fn try_weights(&mut self, m: usize) {
        let mut fraction = 0.0;
        for tried in 0..TRIED + m {
            self.weights.clear();
            for i in 0..m {
                fraction += 0.618_033_988_749_894_9;
                fraction -= if fraction >= 1.0 { 1.0 } else { 0.0 };
                // The first m vectors weigh one objective and little else; in the others the weights are of
                // all sizes.
                let square: f64 = fraction * fraction;
                let corner = if tried == i { 1.0 } else { 1e-3 };
                self.weights.push(if tried < m { corner } else { square * square + 1e-3 });
            }
            let (mut best, mut largest) = (0, f64::NEG_INFINITY);
            for row in 0..self.known.len() {
                let values = &self.rows[row * m..][..m];
                let mut sum = 0.0;
                for i in 0..m {
                    sum += self.weights[i] * values[i];
                }
                if sum > largest {
                    (best, largest) = (row, sum);
                }
            }
            self.known[best] = KnownRow::Effective;
        }
    }
}

/// The linear program of one row: m rows, a column for each other row that is not known to be dominated, and
/// m columns for the slacks.
#[derive(Debug, Clone, Default)]
struct Tableau {
    /// The number of objectives, which is the number of constraints.
    m: usize,
    /// The number of columns; the slacks are the last m.
    n: usize,
    /// The distinct row of each column before the slacks.
    others: Vec<usize>,
    /// The m constraints, then the row of the gains.
    entries: Vec<f64>,
    /// Scratch for the pivot row.
    pivot: Vec<f64>,
}

impl Tableau {
    /// Sets up the program that decides whether a row is dominated. Rows that are known to be dominated add
    /// nothing to a mixture.
    #[inline(always)]
    fn refill(&mut self, rows: &[f64], m: usize, row: usize, known: &[KnownRow]) {
        self.others.clear();
        for other in 0..known.len() {
            if other != row && known[other] != KnownRow::Dominated {
                self.others.push(other);
            }
        }
        (self.m, self.n) = (m, self.others.len() + m);
        self.entries.clear();
        self.entries.resize((m + 1) * self.n, 0.0);
        for i in 0..m {
            for column in 0..self.others.len() {
                let gain = rows[self.others[column] * m + i] - rows[row * m + i];
                self.entries[i * self.n + column] = -gain;
                self.entries[m * self.n + column] += gain;
            }
        }
        for i in 0..m {
            self.entries[i * self.n + (self.n - m + i)] = 1.0;
        }
    }

    #[inline(always)]
    fn entry(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.n + column]
    }

    /// Returns true if the gain is unbounded.
    #[inline(always)]
    fn is_unbounded(&mut self) -> bool {
        // Without rounding the lexicographic rule always ends. A row that is so close that it does not end is
        // kept.
        for _ in 0..20 * (self.n + self.m) {
            let gains = &self.entries[self.m * self.n..];
            let (mut entering, mut largest) = (0, TOLERANCE);
            for (column, &gain) in gains.iter().enumerate() {
                if gain > largest {
                    (entering, largest) = (column, gain);
                }
            }
            if largest == TOLERANCE {
                return false;
            }
            match self.leaving(entering) {
                Some(row) => self.turn(row, entering),
                None => return true,
            }
        }
        false
    }

    /// Returns the row that leaves the basis: the one with the lexicographically least slacks, divided by its
    /// entry.
    #[inline(always)]
    fn leaving(&self, entering: usize) -> Option<usize> {
        let mut least = None;
        for row in 0..self.m {
            if self.entry(row, entering) > TOLERANCE
                && least.is_none_or(
                    #[inline(always)]
                    |other| self.comes_before(row, other, entering),
                )
            {
                least = Some(row);
            }
        }
        least
    }

    /// Returns true if the slacks of a row, divided by its entry, are lexicographically less than those of
    /// another row.
    #[inline(always)]
    fn comes_before(&self, row: usize, other: usize, entering: usize) -> bool {
        for slack in self.n - self.m..self.n {
            let a = self.entry(row, slack) * self.entry(other, entering);
            let b = self.entry(other, slack) * self.entry(row, entering);
            if a != b {
                return a < b;
            }
        }
        false
    }

    /// Pivots on the entry of a row and a column.
    #[inline(always)]
    fn turn(&mut self, row: usize, entering: usize) {
        let inverse = 1.0 / self.entry(row, entering);
        self.pivot.clear();
        self.pivot.extend(self.entries[row * self.n..][..self.n].iter().map(|entry| entry * inverse));
        let pivot = &self.pivot[..self.n];
        for other in 0..=self.m {
            let entries = &mut self.entries[other * self.n..][..self.n];
            if other == row {
                entries.copy_from_slice(pivot);
                continue;
            }
            let factor = entries[entering];
            for column in 0..entries.len() {
                entries[column] -= factor * pivot[column];
            }
            entries[entering] = 0.0;
        }
    }
}
