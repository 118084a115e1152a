use super::*;
use crate::figure::tests::{ONE_ARM_EACH, on_data, summary, two_of_one_policy};
use moglb::{Link, Monitor, MonitorConfig, Objective, Prediction, Problem};
use moglb_sim::Claim;

const HOSTILE: &str = "</script><script>alert(1)</script>";

/// Checks the promises of every report: one page, only its own scripts, finite numbers, and data that parses.
fn check(page: &str) -> serde_json::Value {
    assert_eq!(page.matches("<script").count(), 3, "data, library and plots, nothing else");
    assert_eq!(page.matches("</script>").count(), 3);
    for loading in ["src=", "<link", "@import", "url("] {
        let own = page.replace(PLOT_SCRIPT, "").replace(SCRIPT, "");
        assert!(!own.contains(loading), "the page must load nothing, but has {loading}");
    }
    let prose = page.replace(PLOT_SCRIPT, "").replace(SCRIPT, "");
    assert!(!prose.contains("NaN") && !prose.contains(">inf"), "a number is not finite");
    let (_, rest) = page.split_once("id=\"data\">").expect("the page holds its data");
    let (data, _) = rest.split_once("</script>").expect("the data ends");
    serde_json::from_str(data).expect("the data is JSON")
}

fn claim(holds: Option<bool>) -> Claim {
    Claim { place: "Figure 1".into(), paper: "it is lower".into(), measured: "it is".into(), holds }
}

#[test]
fn the_report_shows_every_policy_metric_and_table() {
    let mut summary = summary(&[5, 10, 15], &[1, 10, 100], 4);
    summary.claims = vec![claim(Some(true)), claim(Some(false)), claim(None)];
    let page = report(&summary, "name = \"paper\"\n");
    let data = check(&page);
    assert_eq!(data["panels"].as_array().map(Vec::len), Some(3));
    for text in ["MOGLB-UCB has the lowest mean Pareto regret in all 3 settings", "✓ holds", "✗ did not hold"]
    {
        assert!(page.contains(text), "{text}");
    }
    for metric in &METRICS {
        assert_eq!(page.matches(&format!("data-metric=\"{}\"", metric.id)).count(), 3, "{}", metric.id);
    }
    assert!(page.contains("disjoint seeds") && page.contains("name = &quot;paper&quot;"));
}

#[test]
fn a_hostile_name_stays_text() {
    let mut summary = summary(&[5], &[1, 10], 2);
    summary.experiment.name = HOSTILE.into();
    summary.moglb_version = HOSTILE.into();
    summary.claims = vec![Claim {
        place: HOSTILE.into(),
        paper: HOSTILE.into(),
        measured: HOSTILE.into(),
        holds: Some(false),
    }];
    for run in &mut summary.runs {
        run.environment = HOSTILE.into();
        run.policy = HOSTILE.into();
        run.params.insert(HOSTILE.into(), HOSTILE.into());
        if let Some(tuning) = &mut run.tuning {
            tuning.parameter = HOSTILE.into();
        }
    }
    let page = report(&summary, HOSTILE);
    check(&page);
    assert!(!page.contains("alert(1)</script>") && !page.contains("<script>alert"));
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
}

#[test]
fn the_same_summary_gives_the_same_page() {
    let summary = summary(&[5, 10], &[1, 10], 2);
    assert_eq!(report(&summary, "a = 1"), report(&summary.clone(), "a = 1"));
}

#[test]
fn what_is_absent_leaves_no_empty_section() {
    let mut summary = summary(&[5], &[1], 1);
    for run in &mut summary.runs {
        (run.jaccard, run.precision, run.recall, run.front_size, run.tuning) = (None, None, None, None, None);
        (run.last.jaccard, run.last.jaccard_mean, run.last.hypervolume_front) = (None, None, None);
    }
    let page = report(&summary, "");
    check(&page);
    for absent in ["id=\"claims\"", "id=\"tuning\"", "data-metric=\"jaccard\"", "Jaccard index at T"] {
        assert!(!page.contains(absent), "{absent}");
    }
    assert!(page.contains("played one trial") && page.contains("there are no intervals"));
}

#[test]
fn no_runs_and_no_trials_still_make_a_page() {
    let mut summary = summary(&[5], &[], 0);
    check(&report(&summary, ""));
    summary.runs.clear();
    check(&report(&summary, ""));
}

#[test]
fn curves_of_zeros_and_of_nonsense_make_a_page() {
    for value in [0.0, f64::NAN, f64::INFINITY, -1.0] {
        let mut summary = summary(&[5], &[1, 10], 3);
        for run in &mut summary.runs {
            run.pareto_regret.mean.fill(value);
            run.pareto_regret.ci95.fill(value);
            run.last.pareto_regret.fill(value);
            run.last.share_on_front.fill(value);
            run.seconds = value;
        }
        check(&report(&summary, ""));
    }
}

#[test]
fn two_runs_of_one_policy_have_two_names() {
    let page = report(&two_of_one_policy(), "");
    check(&page);
    assert!(
        page.contains("data-label=\"MOGLB-UCB (c = 0.1)\"")
            && page.contains("data-label=\"MOGLB-UCB (c = 0.5)\"")
    );
}

#[test]
fn a_tie_makes_no_headline() {
    let mut summary = summary(&[5], &[1, 10], 3);
    for run in &mut summary.runs {
        run.pareto_regret.mean.fill(1.0);
    }
    assert!(!report(&summary, "").contains("has the lowest"));
}

#[test]
fn alarms_are_shown_where_assumptions_were_monitored() {
    let problem = Problem::new(2, vec![Objective::new("click", Link::Logit)]).unwrap();
    let mut monitor = Monitor::new(problem, MonitorConfig::default()).unwrap();
    let sound = monitor.health();
    let prediction = Prediction { mean: 0.25, low: 0.0, high: 1.0 };
    (0..120).for_each(|k| monitor.learned(&[Some(f64::from(k % 2))], &[prediction], 0).unwrap());
    monitor.clipped(3);
    let mut summary = summary(&[5], &[1, 10], 2);
    assert!(!report(&summary, "").contains("id=\"assumptions\""));
    summary.runs[0].health = Some(vec![monitor.health(), sound.clone()]);
    summary.runs[1].health = Some(vec![sound.clone(), sound]);
    let page = report(&summary, "");
    check(&page);
    assert!(page.contains("id=\"assumptions\"") && page.contains("<td>none</td>"));
    assert!(page.contains("<code>contexts-too-long</code> in 1 of 2"));
    // The rewards after the warm-up are one dot: 0.25 was predicted and 0.5 was observed.
    assert!(
        page.contains("reliability of click") && page.matches("<circle cx=\"8.0\" cy=\"8.0\"").count() == 1
    );
}

#[test]
fn a_run_on_data_begins_with_what_it_comes_to() {
    let page = report(&on_data(["cheap", "good"], ONE_ARM_EACH), "");
    check(&page);
    // Computed by hand for both runs and arms: "good" has mean 0.7 at cost 20, "cheap" has 0.2667 at cost 2
    // and no Pareto regret.
    for text in [
        "<h1>toy/p: MOGLB-UCB (own; only 1) reaches y_a 0.700 (+0.0000 compared with always good) at \
         100\u{a0}% of its cost.</h1>",
        "Pareto regret alone is won by always cheap (0.0000 a round, the best policy has 0.0000), which has \
         the lowest y_a",
        "<th scope=\"row\">MOGLB-UCB (own; only 0)</th>\
         <td>0.267</td><td>0.900</td><td>2.00</td><td>90\u{a0}%</td>",
        "<th scope=\"row\">any arm, evenly</th><td>0.4833</td><td>0.6500</td><td>11.0</td><td>45\u{a0}%</td>",
        "<th scope=\"row\">oracle for 1:0</th><td>0.7333</td><td>0.6000</td><td>14.0</td><td>30\u{a0}%</td>",
        "good\u{a0}100\u{a0}%",
        "Hypervolume over time",
        "Scalarized regret over weights",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let numbered = report(&on_data(["7", "8"], ONE_ARM_EACH), "");
    assert!(numbered.contains("arm\u{a0}8\u{a0}100\u{a0}%"), "a numeric name is not read as a share");
    let other = report(&summary(&[5], &[1, 10], 2), "");
    assert!(!other.contains("id=\"outcomes\"") && !other.contains("Operating points"));
}

#[test]
fn nothing_is_a_share_of_a_price_of_nothing() {
    let mut summary = on_data(["cheap", "good"], ONE_ARM_EACH);
    for baseline in summary.comparisons.iter_mut().flat_map(|comparison| &mut comparison.baselines) {
        baseline.measures.fill(0.0);
    }
    let page = report(&summary, "");
    check(&page);
    assert!(!page.contains("inf\u{a0}%") && !page.contains("NaN") && !page.contains("of its cost"));
}

#[test]
fn preferences_that_are_parameters_of_a_policy_are_named() {
    let page =
        report(&on_data(["cheap", "good"], "{ id = 's-ucb', weights = { each = [[1, 0], [1, 1]] } }"), "");
    assert!(page.contains("S-UCB with weights 1:0") && page.contains("S-UCB with weights 0.5:0.5"), "{page}");
}

#[test]
fn a_hostile_arm_stays_text() {
    let page = report(&on_data([HOSTILE, "<b>good</b>"], ONE_ARM_EACH), "");
    check(&page);
    assert!(!page.contains("<b>good</b>"));
}
