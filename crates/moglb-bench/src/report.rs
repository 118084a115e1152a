//! The report: Markdown made from the records. The same records give the same report.
//!
//! It begins with the machine and the targets that were missed. Each section has its introduction, the table
//! of its targets, and all its numbers, which are folded.

use crate::chart;
use crate::format::{digits, quantity, spread};
use crate::goals::{Bar, Goal, goals};
use crate::machine;
use crate::record::{Record, Spread};
use crate::sections::{SECTIONS, Section};
use crate::verdict::{Verdict, pooled};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::Path;

/// The first lines of the report.
const HEAD: &str = "# Performance

Written by `cargo xtask bench`; all numbers and verdicts are from one run on the machine below. \
Do not edit by hand.

";
/// The guide to the numbers.
const READING: &str = "
**How to read the times.** Times are the median with [minimum – 90th percentile], in CPU time of the \
thread unless stated otherwise. Contestants take turns on the same inputs; a ratio is taken within a turn, \
and its range is over the turns. The verdict is that of the median ratio. If something was not measured in \
this run, the report says so: it has no numbers from earlier runs.
";

/// Writes the report and, if growth was measured, its figure into the folder `figures` next to it.
///
/// # Errors
///
/// Fails if a file cannot be written.
pub fn write(path: &Path, records: &[Record]) -> Result<()> {
    let folder = path.parent().context("a file in a folder")?;
    std::fs::create_dir_all(folder.join("figures"))?;
    if let Some(svg) = chart::growth(records) {
        std::fs::write(folder.join("figures/growth.svg"), &svg)?;
        std::fs::write(folder.join("figures/growth.png"), moglb_figure::to_png(&svg)?)?;
    }
    std::fs::write(path, markdown(records)).with_context(|| path.display().to_string())
}

/// The report as text: the facts about the machine, then the sections that have records.
pub fn markdown(records: &[Record]) -> String {
    let sections: Vec<&Section> = SECTIONS
        .iter()
        .filter(|section| records.iter().any(|record| record.section == section.name))
        .collect();
    let judged: Vec<(Goal, Verdict)> = goals()
        .into_iter()
        .filter(|goal| sections.iter().any(|section| section.name == goal.section))
        .map(|goal| {
            let verdict = Verdict::of(&goal, records);
            (goal, verdict)
        })
        .collect();
    let mut out = HEAD.to_string();
    let facts = || records.iter().filter(|record| record.section == machine::SECTION);
    if facts().any(|fact| fact.case == machine::QUICK) {
        out += "**A quick run: sizes are tiny and the numbers mean nothing.**\n\n";
    }
    out += "| | |\n|---|---|\n";
    for fact in facts() {
        out += &row(&[&fact.case, fact.outcome.note.as_deref().unwrap_or_default()]);
    }
    out += READING;
    out += &overview(&judged);
    for section in sections {
        out += &format!("\n## {}\n\n{}\n", section.title, section.about);
        if section.name == "growth" {
            out += &growth(records);
        }
        out += &targets(section, &judged);
        out += &numbers(section, records);
    }
    out
}

/// The numbers of targets that were met and missed, and the list of missed targets.
fn overview(judged: &[(Goal, Verdict)]) -> String {
    let count = |wanted: fn(&Verdict) -> bool| judged.iter().filter(|(_, verdict)| wanted(verdict)).count();
    let met = count(|v| v.must == Ok(true));
    let missed = count(|v| v.must == Ok(false));
    let unknown = count(|v| v.must.is_err());
    let moon = count(|v| v.moonshot == Some(true));
    let mut out = format!(
        "\n**{met} targets met, {missed} missed, {unknown} not measured; {moon} moonshots reached.** Missed:"
    );
    if missed == 0 {
        return out + " none.\n";
    }
    out += "\n\n";
    for (goal, verdict) in judged.iter().filter(|(_, verdict)| verdict.must == Ok(false)) {
        let found = match verdict.ratio {
            Some(ratio) => times(goal.must, ratio[0]),
            None => ours(verdict, |numbers| quantity(numbers.median, unit(goal))),
        };
        writeln!(
            out,
            "- {}: {}, {}: {} wanted, {found} found",
            goal.section,
            goal.case,
            goal.what,
            bar(goal, goal.must)
        )
        .expect("writing to a string cannot fail");
    }
    out
}

/// The table of the targets of a section.
fn targets(section: &Section, judged: &[(Goal, Verdict)]) -> String {
    let judged: Vec<_> = judged.iter().filter(|(goal, _)| goal.section == section.name).collect();
    if judged.is_empty() {
        return String::new();
    }
    let mut out = "\n| case | what | ours | against | ratio [range] | must reach | verdict | moonshot |\n\
                   |---|---|---|---|---|---|---|---|\n"
        .to_string();
    for (goal, verdict) in judged {
        let unit = unit(goal);
        let theirs = match (&verdict.theirs, goal.against) {
            (Some((who, numbers)), _) => format!("{who}: {}", spread(numbers, unit)),
            (None, []) => "–".into(),
            (None, against) => against.join(", "),
        };
        let ratio = verdict.ratio.map_or("–".into(), |[median, low, high]| {
            format!("{} [{} – {}]", times(goal.must, median), digits(low), digits(high))
        });
        let moonshot = match (goal.moonshot, verdict.moonshot) {
            (None, _) => "–".into(),
            (Some(moonshot), Some(true)) => format!("{}: reached", bar(goal, moonshot)),
            (Some(moonshot), _) => format!("{}: no", bar(goal, moonshot)),
        };
        out += &row(&[
            &goal.case,
            goal.what,
            &ours(verdict, |numbers| spread(numbers, unit)),
            &theirs,
            &ratio,
            &bar(goal, goal.must),
            &word(&verdict.must),
            &moonshot,
        ]);
    }
    out
}

/// This project's numbers, or the reason why there are none.
fn ours(verdict: &Verdict, write: impl Fn(&Spread) -> String) -> String {
    match (&verdict.ours, &verdict.stopped) {
        (Some(numbers), _) => write(numbers),
        (None, Some(stopped)) => stopped.clone(),
        (None, None) => "–".into(),
    }
}

/// A verdict as a word, or the reason why there is none.
fn word(must: &Result<bool, String>) -> String {
    match must {
        Ok(true) => "met".into(),
        Ok(false) => "**missed**".into(),
        Err(reason) => reason.clone(),
    }
}

/// The table of all numbers of a section: a row for each case and quantity, with a line for each contestant.
fn numbers(section: &Section, records: &[Record]) -> String {
    let of_section = || records.iter().filter(|record| record.section == section.name);
    let rows = distinct(of_section().map(|record| (record.case.as_str(), record.what.as_str())));
    if rows.is_empty() {
        return String::new();
    }
    let mut out = "\n<details><summary>All numbers</summary>\n\n\
                   | case | what | median [min – p90], n samples |\n|---|---|---|\n"
        .to_string();
    for (case, what) in rows {
        let of_row = || of_section().filter(|record| record.case == case && record.what == what);
        let contestant = |who: &str| {
            let found: Vec<&Record> = of_row().filter(|record| record.who == who).collect();
            format!("{who}: {}", measured(&found))
        };
        let contestants = distinct(of_row().map(|record| record.who.as_str())).into_iter().map(contestant);
        out += &row(&[case, what, &contestants.collect::<Vec<_>>().join("<br>")]);
    }
    out + "\n</details>\n"
}

/// The distinct values, in the order of their first occurrence.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut seen, value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
        seen
    })
}

/// The records of one contestant as text: the pooled numbers, or the note if there are none.
fn measured(found: &[&Record]) -> String {
    let Some(last) = found.last() else { return String::new() };
    let note = last.outcome.note.clone();
    let extra = last.outcome.extra.iter().map(|(name, value)| format!("{name} {}", digits(*value)));
    let parts: Vec<String> = match pooled(found) {
        Some(numbers) => {
            let times = [spread(&numbers, &last.unit), format!("n = {}", numbers.samples)];
            let note = note.filter(|_| last.outcome.spread.is_some());
            times.into_iter().chain(extra).chain(note).collect()
        }
        None => note.into_iter().chain(extra).collect(),
    };
    parts.join(", ")
}

/// The figure, and its slopes as a table for readers who cannot see it.
fn growth(records: &[Record]) -> String {
    let slopes = chart::slopes(records);
    if slopes.is_empty() {
        return String::new();
    }
    let mut out =
        "\n![Seconds per round against K, d, m and t, both axes logarithmic](figures/growth.png)\n\n\
                   | against | arms | slope | from | to |\n|---|---|---|---|---|\n"
            .to_string();
    for slope in slopes {
        let end = |(x, y): (f64, f64)| format!("{} at {} = {x}", quantity(y, "s"), slope.axis);
        out += &row(&[slope.axis, slope.curve, &digits(slope.power), &end(slope.first), &end(slope.last)]);
    }
    out
}

/// A bound as text.
fn bar(goal: &Goal, bar: Bar) -> String {
    match bar {
        Bar::Faster(_) | Bar::Within(_) => {
            let other = match goal.against {
                [one] => *one,
                _ => "the better peer",
            };
            match bar {
                Bar::Faster(times) => format!("≥ {times}× as fast as {other}"),
                Bar::Within(times) => format!("≤ {times}× {other}"),
                Bar::AtMost(_) => unreachable!("matched outside"),
            }
        }
        Bar::AtMost(most) => format!("≤ {}", quantity(most, unit(goal))),
    }
}

/// A ratio as text.
fn times(bar: Bar, ratio: f64) -> String {
    match bar {
        Bar::Within(_) => format!("{}× of it", digits(ratio)),
        _ => format!("{}× as fast", digits(ratio)),
    }
}

/// The unit of a goal: bytes for the state, seconds for all others.
fn unit(goal: &Goal) -> &'static str {
    if goal.section == "state" { "B" } else { "s" }
}

/// A row of a table.
fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests;
