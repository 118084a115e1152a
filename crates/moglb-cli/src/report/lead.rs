//! The text at the top of the report: headline, abstract, and the claims of the paper.
//!
//! The headline names the winner only if it is strictly the best, so that ties do not read as results.
//! Numbers are rounded as in the tables.

use super::findings;
use super::format::{NONE, count, last, list, short, with_interval};
use crate::figure::series::{Line, Panel};
use moglb_figure::svg::escape;
use moglb_sim::{Claim, Curve, Run, Summary, mean_ci95};
use std::collections::BTreeMap;

/// More policies than this are counted, not named.
const MOST_NAMED_POLICIES: usize = 12;

/// The head of the page: headline, abstract and the key result of every panel.
pub(super) fn lead(summary: &Summary, panels: &[Panel]) -> String {
    let findings: String =
        panels.iter().filter_map(finding).map(|text| format!("<li>{text}</li>\n")).collect();
    let findings =
        if findings.is_empty() { findings } else { format!("<ul class=\"findings\">\n{findings}</ul>\n") };
    format!(
        "<header>\n<p class=\"kicker\">moglb · multi-objective generalized linear bandits · experiment \
         <b>{}</b></p>\n<h1>{}</h1>\n<p class=\"abstract\">{}</p>\n{findings}{}</header>\n",
        escape(&summary.experiment.name),
        findings::headline(summary).unwrap_or_else(|| headline(summary, panels)),
        setting(summary, panels),
        facts(summary),
    )
}

/// The claims of the paper next to the measurements; empty if the experiment is not the paper's.
pub(super) fn claims(summary: &Summary) -> String {
    if summary.claims.is_empty() {
        return String::new();
    }
    let rows: String = summary.claims.iter().map(claim).collect();
    format!(
        "<p>{}</p>\n<div class=\"scroll\"><table class=\"claims\">\n<thead><tr><th>Where</th>\
         <th>The paper says</th><th>We measured</th><th>Verdict</th></tr></thead>\n<tbody>\n{rows}</tbody>\n\
         </table></div>\n",
        tally(&summary.claims),
    )
}

/// The row of a claim: its place in the paper, its text, the measurement and the verdict.
fn claim(claim: &Claim) -> String {
    let (class, verdict) = match claim.holds {
        Some(true) => ("holds", "✓ holds"),
        Some(false) => ("fails", "✗ did not hold"),
        None => ("open", "○ undecided"),
    };
    format!(
        "<tr class=\"{class}\"><td>{}</td><td>{}</td><td>{}</td><td><span \
         class=\"verdict\">{verdict}</span></td></tr>\n",
        escape(&claim.place),
        escape(&claim.paper),
        escape(&claim.measured),
    )
}

/// The numbers of claims that hold, did not hold, and are undecided.
fn tally(claims: &[Claim]) -> String {
    let number = |verdict: Option<bool>| claims.iter().filter(|claim| claim.holds == verdict).count();
    format!(
        "Statements of the paper compared with this run: <b>{} hold</b>, <b>{} did not hold</b>, {} could \
         not be decided.",
        number(Some(true)),
        number(Some(false)),
        number(None),
    )
}

/// The headline: the policy with the lowest regret in the most panels. Without one, as for ties and single
/// policies, it is the name of the experiment.
fn headline(summary: &Summary, panels: &[Panel]) -> String {
    let winners: Vec<String> = panels.iter().filter_map(winner).map(|line| line.label.clone()).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    winners.iter().for_each(|label| *counts.entry(label).or_default() += 1);
    let wins = |label: &String| counts[label.as_str()];
    let most = winners.iter().map(wins).max().unwrap_or(0);
    let Some(best) = winners.iter().find(|label| wins(label) == most) else {
        return escape(&summary.experiment.name);
    };
    let place = match panels {
        [only] => format!("at {}", only.title),
        _ if most == panels.len() => format!("in all {most} settings"),
        _ => format!("in {most} of {} settings", panels.len()),
    };
    escape(&format!("{best} has the lowest mean Pareto regret {place}"))
}

/// The line with the strictly lowest final regret, if there are two or more lines.
fn winner<'p, 'a>(panel: &'p Panel<'a>) -> Option<&'p Line<'a>> {
    match ranked(panel, |run| Some(&run.pareto_regret), 1.0)[..] {
        [(line, first, _), (_, second, _), ..] if first < second => Some(line),
        _ => None,
    }
}

/// The lines with their final mean and half interval, by increasing `sign · mean`.
fn ranked<'p, 'a>(
    panel: &'p Panel<'a>,
    curve: impl Fn(&'a Run) -> Option<&'a Curve>,
    sign: f64,
) -> Vec<(&'p Line<'a>, f64, f64)> {
    let end = |line: &'p Line<'a>| {
        let (mean, half) = last(curve(line.run)?)?;
        mean.is_finite().then_some((line, mean, if half.is_finite() { half } else { 0.0 }))
    };
    let mut lines: Vec<_> = panel.lines.iter().filter_map(end).collect();
    lines.sort_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)));
    lines
}

/// The abstract: policies, trials, rounds, environments and their sizes.
fn setting(summary: &Summary, panels: &[Panel]) -> String {
    let runs = || panels.iter().flat_map(|panel| &panel.lines);
    let environments = distinct(panels.iter().map(|panel| panel.environment.to_string()));
    let policies = distinct(runs().map(|line| line.label.clone()));
    let policies = match policies.len() {
        0..=MOST_NAMED_POLICIES => list(&policies),
        many => format!("{many} policies"),
    };
    let values = |value: fn(&Run) -> usize| {
        let mut values: Vec<usize> = runs().map(|line| value(line.run)).collect();
        values.sort_unstable();
        list(&distinct(values.iter().map(usize::to_string)))
    };
    let info = &summary.experiment;
    let trials =
        if info.trials == 1 { "one trial".into() } else { format!("{} trials", count(info.trials as u64)) };
    let intervals = match info.trials {
        0 | 1 => "With fewer than two trials there are no intervals",
        _ => "Numbers are means over trials ± half the width of their 95 % interval",
    };
    format!(
        "{} played {trials} of {} rounds each on the environment{} {}, with contexts of dimension \
         d\u{a0}=\u{a0}{}, K\u{a0}=\u{a0}{} arms and m\u{a0}=\u{a0}{} objectives. At each size all policies \
         face the same instances, trial by trial. {intervals}.",
        escape(&policies),
        count(info.horizon),
        if environments.len() == 1 { "" } else { "s" },
        escape(&list(&environments)),
        values(|run| run.dim),
        values(|run| run.arms),
        values(|run| run.objectives),
    )
}

/// The distinct names, in the order of their first occurrence.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// The key numbers of a panel: the lowest regret, its distance to the next one, and the best Jaccard index.
fn finding(panel: &Panel) -> Option<String> {
    let regrets = ranked(panel, |run| Some(&run.pareto_regret), 1.0);
    let (best, mean, half) = *regrets.first()?;
    let mut text = format!("<b>{}</b>: ", escape(&panel.title));
    text += &format!("{} ends with Pareto regret {}", escape(&best.label), with_interval(mean, half));
    if let Some((next, next_mean, next_half)) = regrets.get(1) {
        text += &format!(
            ", the next best is {} with {}",
            escape(&next.label),
            with_interval(*next_mean, *next_half)
        );
        text += &comparison(mean, *next_mean, best.run, next.run);
    }
    if let Some((line, mean, half)) = ranked(panel, |run| run.jaccard.as_ref(), -1.0).first() {
        let index = with_interval(*mean, *half);
        text += &format!(". The best Jaccard index is {index}, of {}", escape(&line.label));
    }
    Some(text + ".")
}

/// The reduction from the second lowest regret to the lowest. Trials are paired, so the interval is that of
/// the differences.
fn comparison(mean: f64, next_mean: f64, best: &Run, next: &Run) -> String {
    if next_mean <= 0.0 {
        return String::new();
    }
    let less = format!(" ({:.0}\u{a0}% less", 100.0 * (1.0 - mean / next_mean));
    let pairs = best.last.pareto_regret.iter().zip(&next.last.pareto_regret);
    let differences: Vec<f64> = pairs.map(|(best, next)| next - best).collect();
    if differences.len() < 2 {
        return format!("{less})");
    }
    let (difference, half) = mean_ci95(&differences);
    format!("{less}; paired difference {})", with_interval(difference, half))
}

/// The settings of the experiment as a list of facts.
fn facts(summary: &Summary) -> String {
    let info = &summary.experiment;
    let rounds: u64 = summary.runs.iter().map(|run| run.rounds).fold(0, u64::saturating_add);
    let seconds: f64 = summary.runs.iter().map(|run| run.seconds).sum();
    let seconds = if seconds.is_finite() { format!("{} s", short(seconds)) } else { NONE.into() };
    let facts = [
        ("Rounds per trial", count(info.horizon)),
        ("Trials", count(info.trials as u64)),
        ("Seed", info.seed.to_string()),
        ("Rounds in all", count(rounds)),
        ("Time, all threads", seconds),
        ("Version", escape(&summary.moglb_version)),
    ];
    let facts: String =
        facts.iter().map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n")).collect();
    format!("<dl class=\"facts\">\n{facts}</dl>\n")
}
