//! Regret against time per round: the cost in time of a low regret.

use super::series::{self, LOG_AXIS_ROOM, Panel};
use moglb_figure::svg::{self, INK};
use moglb_figure::{GRID, LogAxis};
use moglb_sim::{Place, Ranking, Summary};

/// The least number of runs for a figure. Fewer runs are easily compared in the table.
const FEWEST_RUNS: usize = 8;
/// Blue (Okabe and Ito) for runs that no other run beats in both regret and time, gray for the others. The
/// former also have a ring, for readers who cannot distinguish the colors.
const UNBEATEN_COLOR: &str = "#0072b2";
const BEATEN_COLOR: &str = "#8a8a8a";
/// The width of a plot in pixels; the constants below are its margins.
const WIDTH: f64 = 430.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
/// The width of a column of names, in pixels.
/// The width of a column of names, in pixels.
const NAMES: f64 = 300.0;
/// The height of a name, in pixels.
/// The height of a name, in pixels.
const LINE: f64 = 13.5;

/// A panel for each environment with many runs, with places as numbers in the plane and their names next to
/// it. `None` if there is no such environment.
pub fn figure(summary: &Summary) -> Option<String> {
    let (rankings, panels) = (summary.rankings(), series::panels(summary));
    let (mut body, mut top, mut right) = (String::new(), 0.0, 0.0_f64);
    for (ranking, panel) in
        rankings.iter().zip(&panels).filter(|(ranking, _)| ranking.places.len() >= FEWEST_RUNS)
    {
        let lines_per_column = (ranking.places.len().div_ceil(2)).max(24);
        let height = lines_per_column as f64 * LINE;
        body += &draw(ranking, panel, height, lines_per_column, top);
        top += TOP + height + BOTTOM;
        let columns = ranking.places.len().div_ceil(lines_per_column) as f64;
        right = right.max(LEFT + WIDTH + 24.0 + columns * NAMES);
    }
    (top > 0.0).then(|| svg::document((right, top), "Pareto regret against time per round", &body))
}

/// Draws a panel: axes, points and names.
fn draw(ranking: &Ranking, panel: &Panel, height: f64, lines_per_column: usize, top: f64) -> String {
    let places = &ranking.places;
    let x_axis = LogAxis::holding(places.iter().map(|place| place.microseconds), LOG_AXIS_ROOM);
    let y_axis = LogAxis::holding(places.iter().map(|place| place.regret.mean), LOG_AXIS_ROOM);
    let (x0, y0) = (LEFT, top + TOP);
    let at = |x: f64, y: f64| (x0 + WIDTH * x_axis.place(x), y0 + height * (1.0 - y_axis.place(y)));
    let mut out = svg::text((x0 + WIDTH / 2.0, top + 18.0), 13.0, "middle", &panel.title);
    for tick in y_axis.ticks() {
        let (_, y) = at(x_axis.low, tick);
        out += &svg::line((x0, y), (x0 + WIDTH, y), GRID, 0.8);
        out += &svg::text((x0 - 7.0, y + 4.0), 11.0, "end", &tick.to_string());
    }
    for tick in x_axis.ticks() {
        let (x, _) = at(tick, y_axis.low);
        out += &svg::line((x, y0), (x, y0 + height), GRID, 0.8);
        out += &svg::text((x, y0 + height + 16.0), 11.0, "middle", &tick.to_string());
    }
    out += &svg::line((x0, y0 + height), (x0 + WIDTH, y0 + height), INK, 0.9);
    out += &svg::line((x0, y0), (x0, y0 + height), INK, 0.9);
    out += &svg::text((x0 + WIDTH / 2.0, y0 + height + 33.0), 12.0, "middle", "Microseconds per round");
    out += &svg::text_upward((16.0, y0 + height / 2.0), 12.0, "Pareto regret after the last round");
    for ((k, place), unbeaten) in places.iter().enumerate().zip(unbeaten(places)) {
        let (x, y) = at(place.microseconds, place.regret.mean);
        if unbeaten {
            out += &svg::dot((x, y), 5.4, UNBEATEN_COLOR);
            out += &svg::dot((x, y), 4.0, "#ffffff");
        }
        out += &svg::dot((x, y), 2.4, if unbeaten { UNBEATEN_COLOR } else { BEATEN_COLOR });
        out += &svg::text((x + 6.0, y - 4.0), 9.0, "start", &(k + 1).to_string());
        let name = panel.line(place.index).map_or("", |line| &line.label);
        let column = (k / lines_per_column) as f64;
        let corner = (x0 + WIDTH + 24.0 + column * NAMES, y0 + (k % lines_per_column) as f64 * LINE + 9.0);
        if unbeaten {
            out += &svg::dot((corner.0 + 3.0, corner.1 - 4.0), 3.0, UNBEATEN_COLOR);
        }
        out += &svg::text((corner.0 + 28.0, corner.1), 10.5, "end", &(k + 1).to_string());
        out += &svg::text((corner.0 + 34.0, corner.1), 10.5, "start", name);
    }
    out
}

/// For each place, true if no other place is at least as good in regret and time, and better in one of them.
/// Places are in the order of regret.
fn unbeaten(places: &[Place]) -> Vec<bool> {
    let mut fastest_before: Option<f64> = None;
    let equal = |a: &Place, b: &Place| a.regret.mean == b.regret.mean;
    let of_group = |group: &[Place]| {
        let fastest = group.iter().map(|place| place.microseconds).fold(f64::INFINITY, f64::min);
        let is_beaten = |time: f64| fastest_before.is_some_and(|other| other <= time) || fastest < time;
        let best: Vec<bool> = group.iter().map(|place| !is_beaten(place.microseconds)).collect();
        fastest_before = Some(fastest_before.map_or(fastest, |before| before.min(fastest)));
        best
    };
    places.chunk_by(equal).flat_map(of_group).collect()
}
