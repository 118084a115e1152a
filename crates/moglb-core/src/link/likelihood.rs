//! The likelihood of one reward as a function of the linear score z = θᵀx: slope and curvature of its
//! negative logarithm.
//!
//! Estimators with local curvature (EKF-UCB and its relatives) weight a round by the Fisher information at
//! z. Eq. (1) uses the smallest slope κ for all rounds.

use super::{CustomLink, Link, mills_tail, normal_density, normal_distribution};
use libm::{exp, log, log1p};
use moglb_math::Error;
use std::f64::consts::PI;

/// The least weight. It is also the least κ that a problem may have, so only numbers that fit no problem
/// reach it. A weight that underflowed to zero would cause a division by zero there.
const LEAST: f64 = 1e-100;

/// The largest weight, and the largest mean that enters a score. Their squares are still finite.
const LARGEST: f64 = 1e100;

/// From here on φ(x)/Φ(−x) comes from its continued fraction: both vanish around x = 38.
const LEAST_TAIL_SCORE: f64 = 30.0;

/// The score and the weight of one reward.
///
/// Example: [`Link::fisher`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fisher {
    /// The slope of the negative log-likelihood in z: positive if the mean is above the reward.
    pub score: f64,
    /// The Fisher information about z, always positive. It does not depend on the reward.
    pub weight: f64,
}

impl Link {
    /// Returns score and weight of a reward y at z. Both are finite for every |z| ≤ 1e100. The weight is at
    /// least 1e-100.
    ///
    /// | link | likelihood | score | weight |
    /// |---|---|---|---|
    /// | identity | Gaussian of variance one | z − y | 1 |
    /// | logit | Bernoulli | μ(z) − y | μ′(z) |
    /// | probit | Bernoulli | (Φ − y)·φ/(Φ(1 − Φ)) | φ²/(Φ(1 − Φ)) |
    /// | log | Poisson | eᶻ − y | eᶻ |
    /// | registered | the quasi-likelihood with g′ = μ | μ(z) − y | μ′(z) |
    ///
    /// Probit has its true likelihood here, not the quasi-likelihood of [`Link::cumulant`]. The curvature φ
    /// of the latter understates the information of a reward by a factor of 1.6 to 1.8.
    ///
    /// The variance of an identity link is one in the units of the rewards, whatever their range. Steps
    /// with gain one are then ridge regression: estimates scale with the rewards to any unit, and λ counts
    /// rewards. A variance derived from the range would make λ a statement about the size of θ, and freeze
    /// the estimates of an objective in large units.
    ///
    /// ```
    /// use moglb::Link;
    /// assert_eq!(Link::Logit.fisher(0.0, 1.0).score, -0.5);
    /// assert!((Link::Probit.fisher(0.0, 1.0).weight - 2.0 / std::f64::consts::PI).abs() < 1e-15);
    /// ```
    pub fn fisher(self, z: f64, y: f64) -> Fisher {
        match self {
            Link::Probit => {
                let (falling, rising) = hazards(z);
                Fisher { score: (1.0 - y) * falling - y * rising, weight: bounded(falling * rising) }
            }
            Link::Logit => logit(z, exp(-z.abs()), y),
            _ => Fisher { score: self.mean(z).min(LARGEST) - y, weight: self.fisher_weight(z) },
        }
    }

    /// Returns [`Link::loss`] and [`Link::fisher`], which share the exponential of a logit.
    #[doc(hidden)]
    pub fn assess(self, z: f64, y: f64) -> (f64, Fisher) {
        match self {
            Link::Logit => {
                let e = exp(-z.abs());
                (z.max(0.0) + log1p(e) - y * z, logit(z, e, y))
            }
            _ => (self.loss(z, y), self.fisher(z, y)),
        }
    }

    /// Returns the least curvature of the negative log-likelihood between z and any point of [low, high],
    /// for the links where it is known. The loss at such a point is at least its tangent at z plus half of
    /// this times the square of the distance.
    ///
    /// The curvatures of these links have one peak or increase everywhere, so their least mean is that up
    /// to one of the ends.
    #[doc(hidden)]
    pub fn least_bend(self, z: f64, (low, high): (f64, f64)) -> Option<f64> {
        let bend = |end: f64| {
            let ahead = end - z;
            if ahead.abs() < 0.1 {
                // The difference below would cancel. The curvature shrinks by e^|ahead| at most.
                return self.slope(z) * 2.0 / (2.0 + ahead.abs());
            }
            let above = self.cumulant(end) - self.cumulant(z) - self.mean(z) * ahead;
            2.0 * above / (ahead * ahead)
        };
        match self {
            Link::Identity => Some(1.0),
            Link::Logit | Link::Log => Some(bend(low).min(bend(high)).max(0.0)),
            Link::Probit | Link::Custom(_) => None,
        }
    }

    /// Returns the negative log-likelihood of a reward y at z, without the terms that do not depend on z.
    /// Its slope is the score of [`Link::fisher`].
    #[doc(hidden)]
    pub fn loss(self, z: f64, y: f64) -> f64 {
        match self {
            Link::Probit => -(1.0 - y) * log_normal_distribution(-z) - y * log_normal_distribution(z),
            _ => self.cumulant(z) - y * z,
        }
    }

    /// Returns only the weight of [`Link::fisher`], which does not depend on the reward.
    pub fn fisher_weight(self, z: f64) -> f64 {
        match self {
            Link::Probit => {
                let (falling, rising) = hazards(z);
                bounded(falling * rising)
            }
            _ => bounded(self.slope(z)),
        }
    }
}

impl CustomLink {
    /// [`Link::fisher`] of a custom link. Refused if the link returns no usable number.
    pub(crate) fn checked_fisher(self, z: f64, y: f64) -> Result<Fisher, Error> {
        let mean = self.mean(z);
        if mean.is_nan() || mean.abs() > LARGEST {
            return Err(Error::LinkMean { link: self.name(), z, mean });
        }
        Ok(Fisher { score: mean - y, weight: self.checked_weight(z)? })
    }

    /// [`Link::fisher_weight`] of a custom link. Refused if the link returns no usable number.
    pub(crate) fn checked_weight(self, z: f64) -> Result<f64, Error> {
        let slope = self.slope(z);
        if slope.is_nan() || slope.abs() > LARGEST {
            return Err(Error::LinkSlope { link: self.name(), z, slope });
        }
        Ok(bounded(slope))
    }
}

/// [`Link::fisher`] of a logit, from e = e^−|z|.
fn logit(z: f64, e: f64, y: f64) -> Fisher {
    let mean = if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) };
    Fisher { score: mean - y, weight: bounded(e / ((1.0 + e) * (1.0 + e))) }
}

/// Keeps a weight within its bounds.
fn bounded(weight: f64) -> f64 {
    weight.clamp(LEAST, LARGEST)
}

/// Returns φ(z)/Φ(−z) and φ(z)/Φ(z), the slopes of −log Φ(−z) and log Φ(z).
fn hazards(z: f64) -> (f64, f64) {
    let x = z.abs();
    let (density, beyond) = (normal_density(x), normal_distribution(-x));
    let large = if x < LEAST_TAIL_SCORE { density / beyond } else { x + mills_tail(x) };
    let small = density / (1.0 - beyond);
    if z >= 0.0 { (large, small) } else { (small, large) }
}

/// Returns log Φ(z), also where Φ(z) vanishes.
fn log_normal_distribution(z: f64) -> f64 {
    if z > -LEAST_TAIL_SCORE {
        return log(normal_distribution(z));
    }
    // Φ(−x) = φ(x)/(x + T).
    -0.5 * z * z - 0.5 * log(2.0 * PI) - log(mills_tail(-z) - z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_2_PI;

    /// The log-likelihoods, written independently.
    fn log_likelihood(link: Link, z: f64, y: f64) -> f64 {
        match link {
            Link::Probit => y * log(link.mean(z)) + (1.0 - y) * log(link.mean(-z)),
            _ => y * z - link.cumulant(z),
        }
    }

    #[test]
    fn the_score_is_the_slope_of_the_negative_log_likelihood() {
        for link in Link::ALL {
            for step in -30..=30 {
                let (z, h) = (f64::from(step) / 10.0, 1e-4);
                for y in [0.0, 0.3, 1.0] {
                    let up = log_likelihood(link, z + h, y);
                    let slope = (log_likelihood(link, z - h, y) - up) / (2.0 * h);
                    let score = link.fisher(z, y).score;
                    assert!((score - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{} {z} {y}", link.name());
                }
            }
        }
    }

    /// Also at |z| = 50, where Φ vanishes and only the slope can be compared.
    #[test]
    fn the_loss_is_the_negative_log_likelihood() {
        for link in Link::ALL {
            for z in [-3.0, -0.4, 0.0, 0.7, 3.0] {
                for y in [0.0, 0.3, 1.0] {
                    let (loss, expected) = (link.loss(z, y), -log_likelihood(link, z, y));
                    assert!((loss - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{} {z}", link.name());
                }
            }
        }
        for z in [-50.0, -30.0, 30.0, 50.0] {
            let slope = (Link::Probit.loss(z + 1e-3, 0.5) - Link::Probit.loss(z - 1e-3, 0.5)) / 2e-3;
            let score = Link::Probit.fisher(z, 0.5).score;
            assert!((slope - score).abs() < 1e-6 * score.abs(), "{z}: {slope} {score}");
        }
    }

    /// Values that share an exponential have the same bits as values computed separately.
    #[test]
    fn what_is_assessed_together_is_what_is_assessed_apart() {
        for link in Link::ALL {
            for z in [-40.0, -3.0, -0.4, 0.0, 0.7, 3.0, 40.0] {
                for y in [0.0, 0.3, 1.0] {
                    assert_eq!(
                        link.assess(z, y),
                        (link.loss(z, y), link.fisher(z, y)),
                        "{} {z}",
                        link.name()
                    );
                    let weight = link.fisher_weight(z);
                    assert_eq!(link.fisher(z, y).weight, weight, "{} {z}", link.name());
                }
                assert_eq!(Link::Logit.fisher(z, 0.0).score, Link::Logit.mean(z));
            }
        }
    }

    #[test]
    fn no_loss_of_an_interval_bends_less_than_the_least() {
        for link in [Link::Identity, Link::Logit, Link::Log] {
            for (z, ends) in
                [(0.3, (-1.0, 1.0)), (4.0, (-5.0, 5.0)), (-3.0, (-3.05, 5.0)), (1.0, (0.99, 1.02))]
            {
                let (bend, slope) = (link.least_bend(z, ends).unwrap(), link.mean(z));
                let mut least = f64::INFINITY;
                for step in 0..=200 {
                    let ahead = ends.0 + (ends.1 - ends.0) * f64::from(step) / 200.0 - z;
                    let above = link.cumulant(z + ahead) - link.cumulant(z) - slope * ahead;
                    assert!(above >= 0.5 * bend * ahead * ahead - 1e-12, "{} {z} {ahead}", link.name());
                    if ahead.abs() > 1e-3 {
                        least = least.min(2.0 * above / (ahead * ahead));
                    }
                }
                assert!(bend > 0.95 * least, "{} {z}: {bend} {least}", link.name());
            }
        }
    }

    /// This definition of the information needs no derivative: the mean of the squared score.
    #[test]
    fn the_weight_is_the_mean_of_the_squared_score() {
        for link in [Link::Logit, Link::Probit] {
            for step in -60..=60 {
                let z = f64::from(step) / 10.0;
                let chance = link.mean(z);
                let [one, none] = [1.0, 0.0].map(|y| link.fisher(z, y).score.powi(2));
                let expected = chance * one + link.mean(-z) * none;
                let weight = link.fisher(z, 1.0).weight;
                assert!((weight - expected).abs() < 1e-9 * expected, "{} {z}: {weight}", link.name());
            }
        }
    }

    #[test]
    fn the_weights_of_the_benchmark_are_those_of_the_literature() {
        for (z, weight) in [(0.0, FRAC_2_PI), (0.5, 0.5810), (1.0, 0.4386), (-1.0, 0.4386)] {
            assert!((Link::Probit.fisher_weight(z) - weight).abs() < 5e-5, "{z}");
        }
        let steepest = Link::Probit.fisher(-1.0, 1.0).score;
        assert!((steepest + 1.5251).abs() < 5e-5, "{steepest}");
        assert_eq!(Link::Identity.fisher(0.25, 1.0), Fisher { score: -0.75, weight: 1.0 });
        assert_eq!(Link::Log.fisher(0.0, 3.0), Fisher { score: -2.0, weight: 1.0 });
    }

    #[test]
    fn score_and_weight_are_symmetric_for_one_bit_rewards() {
        for link in [Link::Logit, Link::Probit] {
            for z in [0.0, 0.1, 0.9, 3.0, 29.0, 31.0, 500.0] {
                let (up, down) = (link.fisher(z, 1.0), link.fisher(-z, 0.0));
                assert!((up.score + down.score).abs() <= 1e-15, "{} {z}", link.name());
                assert_eq!(up.weight, down.weight, "{} {z}", link.name());
            }
        }
    }

    #[test]
    fn scores_and_weights_are_numbers_however_far_out() {
        for link in Link::ALL {
            for z in [0.0, 20.0, 29.999, 30.0, 38.5, 39.0, 710.0, 1e3, 1e100] {
                for (z, y) in [(z, 0.0), (z, 1.0), (-z, 0.0), (-z, 1.0)] {
                    let Fisher { score, weight } = link.fisher(z, y);
                    assert!(score.abs() <= 2e100, "{} {z} {y}: {score}", link.name());
                    assert!((LEAST..=LARGEST).contains(&weight), "{} {z}: {weight}", link.name());
                    assert_eq!(weight, link.fisher_weight(z));
                }
            }
        }
    }

    /// A surprise far out: −φ/Φ(z) = z − 1/z + …. The two ways to compute it meet at 30.
    #[test]
    fn the_score_of_a_surprise_grows_like_the_distance() {
        for (z, score) in [(-10.0, -10.098_093_233_962_51), (-100.0, -100.009_998_000_999_26)] {
            let got = Link::Probit.fisher(z, 1.0).score;
            assert!((got - score).abs() < 1e-13 * -score, "{z}: {got}");
        }
        let below = Link::Probit.fisher(-LEAST_TAIL_SCORE * (1.0 - f64::EPSILON), 1.0).score;
        let above = Link::Probit.fisher(-LEAST_TAIL_SCORE, 1.0).score;
        assert!((below - above).abs() < 1e-12, "{below} {above}");
    }

    struct Broken;

    impl crate::LinkFunction for Broken {
        fn mean(&self, z: f64) -> f64 {
            if z > 5.0 { f64::NAN } else { z }
        }

        fn slope(&self, z: f64) -> f64 {
            if z > 4.0 { f64::INFINITY } else { 1.0 }
        }
    }

    #[test]
    fn a_registered_link_without_a_number_is_refused() {
        let Link::Custom(link) = Link::register("broken-likelihood", Broken).unwrap() else { unreachable!() };
        assert_eq!(link.checked_fisher(0.5, 0.0), Ok(Fisher { score: 0.5, weight: 1.0 }));
        assert!(matches!(link.checked_fisher(5.5, 0.0), Err(Error::LinkMean { .. })));
        assert!(matches!(link.checked_fisher(4.5, 0.0), Err(Error::LinkSlope { z: 4.5, .. })));
    }
}
