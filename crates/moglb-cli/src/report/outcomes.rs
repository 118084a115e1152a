//! The outcomes of runs on real data for practitioners: quality, cost and savings.
//!
//! The section has one or two sentences per environment, the plane of operating points, the same points as a
//! table with the baselines, the hypervolume over time, and the scalarized regret at all weights. Baselines
//! do not learn: they are computed from the data, so they have no intervals.

use super::findings;
use super::format::{NONE, short, with_interval};
use crate::figure::operating::{Group, Operating, Point, baseline_name, operating};
use crate::figure::{plane, volume, weights};
use moglb_figure::svg::escape;
use moglb_sim::{Baseline, Column, Curve, Estimate, Plays, Summary, mean_ci95, weight_words};

/// The smallest share of an arm that is shown.
const LEAST_SHARE: f64 = 0.005;
/// The baselines that always play one arm are left out of the table if there are more arms than this.
const MOST_ARM_ROWS: usize = 20;

/// The section of outcomes; empty if no environment is data.
pub(super) fn outcomes(summary: &Summary) -> String {
    let all = operating(summary);
    if all.is_empty() {
        return String::new();
    }
    let said: String =
        all.iter().flat_map(findings::sentences).map(|text| format!("<p>{text}</p>\n")).collect();
    let wide = |name: &str, note: &str, svg: Option<String>| {
        let figure = |svg| {
            format!("<h3>{name}</h3>\n<p class=\"note\">{note}</p>\n<figure class=\"wide\">{svg}</figure>\n")
        };
        svg.map_or(String::new(), figure)
    };
    let plane = wide(
        "Operating points",
        "A mark is a policy played with one preference, with the 95 % intervals of both means; marks of a \
         policy are joined in the order of preference, and the numbers next to those of the first policy are \
         weights on the first objective. Crosses, diamond and broken line do not learn: they are always one \
         arm, any arm evenly, and the arm that is best for some weights in hindsight, which is not known \
         beforehand.",
        plane::figure(summary),
    );
    let tables: String = all.iter().map(table).collect();
    let volume = wide(
        "Hypervolume over time",
        "The volume that the mean reward vectors of the rounds so far dominate, for all preferences of a \
         policy together, as a share of the oracle’s (of the front’s if arms are fixed and their means are \
         known).",
        volume::figure(summary),
    );
    let weights = wide(
        "Scalarized regret over weights",
        "The shortfall of a round’s weighted sum from that of the best arm of the round in hindsight; for \
         each weight the best of a policy’s preferences.",
        weights::figure(summary),
    );
    let regrets: String = all.iter().map(regrets).collect();
    format!(
        "{said}{plane}<h3>In numbers</h3>\n<p class=\"note\">Means over the rounds that count, ± half of the \
         95 % interval over trials. Hypervolume: the volume that the mean reward vector dominates, as a \
         share of the whole. Coverage: the share of the front that is on the policy’s front. Regret: that of \
         the weighted sum per round, its mean and its largest value over all \
         weights.</p>\n{tables}{volume}{weights}\
         <details><summary>Regret at every weight</summary>\n{regrets}</details>\n"
    )
}

/// The table of an environment: a row for each operating point, then for each baseline.
fn table(one: &Operating) -> String {
    let (objectives, measures) = (&one.comparison.objectives, &one.comparison.measures);
    let mut heads = vec!["Operating point".to_string()];
    heads.extend(objectives.iter().cloned());
    if one.across.is_cost {
        heads.extend([one.across.name.clone(), "Saved".into()]);
    }
    heads.extend(measures.iter().filter(|_| !one.across.is_cost).cloned());
    heads.extend(["Hypervolume", "Coverage", "Mean regret", "Worst regret", "Plays"].map(String::from));
    let heads: String = heads.iter().map(|head| format!("<th>{}</th>", escape(head))).collect();
    let runs: String = one.points().map(|(group, point)| run(one, group, point)).collect();
    let always = one.comparison.baselines.iter().filter(|b| matches!(b.plays, Plays::Always(_))).count();
    let named = |b: &&Baseline| !matches!(b.plays, Plays::Always(_)) || always <= MOST_ARM_ROWS;
    let baselines: String = one
        .comparison
        .baselines
        .iter()
        .filter(named)
        .map(|baseline| row_of_baseline(one, baseline))
        .collect();
    format!(
        "<h4>{}</h4>\n<div class=\"scroll\"><table class=\"ranking\">\n<thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{runs}{baselines}</tbody>\n</table></div>\n",
        escape(&one.title)
    )
}

/// The row of an operating point.
fn run(one: &Operating, group: &Group, point: &Point) -> String {
    let outcome = point.outcome;
    let of = |values: &[f64]| {
        let (mean, ci95) = mean_ci95(values);
        with_interval(mean, ci95)
    };
    let mut cells: Vec<String> = outcome.objectives.iter().map(|column| of(&column.trials)).collect();
    if one.across.is_cost {
        cells.push(with_interval(point.across.mean, point.across.ci95));
        cells.push(saved(one, point.across));
    } else {
        cells.extend(outcome.measures.iter().map(|column| of(&column.trials)));
    }
    cells.push(at_last(&outcome.hypervolume));
    cells.push(outcome.coverage.as_ref().map_or(NONE.into(), |values| of(values)));
    cells.extend(spread(&outcome.regret.mean));
    cells.push(shares(&outcome.shares));
    row(&point.name(group), &cells)
}

/// The row of a baseline, which has no interval, coverage or shares.
fn row_of_baseline(one: &Operating, baseline: &Baseline) -> String {
    let mut cells: Vec<String> = baseline.objectives.iter().map(|&mean| format!("{mean:.4}")).collect();
    if one.across.is_cost {
        let paid = one.across.of_baseline(baseline);
        cells.push(short(paid));
        cells.push(saved(one, Estimate { mean: paid, ci95: 0.0 }));
    } else {
        cells.extend(baseline.measures.iter().map(|&mean| short(mean)));
    }
    cells.extend([format!("{:.3}", baseline.hypervolume), NONE.into()]);
    cells.extend(spread(&baseline.regret));
    cells.push(NONE.into());
    row(&baseline_name(baseline), &cells)
}

/// A row of a table; the cells are HTML, the name is escaped here.
fn row(name: &str, cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(name))
}

/// The savings, as a share of the cost of always playing the best arm.
fn saved(one: &Operating, paid: Estimate) -> String {
    let part = |saved: f64| format!("{:.0}\u{a0}%", 100.0 * saved).replace('-', "−");
    match (one.savings(paid.mean), one.savings(0.0), one.savings(paid.ci95)) {
        (Some(mean), Some(all), Some(rest)) if paid.ci95 > 0.0 => {
            format!("{} ± {}", part(mean), part(all - rest))
        }
        (Some(mean), ..) => part(mean),
        _ => NONE.into(),
    }
}

/// The arms with their shares of the rounds, most played first.
fn shares(columns: &[Column]) -> String {
    let mut all: Vec<(f64, &str)> =
        columns.iter().map(|c| (mean_ci95(&c.trials).0, c.name.as_str())).collect();
    all.retain(|(share, _)| *share >= LEAST_SHARE);
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let text = |(share, name): &(f64, &str)| {
        let short = name.rsplit('/').next().unwrap_or(name);
        // Without a word in front, a number would be read as the share.
        let arm = if short.parse::<u64>().is_ok() { "arm\u{a0}" } else { "" };
        format!("{arm}{}\u{a0}{:.0}\u{a0}%", escape(short), 100.0 * share)
    };
    match all.len() {
        0 => NONE.into(),
        _ => all.iter().map(text).collect::<Vec<String>>().join(", "),
    }
}

/// The last value of a curve with its interval.
fn at_last(curve: &Curve) -> String {
    curve.mean.last().zip(curve.ci95.last()).map_or(NONE.into(), |(&mean, &ci95)| with_interval(mean, ci95))
}

/// The mean and the largest of the regrets at all weights.
fn spread(regret: &[f64]) -> [String; 2] {
    let mean = regret.iter().sum::<f64>() / regret.len().max(1) as f64;
    [mean, regret.iter().copied().fold(0.0, f64::max)].map(|value| format!("{value:.3}"))
}

/// The table of regrets: a row for each operating point and baseline, a column for each weight.
fn regrets(one: &Operating) -> String {
    let heads = one.comparison.weights.iter().enumerate();
    let heads: String = heads
        .map(|(k, weights)| format!("<th>{}<br><small>{}</small></th>", weight_words(weights), k + 1))
        .collect();
    let cells = |values: &[f64]| values.iter().map(|value| format!("{value:.3}")).collect::<Vec<String>>();
    let runs = one.points().map(|(group, point)| row(&point.name(group), &cells(&point.outcome.regret.mean)));
    let baselines = one.comparison.baselines.iter().filter(|b| !matches!(b.plays, Plays::Oracle(_)));
    let baselines = baselines.map(|baseline| row(&baseline_name(baseline), &cells(&baseline.regret)));
    format!(
        "<h4>{}</h4>\n<div class=\"scroll\"><table class=\"grid\">\n<thead><tr><th>Weights</th>{heads}</tr>\
         </thead>\n<tbody>\n{}</tbody>\n</table></div>\n",
        escape(&one.title),
        runs.chain(baselines).collect::<String>(),
    )
}
