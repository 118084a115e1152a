//! The ranking: the place of every policy on every environment, with paired differences, and regret against
//! time.
//!
//! Differences are paired, because all policies play the same instances trial by trial. They are taken to the
//! best policy and to MOGLB-UCB, if it was played.

use super::format::{NONE, mean, short, with_interval};
use super::html::swatch;
use crate::figure::series::{Line, Panel, display_name};
use crate::figure::{cost, delay};
use moglb_figure::svg::escape;
use moglb_sim::{Estimate, Place, Ranking, Summary};

/// The rankings of all environments; empty if no environment has two policies to compare.
pub(super) fn ranking(summary: &Summary, panels: &[Panel]) -> String {
    let rankings = summary.rankings();
    if !rankings.iter().any(|ranking| ranking.places.len() > 1) {
        return String::new();
    }
    let tables: String = rankings.iter().zip(panels).map(|(ranking, panel)| table(ranking, panel)).collect();
    let figure = cost::figure(summary).map_or(String::new(), |svg| {
        format!(
            "<h3>Regret against time</h3>\n<p class=\"note\">Both axes are logarithmic; numbers are places \
             in the tables above. A policy is ringed if no other policy is both faster and better. Time is \
             that of one thread, simulation and metrics included.</p>\n\
             <figure class=\"wide\">{svg}</figure>\n"
        )
    });
    let late = delay::figure(summary).map_or(String::new(), |svg| {
        format!("<h3>Regret against delay</h3>\n<figure class=\"wide\">{svg}</figure>\n")
    });
    format!(
        "<p class=\"note\">By mean Pareto regret after the last round. Differences are taken trial by trial \
         on the same instances, with 95 % intervals; a difference is bold if its interval excludes zero. A \
         policy can win on Pareto regret by ignoring the front: read it together with Jaccard index and \
         entropy. If a policy pursues one objective or a weighted sum, its name \
         includes it.</p>\n{tables}{figure}{late}"
    )
}

/// The ranked table of an environment.
fn table(ranking: &Ranking, panel: &Panel) -> String {
    let measure = display_name(&ranking.places[ranking.measure].run.policy);
    let row = |(k, place): (usize, &Place)| {
        let line = panel.line(place.index);
        row(k + 1, place, line.expect("panels and rankings hold the same runs"), k == ranking.measure)
    };
    let rows: String = ranking.places.iter().enumerate().map(row).collect();
    format!(
        "<h3>{}</h3>\n<div class=\"scroll\"><table class=\"ranking\">\n<thead><tr><th></th><th>Policy</th>\
         <th>Pareto regret</th><th>minus the best</th><th>minus {}</th><th>Jaccard at T</th>\
         <th>Exposure entropy</th>\
         <th>µs a round</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        escape(&panel.title),
        escape(&measure),
    )
}

/// The row of a policy. `is_measure` marks the policy that the others are compared with.
fn row(rank: usize, place: &Place, line: &Line, is_measure: bool) -> String {
    let last = &place.run.last;
    let share = |values: Option<&[f64]>| {
        values.and_then(mean).filter(|mean| mean.is_finite()).map_or(NONE.into(), |mean| format!("{mean:.3}"))
    };
    let cells = [
        with_interval(place.regret.mean, place.regret.ci95),
        if rank == 1 { NONE.into() } else { difference(place.behind_first) },
        if is_measure { NONE.into() } else { difference(place.beyond_measure) },
        share(last.jaccard.as_deref()),
        share(Some(&last.exposure_entropy)),
        short(place.microseconds),
    ];
    let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!(
        "<tr><td>{rank}</td><th scope=\"row\">{}{}</th>{cells}</tr>\n",
        swatch(&line.style),
        escape(&line.label)
    )
}

/// A paired difference, bold if its interval excludes zero.
fn difference(difference: Estimate) -> String {
    let text = with_interval(difference.mean, difference.ci95);
    if Place::tells(difference) { format!("<b>{text}</b>") } else { text }
}
