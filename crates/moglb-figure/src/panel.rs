//! One panel: its axes, bands and lines.

use crate::axis::Axis;
use crate::svg::{self, INK, number};

/// The color of grid lines, a light gray.
pub const GRID: &str = "#e4e4e4";

/// The look of a line. The dash pattern distinguishes lines where color cannot.
///
/// Example: [`draw`].
///
/// [`draw`]: crate::draw
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// The color on a white background.
    pub color: &'static str,
    /// The color on a dark background.
    pub dark: &'static str,
    /// The lengths of dashes and gaps, in turn; empty for a solid line.
    pub dash: &'static [f64],
    /// The width of the stroke.
    pub width: f64,
}

/// The sizes of a panel: the data area and the room around it for ticks and names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// The width of the data area.
    pub width: f64,
    /// The height of the data area.
    pub height: f64,
    /// The room above the data area, for the title.
    pub top: f64,
}

impl Frame {
    /// The room to the left, for the ticks of the y axis.
    const LEFT: f64 = 44.0;
    /// The room to the right.
    const RIGHT: f64 = 14.0;
    /// The room below, for the ticks and the name of the x axis.
    const BOTTOM: f64 = 42.0;

    /// Returns the sizes for a number of columns. With fewer columns panels are larger, so the text
    /// keeps its size relative to a page.
    pub fn for_columns(columns: usize) -> Self {
        let (width, height) = match columns {
            1 => (380.0, 240.0),
            2 => (290.0, 200.0),
            _ => (215.0, 175.0),
        };
        Self { width, height, top: 26.0 }
    }

    /// Returns the width of the data area and its surroundings.
    pub fn cell_width(self) -> f64 {
        Self::LEFT + self.width + Self::RIGHT
    }

    /// Returns the height of the data area and its surroundings.
    pub fn cell_height(self) -> f64 {
        self.top + self.height + Self::BOTTOM
    }
}

/// The content of a panel.
///
/// Example: [`draw`].
///
/// [`draw`]: crate::draw
pub struct Plot {
    /// The title, without its letter.
    pub title: String,
    /// The lines, the most important first. The first is drawn last, on top.
    pub traces: Vec<Trace>,
    /// The y axis.
    pub y: Axis,
    /// The name of the x axis.
    pub x_name: &'static str,
}

/// A line with its band, reduced to points that can be drawn: all their numbers are finite.
///
/// Example: [`draw`].
///
/// [`draw`]: crate::draw
pub struct Trace {
    /// The name of the policy.
    pub label: String,
    /// The look of the line.
    pub style: Style,
    /// The points: (t, mean, half the width of the interval).
    points: Vec<(u64, f64, f64)>,
}

impl Trace {
    /// Returns a line through the means at the rounds `t`, with half the widths of their intervals.
    /// Points whose mean is not finite are left out.
    pub fn new(label: String, style: Style, t: &[u64], (mean, ci95): (&[f64], &[f64])) -> Self {
        let half = |index: usize| ci95.get(index).copied().filter(|half| half.is_finite()).unwrap_or(0.0);
        let points = t.iter().zip(mean).enumerate();
        let points = points.filter(|(_, (_, mean))| mean.is_finite());
        let points = points.map(|(index, (&t, &mean))| (t, mean, half(index).abs())).collect();
        Self { label, style, points }
    }

    /// Returns the highest value of line and band; at least 0.
    pub fn top(&self) -> f64 {
        self.points
            .iter()
            .map(|(_, mean, half)| mean + half)
            .filter(|top| top.is_finite())
            .fold(0.0, f64::max)
    }

    /// Returns the last round.
    fn last(&self) -> u64 {
        self.points.last().map_or(0, |point| point.0)
    }
}

/// Draws a panel whose cell has its upper left corner at `(left, top)`.
pub(crate) fn draw(out: &mut String, plot: &Plot, title: &str, frame: Frame, (left, top): (f64, f64)) {
    let x_axis = Axis::rounds(plot.traces.iter().map(Trace::last).max().unwrap_or(1));
    let (left, top) = (left + Frame::LEFT, top + frame.top);
    let place = |t: f64, value: f64| {
        (left + frame.width * x_axis.place(t), top + frame.height * (1.0 - plot.y.place(value)))
    };
    // A title that would reach into the next panel has a smaller font.
    let room = frame.cell_width() - Frame::RIGHT;
    let size = (room / svg::text_width(title, 1.0)).clamp(7.0, 13.0);
    *out += &svg::text((left + frame.width / 2.0, top - 10.0), size, "middle", title);
    *out += &axes((&x_axis, plot.x_name), &plot.y, frame, &place);
    for trace in plot.traces.iter().rev() {
        *out += &band(trace, &place);
    }
    for trace in plot.traces.iter().rev() {
        *out += &curve(trace, &place);
    }
}

/// Draws the grid, the ticks, the axis lines and the name of the x axis.
fn axes(
    (x_axis, x_name): (&Axis, &str),
    y_axis: &Axis,
    frame: Frame,
    place: &impl Fn(f64, f64) -> (f64, f64),
) -> String {
    let mut out = String::new();
    let (origin, end) = (place(x_axis.low, y_axis.low), place(x_axis.high, y_axis.high));
    for (value, text) in &y_axis.ticks {
        let (_, y) = place(x_axis.low, *value);
        out += &svg::line((origin.0, y), (end.0, y), GRID, 0.8);
        out += &svg::text((origin.0 - 7.0, y + 4.0), 11.0, "end", text);
    }
    for (value, text) in &x_axis.ticks {
        let (x, _) = place(*value, y_axis.low);
        out += &svg::line((x, origin.1), (x, origin.1 + 4.0), INK, 0.9);
        out += &svg::text((x, origin.1 + 17.0), 11.0, "middle", text);
    }
    out += &svg::line(origin, (end.0, origin.1), INK, 0.9);
    out += &svg::line(origin, (origin.0, end.1), INK, 0.9);
    out + &svg::text((origin.0 + frame.width / 2.0, origin.1 + 34.0), 12.0, "middle", x_name)
}

/// Returns the 95 % band; empty if every interval is empty.
fn band(trace: &Trace, place: &impl Fn(f64, f64) -> (f64, f64)) -> String {
    if trace.points.len() < 2 || trace.points.iter().all(|point| point.2 == 0.0) {
        return String::new();
    }
    let above = trace.points.iter().map(|&(t, mean, half)| place(t as f64, mean + half));
    let below = trace.points.iter().rev().map(|&(t, mean, half)| place(t as f64, mean - half));
    let outline = svg::path(above.chain(below));
    format!("<path d=\"{outline}Z\" fill=\"{}\" fill-opacity=\"0.17\"/>\n", trace.style.color)
}

/// Returns the mean as a line, or as a dot if there is only one round.
fn curve(trace: &Trace, place: &impl Fn(f64, f64) -> (f64, f64)) -> String {
    if let [(t, mean, _)] = trace.points[..] {
        return svg::dot(place(t as f64, mean), 3.0, trace.style.color);
    }
    stroke(&svg::path(trace.points.iter().map(|&(t, mean, _)| place(t as f64, mean))), trace.style)
}

/// Returns a legend sample of the given length: a line on its band, or the band only.
pub(crate) fn sample((x, y): (f64, f64), length: f64, trace: Option<&Trace>) -> String {
    let color = trace.map_or("#888888", |trace| trace.style.color);
    let opacity = if trace.is_some() { "0.17" } else { "0.35" };
    let patch = format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" fill=\"{color}\" fill-opacity=\"{opacity}\"/>\n",
        number(x),
        number(y - 5.0),
        number(length),
    );
    match trace {
        Some(trace) => patch + &stroke(&svg::path([(x, y), (x + length, y)]), trace.style),
        None => patch,
    }
}

/// Returns a path in the given style.
fn stroke(path: &str, style: Style) -> String {
    svg::stroke(path, style.color, style.width, style.dash)
}
