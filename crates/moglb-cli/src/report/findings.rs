//! The findings of a run on data in one or two sentences, computed from its numbers.
//!
//! If the data has a cost, the first sentence is about the cost of a quality; otherwise it is about the
//! hypervolume. A second sentence warns if Pareto regret alone is misleading on the data.

use super::format::with_interval;
use crate::figure::operating::{Group, Operating, Point, baseline_name, operating};
use moglb_figure::svg::escape;
use moglb_sim::{Baseline, Plays, Summary};

/// Two mean rewards in [0, 1] that differ by no more than this count as equal: in practice the cheaper one
/// wins.
const EQUAL_MEANS_DIFFERENCE: f64 = 0.003;

/// The first sentence about the only environment, for the head of the page. `None` if the environment is not
/// data or is not the only one.
pub(super) fn headline(summary: &Summary) -> Option<String> {
    match &operating(summary)[..] {
        [only] if summary.rankings().len() == 1 => sentences(only).into_iter().next(),
        _ => None,
    }
}

/// The sentences about an environment, in HTML.
pub(super) fn sentences(one: &Operating) -> Vec<String> {
    let first = if one.across.is_cost { paid(one) } else { reached(one) };
    let first = first.map(|text| format!("{}: {text}", escape(&one.title)));
    first.into_iter().chain(cheapest(one)).collect()
}

/// A sentence about the cheapest point that is certainly as good as always playing the best arm. If there is
/// none, the sentence is about the best point.
fn paid(one: &Operating) -> Option<String> {
    let (arm, always) = one.always_best()?;
    let quality = always.objectives[0];
    let least = |a: (_, _), b: (_, _)| if key(&a) <= key(&b) { a } else { b };
    fn key(pair: &(&Group, &Point)) -> f64 {
        pair.1.across.mean
    }
    // The lower end of the interval, not the mean: otherwise the luckiest of many points would be chosen.
    let is_good = |point: &Point| point.up.mean - point.up.ci95 >= quality - EQUAL_MEANS_DIFFERENCE;
    let good = one.points().filter(|(_, point)| is_good(point)).reduce(least);
    let best = || one.points().reduce(|a, b| if a.1.up.mean >= b.1.up.mean { a } else { b });
    let (group, point) = good.or_else(best)?;
    let price = one.across.of_baseline(always);
    if !(price > 0.0 && point.across.mean >= 0.0) {
        return reached(one);
    }
    let part = 100.0 * point.across.mean / price;
    let difference = format!("{:+.4}", point.up.mean - quality).replace('-', "−");
    Some(format!(
        "{} reaches {} {} ({difference} compared with always {}) at {part:.0}\u{a0}% of its cost.",
        escape(&point.name(group)),
        escape(&one.comparison.objectives[0]),
        with_interval(point.up.mean, point.up.ci95),
        escape(arm),
    ))
}

/// A sentence about the point with the largest hypervolume, compared with drawing arms uniformly.
fn reached(one: &Operating) -> Option<String> {
    let end = |point: &Point| point.outcome.hypervolume.mean.last().copied().unwrap_or(f64::NEG_INFINITY);
    let (group, point) = one.points().reduce(|a, b| if end(a.1) >= end(b.1) { a } else { b })?;
    let means = one.comparison.objectives.iter().zip(&point.outcome.objectives);
    let means: Vec<String> = means
        .map(|(name, column)| {
            let (mean, ci95) = moglb_sim::mean_ci95(&column.trials);
            format!("{} {}", escape(name), with_interval(mean, ci95))
        })
        .collect();
    let random = one.comparison.baselines.iter().find(|baseline| baseline.plays == Plays::Random)?;
    Some(format!(
        "{} reaches {}: {:.0}\u{a0}% of the volume of the front; drawing arms uniformly reaches \
         {:.0}\u{a0}%.",
        escape(&point.name(group)),
        means.join(", "),
        100.0 * end(point),
        100.0 * random.hypervolume,
    ))
}

/// A warning if always playing the arm that is worst in the first objective has the lowest Pareto regret.
fn cheapest(one: &Operating) -> Option<String> {
    let arms = || one.comparison.baselines.iter().filter(|b| matches!(b.plays, Plays::Always(_)));
    let least = |value: fn(&Baseline) -> f64| arms().reduce(|a, b| if value(a) <= value(b) { a } else { b });
    let (winner, worst) = (least(|b| b.gap)?, least(|b| b.objectives[0])?);
    let gap = |(_, point): (&Group, &Point)| {
        let rounds = point.run.t.last().map_or(1.0, |&t| t as f64);
        point.run.pareto_regret.mean.last().map_or(f64::INFINITY, |regret| regret / rounds)
    };
    let policies = one.points().map(gap).fold(f64::INFINITY, f64::min);
    (arms().count() > 1 && winner == worst && winner.gap <= policies).then(|| {
        format!(
            "Pareto regret alone is won by {} ({:.4} a round, the best policy has {policies:.4}), which has \
             the lowest {}: read it together with the other metrics.",
            escape(&baseline_name(winner)),
            winner.gap,
            escape(&one.comparison.objectives[0]),
        )
    })
}
