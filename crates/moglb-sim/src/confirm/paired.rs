//! Comparison of two policies trial by trial: differences, ratios, and the verdicts of their intervals.

use super::cases::Demand;
use crate::stats::{Estimate, student_quantile};
use serde::{Deserialize, Serialize};

/// A ratio of two means over the same trials, with Fieller's 95 % interval.
///
/// ```
/// use moglb_sim::Ratio;
///
/// let ratio = Ratio::of(&[1.0, 1.2, 1.1], &[2.1, 2.3, 2.2]).expect("the mean of b is far from 0");
/// assert!(ratio.low < 0.5 && 0.5 <= ratio.high);
/// assert_eq!(Ratio::of(&[1.0], &[2.0]), None, "one trial has no interval");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The ratio of the means.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Ratio {
    /// The ratio mean(a)/mean(b). Fieller's interval contains the ratios ρ for which Student's t cannot
    /// distinguish the mean of a − ρb, taken trial by trial, from 0:
    ///
    /// ```text
    /// (ā − ρ b̄)² ≤ t² (s_aa − 2ρ s_ab + ρ² s_bb)/n
    /// ```
    ///
    /// For any one ρ it therefore agrees with the interval of the differences a − ρb. `None` for a single
    /// trial, and where the mean of b cannot be distinguished from 0: there the interval is unbounded.
    pub fn of(a: &[f64], b: &[f64]) -> Option<Self> {
        let n = a.len().min(b.len());
        if n < 2 {
            return None;
        }
        let mean = |values: &[f64]| values[..n].iter().sum::<f64>() / n as f64;
        let (mean_a, mean_b) = (mean(a), mean(b));
        let quantile = student_quantile(n - 1);
        let scale = quantile * quantile / (n as f64 * (n as f64 - 1.0));
        // t² s_xy / n, the three terms on the right.
        let spread = |x: &[f64], mean_x: f64, y: &[f64], mean_y: f64| {
            scale * x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>()
        };
        let square = mean_b * mean_b - spread(b, mean_b, b, mean_b);
        let half_linear = mean_a * mean_b - spread(a, mean_a, b, mean_b);
        let constant = mean_a * mean_a - spread(a, mean_a, a, mean_a);
        // Rounding may make this negative where a is a multiple of b.
        let root = (half_linear * half_linear - square * constant).max(0.0).sqrt();
        (square > 0.0).then(|| Self {
            value: mean_a / mean_b,
            low: (half_linear - root) / square,
            high: (half_linear + root) / square,
        })
    }
}

/// The verdict of the 95 % interval of a margin on a demand.
///
/// Example: [`Confirming`].
///
/// [`Confirming`]: crate::Confirming
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// The whole interval is on the right side.
    Met,
    /// The whole interval is on the wrong side.
    Missed,
    /// The interval contains both sides.
    Undecided,
}

impl Demand {
    /// The margin of each trial: positive on the right side of the demand, negative on the wrong side. The
    /// mean of the margins is on the right side exactly if the means of the policies satisfy the demand.
    pub(super) fn margins(self, challenger: &[f64], rival: &[f64]) -> Vec<f64> {
        let margin = |(&a, &b): (&f64, &f64)| match self {
            Demand::RatioAtMost(ratio) => ratio * b - a,
            Demand::RatioAtLeast(ratio) => a - ratio * b,
            Demand::DifferenceAtLeast(difference) => a - b - difference,
            Demand::Higher => a - b,
            Demand::AtLeast(bound) => a - bound,
        };
        challenger.iter().zip(rival).map(margin).collect()
    }

    /// Returns true if a margin is on the right side.
    pub(super) fn allows(self, margin: f64) -> bool {
        if self == Demand::Higher { margin > 0.0 } else { margin >= 0.0 }
    }

    /// The verdict of the interval of the margins; undecided for a single trial, which has no interval.
    pub(super) fn settled(self, margin: Estimate, trials: usize) -> Settled {
        if trials < 2 {
            Settled::Undecided
        } else if self.allows(margin.mean - margin.ci95) {
            Settled::Met
        } else if self.allows(margin.mean + margin.ci95) {
            Settled::Undecided
        } else {
            Settled::Missed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb::{Rng, draw};

    /// Trials of two policies that share luck: mean 3 and 5, correlated.
    fn trials(n: usize, rng: &mut dyn Rng) -> (Vec<f64>, Vec<f64>) {
        let one = |_| {
            let (shared, own, other) = (draw::normal(rng), draw::normal(rng), draw::normal(rng));
            (3.0 + shared + own, 5.0 + 2.0 * shared + other)
        };
        (0..n).map(one).unzip()
    }

    /// Of 4000 intervals with chance 0.95, 3800 are expected to contain the truth, with a standard
    /// deviation of 13.8. The bounds are five of them away, chance 6e-7. Fieller's interval is exact for
    /// normal trials, but for the rare ones in which it is unbounded.
    #[test]
    fn nineteen_of_twenty_intervals_hold_the_true_ratio() {
        let mut rng = draw::seeded(41);
        let (mut held, repetitions) = (0, 4000);
        for _ in 0..repetitions {
            let (a, b) = trials(25, &mut rng);
            let ratio = Ratio::of(&a, &b).expect("the mean of b is far from 0");
            assert!(ratio.low <= ratio.value && ratio.value <= ratio.high, "{ratio:?}");
            held += u32::from(ratio.low <= 0.6 && 0.6 <= ratio.high);
        }
        assert!((3731..=3869).contains(&held), "{held} of {repetitions} intervals hold the truth");
    }

    /// The bounds of the test above, for the margins: the interval is on a wrong side in one of forty cases
    /// on each side.
    #[test]
    fn a_demand_on_the_edge_is_undecided_nineteen_times_of_twenty() {
        let mut rng = draw::seeded(42);
        let mut undecided = 0;
        for _ in 0..4000 {
            let (a, b) = trials(25, &mut rng);
            let demand = Demand::RatioAtMost(0.6);
            let settled = demand.settled(Estimate::of(&demand.margins(&a, &b)), a.len());
            undecided += u32::from(settled == Settled::Undecided);
        }
        assert!((3731..=3869).contains(&undecided), "{undecided} of 4000 are undecided");
    }

    #[test]
    fn the_interval_of_the_ratio_agrees_with_that_of_the_margins() {
        let mut rng = draw::seeded(43);
        let mut seen = [0; 3];
        for _ in 0..300 {
            let (a, b) = trials(12, &mut rng);
            let ratio = Ratio::of(&a, &b).unwrap();
            for bound in [0.3, 0.5, 0.6, 0.8, 1.0] {
                let demand = Demand::RatioAtMost(bound);
                let settled = demand.settled(Estimate::of(&demand.margins(&a, &b)), a.len());
                let expected = match bound {
                    bound if bound >= ratio.high => Settled::Met,
                    bound if bound < ratio.low => Settled::Missed,
                    _ => Settled::Undecided,
                };
                assert_eq!(settled, expected, "{bound} and {ratio:?}");
                seen[settled as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }

    #[test]
    fn a_ratio_without_ends_is_none() {
        assert_eq!(Ratio::of(&[1.0], &[2.0]), None, "one trial has no interval");
        assert_eq!(Ratio::of(&[1.0, 2.0], &[-1.0, 1.0]), None, "the mean of b may be 0");
    }

    #[test]
    fn a_ratio_that_is_the_same_in_every_trial_is_known() {
        let ratio = Ratio::of(&[1.0, 1.1, 1.3], &[20.0, 22.0, 26.0]).expect("the mean of b is far from 0");
        assert!(
            [ratio.value, ratio.low, ratio.high].iter().all(|end| (end - 0.05).abs() < 1e-8),
            "{ratio:?}"
        );
    }

    #[test]
    fn verdicts_are_those_of_the_interval() {
        let estimate = |mean: f64, ci95: f64| Estimate { mean, ci95 };
        for (demand, margin, expected) in [
            (Demand::RatioAtMost(0.5), estimate(2.0, 1.0), Settled::Met),
            (Demand::RatioAtMost(0.5), estimate(2.0, 3.0), Settled::Undecided),
            (Demand::RatioAtMost(0.5), estimate(-2.0, 3.0), Settled::Undecided),
            (Demand::RatioAtMost(0.5), estimate(-2.0, 1.0), Settled::Missed),
            (Demand::DifferenceAtLeast(0.0), estimate(0.0, 0.0), Settled::Met),
            (Demand::Higher, estimate(0.0, 0.0), Settled::Missed),
        ] {
            assert_eq!(demand.settled(margin, 10), expected, "{demand:?} {margin:?}");
            assert_eq!(demand.settled(margin, 1), Settled::Undecided, "one trial settles nothing");
        }
    }

    #[test]
    fn margins_are_positive_on_the_right_side() {
        let (a, b) = ([2.0], [4.0]);
        for (demand, expected) in [
            (Demand::RatioAtMost(0.75), 1.0),
            (Demand::RatioAtLeast(0.75), -1.0),
            (Demand::DifferenceAtLeast(-3.0), 1.0),
            (Demand::Higher, -2.0),
            (Demand::AtLeast(1.5), 0.5),
        ] {
            assert_eq!(demand.margins(&a, &b), [expected], "{demand:?}");
        }
    }
}
