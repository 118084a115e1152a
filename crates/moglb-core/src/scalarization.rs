//! Weight vectors, and the values that they give to a vector of means.

use moglb_math::Error;
use serde::{Deserialize, Serialize};

/// The function that turns the means y, on the unit scale, into one value, given a weight vector w
/// on the simplex.
///
/// ```
/// use moglb::Scalarization;
///
/// let (weights, means) = ([0.5, 0.5], [0.8, 0.4]);
/// assert_eq!(Scalarization::Chebyshev.value(&weights, &means), 0.2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scalarization {
    /// Σ wᵢyᵢ. For every weight vector its best arms lie on the convex hull of the front.
    #[default]
    Linear,
    /// minᵢ wᵢ(yᵢ − zᵢ) above a reference point z, by default the worst possible reward. Every arm
    /// of the front is best for some weights.
    Chebyshev,
}

impl Scalarization {
    #[doc(hidden)]
    pub fn is_linear(&self) -> bool {
        *self == Scalarization::Linear
    }

    /// Returns the value of means on the unit scale. For Chebyshev the caller subtracts the
    /// reference point first.
    #[inline(always)]
    pub fn value(self, weights: &[f64], means: &[f64]) -> f64 {
        let products = weights.iter().zip(means).map(|(w, y)| w * y);
        match self {
            Scalarization::Linear => products.sum(),
            Scalarization::Chebyshev => products.fold(f64::INFINITY, f64::min),
        }
    }

    /// Returns the largest change of a value when every mean changes by at most one.
    #[doc(hidden)]
    pub fn lipschitz(self, weights: &[f64]) -> f64 {
        match self {
            Scalarization::Linear => weights.iter().sum(),
            Scalarization::Chebyshev => weights.iter().copied().fold(0.0, f64::max),
        }
    }

    /// Returns an even spread: all vectors of m multiples of 1/`divisions` that sum to one. For
    /// Chebyshev every entry is first raised by half a division, because a weight of zero would
    /// make all values zero.
    #[doc(hidden)]
    pub fn spread(self, m: usize, divisions: usize) -> Vec<Vec<f64>> {
        let raise = if self == Scalarization::Chebyshev { 0.5 } else { 0.0 };
        let sum = divisions as f64 + raise * m as f64;
        let scaled = |parts: Vec<usize>| parts.into_iter().map(|part| (part as f64 + raise) / sum).collect();
        compositions(m, divisions).into_iter().map(scaled).collect()
    }

    /// Returns weights scaled to sum one. Chebyshev needs positive weights, linear nonnegative
    /// ones.
    ///
    /// # Errors
    ///
    /// [`Error::Weights`].
    #[doc(hidden)]
    pub fn normalized(self, given: &[f64], m: usize) -> Result<Vec<f64>, Error> {
        let sum: f64 = given.iter().sum();
        let enough = |&w: &f64| if self == Scalarization::Chebyshev { w > 0.0 } else { w >= 0.0 };
        if given.len() != m || !given.iter().all(enough) || !(sum > 0.0 && sum.is_finite()) {
            return Err(Error::Weights { expected: m, got: given.to_vec() });
        }
        Ok(given.iter().map(|w| w / sum).collect())
    }
}

/// Returns the number of weight vectors in a spread, C(divisions + m − 1, m − 1); `None` if it is
/// above `most`.
pub fn spread_size(m: usize, divisions: usize, most: usize) -> Option<usize> {
    (1..m).try_fold(1usize, |size, k| {
        let next = size.checked_mul(divisions.checked_add(k)?)? / k;
        (next <= most).then_some(next)
    })
}

/// Returns all ways to write n as an ordered sum of m nonnegative numbers.
fn compositions(m: usize, n: usize) -> Vec<Vec<usize>> {
    if m == 1 {
        return vec![vec![n]];
    }
    let with = |first: usize| {
        compositions(m - 1, n - first).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..=n).rev().flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_every_vector_once_and_each_sums_to_one() {
        for (m, divisions, size) in [(1, 5, 1), (2, 4, 5), (3, 4, 15), (5, 4, 70)] {
            for scalarization in [Scalarization::Linear, Scalarization::Chebyshev] {
                let spread = scalarization.spread(m, divisions);
                assert_eq!((spread.len(), spread_size(m, divisions, 100)), (size, Some(size)));
                assert!(spread.iter().all(|w| (w.iter().sum::<f64>() - 1.0).abs() < 1e-12));
                assert!((1..size).all(|k| !spread[..k].contains(&spread[k])));
            }
        }
        assert_eq!(Scalarization::Linear.spread(2, 2), [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]);
        assert!(Scalarization::Chebyshev.spread(3, 5).iter().flatten().all(|&w| w > 0.0));
        assert_eq!(spread_size(40, 1000, 10_000), None);
    }

    #[test]
    fn values_are_sums_and_minima() {
        let (w, y) = ([0.25, 0.75], [0.8, 0.4]);
        assert!((Scalarization::Linear.value(&w, &y) - 0.5).abs() < 1e-15);
        assert!((Scalarization::Chebyshev.value(&w, &y) - 0.2).abs() < 1e-15);
        assert_eq!(Scalarization::Linear.lipschitz(&w), 1.0);
        assert_eq!(Scalarization::Chebyshev.lipschitz(&w), 0.75);
    }
}
