//! The paper's figures: regret and Jaccard index over time.

use super::series::{self, Line, Panel, ROUNDS, trace};
use moglb_figure::{Axis, Layout, Plot, Trace, draw};
use moglb_sim::{Curve, Run, Summary, figure_2_dim};
use std::collections::BTreeMap;

/// The panels of a summary with the lines that are drawn. If lines are left out, the title has the two
/// numbers.
fn readable(summary: &Summary) -> Vec<Panel<'_>> {
    let mut panels = series::panels(summary);
    for panel in &mut panels {
        let all = panel.lines.len();
        panel.lines.retain(|line| line.is_drawn);
        if panel.lines.len() < all {
            panel.title += &format!(" ({} of {all})", panel.lines.len());
        }
    }
    panels
}

/// Draws Figure 1: cumulative Pareto regret over time, one panel per environment and dimension.
pub fn figure1(summary: &Summary) -> String {
    let panels = readable(summary);
    let tops = shared_tops(&panels);
    let plots = panels.iter().zip(tops).map(|(panel, top)| Plot {
        title: panel.title.clone(),
        traces: traces(panel, |run| Some(&run.pareto_regret)),
        y: Axis::values(top),
        x_name: ROUNDS,
    });
    let layout = Layout::under_one_name("Cumulative Pareto regret", summary.experiment.trials > 1);
    draw(&plots.collect::<Vec<_>>(), &layout)
}

/// Draws Figure 2: the Jaccard index of O_t and O* over time, at d = 10 as in the paper, or at the middle
/// dimension.
///
/// `None` if no policy has a front.
pub fn figure2(summary: &Summary) -> Option<String> {
    let mut panels = readable(summary);
    panels.retain(|panel| panel.lines.iter().any(|line| line.run.jaccard.is_some()));
    let dim = figure_2_dim(summary)?;
    panels.retain(|panel| panel.dim == dim);
    if panels.is_empty() {
        return None;
    }
    let plots = panels.iter().map(|panel| Plot {
        title: panel.title.clone(),
        traces: traces(panel, |run| run.jaccard.as_ref()),
        y: Axis::unit(),
        x_name: ROUNDS,
    });
    let layout = Layout::under_one_name("Jaccard index", summary.experiment.trials > 1);
    Some(draw(&plots.collect::<Vec<_>>(), &layout))
}

/// The lines of a panel whose runs have the curve.
fn traces<'a>(panel: &Panel<'a>, curve: impl Fn(&'a Run) -> Option<&'a Curve>) -> Vec<Trace> {
    let drawn = |line: &Line<'a>| Some(trace(line.label.clone(), line.style, &line.run.t, curve(line.run)?));
    panel.lines.iter().filter_map(drawn).collect()
}

/// The upper end of each panel's axis. Panels of an environment share it if their largest values differ by no
/// more than a factor of 2.5: then regret can be compared across d by eye, and no panel is squashed by
/// another.
fn shared_tops(panels: &[Panel]) -> Vec<f64> {
    let top = |panel: &Panel| {
        traces(panel, |run| Some(&run.pareto_regret)).iter().map(Trace::top).fold(0.0, f64::max)
    };
    let own: Vec<f64> = panels.iter().map(top).collect();
    let mut ranges: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (panel, &top) in panels.iter().zip(&own) {
        let (low, high) = ranges.entry(panel.environment).or_insert((f64::MAX, 0.0));
        (*low, *high) = (low.min(top), high.max(top));
    }
    let shared = |(panel, &own_top): (&Panel, &f64)| {
        let (low, high) = ranges[panel.environment];
        if high <= 2.5 * low { high } else { own_top }
    };
    panels.iter().zip(&own).map(shared).collect()
}
