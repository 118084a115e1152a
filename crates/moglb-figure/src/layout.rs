//! Figures of several panels: the places of panels, names and legend.

use crate::panel::{self, Frame, Plot};
use crate::{legend, svg};

/// The largest number of panels in a row.
const COLUMNS: usize = 3;
/// Room at the far left for the name of the y axis.
const Y_NAME: f64 = 20.0;
/// The margin around the figure.
const PIXELS_AROUND: f64 = 8.0;

/// The parts of a figure around its plots.
///
/// Example: [`draw`].
pub struct Layout<'a> {
    /// A description of the figure, for screen readers.
    pub about: &'a str,
    /// The names at the left of the rows. The last name is used for all further rows.
    pub rows: Vec<&'a str>,
    /// True if the titles begin with letters, where there are several plots.
    pub has_letters: bool,
    /// True if the legend explains bands.
    pub has_bands: bool,
    /// The height of a plot, if it is not the usual one.
    pub height: Option<f64>,
}

impl<'a> Layout<'a> {
    /// Returns a layout of lettered plots that share the name of their y axis.
    pub fn under_one_name(y_name: &'a str, has_bands: bool) -> Self {
        Self { about: y_name, rows: vec![y_name], has_letters: true, has_bands, height: None }
    }
}

/// Draws the plots in rows under one legend, and returns the SVG.
///
/// ```
/// use moglb_figure::{Axis, Layout, Plot, Style, Trace, draw};
///
/// let style = Style { color: "#1f77b4", dark: "#6baed6", dash: &[], width: 1.5 };
/// let (mean, half) = ([1.0, 1.5, 1.8], [0.1, 0.1, 0.2]);
/// let trace = Trace::new("MOGLB-EB".into(), style, &[1, 2, 3], (&mean[..], &half[..]));
/// let (y, x_name) = (Axis::values(trace.top()), "round");
/// let plot = Plot { title: "logit".into(), traces: vec![trace], y, x_name };
/// let svg = draw(&[plot], &Layout::under_one_name("Pareto regret", true));
/// assert!(svg.starts_with("<svg") && svg.contains("MOGLB-EB"));
/// ```
pub fn draw(plots: &[Plot], layout: &Layout) -> String {
    let columns = plots.len().clamp(1, COLUMNS);
    let frame = Frame::for_columns(columns);
    let frame = Frame { height: layout.height.unwrap_or(frame.height), ..frame };
    let width = Y_NAME + columns as f64 * frame.cell_width() + PIXELS_AROUND;
    let (legend, legend_height) = legend::draw(plots, PIXELS_AROUND, width, layout.has_bands);
    let rows = plots.len().div_ceil(columns);
    let height = PIXELS_AROUND + legend_height + rows as f64 * frame.cell_height() + PIXELS_AROUND;
    let mut body = legend;
    for (index, plot) in plots.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let left = Y_NAME + column as f64 * frame.cell_width();
        let top = PIXELS_AROUND + legend_height + row as f64 * frame.cell_height();
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

/// Returns the letter of a plot: a, b, …, z, then numbers.
fn letter(index: usize) -> String {
    match u8::try_from(index) {
        Ok(small @ 0..26) => char::from(b'a' + small).to_string(),
        _ => (index + 1).to_string(),
    }
}
