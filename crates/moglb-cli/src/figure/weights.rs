//! Scalarized regret over a spread of weights: the distance to the best arm in hindsight for every
//! preference.

use super::operating::{Group, Operating, operating};
use super::series::trace;
use moglb_figure::{Axis, Layout, Plot, Style, Trace, draw};
use moglb_sim::{Curve, Plays, Summary};

/// The style of the best single arm, a baseline that does not learn.
const SINGLE: Style = Style { color: "#555555", dark: "#b8b8b8", dash: &[1.5, 2.5], width: 1.6 };

/// A plot for each environment over data. `None` if there is none.
pub(crate) fn figure(summary: &Summary) -> Option<String> {
    let plots: Vec<Plot> = operating(summary).iter().map(plot).collect();
    let layout = Layout::under_one_name("Scalarized regret a round", summary.experiment.trials > 1);
    (!plots.is_empty()).then(|| draw(&plots, &layout))
}

/// The plot of an environment: a line for each policy, and one for the best single arm.
fn plot(one: &Operating) -> Plot {
    let weights = &one.comparison.weights;
    // The weights of two objectives lie on an axis; those of more objectives are a list.
    let is_axis = one.comparison.objectives.len() == 2;
    let place = |k: usize| if is_axis { (100.0 * weights[k][0] + 0.5) as u64 } else { k as u64 + 1 };
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&k| place(k));
    let t: Vec<u64> = order.iter().map(|&k| place(k)).collect();
    let along = |curve: &Curve| Curve {
        mean: order.iter().map(|&k| curve.mean[k]).collect(),
        ci95: order.iter().map(|&k| curve.ci95[k]).collect(),
    };
    let of_group = |group: &Group| trace(group.label.clone(), group.style, &t, &along(&least(group)));
    let mut traces: Vec<Trace> = one.groups.iter().map(of_group).collect();
    if let Some(single) = single(one) {
        traces.push(trace("best single arm".into(), SINGLE, &t, &along(&single)));
    }
    let top = traces.iter().map(Trace::top).fold(0.0, f64::max);
    let x_name =
        if is_axis { "Weight on the first objective in %" } else { "Weights by number, as in the table" };
    Plot { title: one.title.clone(), traces, y: Axis::values(top), x_name }
}

/// The least regret of a policy with any of its preferences, at each weight.
fn least(group: &Group) -> Curve {
    let curves: Vec<&Curve> = group.points.iter().map(|point| &point.outcome.regret).collect();
    let best = |k: usize| {
        let all = curves.iter().map(|curve| (curve.mean[k], curve.ci95[k]));
        all.reduce(|best, one| if one.0 < best.0 { one } else { best }).expect("a group has points")
    };
    let (mean, ci95) = (0..curves[0].mean.len()).map(best).unzip();
    Curve { mean, ci95 }
}

/// The least regret of always playing one arm, at each weight. `None` if the arms are not fixed.
fn single(one: &Operating) -> Option<Curve> {
    let all = one.comparison.baselines.iter().filter(|b| matches!(b.plays, Plays::Always(_)));
    let regrets: Vec<&Vec<f64>> = all.map(|baseline| &baseline.regret).collect();
    let n = regrets.first()?.len();
    let least = |k: usize| regrets.iter().map(|regret| regret[k]).fold(f64::INFINITY, f64::min);
    Some(Curve { mean: (0..n).map(least).collect(), ci95: vec![0.0; n] })
}
