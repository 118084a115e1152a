use super::paper::{figure1, figure2};
use super::{operating, plane, series, volume, weights};
use moglb_figure::to_png;
use moglb_sim::{Curve, ExperimentInfo, Last, Run, SUMMARY_FORMAT, Summary, Tuning};
use std::collections::BTreeMap;

/// A small summary: every policy of the paper at each dimension, with invented curves of realistic shape.
pub(crate) fn summary(dims: &[usize], t: &[u64], trials: usize) -> Summary {
    let policies = ["moglb-ucb", "p-ucb", "s-ucb", "p-ts", "random"];
    let run = |&dim: &usize| policies.into_iter().map(move |policy| run(dim, policy, t, trials));
    Summary {
        format: SUMMARY_FORMAT.into(),
        moglb_version: "0.1.0".into(),
        experiment: ExperimentInfo {
            name: "paper".into(),
            seed: 1,
            horizon: t.last().copied().unwrap_or(0),
            trials,
        },
        runs: dims.iter().flat_map(run).collect(),
        claims: Vec::new(),
        comparisons: Vec::new(),
    }
}

/// A run. Only UCB and TS policies over fronts have a Jaccard index.
pub(crate) fn run(dim: usize, policy: &str, t: &[u64], trials: usize) -> Run {
    let has_front = !matches!(policy, "s-ucb" | "random");
    let half = if trials > 1 { 0.05 } else { 0.0 };
    let curve = |scale: f64| Curve {
        mean: t.iter().map(|&t| scale * t as f64 / (t as f64 + 50.0)).collect(),
        ci95: t.iter().map(|_| half * scale).collect(),
    };
    let share = |value: f64| vec![value; trials];
    Run {
        environment: "paper".into(),
        environment_params: BTreeMap::new(),
        dim,
        arms: 40,
        objectives: 5,
        policy: policy.into(),
        params: BTreeMap::from([("c".into(), 0.1.into()), ("lambda".into(), 1.0.into())]),
        t: t.to_vec(),
        pareto_regret: curve(if policy == "moglb-ucb" { 40.0 } else { 140.0 }),
        jaccard: has_front.then(|| curve(0.5)),
        precision: has_front.then(|| curve(0.6)),
        recall: has_front.then(|| curve(0.7)),
        front_size: has_front.then(|| curve(12.0)),
        last: Last {
            pareto_regret: share(if policy == "moglb-ucb" { 40.0 } else { 140.0 }),
            jaccard: has_front.then(|| share(0.5)),
            jaccard_mean: has_front.then(|| share(0.4)),
            exposure_entropy: share(0.9),
            exposure_least: share(0.4),
            exposure_gini: share(0.2),
            envy: share(0.1),
            share_on_front: share(0.6),
            true_front_size: vec![15; trials],
            hypervolume_mix: share(0.8),
            hypervolume_front: has_front.then(|| share(0.95)),
            projection_hits: vec![3; trials],
        },
        outcome: None,
        health: None,
        tuning: (policy == "moglb-ucb").then(|| Tuning {
            parameter: "c".into(),
            grid: vec![0.01, 0.1, 1.0],
            pareto_regret: vec![60.0, 40.0, 90.0],
            jaccard: Some(vec![0.4, 0.5, 0.2]),
            chosen: 0.1,
            trials,
            seeds: "disjoint".into(),
        }),
        rounds: t.last().copied().unwrap_or(0) * trials as u64,
        seconds: 0.5,
    }
}

/// A summary of three rounds of data with two arms of these names: rewards y_a and y_b, and a cost.
pub(crate) fn on_data(names: [&str; 2], policies: &str) -> Summary {
    let folder = tempfile::tempdir().unwrap();
    let meta = r#"{ "format": "mob-data/1", "name": "toy", "problems": [{ "id": "p", "kind": "full",
        "rounds": "rounds.csv", "rewards": "rewards.csv", "arms": "arms.csv",
        "objectives": [{ "column": "y_a" }, { "column": "y_b" }] }] }"#;
    let rewards = "round_id,arm_id,y_a,y_b,raw_cost\n\
        0,0,0.2,1,1\n0,1,0.8,0.5,10\n1,0,0.5,0.9,2\n1,1,0.4,0.3,20\n2,0,0.1,0.8,3\n2,1,0.9,0.4,30\n";
    let arms = format!("arm_id,name\n0,{}\n1,{}\n", names[0], names[1]);
    for (name, text) in [
        ("meta.json", meta),
        ("rounds.csv", "round_id,x_u\n0,0.5\n1,0.5\n2,0.5\n"),
        ("rewards.csv", rewards),
        ("arms.csv", &arms),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let text = format!(
        "name = 'toy'\nhorizon = 3\ntrials = 3\npolicies = [{policies}]\n\
         environments = [{{ id = 'data', path = '{}', problem = 'p' }}]",
        folder.path().display()
    );
    let plan = moglb_sim::Plan::from_toml(&text).unwrap();
    let mut summary = moglb_sim::run(&plan, 1, None, &moglb_sim::Unwatched).unwrap().summary();
    // The temporary folder, and so the environment, has another name in every run.
    summary.runs.iter_mut().for_each(|run| run.environment = "toy/p".into());
    summary.comparisons.iter_mut().for_each(|comparison| comparison.environment = "toy/p".into());
    summary
}

/// Policies of which two play one arm each, and the third plays any arm.
pub(crate) const ONE_ARM_EACH: &str = "{ id = 'moglb-ucb', play = { include = [0] } }, \
                                       { id = 'moglb-ucb', play = { include = [1] } }, { id = 'random' }";

/// A summary with two runs of one policy that differ in `c`.
pub(crate) fn two_of_one_policy() -> Summary {
    let mut summary = summary(&[10], &[1, 10, 100], 3);
    let mut second = summary.runs[0].clone();
    second.params.insert("c".into(), 0.5.into());
    summary.runs.insert(1, second);
    summary
}

/// Checks the promises of every figure: it parses, can be drawn, contains the texts, and has only finite
/// numbers.
fn check(svg: &str, names: &[&str]) {
    let document = resvg::usvg::roxmltree::Document::parse(svg).expect("well-formed XML");
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    for name in names {
        assert!(texts.contains(name), "{name} is not named in {texts:?}");
    }
    for attribute in document.descendants().flat_map(|node| node.attributes()) {
        let value = attribute.value();
        assert!(!value.contains("NaN") && !value.contains("inf"), "{} = {value}", attribute.name());
    }
    let png = to_png(svg).expect("the figure renders");
    assert!(png.starts_with(b"\x89PNG"));
}

const NAMES: [&str; 5] = ["MOGLB-UCB", "P-UCB", "S-UCB", "P-TS", "Random"];

#[test]
fn figure_1_has_a_panel_per_dim_and_names_every_policy() {
    let svg = figure1(&summary(&[5, 10, 15], &[1, 10, 100, 3000], 10));
    check(&svg, &NAMES);
    check(&svg, &["(a) d = 5", "(b) d = 10", "(c) d = 15", "Cumulative Pareto regret", "Round t"]);
}

#[test]
fn one_to_seven_panels_can_be_drawn() {
    for count in 1..=7 {
        let dims: Vec<usize> = (1..=count).collect();
        check(&figure1(&summary(&dims, &[1, 2, 3], 2)), &NAMES);
    }
}

#[test]
fn figure_2_shows_the_policies_with_a_front_at_dim_10() {
    let svg = figure2(&summary(&[5, 10, 15], &[1, 10, 3000], 10)).expect("there are fronts");
    check(&svg, &["MOGLB-UCB", "P-UCB", "P-TS", "d = 10", "Jaccard index"]);
    assert!(!svg.contains("S-UCB") && !svg.contains("Random"));
}

#[test]
fn figure_2_falls_back_to_the_middle_dim() {
    let svg = figure2(&summary(&[3, 4, 20], &[1, 10], 2)).expect("there are fronts");
    check(&svg, &["d = 4"]);
}

#[test]
fn without_a_front_there_is_no_figure_2() {
    let mut summary = summary(&[5], &[1, 10], 2);
    summary.runs.retain(|run| run.jaccard.is_none());
    assert_eq!(figure2(&summary), None);
    summary.runs.clear();
    assert_eq!(figure2(&summary), None);
    check(&figure1(&summary), &[]);
}

#[test]
fn the_same_summary_gives_the_same_bytes() {
    let summary = summary(&[5, 10], &[1, 10, 100], 3);
    assert_eq!(figure1(&summary), figure1(&summary.clone()));
    assert_eq!(figure2(&summary), figure2(&summary.clone()));
}

#[test]
fn one_trial_has_no_band() {
    let svg = figure1(&summary(&[5], &[1, 10], 1));
    check(&svg, &NAMES);
    assert!(!svg.contains("95 % interval") && !svg.contains("Z\""));
}

#[test]
fn a_single_round_is_drawn_as_dots() {
    let svg = figure1(&summary(&[5], &[1], 4));
    check(&svg, &NAMES);
    assert_eq!(svg.matches("<circle").count(), 5);
}

#[test]
fn curves_of_zeros_and_of_nonsense_can_be_drawn() {
    for value in [0.0, f64::NAN, f64::INFINITY, f64::MAX, -1.0] {
        let mut summary = summary(&[5], &[1, 10, 100], 4);
        for run in &mut summary.runs {
            run.pareto_regret.mean.fill(value);
            run.pareto_regret.ci95.fill(value);
        }
        check(&figure1(&summary), &NAMES);
    }
}

#[test]
fn ten_million_rounds_have_short_ticks() {
    check(&figure1(&summary(&[5], &[1, 10_000_000], 4)), &["5M", "10M"]);
}

#[test]
fn two_runs_of_one_policy_are_told_apart_by_what_differs() {
    let summary = two_of_one_policy();
    check(&figure1(&summary), &["MOGLB-UCB (c = 0.1)", "MOGLB-UCB (c = 0.5)", "P-UCB"]);
    let panels = series::panels(&summary);
    assert_ne!(panels[0].lines[0].style, panels[0].lines[1].style);
}

/// Preferences are part of the name, even if no other run of the policy differs.
#[test]
fn a_run_is_named_by_how_it_is_played() {
    let mut summary = summary(&[10], &[1, 10, 100], 3);
    let knee = serde_json::json!({ "prefer": { "kind": "knee" }, "floor": { "share": 0.1 } });
    summary.runs[0].params.insert("play".into(), knee);
    check(&figure1(&summary), &["MOGLB-UCB (knee; floor 0.1)", "P-UCB"]);
}

#[test]
fn a_parameter_tuned_per_dim_does_not_split_a_policy() {
    let mut summary = summary(&[5, 10], &[1, 10], 2);
    summary.runs[0].params.insert("c".into(), 0.7.into());
    check(&figure1(&summary), &NAMES);
}

#[test]
fn environments_of_one_dim_have_their_own_panels() {
    let mut summary = summary(&[5], &[1, 10], 2);
    let mut other = summary.runs.clone();
    for run in &mut other {
        run.environment = "<b>drift & co</b>".into();
    }
    summary.runs.extend(other);
    check(&figure1(&summary), &["(a) paper, d = 5", "(b) <b>drift & co</b>, d = 5"]);
}

/// Twenty variants of P-UCB and the policies of the paper at two dimensions. The regret of the variants falls
/// with their number at the first dimension and rises at the second.
fn tournament() -> Summary {
    let mut tournament = summary(&[5, 10], &[1, 10], 3);
    for dim in [5, 10] {
        for number in 0..20_u32 {
            let mut variant = run(dim, "p-ucb", &[1, 10], 3);
            variant.params.insert("front_size".into(), number.into());
            variant.last.pareto_regret = vec![f64::from(if dim == 5 { 60 - number } else { 20 + number }); 3];
            tournament.runs.push(variant);
        }
    }
    tournament
}

#[test]
fn of_too_many_lines_the_same_few_are_drawn_in_every_panel_and_look_different() {
    let tournament = tournament();
    let drawn: Vec<Vec<_>> = series::panels(&tournament)
        .iter()
        .map(|panel| {
            panel.lines.iter().filter(|line| line.is_drawn).map(|l| (l.label.clone(), l.style)).collect()
        })
        .collect();
    assert_eq!(drawn[0], drawn[1]);
    // MOGLB-UCB, four lines with a front, and the two lines without one.
    assert_eq!(drawn[0].len(), 7);
    assert_eq!(drawn[0][0].0, "MOGLB-UCB");
    for (k, (label, style)) in drawn[0].iter().enumerate() {
        assert!(drawn[0][..k].iter().all(|(_, other)| other != style), "{label}");
    }
    check(&figure1(&tournament), &["(a) d = 5 (7 of 25)", "(b) d = 10 (7 of 25)"]);
}

#[test]
fn what_is_pursued_tells_runs_apart_without_their_tuned_parameters() {
    let mut summary = summary(&[5], &[1, 10], 2);
    for (target, scale) in [(serde_json::json!(2), 0.1), (serde_json::json!([1.0, 1.0]), 0.01)] {
        let mut oful = run(5, "oful", &[1, 10], 2);
        oful.params = BTreeMap::from([("target".into(), target), ("scale".into(), scale.into())]);
        summary.runs.push(oful);
    }
    let panels = series::panels(&summary);
    let labels: Vec<&str> = panels[0].lines[5..].iter().map(|line| &line.label[..]).collect();
    assert_eq!(labels, ["OFUL (objective 2)", "OFUL (weighted sum)"]);
}

#[test]
fn the_plane_names_policies_preferences_arms_and_axes() {
    let weighted = "{ id = 'moglb-ucb', play = { prefer = { kind = 'weights', weights = { each = [[98, 2], \
                    [1, 1]] } } } }, { id = 'oful', target = 0 }, { id = 'random' }";
    let summary = on_data(["acme/cheap", "acme/good"], weighted);
    let svg = plane::figure(&summary).unwrap();
    let document = resvg::usvg::roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    for name in [
        "toy/p",
        "MOGLB-UCB",
        "OFUL",
        "cheap",
        "good",
        "0.98",
        "cost a round (better: up and to the left)",
        "y_a",
        "oracle, in hindsight",
    ] {
        assert!(texts.contains(&name), "{name} is not in {texts:?}");
    }
    for svg in [svg, volume::figure(&summary).unwrap(), weights::figure(&summary).unwrap()] {
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(to_png(&svg).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn preferences_are_in_order_and_pursued_weights_sum_to_one() {
    let each = "{ id = 'oful', target = { each = [1, [3, 1], 0] } }, { id = 'random' }";
    let summary = on_data(["cheap", "good"], each);
    let [one] = &operating::operating(&summary)[..] else { panic!("one environment") };
    let preferences: Vec<&str> = one.groups[0].points.iter().map(|point| point.preference.as_str()).collect();
    assert_eq!(preferences, ["1:0", "0.75:0.25", "0:1"]);
    assert_eq!(one.groups[1].points[0].preference, "");
    // Always "good" has the better y_a and costs 20; "cheap" costs 2.
    assert_eq!(one.always_best().unwrap().0, "good");
    assert!((one.savings(2.0).unwrap() - 0.9).abs() < 1e-12 && one.across.is_cost);
}

#[test]
fn without_data_there_is_no_plane() {
    let summary = summary(&[5], &[1, 10], 3);
    assert!(plane::figure(&summary).is_none() && volume::figure(&summary).is_none());
    assert!(weights::figure(&summary).is_none());
}
