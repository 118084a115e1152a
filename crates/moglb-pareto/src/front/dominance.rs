//! Dominance, and orders of rows in which a dominator comes before the rows that it dominates.

/// Returns true if u dominates v, v ≺ u (Definition 1): u is nowhere smaller and somewhere larger. Vectors of
/// different lengths are incomparable.
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

/// A weighted sum of a row, at most that of a row that dominates it. Products and sums are monotone, so
/// rounding can make the two sums equal but cannot reverse them. Summed from left to right it is finite or
/// infinite, never NaN.
///
/// The weights lie between 1/2 and 1 and are unrelated to each other. With equal weights, rows with few
/// different values would have many equal sums.
#[inline(always)]
pub fn sum(row: &[f64]) -> f64 {
    let mut weight = 0.5;
    let mut sum = 0.0;
    for value in row {
        sum += weight * value;
        // The fractional part of multiples of the golden ratio, halved.
        weight += 0.309_016_994_374_947_45;
        weight -= if weight >= 1.0 { 0.5 } else { 0.0 };
    }
    sum
}

/// The order of two rows by their entries, larger first: a dominator comes before the rows that it dominates.
pub(super) fn by_entries(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    b.partial_cmp(a).expect("points are finite")
}
