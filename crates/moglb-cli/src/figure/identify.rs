//! The figure of finding the front: success against samples, a panel for each environment, a cross for each
//! run.
//!
//! Samples span decades, so their axis is logarithmic. The crosses are intervals: horizontally from 10 % to
//! 90 % of the trials, vertically the 95 % interval of the success rate.

use super::series::{parameter, shorten};
use libm::log10;
use moglb_figure::svg::{self, INK};
use moglb_figure::{GRID, mark};
use moglb_sim::{IdentificationRun, IdentificationSummary};

/// The width of a plot in pixels; the constants below are its height, its margins and the layout of panels.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 48.0;
const COLUMNS: usize = 3;
const LEGEND_ROW: f64 = 18.0;

/// Okabe and Ito's colors. More runs than colors repeat them, with another shape of the mark.
const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#b4558a", "#767676", "#e69f00", "#222222", "#56b4e9"];

/// Draws the figure of a summary as SVG.
pub(crate) fn draw(summary: &IdentificationSummary) -> String {
    let panels = panels(&summary.runs);
    let labels = labels(&summary.runs);
    let names: Vec<&String> =
        labels.iter().enumerate().filter(|(k, l)| !labels[..*k].contains(l)).map(|(_, l)| l).collect();
    let columns = panels.len().clamp(1, COLUMNS);
    let width = columns as f64 * (LEFT + WIDTH + RIGHT);
    let (mut body, legend) = legend(&names, width);
    for (index, (title, runs)) in panels.iter().enumerate() {
        let left = (index % columns) as f64 * (LEFT + WIDTH + RIGHT) + LEFT;
        let top = legend + (index / columns) as f64 * (TOP + HEIGHT + BOTTOM) + TOP;
        let marks: Vec<(&IdentificationRun, usize)> = runs
            .iter()
            .map(|&k| (&summary.runs[k], names.iter().position(|&name| *name == labels[k]).unwrap_or(0)))
            .collect();
        body += &panel(title, &marks, (left, top));
    }
    let height = legend + panels.len().div_ceil(columns) as f64 * (TOP + HEIGHT + BOTTOM);
    svg::document((width, height), "Success rate against samples until stopping", &body)
}

/// The panels: the name of an environment, and the positions of its runs in the summary.
fn panels(runs: &[IdentificationRun]) -> Vec<(String, Vec<usize>)> {
    let mut panels: Vec<(String, Vec<usize>)> = Vec::new();
    for (k, run) in runs.iter().enumerate() {
        let told = run.environment_params.iter().filter(|(name, value)| {
            !["dim", "arms", "means"].contains(&name.as_str())
                && runs.iter().any(|other| {
                    other.environment == run.environment && other.environment_params.get(*name) != Some(value)
                })
        });
        let told: String = told.map(|(name, value)| format!(", {name} = {}", parameter(value))).collect();
        let title = shorten(&format!("{}, K = {}, m = {}{told}", run.environment, run.arms, run.objectives));
        let same = |first: &usize| runs[*first].environment_params == run.environment_params;
        match panels.iter_mut().find(|(name, places)| *name == title && same(&places[0])) {
            Some((_, places)) => places.push(k),
            None => panels.push((title, vec![k])),
        }
    }
    panels
}

/// The label of each run: the id of its identifier, and the parameters in which runs of that identifier
/// differ.
fn labels(runs: &[IdentificationRun]) -> Vec<String> {
    let label = |run: &IdentificationRun| {
        let kin = || runs.iter().filter(|other| other.identifier == run.identifier);
        let told = run
            .params
            .iter()
            .filter(|(name, value)| kin().any(|other| other.params.get(*name) != Some(value)));
        let told: Vec<String> = told.map(|(name, value)| format!("{name} = {}", parameter(value))).collect();
        let name = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
        shorten(&format!("{}{name}", run.identifier))
    };
    runs.iter().map(label).collect()
}

/// The legend, with names and marks in rows, and its height.
fn legend(names: &[&String], width: f64) -> (String, f64) {
    let (mut body, mut x, mut y) = (String::new(), LEFT, 18.0);
    for (k, name) in names.iter().enumerate() {
        let room = 24.0 + svg::text_width(name, 12.0) + 14.0;
        if x > LEFT && x + room > width {
            (x, y) = (LEFT, y + LEGEND_ROW);
        }
        body += &mark((x + 6.0, y - 4.0), k % 3, COLORS[k % COLORS.len()]);
        body += &svg::text((x + 16.0, y), 12.0, "start", name);
        x += room;
    }
    (body, y + 8.0)
}

/// Draws a panel: axes, crosses and marks.
fn panel(title: &str, marks: &[(&IdentificationRun, usize)], (left, top): (f64, f64)) -> String {
    // Whole decades around all samples.
    let all = || marks.iter().flat_map(|(run, _)| [run.samples.q10, run.samples.q90, run.samples.median]);
    let low = log10(all().min().unwrap_or(1).max(1) as f64).floor();
    let high = log10(all().max().unwrap_or(10).max(1) as f64).ceil().max(low + 1.0);
    let place = |samples: u64, rate: f64| {
        let along = (log10(samples.max(1) as f64) - low) / (high - low);
        (left + WIDTH * along, top + HEIGHT * (1.0 - rate))
    };
    let mut out = svg::text((left + WIDTH / 2.0, top - 10.0), 13.0, "middle", title);
    for tenths in [0, 2, 4, 6, 8, 10] {
        let y = top + HEIGHT * (1.0 - f64::from(tenths) / 10.0);
        out += &svg::line((left, y), (left + WIDTH, y), GRID, 0.8);
        out += &svg::text((left - 7.0, y + 4.0), 11.0, "end", &format!("{:.1}", f64::from(tenths) / 10.0));
    }
    for decade in 0..=(high - low) as i32 {
        let x = left + WIDTH * f64::from(decade) / (high - low);
        out += &svg::line((x, top + HEIGHT), (x, top + HEIGHT + 4.0), INK, 0.9);
        out += &svg::text((x, top + HEIGHT + 17.0), 11.0, "middle", &decade_text(low as i32 + decade));
    }
    out += &svg::line((left, top + HEIGHT), (left + WIDTH, top + HEIGHT), INK, 0.9);
    out += &svg::line((left, top), (left, top + HEIGHT), INK, 0.9);
    out += &svg::text((left + WIDTH / 2.0, top + HEIGHT + 35.0), 12.0, "middle", "Samples until stopping");
    out += &svg::text_upward((left - 40.0, top + HEIGHT / 2.0), 12.0, "Success rate");
    for &(run, k) in marks {
        let (samples, success, color) = (run.samples, run.success, COLORS[k % COLORS.len()]);
        out += &svg::line(place(samples.q10, success.rate), place(samples.q90, success.rate), color, 1.4);
        out +=
            &svg::line(place(samples.median, success.low), place(samples.median, success.high), color, 1.4);
        out += &mark(place(samples.median, success.rate), k % 3, color);
    }
    out
}

/// A power of 10 as a short text, such as `100k`.
fn decade_text(power: i32) -> String {
    let (unit, suffix) = match power {
        ..3 => (0, ""),
        3..6 => (3, "k"),
        6..9 => (6, "M"),
        _ => (9, "G"),
    };
    format!("1{}{suffix}", "0".repeat(usize::try_from(power - unit).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_sim::{IdentificationPlan, Unwatched, identify};

    #[test]
    fn the_figure_names_every_run_and_every_environment() {
        let plan = IdentificationPlan::from_toml(
            "trials = 2\nmost_samples = 300\n\
             environments = [{ id = 'spread', dim = 4, bulge = { each = ['in', 'out'] } }, { id = 'paper', \
             dim = 3 }]\n\
             identifiers = [{ id = 'auer', accuracy = { each = [0.1, 0.2] } }, { id = 'gege-budget', budget \
             = 200 }]",
        );
        let summary = identify(&plan.unwrap(), 1, &Unwatched).unwrap().summary();
        let svg = draw(&summary);
        let document = resvg::usvg::roxmltree::Document::parse(&svg).unwrap();
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        for name in [
            "auer (accuracy = 0.1)",
            "auer (accuracy = 0.2)",
            "gege-budget",
            "spread, K = 4, m = 2, bulge = in",
            "spread, K = 4, m = 2, bulge = out",
            "paper, K = 12, m = 5",
            "100",
        ] {
            assert!(texts.contains(&name), "{name} is not named in {texts:?}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(moglb_figure::to_png(&svg).unwrap().starts_with(b"\x89PNG"));
        assert_eq!(svg, draw(&summary.clone()));
        assert_eq!([0, 2, 3, 5, 6, 9].map(decade_text), ["1", "100", "1k", "100k", "1M", "1G"]);
    }
}
