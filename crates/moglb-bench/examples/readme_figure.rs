//! Draws the figure of the README: Pareto regret and Jaccard index of the paper's four policies and the
//! recommended one, on the paper's benchmark at d = 10.
//!
//! `cargo xtask figures` runs it. A policy can have a low regret by ignoring the front, so both measures are
//! drawn.

use anyhow::{Context, Result};
use moglb_figure::{Axis, Layout, Plot, Style, Trace, draw, to_png};
use moglb_sim::{Curve, Plan, Run, Unwatched, paper_experiment, run};

/// The policies: id, name, and a line style that color-blind readers can distinguish from the others.
const POLICIES: [(&str, &str, Style); 5] = [
    ("moglb-eb", "MOGLB-EB (recommended)", style("#e69f00", &[])),
    ("moglb-ucb", "MOGLB-UCB (the paper's)", style("#0072b2", &[])),
    ("p-ucb", "P-UCB", style("#d55e00", &[7.0, 2.5])),
    ("s-ucb", "S-UCB", style("#009e73", &[2.0, 2.0])),
    ("p-ts", "P-TS", style("#b4558a", &[8.0, 2.5, 2.0, 2.5])),
];

const fn style(color: &'static str, dash: &'static [f64]) -> Style {
    Style { color, dark: color, dash, width: 2.0 }
}

/// The lines of all runs that have a curve.
fn traces(runs: &[Run], curve: impl Fn(&Run) -> Option<&Curve>) -> Vec<Trace> {
    let line = |&(id, name, style): &(&str, &str, Style)| {
        let run = runs.iter().find(|run| run.policy == id)?;
        let curve = curve(run)?;
        Some(Trace::new(name.into(), style, &run.t, (&curve.mean, &curve.ci95)))
    };
    POLICIES.iter().filter_map(line).collect()
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("the path of the picture")?;
    let policies: Vec<String> = POLICIES.iter().map(|(id, ..)| id.to_string()).collect();
    let plan: Plan = paper_experiment(&[10], &policies).plan()?;
    let results = run(&plan, 0, None, &Unwatched)?;
    let summary = results.summary();
    let runs = &summary.runs;
    let regret = traces(runs, |run| Some(&run.pareto_regret));
    let top = regret.iter().map(Trace::top).fold(0.0, f64::max);
    let plots = [
        Plot { title: "Pareto regret".into(), traces: regret, y: Axis::values(top), x_name: "Round t" },
        Plot {
            title: "Jaccard index with the true front".into(),
            traces: traces(runs, |run| run.jaccard.as_ref()),
            y: Axis::unit(),
            x_name: "Round t",
        },
    ];
    let layout = Layout {
        about: "Pareto regret and Jaccard index of five policies on the paper's benchmark at d = 10",
        rows: vec![""],
        has_letters: false,
        has_bands: true,
        height: None,
    };
    Ok(std::fs::write(path, to_png(&draw(&plots, &layout))?)?)
}
