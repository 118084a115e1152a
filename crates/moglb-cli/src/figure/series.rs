//! The series of figures: the runs of each panel, the labels of lines, and their styles.
//!
//! Figures and report use this module, so a policy has one name and one color everywhere. A label has only
//! those parameters that distinguish two runs of one policy in a panel, and a title only those properties in
//! which environments differ: what is equal everywhere is not repeated.

use moglb::PlayConfig;
use moglb_figure::{Style, Trace};
use moglb_sim::{Curve, Run, Summary};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The runs on one environment of one size.
pub(crate) struct Panel<'a> {
    /// The environment's id.
    pub environment: &'a str,
    /// The dimension d.
    pub dim: usize,
    /// The shortest title that distinguishes the panel from the others, such as `d = 5`.
    pub title: String,
    /// The runs, in the order of the experiment.
    pub lines: Vec<Line<'a>>,
}

/// One run in a panel.
pub(crate) struct Line<'a> {
    /// The run.
    pub run: &'a Run,
    /// The position of the run in the summary.
    pub index: usize,
    /// The policy's display name, with the parameters that distinguish two runs of one policy.
    pub label: String,
    /// The color, dashes and width of the line.
    pub style: Style,
    /// True if figures draw the line. If there are too many lines, only the best ones are drawn.
    pub is_drawn: bool,
}

/// The factor by which a logarithmic axis goes beyond its values.
pub(crate) const LOG_AXIS_ROOM: f64 = 1.3;
/// The name of most x axes.
pub(crate) const ROUNDS: &str = "Round t";

/// Okabe and Ito's colors, which color-blind readers can distinguish, one per policy of the paper.
const KNOWN: [(&str, Style); 5] = [
    ("moglb-ucb", Style { color: "#0072b2", dark: "#4db5f0", dash: &[], width: 2.2 }),
    ("p-ucb", Style { color: "#d55e00", dark: "#ff8b3d", dash: &[7.0, 2.5], width: 1.6 }),
    ("s-ucb", Style { color: "#009e73", dark: "#2fcf9f", dash: &[2.0, 2.0], width: 1.6 }),
    ("p-ts", Style { color: "#b4558a", dark: "#e49ac4", dash: &[8.0, 2.5, 2.0, 2.5], width: 1.6 }),
    ("random", Style { color: "#767676", dark: "#a8a8a8", dash: &[4.0, 4.0], width: 1.6 }),
];
/// The colors left for other policies, and for further runs of the same one.
const SPARE_COLORS: [(&str, &str); 3] =
    [("#e69f00", "#f5be4a"), ("#222222", "#eeeeee"), ("#56b4e9", "#9ad6f7")];
/// The dashes of those lines. Their number and that of the colors are coprime, so that fifteen lines differ.
const SPARE_DASHES: [&[f64]; 5] = [&[], &[9.0, 3.0], &[3.0, 2.0], &[10.0, 2.5, 1.5, 2.5], &[5.0, 4.0]];
/// The style of a line that no figure draws.
const PLAIN: Style = Style { color: "#b0b0b0", dark: "#707070", dash: &[], width: 1.2 };
/// The largest number of lines that a reader can distinguish in one panel. If a panel has more, only the best
/// are drawn, the same ones in all panels: [`BEST_LINES`] of those with a front, [`BEST_LINES`] of those
/// without, and the policy that others are compared with.
const MOST_LINES: usize = 12;
/// The number of lines that are drawn of each kind, with and without a front, if there are too many.
const BEST_LINES: usize = 4;
/// The largest number of characters in a legend entry. A longer one would push the others off the page.
const LONGEST_LABEL: usize = 44;

/// The panels of a summary, in the order of the experiment.
pub(crate) fn panels(summary: &Summary) -> Vec<Panel<'_>> {
    let groups = summary.groups();
    let varying = varying_parameters(summary, &groups);
    let titles = Titles::new(groups.iter().map(|group| &summary.runs[group[0]]));
    let mut panels = Vec::new();
    for group in &groups {
        let first = &summary.runs[group[0]];
        let (mut lines, mut labels): (Vec<Line>, TakenLabels) = (Vec::new(), TakenLabels::default());
        for &index in group {
            let run = &summary.runs[index];
            let label = labels.own(shorten(&full_label(run, &varying)));
            lines.push(Line { run, index, label, style: PLAIN, is_drawn: true });
        }
        let title = titles.of(first);
        panels.push(Panel { environment: &first.environment, dim: first.dim, title, lines });
    }
    thin_out(&mut panels, summary);
    let mut styles: Vec<(String, Style)> = Vec::new();
    for line in panels.iter_mut().flat_map(|panel| &mut panel.lines).filter(|line| line.is_drawn) {
        line.style = style(&line.run.policy, &line.label, &mut styles);
    }
    panels
}

/// Chooses the lines that are drawn if a panel has too many, by their mean place over all panels.
fn thin_out(panels: &mut [Panel], summary: &Summary) {
    if panels.iter().all(|panel| panel.lines.len() <= MOST_LINES) {
        return;
    }
    let rankings = summary.rankings();
    let place = places(
        summary.runs.len(),
        rankings.iter().map(|ranking| ranking.places.iter().map(|place| place.index)),
    );
    // For each label its places, and whether it has a front.
    let mut places: BTreeMap<String, (Vec<usize>, bool)> = BTreeMap::new();
    let mut drawn = BTreeSet::new();
    for (k, panel) in panels.iter().enumerate() {
        for line in &panel.lines {
            let has_front = line.run.jaccard.is_some() && pursued(line.run).is_none();
            places.entry(line.label.clone()).or_insert((Vec::new(), has_front)).0.push(place[line.index]);
            if place[line.index] == rankings[k].measure {
                drawn.insert(line.label.clone());
            }
        }
    }
    for with_front in [true, false] {
        let kin = places
            .iter()
            .filter(|(label, (_, has_front))| *has_front == with_front && !drawn.contains(*label));
        let mean = |places: &[usize]| places.iter().sum::<usize>() as f64 / places.len() as f64;
        let mut kin: Vec<(f64, &String)> = kin.map(|(label, (places, _))| (mean(places), label)).collect();
        kin.sort_by(|a, b| a.0.total_cmp(&b.0));
        let best: Vec<String> = kin.into_iter().take(BEST_LINES).map(|(_, label)| label.clone()).collect();
        drawn.extend(best);
    }
    for line in panels.iter_mut().flat_map(|panel| &mut panel.lines) {
        line.is_drawn = drawn.contains(&line.label);
    }
}

/// The place of each run, from one pass over the positions of the runs in each ranking; `usize::MAX` for a
/// run in none of them.
fn places(n_runs: usize, rankings: impl Iterator<Item = impl Iterator<Item = usize>>) -> Vec<usize> {
    let mut places = vec![usize::MAX; n_runs];
    for ranking in rankings {
        ranking.enumerate().for_each(|(place, index)| places[index] = place);
    }
    places
}

/// The policy's name as the paper writes it.
pub(crate) fn display_name(policy: &str) -> String {
    let known = moglb::POLICIES.iter().find(|info| info.id == policy);
    known.map_or_else(|| policy.to_uppercase(), |info| info.name.into())
}

/// The parameters that state the target of a single-objective policy.
const PURSUED: [&str; 2] = ["target", "objective"];

/// The target of a run of a single-objective policy, which is part of its name everywhere.
fn pursued(run: &Run) -> Option<String> {
    match PURSUED.into_iter().find_map(|name| run.params.get(name)).filter(|value| !value.is_null())? {
        serde_json::Value::Array(_) => Some("weighted sum".into()),
        objective => Some(format!("objective {objective}")),
    }
}

/// The parameter with the preferences by which a run is played, which are part of its name everywhere.
const PLAYED: &str = "play";

/// A parameter's value as a short text.
pub(crate) fn parameter(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(_) => {
            PlayConfig::deserialize(value).map_or_else(|_| value.to_string(), |play| play.to_string())
        }
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Number(number) => match number.as_f64() {
            Some(float) if float != 0.0 && !(1e-4..1e6).contains(&float.abs()) => format!("{float:e}"),
            Some(float) => format!("{float}"),
            None => number.to_string(),
        },
        other => other.to_string(),
    }
}

impl<'a> Panel<'a> {
    /// The line of a run by its position in the summary.
    pub fn line(&self, index: usize) -> Option<&Line<'a>> {
        // Lines are in the order of the experiment, so their positions increase.
        found(&self.lines, index, |line| line.index)
    }
}

/// The entry of a key, of entries in the order of their keys.
fn found<T>(sorted: &[T], key: usize, key_of: impl Fn(&T) -> usize) -> Option<&T> {
    sorted.binary_search_by_key(&key, key_of).ok().map(|place| &sorted[place])
}

/// The properties in which environments differ, and which titles therefore have to state.
struct Titles<'a> {
    environments: BTreeSet<&'a str>,
    /// The numbers of arms and of objectives by environment and dimension.
    sizes: BTreeMap<(&'a str, usize), Sizes>,
    /// By environment, dimension and numbers of arms and objectives: the parameters of the first one, and the
    /// names of those in which another one differs.
    params: BTreeMap<Kin<'a>, (Flat<'a>, BTreeSet<&'a str>)>,
}

/// Numbers of arms and of objectives.
type Sizes = (BTreeSet<usize>, BTreeSet<usize>);

/// An environment and its dimension, number of arms and number of objectives.
type Kin<'a> = (&'a str, [usize; 3]);

/// Parameters by name, see [`flattened`].
type Flat<'a> = BTreeMap<&'a str, &'a serde_json::Value>;

impl<'a> Titles<'a> {
    /// Collects the properties from one run of each panel.
    fn new(runs: impl Iterator<Item = &'a Run>) -> Self {
        let mut all = Self { environments: BTreeSet::new(), sizes: BTreeMap::new(), params: BTreeMap::new() };
        for run in runs {
            all.environments.insert(&run.environment);
            let (arms, objectives) = all.sizes.entry((&run.environment, run.dim)).or_default();
            arms.insert(run.arms);
            objectives.insert(run.objectives);
            let own = flattened(&run.environment_params);
            let (first, differing) =
                all.params.entry(kin(run)).or_insert_with(|| (own.clone(), BTreeSet::new()));
            let names = own.keys().chain(first.keys());
            differing.extend(names.filter(|name| own.get(*name) != first.get(*name)));
        }
        all
    }

    /// The title of the panel of a run, such as `d = 5`. Environment, arms, objectives and parameters are
    /// added only if two panels differ in them.
    fn of(&self, run: &Run) -> String {
        let mut parts = vec![format!("d = {}", run.dim)];
        if self.environments.len() > 1 {
            parts.insert(0, shorten(&run.environment));
        }
        let (arms, objectives) = &self.sizes[&(run.environment.as_str(), run.dim)];
        if arms.len() > 1 {
            parts.push(format!("K = {}", run.arms));
        }
        if objectives.len() > 1 {
            parts.push(format!("m = {}", run.objectives));
        }
        let (_, differing) = &self.params[&kin(run)];
        let own = flattened(&run.environment_params);
        let told =
            own.iter().filter(|(name, _)| !["dim", "arms"].contains(name) && differing.contains(*name));
        parts.extend(told.map(|(name, value)| shorten(&format!("{name} = {}", parameter(value)))));
        parts.join(", ")
    }
}

/// The environment of a run and its size.
fn kin(run: &Run) -> Kin<'_> {
    (&run.environment, [run.dim, run.arms, run.objectives])
}

/// Parameters by name. The entries of a nested table have their own names, without that of the table.
fn flattened(params: &BTreeMap<String, serde_json::Value>) -> BTreeMap<&str, &serde_json::Value> {
    let mut flat = BTreeMap::new();
    for (name, value) in params {
        match value {
            serde_json::Value::Object(inner) => {
                flat.extend(inner.iter().map(|(name, value)| (&name[..], value)))
            }
            value => drop(flat.insert(name, value)),
        }
    }
    flat
}

/// For each policy, the parameters that differ between two of its runs in one panel. A parameter that differs
/// only between panels, such as one tuned for each d, does not distinguish runs.
fn varying_parameters<'a>(
    summary: &'a Summary,
    groups: &[Vec<usize>],
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut varying: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for group in groups {
        // Runs with different targets are distinguished by their targets. A parameter differs between two
        // runs if it differs between one of them and the first run.
        let mut firsts: BTreeMap<(&str, Option<String>, bool), &Run> = BTreeMap::new();
        for run in group.iter().map(|&index| &summary.runs[index]) {
            let names = varying.entry(&run.policy).or_default();
            for by_weights in [false, true].into_iter().filter(|by_weights| !by_weights || has_weights(run)) {
                let first = *firsts.entry((&run.policy, pursued(run), by_weights)).or_insert(run);
                let all = run.params.keys().chain(first.params.keys()).map(String::as_str);
                // A target is part of the name; two weighted sums differ in more than that.
                let own = all.filter(|name| PURSUED.contains(name) == by_weights && *name != PLAYED);
                names.extend(own.filter(|name| run.params.get(*name) != first.params.get(*name)));
            }
        }
    }
    varying
}

/// Returns true if the target of a run is a weighted sum.
fn has_weights(run: &Run) -> bool {
    run.params.get("target").is_some_and(serde_json::Value::is_array)
}

/// The name of a run with the parameters that distinguish it from other runs.
fn full_label(run: &Run, varying: &BTreeMap<&str, BTreeSet<&str>>) -> String {
    let names = varying.get(run.policy.as_str()).into_iter().flatten();
    let values = names.filter_map(|name| Some((name, run.params.get(*name)?)));
    let told = values.filter(|(_, value)| !are_equal(value));
    let told = told.map(|(name, value)| format!("{name} = {}", parameter(value)));
    let played = run.params.get(PLAYED).map(parameter);
    let told: Vec<String> = pursued(run).into_iter().chain(played).chain(told).collect();
    let name = display_name(&run.policy);
    if told.is_empty() { name } else { format!("{name} ({})", told.join(", ")) }
}

/// The labels of a panel, which are made distinct by numbers.
#[derive(Default)]
struct TakenLabels {
    /// The labels so far.
    taken: BTreeSet<String>,
    /// The last number that was appended to each label. It is kept because trying all numbers again for each
    /// of many equal labels would take quadratic time.
    numbers: BTreeMap<String, usize>,
}

impl TakenLabels {
    /// Returns a label, with a number appended if it is taken.
    fn own(&mut self, plain: String) -> String {
        let mut label = plain.clone();
        while !self.taken.insert(label.clone()) {
            let number = self.numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            label = format!("{plain} #{number}");
        }
        label
    }
}

/// Returns true if a parameter is a list of equal weights, which is the default of weights.
fn are_equal(value: &serde_json::Value) -> bool {
    value.as_array().is_some_and(|entries| entries.windows(2).all(|pair| pair[0] == pair[1]))
}

/// A text, cut off with an ellipsis if it is too long for a legend.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_LABEL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// A curve as the line of a panel.
pub(crate) fn trace(label: String, style: Style, t: &[u64], curve: &Curve) -> Trace {
    Trace::new(label, style, t, (&curve.mean, &curve.ci95))
}

/// The style that a policy of the paper has everywhere.
pub(crate) fn own_style(policy: &str) -> Option<Style> {
    KNOWN.iter().find(|(id, _)| *id == policy).map(|(_, style)| *style)
}

/// The style of a label. The first label of a policy in [`KNOWN`] has the style of that policy; the others
/// have spare colors and dashes in turn.
fn style(policy: &str, label: &str, styles: &mut Vec<(String, Style)>) -> Style {
    if let Some((_, style)) = styles.iter().find(|(known, _)| known == label) {
        return *style;
    }
    let free = own_style(policy).filter(|own| styles.iter().all(|(_, style)| style != own));
    let style = free.unwrap_or_else(|| {
        let index = styles.iter().filter(|(_, style)| KNOWN.iter().all(|(_, known)| known != style)).count();
        let (color, dark) = SPARE_COLORS[index % SPARE_COLORS.len()];
        Style { color, dark, dash: SPARE_DASHES[index % SPARE_DASHES.len()], width: 1.8 }
    });
    styles.push((label.into(), style));
    style
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{cost, delay, tests::run, tests::summary};
    use allocation_counter::measure;
    use std::cell::Cell;

    /// A summary whose runs differ in a parameter of the environment, so that each has a panel, or in one of
    /// the policy, so that all are lines of one panel.
    fn many(n_runs: usize, in_one_panel: bool) -> Summary {
        let mut summary = summary(&[5], &[10, 20], 2);
        summary.runs.clear();
        for k in 0..n_runs {
            let mut run = run(5, "s-ucb", &[10, 20], 2);
            // A search for a run that differs would stop at the first one; in these two none differs.
            run.environment_params.insert("noise".into(), 0.1.into());
            run.params.insert("target".into(), 0.into());
            let params = if in_one_panel { &mut run.params } else { &mut run.environment_params };
            params.insert("c".into(), (k as f64).into());
            summary.runs.push(run);
        }
        summary
    }

    /// Allocations are counted, not seconds. Twice as many runs would take four times as many of them if each
    /// title or label were made by a look at all other runs.
    #[test]
    fn panels_take_work_in_proportion_to_the_runs() {
        type Make = fn(&Summary);
        let makes: [(&str, Make); 3] = [
            ("panels", |summary| drop(panels(summary))),
            ("cost", |summary| drop(cost::figure(summary))),
            ("delay", |summary| drop(delay::figure(summary))),
        ];
        for (name, make) in makes {
            for in_one_panel in [false, true] {
                let count = |n_runs: usize| {
                    let summary = many(n_runs, in_one_panel);
                    measure(|| make(&summary)).count_total as f64
                };
                let (once, twice) = (count(200), count(400));
                assert!(twice < 2.2 * once, "{name}, one panel: {in_one_panel}: {once}, then {twice}");
            }
        }
    }

    #[test]
    fn the_places_of_all_runs_come_from_one_pass() {
        assert_eq!(
            places(5, [vec![2, 0], vec![3, 1]].into_iter().map(Vec::into_iter)),
            [1, 1, 0, 0, usize::MAX]
        );
        let (n_runs, seen) = (2000, Cell::new(0));
        let ranking = (0..n_runs).rev().inspect(|_| seen.set(seen.get() + 1));
        assert_eq!(places(n_runs, std::iter::once(ranking))[0], n_runs - 1);
        assert_eq!(seen.get(), n_runs);
    }

    #[test]
    fn a_line_is_found_without_a_look_at_all() {
        let (lines, seen) = (Vec::from_iter(0..2000), Cell::new(0));
        let key_of = |&line: &usize| {
            seen.set(seen.get() + 1);
            2 * line
        };
        assert!(lines.iter().all(|line| found(&lines, 2 * line, key_of) == Some(line)));
        assert_eq!(found(&lines, 3, key_of), None);
        // A look at all would be 2 million keys; a search takes 11 or 12 for each line.
        assert!(seen.get() <= 12 * 2001, "{} keys", seen.get());
    }

    #[test]
    fn labels_are_numbered_where_they_are_taken() {
        let mut labels = TakenLabels::default();
        let given = ["A", "A", "A #2", "B", "A", "A #2"].map(|label| labels.own(label.into()));
        assert_eq!(given, ["A", "A #2", "A #2 #2", "B", "A #3", "A #2 #3"]);
        // A number is tried once: after 10 000 equal labels the next number is known.
        (0..10_000).for_each(|_| drop(labels.own("C".into())));
        assert_eq!(labels.own("C".into()), "C #10001");
        assert_eq!(labels.numbers["C"], 10_001);
    }
}
