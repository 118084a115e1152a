//! The figure of operating points: the mean of the first objective against the mean cost, or against the mean
//! of the second objective if there is no cost.
//!
//! Each point is a run of a policy, with bars for its 95 % intervals. The points of a policy that have
//! weights are joined in the order of the weights. For comparison the figure shows baselines that do not
//! learn, and the oracle in hindsight.

use super::operating::{Across, Group, Operating, Point, operating};
use super::series::LOG_AXIS_ROOM;
use moglb_figure::svg::{self, INK};
use moglb_figure::{Axis, GRID, Labels, LogAxis, cross, diamond, mark};
use moglb_sim::{Estimate, Plays, Summary};

/// The color of all baselines.
const BASELINE: &str = "#555555";
// The margins around the plot of a panel, the height of a row of the legend, and the sizes of the marks of
// baselines, all in pixels.
const LEFT: f64 = 66.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 48.0;
const LEGEND_ROW: f64 = 19.0;
const CROSS: f64 = 3.6;
const DIAMOND: f64 = 5.0;
/// The largest number of arms that have names. More arms have marks only.
const MOST_NAMED_ARMS: usize = 12;

/// Draws the figure, with a panel for each environment that has operating points. Returns `None` if no
/// environment has any.
pub(crate) fn figure(summary: &Summary) -> Option<String> {
    let all = operating(summary);
    let (columns, width, height) = match all.len() {
        0 => return None,
        1 => (1, 620.0, 400.0),
        _ => (2, 400.0, 280.0),
    };
    let cell = (LEFT + width + RIGHT, TOP + height + BOTTOM);
    let whole = columns as f64 * cell.0;
    let (mut body, legend) = legend(&samples(&all), whole);
    for (index, one) in all.iter().enumerate() {
        let corner = ((index % columns) as f64 * cell.0, legend + (index / columns) as f64 * cell.1);
        let area = [corner.0 + LEFT, corner.1 + TOP, corner.0 + LEFT + width, corner.1 + TOP + height];
        body += &Plane::new(one, area).draw();
    }
    let rows = all.len().div_ceil(columns) as f64;
    Some(svg::document((whole, legend + rows * cell.1), "Operating points of policies", &body))
}

/// An entry of the legend.
#[derive(Clone, Copy)]
enum Sample {
    Policy { shape: usize, color: &'static str },
    Always,
    Random,
    Oracle,
}

impl Sample {
    /// Draws the entry's mark around a point.
    fn draw(self, (x, y): (f64, f64)) -> String {
        match self {
            Sample::Policy { shape, color } => mark((x, y), shape, color),
            Sample::Always => cross((x, y), CROSS, BASELINE),
            Sample::Random => diamond((x, y), DIAMOND, BASELINE),
            Sample::Oracle => oracle_line(&[(x - 8.0, y), (x + 8.0, y)]),
        }
    }
}

/// The entries of the legend: every policy and every kind of baseline once.
fn samples(all: &[Operating]) -> Vec<(String, Sample)> {
    let mut samples: Vec<(String, Sample)> = Vec::new();
    for group in all.iter().flat_map(|one| &one.groups) {
        if samples.iter().all(|(known, _)| *known != group.label) {
            samples
                .push((group.label.clone(), Sample::Policy { shape: group.shape, color: group.style.color }));
        }
    }
    let always = all.iter().any(|one| one.always_best().is_some());
    samples.extend(always.then(|| ("always one arm".into(), Sample::Always)));
    samples.push(("any arm, evenly".into(), Sample::Random));
    samples.push(("oracle, in hindsight".into(), Sample::Oracle));
    samples
}

/// Draws the legend, with its entries in rows. Returns it and its height.
fn legend(samples: &[(String, Sample)], width: f64) -> (String, f64) {
    let (mut body, mut x, mut y) = (String::new(), LEFT, 20.0);
    for (name, sample) in samples {
        let room = 24.0 + svg::text_width(name, 12.0) + 16.0;
        if x > LEFT && x + room > width {
            (x, y) = (LEFT, y + LEGEND_ROW);
        }
        body += &sample.draw((x + 8.0, y - 4.0));
        body += &svg::text((x + 22.0, y), 12.0, "start", name);
        x += room;
    }
    (body, y + 6.0)
}

/// The mark of the oracle: a dashed line with dots.
fn oracle_line(points: &[(f64, f64)]) -> String {
    let dots: String = points.iter().map(|&point| svg::dot(point, 1.8, BASELINE)).collect();
    svg::stroke(&svg::path(points.iter().copied()), BASELINE, 1.1, &[3.0, 2.5]) + &dots
}

/// A panel of the figure, with the operating points on one environment.
struct Plane<'a, 'b> {
    /// The operating points.
    one: &'b Operating<'a>,
    /// Left, top, right and bottom of the plot, in pixels.
    area: [f64; 4],
    /// The axis of the cost, or of the second objective.
    x: Scale,
    /// The axis of the first objective.
    y: Axis,
}

/// A linear or logarithmic axis.
enum Scale {
    Linear(Axis),
    Log(LogAxis),
}

impl Scale {
    /// An axis that contains the values. It is logarithmic if costs span more than a decade.
    fn holding(across: &Across, values: &[f64]) -> Self {
        let (low, high) = ends(values);
        if across.is_cost && low > 0.0 && high > 10.0 * low {
            Scale::Log(LogAxis::holding(values.iter().copied(), LOG_AXIS_ROOM))
        } else {
            Scale::Linear(Axis::between(low, high))
        }
    }

    /// The position of a value on the axis, 0 at its lower end and 1 at its upper end.
    fn place(&self, value: f64) -> f64 {
        match self {
            Scale::Linear(axis) => axis.place(value),
            // A bar may reach below zero, which a logarithmic axis cannot show.
            Scale::Log(axis) => axis.place(value.max(axis.low)),
        }
    }

    /// The ticks with their texts.
    fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Scale::Linear(axis) => axis.ticks.clone(),
            Scale::Log(axis) => axis.ticks().into_iter().map(|tick| (tick, tick.to_string())).collect(),
        }
    }
}

/// The least and the largest finite value.
fn ends(values: &[f64]) -> (f64, f64) {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// The means and the ends of their bars. A bar is cut off where it leaves the range of the means by more than
/// a fifth of this range, so that long bars do not push the means together.
fn with_bars(all: Vec<Estimate>) -> Vec<f64> {
    let means: Vec<f64> = all.iter().map(|one| one.mean).collect();
    let (low, high) = ends(&means);
    let most = 0.2 * (high - low);
    let bars = all.iter().flat_map(|one| [one.mean - one.ci95, one.mean + one.ci95]);
    // Costs are positive, and a bar down to zero or below cannot be shown on a logarithmic axis.
    let least = if low > 0.0 { (low - most).max(0.8 * low) } else { low - most };
    bars.map(|end| end.clamp(least, high + most)).chain(means.iter().copied()).collect()
}

impl<'a, 'b> Plane<'a, 'b> {
    /// Chooses axes that contain all points, their bars and the baselines.
    fn new(one: &'b Operating<'a>, area: [f64; 4]) -> Self {
        let baselines = || one.comparison.baselines.iter();
        let across =
            baselines().map(|baseline| Estimate { mean: one.across.of_baseline(baseline), ci95: 0.0 });
        let up = baselines().map(|baseline| Estimate { mean: baseline.objectives[0], ci95: 0.0 });
        let across = with_bars(across.chain(one.points().map(|(_, point)| point.across)).collect());
        let (low, high) = ends(&with_bars(up.chain(one.points().map(|(_, point)| point.up)).collect()));
        Self { one, area, x: Scale::holding(&one.across, &across), y: Axis::between(low, high) }
    }

    /// The point of the plot at these values, in pixels.
    fn at(&self, across: f64, up: f64) -> (f64, f64) {
        let [left, top, right, bottom] = self.area;
        (left + (right - left) * self.x.place(across), bottom - (bottom - top) * self.y.place(up))
    }

    /// Draws the panel. Marks come before names, because names avoid the marks.
    fn draw(&self) -> String {
        let mut labels = Labels::within(self.area);
        let mut out = self.axes();
        out += &self.oracle();
        // The first policy is drawn last, on top.
        for group in self.one.groups.iter().rev() {
            let joined = group.points.iter().filter(|point| point.weights.is_some());
            let line = svg::path(joined.map(|point| self.at(point.across.mean, point.up.mean)));
            out += &svg::stroke(&line, group.style.color, 1.2, group.style.dash);
        }
        for group in self.one.groups.iter().rev() {
            out += &self.points(group, &mut labels);
        }
        out + &self.baselines(&mut labels) + &self.preferences(&mut labels)
    }

    /// Draws the grid, the ticks and the names of the axes. The name of the x axis includes the direction
    /// that is better.
    fn axes(&self) -> String {
        let [left, top, right, bottom] = self.area;
        let (middle, across) = ((left + right) / 2.0, &self.one.across);
        let mut out = svg::text((middle, top - 12.0), 13.0, "middle", &self.one.title);
        for (value, text) in &self.y.ticks {
            let y = bottom - (bottom - top) * self.y.place(*value);
            out += &svg::line((left, y), (right, y), GRID, 0.8);
            out += &svg::text((left - 7.0, y + 4.0), 11.0, "end", text);
        }
        for (value, text) in self.x.ticks() {
            let x = left + (right - left) * self.x.place(value);
            out += &svg::line((x, top), (x, bottom), GRID, 0.8);
            out += &svg::text((x, bottom + 16.0), 11.0, "middle", &text);
        }
        out += &svg::line((left, bottom), (right, bottom), INK, 0.9);
        out += &svg::line((left, top), (left, bottom), INK, 0.9);
        // The direction is under the axis: inside the plot, the better corner is full of marks.
        let side = if across.is_cost { "left" } else { "right" };
        let name = format!("{} (better: up and to the {side})", across.name);
        out += &svg::text((middle, bottom + 35.0), 12.0, "middle", &name);
        out + &svg::text_upward((left - 50.0, (top + bottom) / 2.0), 12.0, &self.one.comparison.objectives[0])
    }

    /// Draws the marks of a policy and the bars of their 95 % intervals. No label is placed over them.
    fn points(&self, group: &Group, labels: &mut Labels) -> String {
        let mut out = String::new();
        for point in &group.points {
            let (x, y, color) = (point.across, point.up, group.style.color);
            let at = self.at(x.mean, y.mean);
            let (left, right) = (self.at(x.mean - x.ci95, y.mean), self.at(x.mean + x.ci95, y.mean));
            let (top, bottom) = (self.at(x.mean, y.mean + y.ci95), self.at(x.mean, y.mean - y.ci95));
            out += &svg::line(left, right, color, 1.2);
            out += &svg::line(top, bottom, color, 1.2);
            out += &mark(at, group.shape, color);
            labels.keep_off(at, 4.5);
            labels.keep_off_area([left.0, at.1 - 1.0, right.0, at.1 + 1.0]);
            labels.keep_off_area([at.0 - 1.0, top.1, at.0 + 1.0, bottom.1]);
        }
        out
    }

    /// Draws the points of the oracle for all weights, joined if there are two objectives.
    fn oracle(&self) -> String {
        let oracle = self.one.comparison.baselines.iter();
        let oracle = oracle.filter(|baseline| matches!(baseline.plays, Plays::Oracle(_)));
        let points: Vec<(f64, f64)> =
            oracle.map(|b| self.at(self.one.across.of_baseline(b), b.objectives[0])).collect();
        // With more than two objectives the points have no order in which to join them.
        match self.one.comparison.objectives.len() {
            2 => oracle_line(&points),
            _ => points.iter().map(|&point| svg::dot(point, 1.8, BASELINE)).collect(),
        }
    }

    /// Draws the marks of the baselines, with the names of the arms if there are at most [`MOST_NAMED_ARMS`].
    fn baselines(&self, labels: &mut Labels) -> String {
        let mut out = String::new();
        let mut names: Vec<((f64, f64), &str)> = Vec::new();
        for baseline in &self.one.comparison.baselines {
            let at = self.at(self.one.across.of_baseline(baseline), baseline.objectives[0]);
            match &baseline.plays {
                Plays::Always(arm) => {
                    out += &cross(at, CROSS, BASELINE);
                    // The part before a slash is the owner, such as the vendor of a model.
                    names.push((at, arm.rsplit('/').next().unwrap_or(arm)));
                }
                Plays::Random => out += &diamond(at, DIAMOND, BASELINE),
                Plays::Oracle(_) => labels.keep_off(at, 2.0),
            }
            labels.keep_off(at, 4.5);
        }
        if names.len() <= MOST_NAMED_ARMS {
            out += &names.iter().map(|(at, name)| labels.place(*at, name, INK)).collect::<String>();
        }
        out
    }

    /// Draws the names of the preferences next to the points of the first policy that has weights, where
    /// there is room. The points of other policies have the same preferences in the same order.
    fn preferences(&self, labels: &mut Labels) -> String {
        let weighted = |point: &&Point| point.weights.is_some();
        let groups = &self.one.groups;
        let Some(group) = groups.iter().find(|group| group.points.iter().any(|point| weighted(&point)))
        else {
            return String::new();
        };
        let name = |point: &Point| {
            // Weights sum to 1, so the first of two determines both.
            let short = point.preference.split_once(':').filter(|(_, rest)| !rest.contains(':'));
            let text = short.map_or(point.preference.as_str(), |(first, _)| first);
            labels.place(self.at(point.across.mean, point.up.mean), text, group.style.color)
        };
        group.points.iter().filter(weighted).map(name).collect()
    }
}
