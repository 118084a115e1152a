//! The final values of every trial: a strip of dots per policy, and the numbers behind it.

use super::format::{NONE, mean, short};
use super::html::swatch;
use crate::figure::series::{Line, Panel};
use moglb_figure::svg::escape;
use moglb_sim::Run;

/// The largest number of trials in the tables. The strips show all trials.
const MOST_TRIAL_ROWS: usize = 50;

/// Strips and tables of the final values; empty if no trial was played.
pub(super) fn trials(panels: &[Panel]) -> String {
    let regret = |run: &'_ Run| Some(run.last.pareto_regret.clone());
    let jaccard = |run: &'_ Run| run.last.jaccard.clone();
    let regrets: String = panels.iter().map(|panel| strip(panel, regret, None)).collect();
    if regrets.is_empty() {
        return String::new();
    }
    let indices: String = panels.iter().map(|panel| strip(panel, jaccard, Some(1.0))).collect();
    let mut out = String::from("<p class=\"note\">A dot is a trial, the upright stroke the mean.</p>\n");
    out += &format!("<h3>Pareto regret at T</h3>\n<div class=\"plots\">\n{regrets}</div>\n");
    if !indices.is_empty() {
        out += &format!("<h3>Jaccard index at T</h3>\n<div class=\"plots\">\n{indices}</div>\n");
    }
    let tables: String = panels.iter().map(table).collect();
    out + &format!("<details><summary>The numbers</summary>\n{tables}</details>\n")
}

/// The strips of one panel on a common scale from 0 to `end`, or to the largest value.
fn strip(panel: &Panel, values: impl Fn(&Run) -> Option<Vec<f64>>, end: Option<f64>) -> String {
    let lines: Vec<(&Line, Vec<f64>)> = panel
        .lines
        .iter()
        .filter_map(|line| Some((line, values(line.run)?)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let largest = lines.iter().flat_map(|(_, values)| values).copied().filter(|value| value.is_finite());
    let end = end.unwrap_or_else(|| largest.fold(0.0, f64::max));
    let end = if end > 0.0 { end } else { 1.0 };
    let rows: String = lines.iter().map(|(line, values)| dots(line, values, end)).collect();
    format!(
        "<figure><figcaption>{}</figcaption>\n<div class=\"strip\">\n{rows}<span></span>\
         <span class=\"ends\"><span>0</span><span>{}</span></span></div></figure>\n",
        escape(&panel.title),
        short(end),
    )
}

/// The dots of one policy. Positions are percentages, so that the strip fits any width and the dots stay
/// round.
fn dots(line: &Line, values: &[f64], end: f64) -> String {
    // Inset by 2 %, so that dots at the ends are not cut off.
    let place = |value: f64| 2.0 + 96.0 * (value / end).clamp(0.0, 1.0);
    let mut marks = String::new();
    for (index, &value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let text = short(value);
        marks += &format!(
            "<circle cx=\"{:.2}%\" cy=\"50%\" r=\"4\"><title>trial {}: {text}</title></circle>",
            place(value),
            index + 1
        );
    }
    if let Some(mean) = mean(values).filter(|mean| mean.is_finite()) {
        let x = place(mean);
        marks += &format!("<line x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"15%\" y2=\"85%\"/>");
    }
    format!(
        "<span class=\"name\">{}</span><svg class=\"dots\" style=\"--light:{};--dark:{}\">{marks}</svg>\n",
        escape(&line.label),
        line.style.color,
        line.style.dark,
    )
}

/// The table of a panel: a row per trial, a column per policy, with the regret and the Jaccard index if there
/// is one.
fn table(panel: &Panel) -> String {
    let n_trials = panel.lines.iter().map(|line| line.run.last.pareto_regret.len()).max().unwrap_or(0);
    let head = |line: &Line| format!("<th>{}{}</th>", swatch(&line.style), escape(&line.label));
    let heads: String = panel.lines.iter().map(head).collect();
    let row = |trial: usize| {
        let cells: String = panel.lines.iter().map(|line| ends(line.run, trial)).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", trial + 1)
    };
    let rows: String = (0..n_trials.min(MOST_TRIAL_ROWS)).map(row).collect();
    let more = match n_trials.checked_sub(MOST_TRIAL_ROWS) {
        None | Some(0) => String::new(),
        Some(more) => format!("<p class=\"note\">{more} more trials are in summary.json.</p>\n"),
    };
    format!(
        "<h4>{}: Pareto regret, and Jaccard index where there is a front</h4>\n<div class=\"scroll\">\
         <table class=\"grid\">\n\
         <thead><tr><th>Trial</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\
         </div>\n{more}",
        escape(&panel.title),
    )
}

/// The cell of a trial.
fn ends(run: &Run, trial: usize) -> String {
    let regret = run.last.pareto_regret.get(trial).map_or(NONE.into(), |&value| short(value));
    match run.last.jaccard.as_ref().and_then(|values| values.get(trial)) {
        Some(&jaccard) => format!("<td>{regret} <small>{}</small></td>", short(jaccard)),
        None => format!("<td>{regret}</td>"),
    }
}
