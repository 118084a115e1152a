//! Filters that go through the objectives in the order of their priority. In each objective they keep the
//! arms that may be the best of those kept so far.

use moglb_math::Matrix;
use moglb_pareto::ArmId;

/// Writes the arms that are wider than ε into `wide`. Returns true if there are any.
pub(super) fn find_wide(
    arms: impl Iterator<Item = ArmId>,
    widths: &[f64],
    epsilon: f64,
    wide: &mut Vec<ArmId>,
) -> bool {
    wide.clear();
    wide.extend(arms.filter(|arm| widths[arm.0] > epsilon));
    !wide.is_empty()
}

/// Keeps the arms whose intervals are chained with that of the best kept arm. An interval is chained if it
/// overlaps with the best one directly, or over a chain of overlapping intervals of arms in `links` (Hüyük
/// and Tekin 2021).
///
/// An interval is (lower, upper), and the best arm has the largest upper end. From there chains only lead
/// down, so one pass over the intervals in decreasing order of their upper ends finds the lowest point that
/// they reach.
pub(super) fn keep_chained(
    kept: &mut Vec<ArmId>,
    links: &[ArmId],
    interval: impl Fn(ArmId) -> (f64, f64),
    intervals: &mut Vec<(f64, f64)>,
) {
    let best = kept.iter().map(|&arm| interval(arm)).reduce(|a, b| if b.1 > a.1 { b } else { a });
    let Some((mut lowest, top)) = best else { return };
    intervals.clear();
    intervals.extend(links.iter().map(|&arm| interval(arm)).filter(|interval| interval.1 <= top));
    intervals.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.total_cmp(&b.0)));
    for (lower, upper) in intervals {
        if *upper < lowest {
            break;
        }
        lowest = lowest.min(*lower);
    }
    kept.retain(|&arm| interval(arm).1 >= lowest);
}

/// The lexicographic ordered arm filter of Xue et al. 2025 (Algorithm 2). In objective i, counted from 1, it
/// keeps the arms whose upper bound is within (2 + 4λ + … + 4λⁱ⁻¹)·W of the largest among the arms kept so
/// far.
pub(super) fn keep_by_trade_off(kept: &mut Vec<ArmId>, uppers: &Matrix, trade_off: f64, width: f64) {
    let (mut slack, mut power) = (2.0, 1.0);
    for i in 0..uppers.n_cols() {
        let best = kept.iter().map(|arm| uppers.row(arm.0)[i]).fold(f64::NEG_INFINITY, f64::max);
        kept.retain(|arm| uppers.row(arm.0)[i] >= best - slack * width);
        power *= trade_off;
        slack += 4.0 * power;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_math::draw;

    fn all(n: usize) -> Vec<ArmId> {
        (0..n).map(ArmId).collect()
    }

    /// Returns the chained arms by the definition: adds arms that overlap with one of them until there are
    /// none.
    fn closure(intervals: &[(f64, f64)]) -> Vec<ArmId> {
        let best = (0..intervals.len()).max_by(|&a, &b| intervals[a].1.total_cmp(&intervals[b].1)).unwrap();
        let mut chained = vec![best];
        loop {
            let overlaps =
                |a: usize, b: usize| intervals[a].0 <= intervals[b].1 && intervals[b].0 <= intervals[a].1;
            let next = (0..intervals.len())
                .find(|&k| !chained.contains(&k) && chained.iter().any(|&other| overlaps(k, other)));
            match next {
                Some(k) => chained.push(k),
                None => break,
            }
        }
        chained.sort_unstable();
        chained.into_iter().map(ArmId).collect()
    }

    #[test]
    fn a_chain_is_the_transitive_closure_of_overlaps() {
        let mut rng = draw::seeded(5);
        let mut cut = 0;
        for _ in 0..500 {
            let n = 1 + draw::below(12, &mut rng);
            let interval = |_| {
                let (middle, half) = (draw::unit(&mut rng), 0.06 * draw::unit(&mut rng));
                (middle - half, middle + half)
            };
            let intervals: Vec<(f64, f64)> = (0..n).map(interval).collect();
            let mut kept = all(n);
            keep_chained(&mut kept, &all(n), |arm| intervals[arm.0], &mut Vec::new());
            assert_eq!(kept, closure(&intervals), "{intervals:?}");
            cut += usize::from(kept.len() > 1 && kept.len() < n);
        }
        assert!(cut > 100, "only {cut} chains ended on the way");
    }

    /// An arm in `links` that is no longer kept still connects a chain, but is not kept again.
    #[test]
    fn a_chain_may_lead_over_arms_that_are_no_longer_kept() {
        let intervals = [(0.9, 1.1), (0.75, 0.95), (0.6, 0.8)];
        let mut kept = vec![ArmId(0), ArmId(2)];
        keep_chained(&mut kept, &all(3), |arm| intervals[arm.0], &mut Vec::new());
        assert_eq!(kept, [ArmId(0), ArmId(2)]);
        let links = kept.clone();
        keep_chained(&mut kept, &links, |arm| intervals[arm.0], &mut Vec::new());
        assert_eq!(kept, [ArmId(0)]);
    }

    #[test]
    fn later_objectives_are_given_more_slack() {
        let uppers = Matrix::from_rows(&[[1.0, 0.0], [0.79, 0.5], [0.81, 0.59], [0.9, 1.2]]).unwrap();
        let mut kept = all(4);
        // W = 0.1 and λ = 1: slack 0.2 in the first objective, 0.6 in the second.
        keep_by_trade_off(&mut kept, &uppers, 1.0, 0.1);
        assert_eq!(kept, [ArmId(3)], "0.79 is below 1 − 0.2, 0.59 below 1.2 − 0.6");
        let mut kept = all(4);
        keep_by_trade_off(&mut kept, &uppers, 2.0, 0.1);
        assert_eq!(kept, [ArmId(2), ArmId(3)], "with λ = 2 the second slack is 1");
    }
}
