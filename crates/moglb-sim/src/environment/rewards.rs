//! Rewards with a given mean, drawn by the link of their objective.

use moglb::Link;

/// Returns a reward of mean μ from one uniform number u, within the range of the objective:
///
/// - logit, probit: Bernoulli, y = 1 when u < μ;
/// - identity and registered links: the two ends of the range, with the chances that give the mean;
/// - log: binomial over the whole numbers of the range, close to Poisson if the range is wide.
///
/// ```
/// use moglb::Link;
/// assert_eq!(moglb_sim::reward(Link::Logit, (0.0, 1.0), 0.3, 0.2), 1.0);
/// assert_eq!(moglb_sim::reward(Link::Identity, (-1.0, 2.0), 0.5, 0.7), -1.0);
/// ```
pub fn reward(link: Link, (low, high): (f64, f64), mean: f64, u: f64) -> f64 {
    match link {
        Link::Logit | Link::Probit => f64::from(u8::from(u < mean)),
        Link::Identity | Link::Custom(_) => {
            if u < (mean - low) / (high - low) {
                high
            } else {
                low
            }
        }
        Link::Log => binomial(high.floor(), mean / high.floor(), u),
    }
}

/// The binomial quantile of u, found by adding up the probabilities.
fn binomial(n: f64, p: f64, u: f64) -> f64 {
    let odds = p / (1.0 - p);
    let mut chance = libm::pow(1.0 - p, n);
    let (mut k, mut sum) = (0.0, chance);
    while u >= sum && k < n {
        k += 1.0;
        chance *= odds * (n - k + 1.0) / k;
        sum += chance;
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb::draw;

    /// The mean of 200 000 rewards is off by more than five standard errors with chance 6e-7.
    #[test]
    fn rewards_have_their_means_and_stay_in_range() {
        let mut rng = draw::seeded(21);
        for (link, range, mean) in [
            (Link::Logit, (0.0, 1.0), 0.3),
            (Link::Probit, (0.0, 1.0), 0.8),
            (Link::Identity, (-1.0, 1.0), -0.2),
            (Link::Log, (0.0, 10.0), 2.2),
            (Link::Log, (0.0, 10.0), 0.4),
        ] {
            let n = 200_000;
            let values: Vec<f64> = (0..n).map(|_| reward(link, range, mean, draw::unit(&mut rng))).collect();
            assert!(values.iter().all(|&y| y >= range.0 && y <= range.1));
            let got = values.iter().sum::<f64>() / f64::from(n);
            let variance = values.iter().map(|y| (y - got) * (y - got)).sum::<f64>() / f64::from(n);
            let error = (variance / f64::from(n)).sqrt();
            assert!((got - mean).abs() < 5.0 * error, "{}: {got} for {mean}", link.name());
        }
    }
}
