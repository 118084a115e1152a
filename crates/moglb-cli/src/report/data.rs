//! The data that the script draws: the curves as JSON, and the list of their metrics.

use crate::figure::series::{Line, Panel};
use moglb_sim::{Curve, Run};
use serde_json::{Value, json};

/// A curve that can be plotted over rounds.
pub(super) struct Metric {
    /// The field of [`Run`], and the key in the data.
    pub id: &'static str,
    /// The heading, in HTML.
    pub name: &'static str,
    /// The definition, in one or two sentences of HTML.
    pub note: &'static str,
    /// Returns the curve of a run, or `None` if the run does not have it.
    pub curve: fn(&Run) -> Option<&Curve>,
}

/// The metrics, in the order of the page.
pub(super) const METRICS: [Metric; 5] = [
    Metric {
        id: "pareto_regret",
        name: "Cumulative Pareto regret",
        note: "How much the played arms fell short of the Pareto front, added up over rounds. Lower is \
               better.",
        curve: |run| Some(&run.pareto_regret),
    },
    Metric {
        id: "jaccard",
        name: "Jaccard index of the front",
        note: "Arms in both the policy’s front O<sub>t</sub> and the true front O*, as a share of the arms \
               in either. Policies without a front are left out. Higher is better.",
        curve: |run| run.jaccard.as_ref(),
    },
    Metric {
        id: "precision",
        name: "Precision of the front",
        note: "The share of O<sub>t</sub> that is on O*. Higher is better.",
        curve: |run| run.precision.as_ref(),
    },
    Metric {
        id: "recall",
        name: "Recall of the front",
        note: "The share of O* that is on O<sub>t</sub>. Higher is better; a front of all arms has recall 1.",
        curve: |run| run.recall.as_ref(),
    },
    Metric {
        id: "front_size",
        name: "Size of the front",
        note: "The number of arms in O<sub>t</sub>.",
        curve: |run| run.front_size.as_ref(),
    },
];

/// Returns true if any run has the metric.
pub(super) fn has(panels: &[Panel], metric: &Metric) -> bool {
    panels.iter().flat_map(|panel| &panel.lines).any(|line| (metric.curve)(line.run).is_some())
}

/// The panels as JSON that is safe inside a script element: `<` is written as an escape, so no text can close
/// the element.
pub(super) fn json(panels: &[Panel]) -> String {
    let panels: Vec<Value> = panels.iter().map(panel).collect();
    json!({ "panels": panels }).to_string().replace('<', "\\u003c")
}

/// A panel: its title and its lines.
fn panel(panel: &Panel) -> Value {
    let lines: Vec<Value> = panel.lines.iter().map(line).collect();
    json!({ "title": panel.title, "lines": lines })
}

/// A line: label, style, curves, and the tuning of its parameter.
fn line(line: &Line) -> Value {
    let curves: serde_json::Map<String, Value> = METRICS
        .iter()
        .filter_map(|metric| {
            let curve = (metric.curve)(line.run)?;
            Some((
                metric.id.to_string(),
                json!({ "mean": rounded(&curve.mean), "ci95": rounded(&curve.ci95) }),
            ))
        })
        .collect();
    let tuning = line.run.tuning.as_ref().map(|tuning| {
        let jaccard = tuning.jaccard.as_deref().map(rounded);
        json!({
            "parameter": tuning.parameter, "grid": tuning.grid, "chosen": tuning.chosen,
            "pareto_regret": rounded(&tuning.pareto_regret), "jaccard": jaccard,
        })
    });
    json!({
        "label": line.label,
        "light": line.style.color, "dark": line.style.dark,
        "dash": line.style.dash, "width": line.style.width,
        "t": line.run.t, "curves": curves, "tuning": tuning,
    })
}

/// Rounds values to five significant digits: finer than a screen can show, and a third of the bytes. Values
/// that are not finite become null.
fn rounded(values: &[f64]) -> Vec<Option<f64>> {
    let round = |value: &f64| format!("{value:.4e}").parse().ok().filter(|value: &f64| value.is_finite());
    values.iter().map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plotted_numbers_are_rounded_and_finite() {
        assert_eq!(rounded(&[1.0 / 3.0, f64::NAN, 0.0]), [Some(0.33333), None, Some(0.0)]);
    }
}
