//! Operating points: the final means of each policy and preference in the plane of the first objective and
//! its cost.
//!
//! Figures and report use this module, so that both have the same points with the same names.

use super::series;
use moglb_figure::Style;
use moglb_sim::{Baseline, Comparison, DataOutcome, Estimate, Plays, Run, Summary, Together, weight_words};

/// The operating points on one environment.
pub(crate) struct Operating<'a> {
    /// The environment's name, shortened.
    pub title: String,
    /// The baselines and measures that the points are compared with.
    pub comparison: &'a Comparison,
    /// The horizontal axis.
    pub across: Across,
    /// The points of each policy.
    pub groups: Vec<Group<'a>>,
}

/// The horizontal axis of the plane: the cost if the data has one, otherwise the second objective.
pub(crate) struct Across {
    /// The name of the axis.
    pub name: String,
    /// True for a cost, of which less is better.
    pub is_cost: bool,
    /// The index of the cost among the measures, or of the objective among the objectives.
    place: usize,
    /// The factor that makes values easy to read.
    scale: f64,
}

/// The points of one policy, in the order of preference.
pub(crate) struct Group<'a> {
    /// The policy's display name.
    pub label: String,
    /// The color and dashes of the policy.
    pub style: Style,
    /// The shape of its marks.
    pub shape: usize,
    /// The points, one for each run.
    pub points: Vec<Point<'a>>,
    /// The outcome of all runs of the policy together.
    pub together: &'a Together,
}

/// The operating point of one run.
pub(crate) struct Point<'a> {
    /// The run.
    pub run: &'a Run,
    /// The outcome of the run on the data.
    pub outcome: &'a DataOutcome,
    /// The weights of the run, if it was played by weights.
    pub weights: Option<Vec<f64>>,
    /// The preference as text, such as `1:0`; empty if the run states none.
    pub preference: String,
    /// The mean of the first objective.
    pub up: Estimate,
    /// The mean on the horizontal axis, scaled.
    pub across: Estimate,
}

impl Point<'_> {
    /// The name of the point: policy and preference.
    pub fn name(&self, group: &Group) -> String {
        match (&self.weights, self.preference.is_empty()) {
            (_, true) => group.label.clone(),
            (Some(_), _) => format!("{} with weights {}", group.label, self.preference),
            (None, _) => format!("{} ({})", group.label, self.preference),
        }
    }
}

/// The beginning of the name of a measure that is a cost.
const COST: &str = "raw_cost";

impl Across {
    /// The axis of an environment; `None` if it has neither a cost nor a second objective.
    fn of(comparison: &Comparison) -> Option<Self> {
        let cost = comparison.measures.iter().position(|name| name.starts_with(COST));
        if let Some(place) = cost {
            let largest = comparison.baselines.iter().map(|baseline| baseline.measures[place]);
            // Thousandths of a dollar are easier to read per 1000 rounds.
            let scale = if largest.fold(0.0, f64::max) < 0.1 { 1000.0 } else { 1.0 };
            let name = comparison.measures[place].trim_start_matches("raw_");
            let name = format!("{name} {}", if scale == 1.0 { "a round" } else { "per 1000 rounds" });
            return Some(Self { name, is_cost: true, place, scale });
        }
        let name = comparison.objectives.get(1)?.clone();
        Some(Self { name, is_cost: false, place: 1, scale: 1.0 })
    }

    /// The value of a run on this axis.
    fn of_run(&self, outcome: &DataOutcome) -> Option<Estimate> {
        let columns = if self.is_cost { &outcome.measures } else { &outcome.objectives };
        let Estimate { mean, ci95 } = Estimate::of(&columns.get(self.place)?.trials);
        Some(Estimate { mean: mean * self.scale, ci95: ci95 * self.scale })
    }

    /// The value of a baseline on this axis; NaN if it has none.
    pub fn of_baseline(&self, baseline: &Baseline) -> f64 {
        let values = if self.is_cost { &baseline.measures } else { &baseline.objectives };
        values.get(self.place).map_or(f64::NAN, |value| value * self.scale)
    }
}

/// The name of a baseline.
pub(crate) fn baseline_name(baseline: &Baseline) -> String {
    match &baseline.plays {
        Plays::Always(arm) => format!("always {arm}"),
        Plays::Random => "any arm, evenly".into(),
        Plays::Oracle(weights) => format!("oracle for {}", weight_words(weights)),
    }
}

impl<'a> Operating<'a> {
    /// The arm with the best mean of the first objective, and the baseline that always plays it. `None` if
    /// the arms are not fixed.
    pub fn always_best(&self) -> Option<(&'a str, &'a Baseline)> {
        let arms = self.comparison.baselines.iter().filter_map(|baseline| match &baseline.plays {
            Plays::Always(arm) => Some((arm.as_str(), baseline)),
            _ => None,
        });
        // The first of several equal arms.
        arms.reduce(|best, arm| if arm.1.objectives[0] > best.1.objectives[0] { arm } else { best })
    }

    /// The savings at a cost, as a share of the cost of always playing the best arm. `None` if no cost is
    /// known.
    pub fn savings(&self, across: f64) -> Option<f64> {
        let (_, best) = self.always_best().filter(|_| self.across.is_cost)?;
        let paid = self.across.of_baseline(best);
        (paid > 0.0).then(|| 1.0 - across / paid)
    }

    /// All points with their policies.
    pub fn points(&self) -> impl Iterator<Item = (&Group<'a>, &Point<'a>)> {
        self.groups.iter().flat_map(|group| group.points.iter().map(move |point| (group, point)))
    }
}

/// The operating points of a summary, environment by environment; empty if no environment is data with two
/// objectives or a cost.
pub(crate) fn operating(summary: &Summary) -> Vec<Operating<'_>> {
    let mut styles: Vec<(String, Style)> = Vec::new();
    let of = |comparison| of_comparison(summary, comparison, &mut styles);
    summary.comparisons.iter().filter_map(of).collect()
}

/// The operating points on one environment; `None` if it has no axis or no points.
fn of_comparison<'a>(
    summary: &'a Summary,
    comparison: &'a Comparison,
    styles: &mut Vec<(String, Style)>,
) -> Option<Operating<'a>> {
    let across = Across::of(comparison)?;
    let mut groups: Vec<Group> = Vec::new();
    for together in &comparison.together {
        let name = series::display_name(&together.policy);
        let twins = groups.iter().filter(|group| group.together.policy == together.policy).count();
        let label = if twins == 0 { name } else { format!("{name} #{}", twins + 1) };
        let style = style(&together.policy, &label, styles);
        let runs = together.runs.iter().filter_map(|&run| summary.runs.get(run));
        let mut points: Vec<Point> = runs.filter_map(|run| point(run, comparison, &across)).collect();
        let first = |point: &Point| point.weights.as_ref().map_or(-1.0, |weights| weights[0]);
        // The sort is stable: points of equal weights stay in the order of the experiment.
        points.sort_by(|a, b| first(b).total_cmp(&first(a)));
        if !points.is_empty() {
            let shape = styles.iter().position(|(known, _)| *known == label).unwrap_or(0);
            groups.push(Group { label, style, shape, points, together });
        }
    }
    let title = series::shorten(&comparison.environment);
    (!groups.is_empty()).then_some(Operating { title, comparison, across, groups })
}

/// The point of a run; `None` if it has no outcome or a mean is not finite.
fn point<'a>(run: &'a Run, comparison: &Comparison, across: &Across) -> Option<Point<'a>> {
    let outcome = run.outcome.as_ref()?;
    let weights = weights(run, comparison.objectives.len());
    let preference = match (&weights, run.params.get("play").or_else(|| run.params.get("target"))) {
        (Some(weights), _) => weight_words(weights),
        (None, Some(value)) if !value.is_null() => series::shorten(&series::parameter(value)),
        _ => String::new(),
    };
    let (up, across) = (Estimate::of(&outcome.objectives.first()?.trials), across.of_run(outcome)?);
    (up.mean.is_finite() && across.mean.is_finite()).then_some(Point {
        run,
        outcome,
        weights,
        preference,
        up,
        across,
    })
}

/// The weights that a run was played by or pursued, divided by their sum.
fn weights(run: &Run, n_objectives: usize) -> Option<Vec<f64>> {
    let prefer = run.params.get("play").and_then(|play| play.get("prefer"));
    let by_weights = prefer.filter(|prefer| prefer["kind"] == "weights").map(|prefer| &prefer["weights"]);
    let pursued = ["target", "weights", "objective"].iter().filter_map(|key| run.params.get(*key));
    let given = by_weights.or_else(|| pursued.clone().find(|value| !value.is_null()))?;
    if let Some(objective) = given.as_u64() {
        return Some((0..n_objectives).map(|i| f64::from(u8::from(i as u64 == objective))).collect());
    }
    let given: Vec<f64> = given.as_array()?.iter().filter_map(serde_json::Value::as_f64).collect();
    let sum: f64 = given.iter().sum();
    (given.len() == n_objectives && sum > 0.0).then(|| given.iter().map(|weight| weight / sum).collect())
}

/// Okabe and Ito's colors for policies that have none of their own, each with a dash pattern.
const COLORS: [Style; 6] = [
    Style { color: "#e69f00", dark: "#f5be4a", dash: &[], width: 1.8 },
    Style { color: "#222222", dark: "#eeeeee", dash: &[9.0, 3.0], width: 1.8 },
    Style { color: "#56b4e9", dark: "#9ad6f7", dash: &[3.0, 2.0], width: 1.8 },
    Style { color: "#009e73", dark: "#2fcf9f", dash: &[10.0, 2.5, 1.5, 2.5], width: 1.8 },
    Style { color: "#d55e00", dark: "#ff8b3d", dash: &[5.0, 4.0], width: 1.8 },
    Style { color: "#b4558a", dark: "#e49ac4", dash: &[2.0, 2.0], width: 1.8 },
];

/// The style of a policy with all its preferences: the policy's own, or the next free one of [`COLORS`].
fn style(policy: &str, label: &str, styles: &mut Vec<(String, Style)>) -> Style {
    if let Some((_, style)) = styles.iter().find(|(known, _)| known == label) {
        return *style;
    }
    let taken = |style: &Style| styles.iter().any(|(_, other)| other.color == style.color);
    let own = series::own_style(policy).filter(|own| !taken(own));
    let next = || COLORS.iter().find(|style| !taken(style)).copied();
    let style = own.or_else(next).unwrap_or(COLORS[styles.len() % COLORS.len()]);
    styles.push((label.into(), style));
    style
}
