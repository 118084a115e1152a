//! The figure of a confirmation: a row for each case, with regret, Jaccard index and exposure entropy in
//! columns.

use super::series::{ROUNDS, display_name, trace};
use moglb_figure::{Axis, Layout, Plot, Style, Trace, draw as lay_out};
use moglb_sim::{CaseOutcome, Confirmation, Contender, Curve, Role};

/// The height of a plot. It is small, because the figure has a dozen rows.
const HEIGHT: f64 = 112.0;

/// Draws the figure of a confirmation as SVG.
pub(crate) fn draw(confirmation: &Confirmation) -> String {
    let plots: Vec<Plot> = confirmation.cases.iter().flat_map(row).collect();
    let about = if confirmation.quick_look { "A quick look, not a confirmation" } else { "Confirmation" };
    let has_bands = confirmation.cases.iter().any(|case| case.trials > 1);
    let rows = confirmation.cases.iter().map(|case| case.id.as_str()).collect();
    lay_out(&plots, &Layout { about, rows, has_letters: false, has_bands, height: Some(HEIGHT) })
}

/// The name of a contender, distinct from those of the others. The tables use it too.
pub(crate) fn label(contender: &Contender) -> String {
    let name = display_name(&contender.policy);
    match contender.role {
        Role::Challenger => name,
        Role::Rival => format!("{name}, c tuned"),
        Role::Control => format!("{name}, control"),
    }
}

/// The three plots of a case.
fn row(case: &CaseOutcome) -> [Plot; 3] {
    let regrets = traces(case, |contender| Some(&contender.pareto_regret));
    let top = regrets.iter().map(Trace::top).fold(0.0, f64::max);
    let jaccard = traces(case, |contender| contender.jaccard.as_ref());
    let entropy = traces(case, |contender| Some(&contender.exposure_entropy));
    [
        Plot { title: "Pareto regret".into(), traces: regrets, y: Axis::values(top), x_name: ROUNDS },
        Plot { title: "Jaccard index".into(), traces: jaccard, y: Axis::unit(), x_name: ROUNDS },
        Plot { title: "Exposure entropy".into(), traces: entropy, y: Axis::unit(), x_name: ROUNDS },
    ]
}

/// The lines of a plot: one for each contender that has the curve.
fn traces(case: &CaseOutcome, curve: impl Fn(&Contender) -> Option<&Curve>) -> Vec<Trace> {
    let drawn = |contender: &Contender| {
        Some(trace(label(contender), style(contender.role), &contender.t, curve(contender)?))
    };
    case.contenders.iter().filter_map(drawn).collect()
}

/// The style of a role, in Okabe and Ito's colors. The rival has the color of MOGLB-UCB in the other figures.
fn style(role: Role) -> Style {
    match role {
        Role::Challenger => Style { color: "#d55e00", dark: "#ff8b3d", dash: &[9.0, 2.5], width: 2.2 },
        Role::Rival => Style { color: "#0072b2", dark: "#4db5f0", dash: &[], width: 2.0 },
        Role::Control => Style { color: "#767676", dark: "#a8a8a8", dash: &[2.0, 2.0], width: 1.6 },
    }
}
