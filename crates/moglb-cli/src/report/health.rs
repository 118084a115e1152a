//! What monitors say about the assumptions: a row per policy, alarms and the numbers behind them.

use super::format::{NONE, mean, short};
use super::swatch;
use crate::figure::series::{Line, Panel};
use moglb::{AlarmCode, Health, ObjectiveHealth, Severity};
use moglb_figure::svg::escape;

/// Bins with fewer rewards are too noisy to be shown as bias.
const ENOUGH: u64 = 50;

/// In how many of some trials each alarm rang, in the order of the documentation.
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
        "<p class=\"note\">What was seen of the assumptions behind each policy, as means over trials. The page \
         <em>Alarms</em> of the documentation says what each alarm means and what to do.</p>\n\
         <div class=\"scroll\"><table class=\"results\">\n\
         <thead><tr><th>Policy</th><th>Alarms</th><th>Projected, first 200 rounds</th>\
         <th>Projected, last 200</th><th>Largest bias</th><th>Front, last 200 rounds</th></tr></thead>\n\
         {groups}</table></div>\n\
         <p class=\"note\">Projected: the share of estimates that had to be projected back onto the ball of radius D. \
         Largest bias: between predicted and observed means, over bins of at least {ENOUGH} predictions of any objective, in units of \
         the reward. Front: the median of |O<sub>t</sub>|. Reliability curves and all other counts are in summary.json.</p>\n"
    )
}

fn group(panel: &Panel) -> String {
    let row = |line: &Line| line.run.health.as_ref().map(|trials| row(line, trials));
    let rows: String = panel.lines.iter().filter_map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    let title = escape(&panel.title);
    format!(
        "<tbody>\n<tr class=\"group\"><th colspan=\"6\" scope=\"rowgroup\">{title}</th></tr>\n{rows}</tbody>\n"
    )
}

fn row(line: &Line, trials: &[Health]) -> String {
    let over = |value: fn(&Health) -> Option<f64>| {
        let values: Option<Vec<f64>> = trials.iter().map(value).collect();
        values.and_then(|values| mean(&values)).map_or(NONE.into(), short)
    };
    format!(
        "<tr><th scope=\"row\">{}{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        swatch(&line.style),
        escape(&line.label),
        alarms(trials),
        over(|health| health.radius.first_share),
        over(|health| health.radius.last_share),
        over(|health| health.objectives.iter().filter_map(bias).reduce(f64::max)),
        over(|health| health.front.last_median.map(|median| median as f64)),
    )
}

/// Each alarm that rang, with the number of trials; warnings before notices.
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

fn bias(objective: &ObjectiveHealth) -> Option<f64> {
    let curve = objective.calibration.curve.iter().filter(|point| point.count >= ENOUGH);
    curve.map(|point| (point.observed - point.predicted).abs()).reduce(f64::max)
}
