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
mod legend;
mod panel;
pub(crate) mod series;

use moglb_figure::svg;
use moglb_sim::{Curve, Run, Summary, figure_2_dim};
use panel::{Frame, Plot, Trace};
use series::{Line, Panel};

const COLUMNS: usize = 3;
/// Room at the far left for the name of the y axis.
const Y_NAME: f64 = 20.0;
const MARGIN: f64 = 8.0;

/// Figure 1: cumulative Pareto regret over time, one panel per environment and dimension.
pub fn figure1(summary: &Summary) -> String {
    let panels = series::panels(summary);
    let tops = shared_tops(&panels);
    let plots = panels.iter().zip(tops).map(|(panel, top)| Plot {
        title: panel.title.clone(),
        traces: traces(panel, |run| Some(&run.pareto_regret)),
        y: axis::Axis::values(top),
    });
    draw(plots.collect(), "Cumulative Pareto regret", summary.experiment.trials > 1)
}

/// Figure 2: the Jaccard index of O_t and O* over time, at d = 10 as in the paper, or at the middle
/// dimension.
///
/// `None` when no policy keeps a front.
pub fn figure2(summary: &Summary) -> Option<String> {
    let mut panels = series::panels(summary);
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
    });
    Some(draw(plots.collect(), "Jaccard index", summary.experiment.trials > 1))
}

/// The lines of a panel that have the wanted curve.
fn traces<'a>(panel: &Panel<'a>, curve: impl Fn(&'a Run) -> Option<&'a Curve>) -> Vec<Trace> {
    let trace = |line: &Line<'a>| Some(Trace::new(line, curve(line.run)?));
    panel.lines.iter().filter_map(trace).collect()
}

/// The largest value of each panel, made equal within an environment where the panels are of one magnitude:
/// then regret can be compared across d by eye, and no panel is squashed by another.
fn shared_tops(panels: &[Panel]) -> Vec<f64> {
    let top = |panel: &Panel| {
        traces(panel, |run| Some(&run.pareto_regret)).iter().map(Trace::top).fold(0.0, f64::max)
    };
    let own: Vec<f64> = panels.iter().map(top).collect();
    let shared = |(panel, &own_top): (&Panel, &f64)| {
        let kin = || panels.iter().zip(&own).filter(|(other, _)| other.environment == panel.environment);
        let (low, high) =
            kin().fold((f64::MAX, 0.0_f64), |(low, high), (_, &top)| (low.min(top), high.max(top)));
        if high <= 2.5 * low { high } else { own_top }
    };
    panels.iter().zip(&own).map(shared).collect()
}

/// Lays the plots out in rows under one legend.
fn draw(plots: Vec<Plot>, y_name: &str, has_bands: bool) -> String {
    let columns = plots.len().clamp(1, COLUMNS);
    let frame = Frame::for_columns(columns);
    let width = Y_NAME + columns as f64 * frame.cell_width() + MARGIN;
    let (legend, legend_height) = legend::draw(&plots, MARGIN, width, has_bands);
    let rows = plots.len().div_ceil(columns);
    let height = MARGIN + legend_height + rows as f64 * frame.cell_height() + MARGIN;
    let mut body = legend;
    for (index, plot) in plots.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let left = Y_NAME + column as f64 * frame.cell_width();
        let top = MARGIN + legend_height + row as f64 * frame.cell_height();
        let title =
            if plots.len() == 1 { plot.title.clone() } else { format!("({}) {}", letter(index), plot.title) };
        panel::draw(&mut body, plot, &title, frame, (left, top));
        if column == 0 {
            let middle = top + frame.top + frame.height / 2.0;
            body += &svg::text_upward((14.0, middle), 12.0, y_name);
        }
    }
    svg::document((width, height), y_name, &body)
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
