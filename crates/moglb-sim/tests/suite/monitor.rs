//! Monitors on data whose truth is known: no alarm if all assumptions hold, an alarm if one is broken.

use moglb::{AlarmCode, Health};
use moglb_sim::{Plan, Results, Trace, Unwatched, run};

fn experiment(environment: &str, policy: &str, horizon: u64, trials: usize, monitor: bool) -> Plan {
    let text = format!(
        "horizon = {horizon}\ntrials = {trials}\npoints = 2\nmonitor = {monitor}\n\
         environments = [{environment}]\npolicies = [{policy}]"
    );
    Plan::from_toml(&text).unwrap()
}

fn results(environment: &str, policy: &str, horizon: u64, trials: usize) -> Results {
    run(&experiment(environment, policy, horizon, trials, true), 2, None, &Unwatched).unwrap()
}

fn healths(results: &Results) -> Vec<Health> {
    results.runs.iter().flat_map(|run| &run.traces).map(|trace| trace.health.clone().unwrap()).collect()
}

/// The number of trials in which an alarm rang.
fn rang(healths: &[Health], code: AlarmCode) -> usize {
    healths.iter().filter(|health| health.alarms().any(|alarm| alarm.code == code)).count()
}

/// 200 trials of each of two widths. Tests at level 0.001 for each of five objectives ring in more than 6
/// of 200 trials with chance 1e-4. All other alarms must stay silent, except that of the front, which may
/// be right.
#[test]
fn the_papers_problem_rings_hardly_ever() {
    for policy in ["{ id = 'moglb-ucb' }", "{ id = 'moglb-ucb', width = 'tightened' }"] {
        let healths = healths(&results("{ id = 'paper', dim = 5, max_front = 20 }", policy, 2000, 200));
        for code in AlarmCode::ALL {
            let most = match code {
                AlarmCode::Miscalibrated | AlarmCode::ResidualDrift | AlarmCode::NotCovered => 6,
                AlarmCode::FrontCollapsed => 200,
                _ => 0,
            };
            let got = rang(&healths, code);
            println!("{policy}: {} in {got} of 200", code.name());
            assert!(got <= most, "{policy}: {} in {got} of 200 trials", code.name());
        }
    }
}

/// Alarms ring on problems that are made for them, in at least `least` of 20 trials. Without a broken
/// assumption, one trial with an alarm would have chance 2e-2 at level 0.001 for each of five objectives. A
/// policy often adapts to new coefficients before the evidence is enough: EKF-UCB has an alarm in 8 trials.
#[test]
fn broken_assumptions_ring() {
    let (ucb, ekf) = ("{ id = 'moglb-ucb' }", "{ id = 'ekf-ucb' }");
    let drift = "radius = 5, coefficients = 'sphere', drift = { law = 'abrupt', every = 1500 }";
    let links = "assumed = ['logit', 'identity', 'logit', 'logit', 'logit']";
    for (policy, parameters, code, least) in [
        (ucb, "assumed_radius = 0.1", AlarmCode::RadiusTooSmall, 15),
        (ucb, "radius = 5, assumed_radius = 1", AlarmCode::RadiusTooSmall, 19),
        (ucb, "radius = 5, assumed_radius = 1", AlarmCode::NotCovered, 15),
        (ucb, links, AlarmCode::Miscalibrated, 15),
        (ekf, drift, AlarmCode::ResidualDrift, 5),
    ] {
        let environment = format!("{{ id = 'paper', dim = 5, max_front = 20, {parameters} }}");
        let got = rang(&healths(&results(&environment, policy, 3000, 20)), code);
        println!("{policy} on {environment}: {} in {got} of 20", code.name());
        assert!(got >= least, "{policy} on {environment}: {} in {got} of 20 trials", code.name());
    }
}

#[test]
fn monitoring_changes_no_result() {
    let environment =
        "{ id = 'paper', dim = 3, arrival = { delay = 5, law = 'geometric', apart = true, missing = 0.1 } }";
    let policies = "{ id = 'moglb-ucb', c = { tune = [0.01, 0.1] } }, { id = 'p-ucb' }, { id = 's-ucb' }";
    let plain = run(&experiment(environment, policies, 200, 2, false), 1, None, &Unwatched).unwrap();
    let watched = results(environment, policies, 200, 2);
    for (one, two) in plain.runs.iter().zip(&watched.runs) {
        assert_eq!(one.tuning, two.tuning);
        for (one, two) in one.traces.iter().zip(&two.traces) {
            let (one, two) = (one.clone(), Trace { health: None, ..two.clone() });
            assert_eq!(Trace { seconds: 0.0, ..one }, Trace { seconds: 0.0, ..two });
        }
    }
    let text = |results: &Results| serde_json::to_string(&results.summary()).unwrap();
    assert!(!text(&plain).contains("health") && text(&watched).contains("\"health\":[{\"contexts\":"));
    assert!(
        !plain.experiment.to_toml().unwrap().contains("monitor"),
        "files without monitors keep their bytes"
    );
}

/// A late reward is judged by the policy at the time when it comes. Parts that never come are not judged.
#[test]
fn late_rewards_are_judged_when_they_come() {
    let environment = "{ id = 'paper', dim = 3, arrival = { delay = 20, missing = 0.5 } }";
    for health in healths(&results(environment, "{ id = 'moglb-ucb' }", 400, 2)) {
        assert_eq!(health.exposure.rounds, 400);
        let count = health.objectives[0].coverage.count;
        assert!((120..260).contains(&count), "{count} of 400 came");
        assert_eq!(count, health.objectives[0].rewards.count);
    }
}
