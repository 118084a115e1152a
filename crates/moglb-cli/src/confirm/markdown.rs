//! The report of a confirmation, `confirm.md`. It can be read on its own and has the same bytes on every
//! machine.
//!
//! `docs/results/confirm.md` is this report of the last confirmation: a change of the texts here has to be
//! made there too.

use super::labels::{self, NONE};
use crate::figure::confirm::label;
use moglb_sim::{CaseOutcome, Confirmation, Contender, Curve, Metric, TRIED, Tuning};

/// The guide to the tables, the same in every report.
const READING: &str = "\
In every case three policies are played on the same instances and with the same random draws, trial by
trial: the challenger, its rival MOGLB-UCB (λ = 1, c tuned for the case on other seeds, on the grid of the
paper), and a control that optimizes one objective only. The control is included because a policy can win
on Pareto regret alone by ignoring the front: read regret, Jaccard index (of O_t and the true front O\\*)
and exposure entropy (of the pulls on O\\*; 1 is even) together.

Means are given ± half of their 95 % interval (Student's t over trials). *Compared* is the paired
difference challenger − rival with its 95 % interval, or the ratio of the means with Fieller's 95 %
interval for paired trials, depending on the requirement of the line. A line is *met* if the means satisfy
the requirement; it is *undecided* if the 95 % interval of the paired margin (such as 0.5 × rival −
challenger) contains zero. Each interval is for one line, not for all lines at once.";

/// Returns the report as Markdown.
pub fn markdown(confirmation: &Confirmation) -> String {
    let title = if confirmation.quick_look { "A quick look (NOT a confirmation)" } else { "Confirmation" };
    let seeds = if confirmation.quick_look {
        format!("**{}**", labels::QUICK_LOOK)
    } else {
        "Seeds: the namespace `confirm` (key `cnf2`; the key `conf` was used up by the first version of the \
         challenger), which no other command can play; c is tuned in the namespace `tune`."
            .into()
    };
    let version = &confirmation.moglb_version;
    let mut out = format!(
        "# {title}\n\nWritten by `moglb confirm`, moglb {version}. {seeds}\n\n{}**{}.**\n\n{READING}\n\n",
        contenders(confirmation),
        labels::count(confirmation)
    );
    out += &required(confirmation);
    out += &side_by_side(confirmation);
    out += &cases(confirmation);
    out + "## What was tried on the way\n\n" + TRIED
}

/// The list of contenders, with the parameters that are the same in every case.
fn contenders(confirmation: &Confirmation) -> String {
    let line = |contender: &Contender| {
        let fixed = contender
            .params
            .iter()
            .filter(|(name, _)| contender.tuning.as_ref().is_none_or(|tuning| tuning.parameter != **name));
        let fixed: Vec<String> = fixed.map(|(name, value)| format!("`{name} = {value}`")).collect();
        let params = if fixed.is_empty() { String::new() } else { format!(" with {}", fixed.join(", ")) };
        format!("- {}: {}, `{}`{params}\n", contender.role.name(), label(contender), contender.policy)
    };
    let contenders = confirmation.cases.first().map_or(&[][..], |case| &case.contenders);
    contenders.iter().map(line).collect::<String>() + "\n"
}

/// The section with the required lines, a row for each line.
fn required(confirmation: &Confirmation) -> String {
    let head = ["case", "trials", "must show", "challenger", "rival", "control", "compared", "verdict"];
    let rows = confirmation.lines().map(|(case, line)| {
        let estimate = |estimate| labels::estimate(line.metric, estimate);
        vec![
            case.id.clone(),
            case.trials.to_string(),
            labels::required(line),
            estimate(line.challenger),
            estimate(line.rival),
            line.control.map_or(NONE.into(), estimate),
            labels::compared(line),
            labels::verdict(line).into(),
        ]
    });
    format!("## What must show\n\n{}", table(&head, rows))
}

/// The section with the last values of all metrics, a row for each case and policy, and the figure.
fn side_by_side(confirmation: &Confirmation) -> String {
    let head = [
        "case",
        "policy",
        "Pareto regret",
        "Jaccard",
        "exposure entropy",
        "recall",
        "front size",
        "pulls on O\\*",
    ];
    let row = |case: &CaseOutcome, contender: &Contender| {
        let optional =
            |metric, curve: &Option<Curve>| curve.as_ref().map_or(NONE.into(), |c| last(metric, c));
        vec![
            case.id.clone(),
            label(contender),
            last(Metric::ParetoRegret, &contender.pareto_regret),
            optional(Metric::Jaccard, &contender.jaccard),
            last(Metric::ExposureEntropy, &contender.exposure_entropy),
            optional(Metric::Recall, &contender.recall),
            optional(Metric::FrontSize, &contender.front_size),
            labels::estimate(Metric::Recall, contender.share_on_front),
        ]
    };
    let rows =
        confirmation.cases.iter().flat_map(|case| case.contenders.iter().map(move |one| row(case, one)));
    format!(
        "## The metrics side by side, at T\n\n{}And over time:\n\n\
         ![Regret, Jaccard index and exposure entropy of all cases](confirm.png)\n\n",
        table(&head, rows)
    )
}

/// The section with the settings of the cases, a row for each case.
fn cases(confirmation: &Confirmation) -> String {
    let head = [
        "case",
        "description",
        "T",
        "trials",
        "seed",
        "chosen c",
        "O\\* is one arm in",
        "differences from the paper",
    ];
    let rows = confirmation.cases.iter().map(|case| {
        let chosen = case.contenders.iter().filter_map(|contender| contender.tuning.as_ref());
        let chosen: Vec<String> = chosen.map(chosen_value).collect();
        vec![
            case.id.clone(),
            case.title.clone(),
            case.horizon.to_string(),
            case.trials.to_string(),
            case.seed.to_string(),
            chosen.join(", "),
            format!("{} of {}", case.single_arm_fronts, case.trials),
            if case.about.is_empty() { NONE.into() } else { case.about.clone() },
        ]
    });
    format!(
        "## The cases\n\nIf O\\* is a single arm, the exposure entropy is 1 whatever is played, and the \
         Jaccard index has little information.\n\n{}",
        table(&head, rows)
    )
}

/// The value that tuning chose. If it is an end of the grid, which the text says, a better value may lie
/// beyond.
fn chosen_value(tuning: &Tuning) -> String {
    let ends = [tuning.grid.first(), tuning.grid.last()];
    let note = if ends.contains(&Some(&tuning.chosen)) { " (end of the grid)" } else { "" };
    format!("{}{note}", tuning.chosen)
}

/// The last point of a curve, as mean ± half of the 95 % interval.
fn last(metric: Metric, curve: &Curve) -> String {
    match (curve.mean.last(), curve.ci95.last()) {
        (Some(&mean), Some(&ci95)) => labels::estimate(metric, moglb_sim::Estimate { mean, ci95 }),
        _ => NONE.into(),
    }
}

/// A table in Markdown.
fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        out += &format!("| {} |\n", row.join(" | "));
    }
    out + "\n"
}
