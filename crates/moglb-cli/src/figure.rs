//! The paper's figures as SVG text.
//!
//! The SVG is written by hand. `kuva` 0.6 was tried first: its panels and bands are good, but its shared
//! legend is a box of stacked entries whose samples are too short to tell dashes apart, and one dash pattern
//! fits all. What is needed here (lines, bands, ticks, one legend) is a few small files, and writing them
//! makes the output a pure function of the summary: no clock, no hash order, equal bytes every time.
//!
//! - `series` decides what is drawn: panels, labels, colors; the HTML report asks it the same questions.
//! - `axis` decides the ticks, `panel` and `legend` draw; `moglb-figure` knows how SVG is spelled.

mod axis;
pub(crate) mod confirm;
pub(crate) mod cost;
pub(crate) mod delay;
pub(crate) mod identify;
mod labels;
mod legend;
mod mark;
pub(crate) mod operating;
mod panel;
pub(crate) mod plane;
pub(crate) mod series;
pub(crate) mod volume;
pub(crate) mod weights;

use moglb_figure::svg;
use moglb_sim::{Curve, Run, Summary, figure_2_dim};
use panel::{Frame, Plot, Trace};
use series::{Line, Panel};
use std::collections::BTreeMap;

const COLUMNS: usize = 3;
/// Room at the far left for the name of the y axis.
const Y_NAME: f64 = 20.0;
const MARGIN: f64 = 8.0;
/// The name of most x axes.
const ROUNDS: &str = "Round t";

/// The panels of a summary with the lines that are drawn; the title says so where some are not.
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

/// Figure 1: cumulative Pareto regret over time, one panel per environment and dimension.
pub fn figure1(summary: &Summary) -> String {
    let panels = readable(summary);
    let tops = shared_tops(&panels);
    let plots = panels.iter().zip(tops).map(|(panel, top)| Plot {
        title: panel.title.clone(),
        traces: traces(panel, |run| Some(&run.pareto_regret)),
        y: axis::Axis::values(top),
        x_name: ROUNDS,
    });
    let layout = Layout::under_one_name("Cumulative Pareto regret", summary.experiment.trials > 1);
    draw(&plots.collect::<Vec<_>>(), &layout)
}

/// Figure 2: the Jaccard index of O_t and O* over time, at d = 10 as in the paper, or at the middle
/// dimension.
///
/// `None` when no policy keeps a front.
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
        y: axis::Axis::unit(),
        x_name: ROUNDS,
    });
    let layout = Layout::under_one_name("Jaccard index", summary.experiment.trials > 1);
    Some(draw(&plots.collect::<Vec<_>>(), &layout))
}

/// The lines of a panel that have the wanted curve.
fn traces<'a>(panel: &Panel<'a>, curve: impl Fn(&'a Run) -> Option<&'a Curve>) -> Vec<Trace> {
    let trace =
        |line: &Line<'a>| Some(Trace::new(line.label.clone(), line.style, &line.run.t, curve(line.run)?));
    panel.lines.iter().filter_map(trace).collect()
}

/// The largest value of each panel, made equal within an environment where the panels are of one magnitude:
/// then regret can be compared across d by eye, and no panel is squashed by another.
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

/// What surrounds the plots of a figure.
struct Layout<'a> {
    /// What the figure shows, for screen readers.
    about: &'a str,
    /// The names at the left of the rows; the last one goes for all rows after it.
    rows: Vec<&'a str>,
    /// Whether several plots have letters before their titles.
    has_letters: bool,
    /// Whether the legend explains bands.
    has_bands: bool,
    /// The height of a plot in place of the usual one.
    height: Option<f64>,
}

impl<'a> Layout<'a> {
    /// Lettered plots that share the name of their y axis.
    fn under_one_name(y_name: &'a str, has_bands: bool) -> Self {
        Self { about: y_name, rows: vec![y_name], has_letters: true, has_bands, height: None }
    }
}

/// Lays the plots out in rows under one legend.
fn draw(plots: &[Plot], layout: &Layout) -> String {
    let columns = plots.len().clamp(1, COLUMNS);
    let frame = Frame::for_columns(columns);
    let frame = Frame { height: layout.height.unwrap_or(frame.height), ..frame };
    let width = Y_NAME + columns as f64 * frame.cell_width() + MARGIN;
    let (legend, legend_height) = legend::draw(plots, MARGIN, width, layout.has_bands);
    let rows = plots.len().div_ceil(columns);
    let height = MARGIN + legend_height + rows as f64 * frame.cell_height() + MARGIN;
    let mut body = legend;
    for (index, plot) in plots.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let left = Y_NAME + column as f64 * frame.cell_width();
        let top = MARGIN + legend_height + row as f64 * frame.cell_height();
        let has_letter = layout.has_letters && plots.len() > 1;
        let letter = if has_letter { format!("({}) ", letter(index)) } else { String::new() };
        panel::draw(&mut body, plot, &(letter + &plot.title), frame, (left, top));
        if let (0, Some(name)) = (column, layout.rows.get(row).or(layout.rows.last())) {
            let middle = top + frame.top + frame.height / 2.0;
            body += &svg::text_upward((14.0, middle), 12.0, name);
        }
    }
    svg::document((width, height), layout.about, &body)
}

/// a, b, …, z, then numbers.
fn letter(index: usize) -> String {
    match u8::try_from(index) {
        Ok(small @ 0..26) => char::from(b'a' + small).to_string(),
        _ => (index + 1).to_string(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
