//! The metric of the Lipschitz policies: D(x, x') = min(1, L·‖x − x'‖).

use moglb_core::target::Scalar;
use moglb_core::{Objective, Parameter, Problem};
use moglb_math::Error;

/// The largest L. Up to it products are finite, and a larger one would change little: with this L practically
/// all different points already have the largest distance, 1.
const STEEPEST: f64 = 1e100;

/// D(x, x') = min(1, L·‖x − x'‖): an upper bound of |μ(x) − μ(x')| for mean rewards mapped to [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Metric {
    /// L.
    slope: f64,
    norm: Norm,
}

/// The norm ‖x − x'‖ of a [`Metric`]: Euclidean, or the largest difference of two coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Norm {
    Euclidean,
    Largest,
}

impl Metric {
    /// Returns the metric of several objectives. By default L is D times the largest slope that a link can
    /// have on [−D, D], in units of the objective's range.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterBounds`] for a given L that is negative, too large or not a number.
    pub(crate) fn of_problem(problem: &Problem, given: Option<f64>) -> Result<Self, Error> {
        let range = |objective: &Objective| objective.rewards().1 - objective.rewards().0;
        let slopes = problem.constants().iter().zip(problem.objectives());
        let slopes = slopes.map(|(link, objective)| problem.radius() * link.lipschitz / range(objective));
        Self::euclidean(given, slopes.fold(0.0, f64::max))
    }

    /// Returns the metric of one target.
    ///
    /// # Errors
    ///
    /// As [`Metric::of_problem`].
    pub(crate) fn of_target(scalar: &Scalar, given: Option<f64>) -> Result<Self, Error> {
        Self::euclidean(given, scalar.norm_bound() / (2.0 * scalar.noise()))
    }

    /// Returns the metric of the Euclidean norm. L is `known` unless it is given.
    fn euclidean(given: Option<f64>, known: f64) -> Result<Self, Error> {
        Ok(Self { slope: checked(given)?.unwrap_or(known.min(STEEPEST)), norm: Norm::Euclidean })
    }

    /// Returns the metric of L times the largest difference of two coordinates.
    ///
    /// # Errors
    ///
    /// As [`Metric::of_problem`].
    pub fn largest(slope: f64) -> Result<Self, Error> {
        checked(Some(slope))?;
        Ok(Self { slope, norm: Norm::Largest })
    }

    /// Returns L.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// Returns D(a, b). It has the same bits as D(b, a).
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let apart = match self.norm {
            Norm::Euclidean => euclidean(a, b),
            Norm::Largest => a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())),
        };
        (self.slope * apart).min(1.0)
    }
}

/// Returns the slope, if it is in its bounds.
fn checked(slope: Option<f64>) -> Result<Option<f64>, Error> {
    slope.map_or(Ok(()), |slope| Parameter::check("lipschitz", slope, 0.0..=STEEPEST)).map(|()| slope)
}

/// Returns ‖a − b‖. Lane j sums the squares j, j + 4, …
#[inline]
fn euclidean(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let ((blocks, rest), (others, other_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in blocks.iter().zip(others) {
        for lane in 0..4 {
            sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
    }
    let rest: f64 = rest.iter().zip(other_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    ((sums[0] + sums[1]) + (sums[2] + sums[3]) + rest).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_core::{Link, Target};

    /// Logit on [−2, 2] has slope ¼ at most and a range of length 1. A cost in [2, 6] through identity has
    /// slope 1 and a range of length 4. So L = 2·max(¼, ¼).
    #[test]
    fn the_slope_is_the_problems_unless_it_is_given() {
        let objectives = vec![
            Objective::new("click", Link::Logit),
            Objective::new("cost", Link::Identity).minimize().range(2.0, 6.0),
        ];
        let problem = Problem::new(5, objectives).unwrap().with_radius(2.0).unwrap();
        let metric = Metric::of_problem(&problem, None).unwrap();
        assert_eq!(metric.slope(), 0.5);
        let (a, b) = ([0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.2, 0.0, 0.0, 0.5]);
        assert_eq!(
            (metric.distance(&a, &b), metric.distance(&b, &a), metric.distance(&a, &a)),
            (0.25, 0.25, 0.0)
        );
        assert_eq!(Metric::of_problem(&problem, Some(8.0)).unwrap().distance(&a, &b), 1.0);
        let sum = Target::Weights(vec![1.0, 3.0]).resolve(&problem).unwrap();
        assert_eq!(Metric::of_target(&sum, None).unwrap().slope(), 0.5);
        let cost = Target::Objective(1).resolve(&problem).unwrap();
        assert_eq!(Metric::of_target(&cost, None).unwrap().slope(), 0.5);
        assert_eq!(Metric::largest(0.5).unwrap().distance(&a, &b), 0.2);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Metric::largest(bad), Err(Error::ParameterBounds { name: "lipschitz", .. })));
            assert!(Metric::of_problem(&problem, Some(bad)).is_err());
        }
    }
}
