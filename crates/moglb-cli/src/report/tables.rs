//! The results table with the definitions of its columns, and the tuning tables.
//!
//! A definition is written once, in [`COLUMNS`]. It is shown below the table and as a tooltip of the heading.

use super::format::{NONE, count, exact, last, mean, short, with_interval};
use super::html::{plots, swatch};
use crate::figure::series::{Line, Panel, parameter};
use moglb_figure::svg::escape;
use moglb_sim::{Run, Tuning};

/// A column of the results table. Names and definitions are HTML.
struct Column {
    name: &'static str,
    definition: &'static str,
    /// Returns the cell of a run.
    cell: fn(&Run) -> Cell,
}

/// A value as text, and its range over trials if there are several trials.
struct Cell {
    text: String,
    range: Option<(f64, f64)>,
}

/// The columns, in the order of the table.
const COLUMNS: [Column; 13] = [
    Column {
        name: "Pareto regret",
        definition: "PR(T), the Pareto suboptimality gaps of all played arms added up, with its 95 % \
                     interval. Lower is better; bold marks the lowest mean of a group.",
        cell: |run| with_ends(last(&run.pareto_regret), Some(&run.last.pareto_regret)),
    },
    Column {
        name: "Jaccard at T",
        definition: "|O<sub>T</sub> ∩ O*| / |O<sub>T</sub> ∪ O*| in the last round, with its 95 % \
                     interval; 1 means that the policy found the front exactly.",
        cell: |run| with_ends(run.jaccard.as_ref().and_then(last), run.last.jaccard.as_deref()),
    },
    Column {
        name: "Mean Jaccard",
        definition: "The Jaccard index averaged over all rounds.",
        cell: |run| share(run.last.jaccard_mean.as_deref()),
    },
    Column {
        name: "Exposure entropy",
        definition: "The entropy of the pulls that fell on O*, divided by its largest possible value: 1 \
                     means that the arms of the front were played equally often. If arms are fresh in every \
                     round: the entropy of the probabilities on O*, averaged over rounds.",
        cell: |run| share(Some(&run.last.exposure_entropy)),
    },
    Column {
        name: "Least exposure",
        definition: "The least share of the pulls on O* that an arm of O* had, times |O*|: 1 means that no \
                     arm of the front was played less than its share, 0 that one was not played at all.",
        cell: |run| share(Some(&run.last.exposure_least)),
    },
    Column {
        name: "Gini",
        definition: "Gini’s coefficient of the pulls that fell on O*: 0 means that the arms of the front \
                     were played equally often.",
        cell: |run| share(Some(&run.last.exposure_gini)),
    },
    Column {
        name: "Envy",
        definition: "The inequality between objectives. The loss of an objective is (best − mean)/(best − \
                     worst): best and worst are over the arms, the mean is over the arms as they were \
                     played. Envy is the largest loss of an objective minus the smallest.",
        cell: |run| share(Some(&run.last.envy)),
    },
    Column {
        name: "Share on front",
        definition: "The share of all pulls that fell on arms of O*.",
        cell: |run| share(Some(&run.last.share_on_front)),
    },
    Column {
        name: "Hypervolume, mix",
        definition: "The volume dominated by the mean reward vector of the arms as they were played, \
                     relative to that of O*. If arms are fresh in every round: the volume of the played arm \
                     only, averaged over the rounds of the curves.",
        cell: |run| share(Some(&run.last.hypervolume_mix)),
    },
    Column {
        name: "Hypervolume, front",
        definition: "The volume dominated by the true means of O<sub>T</sub>, relative to that of O*: 1 \
                     means that nothing of value is missing from the policy’s front.",
        cell: |run| share(run.last.hypervolume_front.as_deref()),
    },
    Column {
        name: "True front",
        definition: "|O*|, the number of arms on the true front, averaged over trials.",
        cell: |run| whole(&run.last.true_front_size),
    },
    Column {
        name: "Projections",
        definition: "The number of times that an estimate had to be projected back onto the ball of radius \
                     D, per trial.",
        cell: |run| whole(&run.last.projection_hits),
    },
    Column {
        name: "Rounds/s",
        definition: "Rounds played per second of one thread, simulation and metrics included.",
        cell: |run| Cell { text: rate(run), range: None },
    },
];

/// The results of every policy at every size, followed by the definitions of the columns.
pub(super) fn results(panels: &[Panel]) -> String {
    if panels.is_empty() {
        return String::new();
    }
    let head = |column: &Column| {
        format!("<th><abbr title=\"{}\">{}</abbr></th>", plain(column.definition), column.name)
    };
    let heads: String = COLUMNS.iter().map(head).collect();
    let groups: String = panels.iter().map(group).collect();
    let define = |column: &Column| format!("<dt>{}</dt><dd>{}</dd>\n", column.name, column.definition);
    let definitions: String = COLUMNS.iter().map(define).collect();
    format!(
        "<p class=\"note\">Means over trials; point at a number for its range, at a heading for its \
         definition.</p>\n\
         <div class=\"scroll\"><table class=\"results\">\n\
         <thead><tr><th>Policy</th>{heads}</tr></thead>\n{groups}\
         </table></div>\n<h3>What the columns mean</h3>\n<dl class=\"definitions\">\n{definitions}</dl>\n"
    )
}

/// The rows of a panel, under a row with its sizes. The lowest mean regret is marked.
fn group(panel: &Panel) -> String {
    let size = panel.lines.first().map_or(String::new(), |line| {
        format!(
            "{}: d = {}, K = {}, m = {}",
            escape(panel.environment),
            panel.dim,
            line.run.arms,
            line.run.objectives
        )
    });
    let end = |line: &Line| last(&line.run.pareto_regret).map_or(f64::INFINITY, |(mean, _)| mean);
    let lowest = panel.lines.iter().map(end).fold(f64::INFINITY, f64::min);
    let rows: String =
        panel.lines.iter().map(|line| row(line, end(line) == lowest && lowest.is_finite())).collect();
    let span = COLUMNS.len() + 1;
    format!(
        "<tbody>\n<tr class=\"group\"><th colspan=\"{span}\" \
         scope=\"rowgroup\">{size}</th></tr>\n{rows}</tbody>\n"
    )
}

/// The row of a policy, with its parameters below its name.
fn row(line: &Line, is_lowest: bool) -> String {
    let parameters: Vec<String> =
        line.run.params.iter().map(|(name, value)| format!("{name} = {}", parameter(value))).collect();
    let cells: String = COLUMNS.iter().map(|column| cell((column.cell)(line.run))).collect();
    format!(
        "<tr{}><th scope=\"row\">{}{}<small>{}</small></th>{cells}</tr>\n",
        if is_lowest { " class=\"lowest\"" } else { "" },
        swatch(&line.style),
        escape(&line.label),
        escape(&parameters.join(", ")),
    )
}

/// A cell, with the range over trials as a tooltip.
fn cell(cell: Cell) -> String {
    match cell.range {
        Some((low, high)) => {
            format!("<td title=\"trials range from {} to {}\">{}</td>", short(low), short(high), cell.text)
        }
        None => format!("<td>{}</td>", cell.text),
    }
}

/// A mean with its interval; the trials give the range.
fn with_ends(value: Option<(f64, f64)>, trials: Option<&[f64]>) -> Cell {
    let text = value.map_or(NONE.into(), |(mean, half)| with_interval(mean, half));
    Cell { text, range: trials.and_then(range) }
}

/// A mean over trials with three decimals.
fn share(trials: Option<&[f64]>) -> Cell {
    let text = trials
        .and_then(mean)
        .filter(|mean| mean.is_finite())
        .map_or(NONE.into(), |mean| format!("{mean:.3}"));
    Cell { text, range: trials.and_then(range) }
}

/// A mean of counts over trials.
fn whole(trials: &[u64]) -> Cell {
    let trials: Vec<f64> = trials.iter().map(|&value| value as f64).collect();
    Cell { text: mean(&trials).map_or(NONE.into(), short), range: range(&trials) }
}

/// The least and the largest value of the trials; `None` for a single trial or values that are not finite.
fn range(trials: &[f64]) -> Option<(f64, f64)> {
    let low = trials.iter().copied().fold(f64::INFINITY, f64::min);
    let high = trials.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (trials.len() > 1 && low.is_finite() && high.is_finite()).then_some((low, high))
}

/// Rounds per second.
fn rate(run: &Run) -> String {
    match run.rounds as f64 / run.seconds {
        rate if rate.is_finite() => count(rate as u64),
        _ => NONE.into(),
    }
}

/// A definition without its markup, for an attribute.
fn plain(html: &str) -> String {
    escape(&html.replace("<sub>", "_").replace("</sub>", ""))
}

/// The grids that were searched, as plots and tables; empty if nothing was tuned.
pub(super) fn tuning(panels: &[Panel]) -> String {
    let is_tuned = |panel: &Panel| panel.lines.iter().any(|line| line.run.tuning.is_some());
    let has_jaccard = |panel: &Panel| panel.lines.iter().any(|line| tuned_jaccard(line.run).is_some());
    if !panels.iter().any(is_tuned) {
        return String::new();
    }
    let mut out = String::from(
        "<p class=\"note\">Parameters were tuned on disjoint seeds: the tuning trials share no instance \
         with the reported ones. The value with the smallest mean Pareto regret was chosen; it is ringed \
         in the plots and marked ✓ in the tables.</p>\n<h3>Mean Pareto regret at T over the grid</h3>\n",
    );
    out += &plots(panels, "tuning-pareto_regret", is_tuned);
    if panels.iter().any(has_jaccard) {
        out += "<h3>Mean Jaccard index at T over the grid</h3>\n";
        out += &plots(panels, "tuning-jaccard", has_jaccard);
    }
    out += "<details><summary>The numbers</summary>\n";
    for panel in panels.iter().filter(|panel| is_tuned(panel)) {
        let tables = panel.lines.iter().filter_map(|line| Some(grid(line, line.run.tuning.as_ref()?)));
        out += &format!("<h4>{}</h4>\n{}", escape(&panel.title), tables.collect::<String>());
    }
    out + "</details>\n"
}

/// The mean Jaccard index at each value of the grid, if the policy was tuned and has a front.
fn tuned_jaccard(run: &Run) -> Option<&[f64]> {
    run.tuning.as_ref()?.jaccard.as_deref()
}

/// The table of a grid: mean regret and Jaccard index at each value.
fn grid(line: &Line, tuning: &Tuning) -> String {
    let mark = |value: f64| if value == tuning.chosen { " class=\"chosen\"" } else { "" };
    let head = |&value: &f64| {
        let tick = if value == tuning.chosen { " ✓" } else { "" };
        format!("<th{}>{}{tick}</th>", mark(value), exact(value))
    };
    let heads: String = tuning.grid.iter().map(head).collect();
    let cells = |values: &[f64]| -> String {
        tuning
            .grid
            .iter()
            .zip(values)
            .map(|(&at, &value)| format!("<td{}>{}</td>", mark(at), short(value)))
            .collect()
    };
    let jaccard = tuning.jaccard.as_deref().map_or(String::new(), |values| {
        format!("<tr><th scope=\"row\">Jaccard index</th>{}</tr>\n", cells(values))
    });
    format!(
        "<div class=\"scroll\"><table class=\"grid\">\n<caption>{}{}: {} on {} tuning trial{} per \
         value</caption>\n\
         <thead><tr><th>{}</th>{heads}</tr></thead>\n<tbody>\n<tr><th scope=\"row\">Pareto \
         regret</th>{}</tr>\n{jaccard}\
         </tbody>\n</table></div>\n",
        swatch(&line.style),
        escape(&line.label),
        escape(&tuning.parameter),
        tuning.trials,
        if tuning.trials == 1 { "" } else { "s" },
        escape(&tuning.parameter),
        cells(&tuning.pareto_regret),
    )
}
