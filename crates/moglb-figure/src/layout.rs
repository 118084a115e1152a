//! Figures of several panels: where panels, names and the legend are.

use crate::panel::{self, Frame, Plot};
use crate::{legend, svg};

const COLUMNS: usize = 3;
/// Room at the far left for the name of the y axis.
const Y_NAME: f64 = 20.0;
const PIXELS_AROUND: f64 = 8.0;

/// What surrounds the plots of a figure.
pub struct Layout<'a> {
    /// What the figure shows, for screen readers.
    pub about: &'a str,
    /// The names at the left of the rows; the last one goes for all rows after it.
    pub rows: Vec<&'a str>,
    /// Whether several plots have letters before their titles.
    pub has_letters: bool,
    /// Whether the legend explains bands.
    pub has_bands: bool,
    /// The height of a plot in place of the usual one.
    pub height: Option<f64>,
}

impl<'a> Layout<'a> {
    /// Lettered plots that share the name of their y axis.
    pub fn under_one_name(y_name: &'a str, has_bands: bool) -> Self {
        Self { about: y_name, rows: vec![y_name], has_letters: true, has_bands, height: None }
    }
}

/// Lays the plots out in rows under one legend.
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

/// a, b, …, z, then numbers.
fn letter(index: usize) -> String {
    match u8::try_from(index) {
        Ok(small @ 0..26) => char::from(b'a' + small).to_string(),
        _ => (index + 1).to_string(),
    }
}
