//! One panel: axes, bands, lines.

use crate::axis::Axis;
use crate::svg::{self, INK, number};

/// Light gray for the lines of a grid.
pub const GRID: &str = "#e4e4e4";

/// The looks of a line: the dash pattern tells lines apart where color cannot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// The color on a white ground.
    pub color: &'static str,
    /// The color on a dark ground.
    pub dark: &'static str,
    /// Lengths drawn and left out, in turn; empty for a solid line.
    pub dash: &'static [f64],
    /// The stroke's width.
    pub width: f64,
}

/// The measures of a panel: the data area and the room around it for ticks and names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// The width of the data area.
    pub width: f64,
    /// The height of the data area.
    pub height: f64,
    /// The room above it, for the title.
    pub top: f64,
}

impl Frame {
    const LEFT: f64 = 44.0;
    const RIGHT: f64 = 14.0;
    const BOTTOM: f64 = 42.0;

    /// Fewer columns have larger panels, so the text keeps its size relative to a page.
    pub fn for_columns(columns: usize) -> Self {
        let (width, height) = match columns {
            1 => (380.0, 240.0),
            2 => (290.0, 200.0),
            _ => (215.0, 175.0),
        };
        Self { width, height, top: 26.0 }
    }

    /// The width of the data area and its surroundings.
    pub fn cell_width(self) -> f64 {
        Self::LEFT + self.width + Self::RIGHT
    }

    /// The height of the data area and its surroundings.
    pub fn cell_height(self) -> f64 {
        self.top + self.height + Self::BOTTOM
    }
}

/// What a panel shows.
pub struct Plot {
    /// The title, without its letter.
    pub title: String,
    /// The lines, the most important first: it is drawn last, on top.
    pub traces: Vec<Trace>,
    /// The y axis.
    pub y: Axis,
    /// The name of the x axis.
    pub x_name: &'static str,
}

/// A line with its band, reduced to what can be drawn: every number in it is finite.
pub struct Trace {
    /// The policy's name.
    pub label: String,
    /// How the line looks.
    pub style: Style,
    /// (t, mean, half the width of the interval).
    points: Vec<(u64, f64, f64)>,
}

impl Trace {
    /// Means with half the widths of their intervals, at the rounds `t`. Points whose mean is not finite are left out.
    pub fn new(label: String, style: Style, t: &[u64], (mean, ci95): (&[f64], &[f64])) -> Self {
        let half = |index: usize| ci95.get(index).copied().filter(|half| half.is_finite()).unwrap_or(0.0);
        let points = t.iter().zip(mean).enumerate();
        let points = points.filter(|(_, (_, mean))| mean.is_finite());
        let points = points.map(|(index, (&t, &mean))| (t, mean, half(index).abs())).collect();
        Self { label, style, points }
    }

    /// The highest point of line and band.
    pub fn top(&self) -> f64 {
        self.points
            .iter()
            .map(|(_, mean, half)| mean + half)
            .filter(|top| top.is_finite())
            .fold(0.0, f64::max)
    }

    /// The last round.
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
    // A title that would run into the next panel's is set smaller.
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

/// Grid, ticks, axis lines and the name of the x axis.
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

/// The 95 % band; nothing where every interval is empty.
fn band(trace: &Trace, place: &impl Fn(f64, f64) -> (f64, f64)) -> String {
    if trace.points.len() < 2 || trace.points.iter().all(|point| point.2 == 0.0) {
        return String::new();
    }
    let above = trace.points.iter().map(|&(t, mean, half)| place(t as f64, mean + half));
    let below = trace.points.iter().rev().map(|&(t, mean, half)| place(t as f64, mean - half));
    let outline = svg::path(above.chain(below));
    format!("<path d=\"{outline}Z\" fill=\"{}\" fill-opacity=\"0.17\"/>\n", trace.style.color)
}

/// The mean: a line, or a dot when there is one round only.
fn curve(trace: &Trace, place: &impl Fn(f64, f64) -> (f64, f64)) -> String {
    if let [(t, mean, _)] = trace.points[..] {
        return svg::dot(place(t as f64, mean), 3.0, trace.style.color);
    }
    stroke(&svg::path(trace.points.iter().map(|&(t, mean, _)| place(t as f64, mean))), trace.style)
}

/// A legend sample `length` long: line on band, or the band alone.
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

/// A path in the style of its policy.
fn stroke(path: &str, style: Style) -> String {
    svg::stroke(path, style.color, style.width, style.dash)
}
