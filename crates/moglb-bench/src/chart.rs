//! The figure of growth: time per round against K, d, m and t, with logarithmic axes.

use crate::format::{digits, quantity};
use crate::record::{Record, who};
use crate::sections::{AXES, CURVES};
use moglb_figure::svg::{self, INK};
use moglb_figure::{GRID, LogAxis};

/// A curve in a panel, and the slope of the line through its logarithms.
#[derive(Debug, Clone, PartialEq)]
pub struct Slope {
    /// The horizontal axis: K, d, m or t.
    pub axis: &'static str,
    /// The name of the curve: fixed or fresh arms.
    pub curve: &'static str,
    /// The slope p: the cost grows like the p-th power.
    pub power: f64,
    /// The first point.
    pub first: (f64, f64),
    /// The last point.
    pub last: (f64, f64),
    points: Vec<(f64, f64)>,
}

/// The titles of the panels and the names of their x axes.
const PANELS: [(&str, &str); 4] = [
    ("(a) arms: d = 16, m = 3", "Arms K"),
    ("(b) features: K = 1000, m = 5", "Features d"),
    ("(c) objectives: K = 1000, d = 20", "Objectives m"),
    ("(d) time: K = 40, d = 10, m = 5", "Round t"),
];
/// Blue and vermilion of Okabe and Ito, which color-blind readers can distinguish. Dashes and marks differ
/// too.
const STYLES: [(&str, &[f64]); 2] = [("#0072b2", &[]), ("#d55e00", &[7.0, 3.0])];
/// The factor by which an axis goes beyond its points.
const AXIS_ROOM: f64 = 1.25;
// The sizes of a panel, its margins and the room for the name of the y axis, in pixels.
const WIDTH: f64 = 290.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 66.0;
const CELL: (f64, f64) = (LEFT + WIDTH + 18.0, TOP + HEIGHT + 46.0);
const Y_NAME: f64 = 20.0;

/// The slopes of all curves that have at least two points.
pub fn slopes(records: &[Record]) -> Vec<Slope> {
    let mut slopes = Vec::new();
    for axis in AXES {
        for curve in CURVES {
            let points = points(records, axis, curve);
            if let [first, .., last] = points[..] {
                slopes.push(Slope { axis, curve, power: power(&points), first, last, points });
            }
        }
    }
    slopes
}

/// The figure as SVG; `None` if there is no curve.
pub fn growth(records: &[Record]) -> Option<String> {
    let slopes = slopes(records);
    if slopes.is_empty() {
        return None;
    }
    let mut body = String::new();
    for (index, (axis, panel)) in AXES.into_iter().zip(PANELS).enumerate() {
        let corner = (Y_NAME + (index % 2) as f64 * CELL.0, (index / 2) as f64 * CELL.1);
        let curves: Vec<&Slope> = slopes.iter().filter(|slope| slope.axis == axis).collect();
        body += &draw(panel, &curves, corner);
    }
    for row in 0..2 {
        let middle = row as f64 * CELL.1 + TOP + HEIGHT / 2.0;
        body += &svg::text_upward((16.0, middle), 12.0, "Time per round");
    }
    let what = "Time per round against arms, features, objectives and rounds";
    Some(svg::document((Y_NAME + 2.0 * CELL.0, 2.0 * CELL.1), what, &body))
}

/// The points of a curve: the value of the axis and the median time in seconds.
fn points(records: &[Record], axis: &str, curve: &str) -> Vec<(f64, f64)> {
    let point = |record: &Record| {
        let (name, value) = record.case.split_once('=')?;
        let ours = record.section == "growth" && record.who == who::OURS && record.what == curve;
        (ours && name == axis).then_some((value.parse().ok()?, record.outcome.spread?.median))
    };
    records.iter().filter_map(point).collect()
}

/// The slope of the least-squares line through the logarithms.
fn power(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (mean_x, mean_y) = logs().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (above, below) = logs().fold((0.0, 0.0), |(above, below), (x, y)| {
        (above + (x - mean_x) * (y - mean_y), below + (x - mean_x) * (x - mean_x))
    });
    above / below
}

/// Draws a panel: axes, ticks and curves.
fn draw((title, x_name): (&str, &str), curves: &[&Slope], (left, top): (f64, f64)) -> String {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    if all().next().is_none() {
        return String::new();
    }
    let x_axis = LogAxis::holding(all().map(|point| point.0), AXIS_ROOM);
    let y_axis = LogAxis::holding(all().map(|point| point.1), AXIS_ROOM);
    let (x0, y0) = (left + LEFT, top + TOP);
    let place = |x: f64, y: f64| (x0 + WIDTH * x_axis.place(x), y0 + HEIGHT * (1.0 - y_axis.place(y)));
    let mut out = svg::text((x0 + WIDTH / 2.0, top + 18.0), 13.0, "middle", title);
    for tick in y_axis.ticks() {
        let y = place(x_axis.low, tick).1;
        out += &svg::line((x0, y), (x0 + WIDTH, y), GRID, 0.8);
        out += &svg::text((x0 - 7.0, y + 4.0), 11.0, "end", &short(&quantity(tick, "s")));
    }
    for tick in x_axis.ticks() {
        let x = place(tick, y_axis.low).0;
        out += &svg::line((x, y0), (x, y0 + HEIGHT), GRID, 0.8);
        out += &svg::text((x, y0 + HEIGHT + 16.0), 11.0, "middle", &count(tick));
    }
    out += &svg::line((x0, y0 + HEIGHT), (x0 + WIDTH, y0 + HEIGHT), INK, 0.9);
    out += &svg::line((x0, y0), (x0, y0 + HEIGHT), INK, 0.9);
    out += &svg::text((x0 + WIDTH / 2.0, y0 + HEIGHT + 33.0), 12.0, "middle", x_name);
    for curve in curves {
        out += &trace(curve, &place, (x0, top + 34.0));
    }
    out
}

/// Draws a curve, its marks and its entry in the legend.
fn trace(curve: &Slope, place: &impl Fn(f64, f64) -> (f64, f64), (x, y): (f64, f64)) -> String {
    let index = CURVES.iter().position(|name| *name == curve.curve).expect("one of the curves");
    let (color, dash) = STYLES[index];
    let y = y + 17.0 * index as f64;
    let mut out = svg::stroke(&svg::path(curve.points.iter().map(|&(x, y)| place(x, y))), color, 1.8, dash);
    out += &svg::stroke(&svg::path([(x, y), (x + 34.0, y)]), color, 1.8, dash);
    out += &mark(index, (x + 17.0, y), color);
    for &(x, y) in &curve.points {
        out += &mark(index, place(x, y), color);
    }
    out + &svg::text(
        (x + 42.0, y + 4.0),
        11.0,
        "start",
        &format!("{}, slope {}", curve.curve, digits(curve.power)),
    )
}

/// Draws a mark: circles for the first curve, squares for the second.
fn mark(index: usize, (x, y): (f64, f64), color: &str) -> String {
    match index {
        0 => svg::dot((x, y), 3.0, color),
        _ => svg::line((x - 2.8, y), (x + 2.8, y), color, 5.6),
    }
}

/// A quantity without trailing zeros: `1.00 µs` becomes `1 µs`.
fn short(text: &str) -> String {
    text.replacen(".00", "", 1).replacen(".0", "", 1)
}

/// The text of a tick on an axis of counts.
fn count(value: f64) -> String {
    match value {
        1e6.. => format!("{}M", value / 1e6),
        1e4.. => format!("{}k", value / 1e3),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Spread;

    fn record(case: &str, what: &str, seconds: f64) -> Record {
        Record {
            section: "growth".into(),
            case: case.into(),
            who: who::OURS.into(),
            what: what.into(),
            unit: "s".into(),
            repeat: 0,
            outcome: Spread::exact(seconds).into(),
        }
    }

    #[test]
    fn slopes_are_the_powers_of_growth() {
        let mut records = Vec::new();
        for d in [4.0, 8.0, 16.0_f64] {
            records.push(record(&format!("d={d}"), CURVES[0], 1e-6 * d));
            records.push(record(&format!("d={d}"), CURVES[1], 1e-6 * d * d));
        }
        let powers: Vec<f64> = slopes(&records).iter().map(|slope| slope.power).collect();
        assert!((powers[0] - 1.0).abs() < 1e-9 && (powers[1] - 2.0).abs() < 1e-9, "{powers:?}");
    }

    #[test]
    fn the_figure_is_svg_with_axes_that_hold_all_points() {
        let records: Vec<Record> = [("t=100", 1e-6), ("t=1000000", 1.1e-6)]
            .map(|(case, seconds)| record(case, CURVES[0], seconds))
            .to_vec();
        let svg = growth(&records).unwrap();
        assert!(moglb_figure::to_png(&svg).unwrap().starts_with(b"\x89PNG"));
        assert!(svg.contains("Round t") && svg.contains("slope 0.01"), "{svg}");
        assert_eq!(growth(&[]), None);
    }
}
