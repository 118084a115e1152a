//! Regret against delay: the cost of late rewards for each policy.

use super::series::{self, Panel, trace};
use moglb_figure::{Axis, Layout, Plot, Trace, draw};
use moglb_sim::{Curve, Run, Summary, mean_ci95};
use std::collections::BTreeMap;

/// The least number of delays for a plot.
const FEWEST_DELAYS: usize = 3;

/// A plot for each group of environments that differ only in the delay of their rewards. `None` if there is
/// no group.
pub fn figure(summary: &Summary) -> Option<String> {
    let panels = series::panels(summary);
    let (mut groups, mut places): (Vec<Vec<&Panel>>, BTreeMap<_, usize>) = (Vec::new(), BTreeMap::new());
    for panel in panels.iter().filter(|panel| !panel.lines.is_empty()) {
        let place = *places.entry(kin(panel)).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(panel);
    }
    groups.retain(|group| group.len() >= FEWEST_DELAYS);
    let plots: Vec<Plot> = groups.iter().map(|group| plot(group)).collect();
    let layout = Layout::under_one_name("Pareto regret after the last round", summary.experiment.trials > 1);
    (!plots.is_empty()).then(|| draw(&plots, &layout))
}

/// The mean delay of rewards, in rounds.
fn delay(run: &Run) -> u64 {
    run.environment_params.get("arrival").and_then(|arrival| arrival.get("delay")?.as_u64()).unwrap_or(0)
}

/// An environment without its delay, with its parameters as JSON: equal for the panels of a group.
fn kin(panel: &Panel) -> (String, String) {
    let run = panel.lines[0].run;
    let mut params = run.environment_params.clone();
    if let Some(serde_json::Value::Object(arrival)) = params.get_mut("arrival") {
        arrival.remove("delay");
        // An environment without delay has no law of the delay, so the law is left out too.
        arrival.remove("law");
        if arrival.is_empty() {
            params.remove("arrival");
        }
    }
    (run.environment.clone(), serde_json::Value::from_iter(params).to_string())
}

/// The plot of a group: for each policy its final regret over the delay.
fn plot(group: &[&Panel]) -> Plot {
    let mut group: Vec<&Panel> = group.to_vec();
    group.sort_by_key(|panel| delay(panel.lines[0].run));
    let mut traces = Vec::new();
    for line in group[0].lines.iter().filter(|line| line.is_drawn) {
        let runs =
            group.iter().filter_map(|panel| panel.lines.iter().find(|other| other.label == line.label));
        let runs: Vec<&Run> = runs.map(|line| line.run).collect();
        let delays: Vec<u64> = runs.iter().map(|run| delay(run)).collect();
        let (mean, ci95) = runs.iter().map(|run| mean_ci95(&run.last.pareto_regret)).unzip();
        traces.push(trace(line.label.clone(), line.style, &delays, &Curve { mean, ci95 }));
    }
    let top = traces.iter().map(Trace::top).fold(0.0, f64::max);
    let run = group[0].lines[0].run;
    Plot {
        title: format!("{}, d = {}", series::shorten(&run.environment), run.dim),
        traces,
        y: Axis::values(top),
        x_name: "Delay of rewards in rounds",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tests::summary;

    #[test]
    fn environments_that_differ_in_delay_become_one_line_per_policy() {
        let mut late = summary(&[5], &[1, 10], 3);
        assert!(figure(&late).is_none());
        let plain = late.runs.clone();
        for delay in [10, 20] {
            let mut runs = plain.clone();
            for run in &mut runs {
                run.environment_params
                    .insert("arrival".into(), serde_json::json!({ "delay": delay, "law": "uniform" }));
            }
            late.runs.extend(runs);
        }
        let svg = figure(&late).unwrap();
        for text in ["paper, d = 5", "Delay of rewards in rounds", "MOGLB-UCB", "Random"] {
            assert!(svg.contains(text), "{text}");
        }
        late.runs.truncate(plain.len() * 2);
        assert!(figure(&late).is_none());
    }
}
