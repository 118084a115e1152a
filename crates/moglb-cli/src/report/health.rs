//! The assumptions behind each policy as monitors saw them: a row per policy, alarms and the numbers behind
//! them.

use super::format::{NONE, mean, short};
use super::html::swatch;
use crate::figure::series::{Line, Panel};
use moglb::{AlarmCode, Health, ObjectiveHealth, Severity};
use moglb_figure::svg::escape;

/// Bins with fewer rewards are too noisy to be shown as bias.
const FEWEST_PREDICTIONS: u64 = 50;

/// The number of trials in which each alarm rang, in the order of the documentation. Alarms that never rang
/// are left out.
pub fn rang(trials: &[Health]) -> Vec<(AlarmCode, usize)> {
    let count =
        |code: AlarmCode| trials.iter().filter(|health| health.alarms().any(|a| a.code == code)).count();
    AlarmCode::ALL.into_iter().map(|code| (code, count(code))).filter(|(_, count)| *count > 0).collect()
}

/// The table of all policies that were monitored; empty if none was.
pub(super) fn health(panels: &[Panel]) -> String {
    let groups: String = panels.iter().map(group).collect();
    if groups.is_empty() {
        return String::new();
    }
    format!(
        "<p class=\"note\">Observations on the assumptions behind each policy, as means over trials. The \
         page <em>Alarms</em> of the documentation explains what each alarm means and what to do.</p>\n\
         <div class=\"scroll\"><table class=\"results\">\n\
         <thead><tr><th>Policy</th><th>Alarms</th><th>Projected, first 200 rounds</th>\
         <th>Projected, last 200</th><th>Largest bias</th><th>Front, last 200 rounds</th></tr></thead>\n\
         {groups}</table></div>\n\
         <p class=\"note\">Projected: the share of estimates that had to be projected back onto the ball of \
         radius D. Largest bias: between predicted and observed means, over bins of at least \
         {FEWEST_PREDICTIONS} predictions of any objective, in units of the reward. Front: the median of \
         |O<sub>t</sub>|. Reliability: observed means (upwards) against predicted ones, a dot for every bin \
         of a trial with at least {FEWEST_PREDICTIONS} predictions; on the dashed line predictions are \
         right. All counts are in summary.json.</p>\n"
    )
}

/// The rows of a panel, under a row with its title; empty if no run was monitored.
fn group(panel: &Panel) -> String {
    let row = |line: &Line| line.run.health.as_ref().map(|trials| row(line, trials));
    let rows: String = panel.lines.iter().filter_map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    let title = escape(&panel.title);
    format!(
        "<tbody>\n<tr class=\"group\"><th colspan=\"6\" scope=\"rowgroup\">{title}</th></tr>\n\
         {rows}</tbody>\n"
    )
}

/// The row of a policy, and a second row with its reliability curves.
fn row(line: &Line, trials: &[Health]) -> String {
    let over = |value: fn(&Health) -> Option<f64>| {
        let values: Option<Vec<f64>> = trials.iter().map(value).collect();
        values.and_then(|values| mean(&values)).map_or(NONE.into(), short)
    };
    format!(
        "<tr><th scope=\"row\">{}{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n\
         <tr><td colspan=\"6\" style=\"text-align:left\"><details><summary>Reliability</summary>{}</details>\
         </td></tr>\n",
        swatch(&line.style),
        escape(&line.label),
        alarms(trials),
        over(|health| health.radius.first_share),
        over(|health| health.radius.last_share),
        over(|health| health.objectives.iter().filter_map(bias).reduce(f64::max)),
        over(|health| health.front.last_median.map(|median| median as f64)),
        curves(trials),
    )
}

/// The reliability curves: for each objective the observed mean against the predicted one, with a dot for
/// every bin of a trial that has enough rewards.
fn curves(trials: &[Health]) -> String {
    let n_objectives = trials.first().map_or(0, |health| health.objectives.len());
    let points = |i: usize| {
        let bins = trials.iter().flat_map(move |health| &health.objectives[i].calibration.curve);
        bins.filter(|bin| bin.count >= FEWEST_PREDICTIONS)
            .map(|bin| (bin.predicted, bin.observed))
            .collect::<Vec<_>>()
    };
    (0..n_objectives).map(|i| curve(&trials[0].objectives[i].name, &points(i))).collect()
}

/// The reliability curve of an objective: dots in a square whose dashed diagonal shows right predictions.
fn curve(name: &str, points: &[(f64, f64)]) -> String {
    let all = || points.iter().flat_map(|&(predicted, observed)| [predicted, observed]);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let length = if high > low { high - low } else { 1.0 };
    let place = |value: f64| 8.0 + 104.0 * (value - low) / length;
    let dot = |&(predicted, observed): &(f64, f64)| {
        let (x, y) = (place(predicted), 120.0 - place(observed));
        format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"currentColor\" fill-opacity=\"0.5\"/>")
    };
    let (name, dots) = (escape(name), points.iter().map(dot).collect::<String>());
    let range = if points.is_empty() { NONE.into() } else { format!("{} to {}", short(low), short(high)) };
    format!(
        "<figure style=\"display:inline-block;margin:.5em\"><svg width=\"120\" height=\"120\" role=\"img\" \
         aria-label=\"reliability of {name}\"><rect width=\"120\" height=\"120\" fill=\"none\" \
         stroke=\"currentColor\" stroke-opacity=\"0.3\"/><line x1=\"8\" y1=\"112\" x2=\"112\" y2=\"8\" \
         stroke=\"currentColor\" stroke-opacity=\"0.4\" stroke-dasharray=\"3\"/>{dots}</svg>\
         <figcaption>{name}: {range}</figcaption></figure>"
    )
}

/// The alarms that rang, each with its number of trials; warnings come before notices.
fn alarms(trials: &[Health]) -> String {
    let mut rang = rang(trials);
    if rang.is_empty() {
        return "none".into();
    }
    rang.sort_by_key(|(code, _)| code.severity() == Severity::Notice);
    let one = |(code, count): &(AlarmCode, usize)| {
        format!("<code>{}</code> in {count} of {}", code.name(), trials.len())
    };
    rang.iter().map(one).collect::<Vec<_>>().join("<br>")
}

/// The largest difference between the predicted and the observed mean, over bins with enough predictions.
fn bias(objective: &ObjectiveHealth) -> Option<f64> {
    let curve = objective.calibration.curve.iter().filter(|point| point.count >= FEWEST_PREDICTIONS);
    curve.map(|point| (point.observed - point.predicted).abs()).reduce(f64::max)
}
