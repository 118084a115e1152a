//! Measures of fairness: the evenness of the pulls over the arms, and of the rewards over the objectives.

use moglb::Matrix;

/// The evenness of weights, such as pulls, over the arms of O*.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Evenness {
    /// The entropy divided by that of equal weights: 1 for equal weights and for a single arm, 0 if all
    /// weights are zero.
    pub(crate) entropy: f64,
    /// The least share times the number of weights: 1 for equal weights, 0 if one weight is zero.
    pub(crate) least: f64,
    /// The Gini coefficient: 0 for equal weights, 1 − 1/n if one arm has all the weight, 1 if all weights
    /// are zero.
    pub(crate) gini: f64,
}

impl Evenness {
    /// The evenness of some weights.
    pub(crate) fn of(weights: impl Iterator<Item = f64>) -> Self {
        let mut weights: Vec<f64> = weights.collect();
        let (count, total) = (weights.len() as f64, weights.iter().sum::<f64>());
        if weights.len() == 1 {
            return Self { entropy: 1.0, least: 1.0, gini: 0.0 };
        }
        if total == 0.0 {
            return Self { entropy: 0.0, least: 0.0, gini: 1.0 };
        }
        let term = |w: f64| if w > 0.0 { -(w / total) * libm::log(w / total) } else { 0.0 };
        let entropy = weights.iter().map(|&w| term(w)).sum::<f64>() / libm::log(count);
        weights.sort_by(f64::total_cmp);
        let ranked = weights.iter().enumerate().map(|(rank, w)| (2.0 * rank as f64 + 1.0 - count) * w);
        Self { entropy, least: weights[0] * count / total, gini: ranked.sum::<f64>() / (count * total) }
    }

    /// Adds the evenness of another round.
    pub(crate) fn add(&mut self, other: Self) {
        self.entropy += other.entropy;
        self.least += other.least;
        self.gini += other.gini;
    }

    /// The average of a sum over this many rounds.
    pub(crate) fn over(self, rounds: f64) -> Self {
        Self { entropy: self.entropy / rounds, least: self.least / rounds, gini: self.gini / rounds }
    }
}

/// Adds to `shortfalls` the shortfall of each objective when an arm with these means is played: (best −
/// mean)/(best − worst) over the arms. It is 0 if the arm is the best of all in the objective, 1 if it is
/// the worst, and 0 if all arms are equal.
pub(crate) fn shortfalls(means: &Matrix, mean: &[f64], shortfalls: &mut [f64]) {
    for (i, (shortfall, mean)) in shortfalls.iter_mut().zip(mean).enumerate() {
        let (mut worst, mut best) = (f64::INFINITY, f64::NEG_INFINITY);
        for arm in 0..means.n_rows() {
            worst = worst.min(means.row(arm)[i]);
            best = best.max(means.row(arm)[i]);
        }
        *shortfall += if best > worst { (best - mean) / (best - worst) } else { 0.0 };
    }
}

/// The difference between the largest and the smallest shortfall.
pub(crate) fn envy(shortfalls: &[f64]) -> f64 {
    let most = shortfalls.iter().fold(f64::NEG_INFINITY, |most, s| most.max(*s));
    let least = shortfalls.iter().fold(f64::INFINITY, |least, s| least.min(*s));
    most - least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(weights: &[f64]) -> Evenness {
        Evenness::of(weights.iter().copied())
    }

    #[test]
    fn even_exposure_is_one_one_and_zero() {
        let even = of(&[5.0, 5.0, 5.0]);
        assert!((even.entropy - 1.0).abs() < 1e-15);
        assert_eq!((even.least, even.gini), (1.0, 0.0));
        assert_eq!(of(&[3.0]), Evenness { entropy: 1.0, least: 1.0, gini: 0.0 });
    }

    #[test]
    fn uneven_exposure_is_what_it_is_by_hand() {
        assert_eq!(of(&[0.0, 5.0]), Evenness { entropy: 0.0, least: 0.0, gini: 0.5 });
        assert_eq!(of(&[0.0, 0.0]), Evenness { entropy: 0.0, least: 0.0, gini: 1.0 });
        // Shares ¼ and ¾: entropy 0.8113 bits, twice the least share, and |¾ − ¼|/2.
        let got = of(&[3.0, 1.0]);
        assert!((got.entropy - 0.811278).abs() < 1e-6);
        assert_eq!((got.least, got.gini), (0.5, 0.25));
        assert_eq!(of(&[0.0, 0.0, 0.0, 8.0]).gini, 0.75);
    }

    #[test]
    fn envy_is_the_gap_between_the_best_and_the_worst_served_objective() {
        let means = Matrix::from_rows(&[[1.0, 0.0, 0.3], [0.0, 0.5, 0.3], [0.5, 0.25, 0.3]]).unwrap();
        for (arm, without) in [(0, [0.0, 1.0, 0.0]), (2, [0.5, 0.5, 0.0])] {
            let mut got = [0.0; 3];
            shortfalls(&means, means.row(arm), &mut got);
            assert_eq!(got, without);
        }
        assert_eq!(envy(&[0.25, 0.75, 0.5]), 0.5);
        assert_eq!(envy(&[0.4]), 0.0);
    }
}
