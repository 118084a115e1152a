//! The excess of one arm over another, and the gaps, which tell how hard it is to decide whether an arm is on
//! the front.

use moglb_math::Rows;
use moglb_pareto::{Front, front};

/// M(i, j) = maxₒ (yᵢᵒ − yⱼᵒ): the amount that must be added to j in every objective for j to dominate i. It
/// is negative if j exceeds i in all objectives. −M(i, j) = minₒ (yⱼᵒ − yᵢᵒ) is m(i, j), the amount by which
/// j dominates i.
#[inline(always)]
pub(super) fn excess(i: &[f64], j: &[f64]) -> f64 {
    i.iter().zip(j).fold(f64::NEG_INFINITY, |most, (i, j)| most.max(i - j))
}

/// The front of some estimates, and the gap Δᵢ of each arm (Kone, Kaufmann, Richert 2025):
///
/// ```text
/// Δ*ᵢ = maxⱼ m(i, j)                                            off the front
/// δ*ᵢ = minⱼ [ M(i, j) ∧ (M(j, i)₊ + (Δ*ⱼ)₊) ]                  on the front
/// ```
pub(super) struct Gaps {
    pub(super) front: Front,
    pub(super) gaps: Vec<f64>,
}

impl Gaps {
    /// The front and the gaps of at least one row of finite numbers.
    pub(super) fn new(means: Rows<'_>) -> Self {
        let front = front(means).expect("estimates are finite");
        let n = means.n_rows();
        let others = |i: usize| (0..n).filter(move |&j| j != i);
        let over = |i: usize, j: usize| excess(means.row(i), means.row(j));
        let below: Vec<f64> =
            (0..n).map(|i| others(i).fold(f64::NEG_INFINITY, |most, j| most.max(-over(i, j)))).collect();
        let within = |i: usize| {
            others(i).fold(f64::INFINITY, |least, j| {
                least.min(over(i, j)).min(over(j, i).max(0.0) + below[j].max(0.0))
            })
        };
        let gaps = (0..n).map(|i| below[i].max(within(i))).collect();
        Self { front, gaps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_the_definition_by_hand() {
        let means = [0.8, 0.2, 0.3, 0.7, 0.2, 0.5];
        let Gaps { front, gaps } = Gaps::new(Rows::new(2, &means).unwrap());
        assert_eq!(front.iter().map(|arm| arm.0).collect::<Vec<_>>(), [0, 1]);
        // Arm 2 is dominated by arm 1 by min(0.1, 0.2). Arm 0: M(0,1) = 0.5, M(1,0) = 0.5, M(0,2) = 0.6, and
        // M(2,0) + Δ*₂ = 0.3 + 0.1. Arm 1: M(1,0) = M(0,1) = 0.5, M(1,2) = 0.2, and M(2,1)₊ + Δ*₂ = 0 + 0.1.
        for (got, expected) in gaps.iter().zip([0.4, 0.1, 0.1]) {
            assert!((got - expected).abs() < 1e-12, "{gaps:?}");
        }
    }

    #[test]
    fn an_arm_alone_has_an_infinite_gap() {
        assert_eq!(Gaps::new(Rows::new(2, &[0.1, 0.2]).unwrap()).gaps, [f64::INFINITY]);
    }
}
