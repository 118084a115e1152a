//! Hypervolume over time: the volume that all preferences of a policy reach together.

use super::operating::{Operating, operating};
use super::series::{ROUNDS, trace};
use moglb_figure::{Axis, Layout, Plot, draw};
use moglb_sim::Summary;

/// A plot for each environment over data. `None` if there is none.
pub(crate) fn figure(summary: &Summary) -> Option<String> {
    let plots: Vec<Plot> = operating(summary).iter().map(plot).collect();
    let layout = Layout::under_one_name("Hypervolume, share of the whole", summary.experiment.trials > 1);
    (!plots.is_empty()).then(|| draw(&plots, &layout))
}

/// The plot of an environment: a line for each policy.
fn plot(one: &Operating) -> Plot {
    let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
    let mut traces = Vec::new();
    for group in &one.groups {
        let (t, curve) = (&group.points[0].run.t, &group.together.hypervolume);
        // The first rounds are mostly chance: an axis that contains them would squash the others.
        for value in &curve.mean[curve.mean.len() / 20..] {
            ends = (ends.0.min(*value), ends.1.max(*value));
        }
        if let (Some(mean), Some(half)) = (curve.mean.last(), curve.ci95.last()) {
            ends = (ends.0.min(mean - half), ends.1.max(mean + half));
        }
        traces.push(trace(group.label.clone(), group.style, t, curve));
    }
    Plot { title: one.title.clone(), traces, y: Axis::between(ends.0, ends.1), x_name: ROUNDS }
}
